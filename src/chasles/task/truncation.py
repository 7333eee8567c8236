"""The task's inertia near singularities, on arrays: truncated, or damped.

With A' = S A S the scaled mobility of task_space.py (6), and A' = U diag(a) U^T,

    truncated  Lam = S U diag(1/a where a > LEAST_EIGENVALUE, else 0) U^T S               (1)
    damped     Lam = S (A' + damping^2)^-1 S                                      (2)

(1) is A^-1 where the task is regular. Where it is not, the directions in which the task cannot move have no inertia:
Lam A Lam = Lam, A Lam A = A, the pseudo-inverse of scaled rows. J^T Lam J and so the projector of the null space are
then the same for every inverse with these two properties. (2) is smooth and below 1/damping^2 everywhere, and never
exact: in a direction of mobility a it is short by damping^2 / a. With (1), J N is zero but in directions left out, in
which it is as small as J is there.
"""

from typing import Any

import numpy as np

from chasles.dynamics.task_space import scales

LEAST_EIGENVALUE = 1e-10  # of an eigenvalue of A': directions that move less than 1e-5 as much as the frame does
SAFE_MARGIN = 1e-7  # a margin of task_space.py (7), so that eigenvalues are not below it; rounding is 1e-9 of Lam there


def row_scales(squares: Any) -> Any:
    """(..., 6) the scales of task_space.py (6), from the diagonal of A over all six rows of a frame, in any metric."""
    both = scales(squares[..., :3].sum(axis=-1), squares[..., 3:].sum(axis=-1))
    out = np.empty(squares.shape)
    out[..., :3], out[..., 3:] = (np.asarray(side)[..., None] for side in both)
    return out


def truncated(A: Any, S: Any) -> Any:
    """(..., m, m) Lam of (1), from the mobility (..., m, m) and the scales (..., m); nan where A is not finite."""
    scaled, known = _scaled(A, S)
    a, U = np.linalg.eigh(scaled)
    kept = a > LEAST_EIGENVALUE
    reciprocal = np.where(kept, 1.0 / np.where(kept, a, 1.0), 0.0)
    return _back((U * reciprocal[..., None, :]) @ np.swapaxes(U, -1, -2), S, known)  # (1)


def damped(A: Any, S: Any, damping: float) -> Any:
    """(..., m, m) Lam of (2)."""
    scaled, known = _scaled(A, S)
    return _back(np.linalg.inv(scaled + damping**2 * np.eye(A.shape[-1])), S, known)  # (2)


def _scaled(A: Any, S: Any) -> tuple[Any, Any]:
    scaled = A * S[..., :, None] * S[..., None, :]
    known = np.isfinite(scaled).all(axis=(-2, -1), keepdims=True)
    return np.where(known, scaled, 0.0), known


def _back(inverse: Any, S: Any, known: Any) -> Any:
    out = inverse * S[..., :, None] * S[..., None, :]
    return np.where(known, (out + np.swapaxes(out, -1, -2)) / 2.0, np.nan)
