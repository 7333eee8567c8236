"""Where the rank of the constraints falls at a configuration: all rows count there, and the least of what is left open.

What was dropped may say more there than what is kept. With all rows A, of which some depend on others, S = A M^-1 A^T,

    lambda = S^+ (A M^-1 (bias - tau) - (dA/dt) qd),   P_T = 1 - M^-1 A^T S^+ A   (1)

The force A^T lambda, and with it the motion, is unique if the velocity is that of some motion through there. The
multipliers of the kept rows are not: those returned have the least sum of squares, or are nan where the kept rows
cannot carry the force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chasles.constrained import kernels
from chasles.constrained.algebra import solved, solved_matrix

if TYPE_CHECKING:
    from chasles.constrained.system import ConstrainedSystem

Array = NDArray[np.float64]
PIVOT = 1e-9  # below it, relative, a configuration counts as one where the rank falls


def motion(
    cs: ConstrainedSystem, low: Any, qdd: Array, multipliers: Array, q: Any, qd: Any, tau: Any, t: Any
) -> tuple[Array, Array]:
    """qdd and multipliers (...), anew where `low` (...) says."""
    lead = qdd.shape[:-1]
    state = [np.broadcast_to(x, (*lead, np.shape(x)[-1])).reshape(-1, np.shape(x)[-1]) for x in (q, qd, tau)]
    time = np.broadcast_to(t, lead).reshape(-1)
    out, forces = qdd.reshape(-1, cs.n).copy(), multipliers.reshape(-1, multipliers.shape[-1]).copy()
    kept = list(cs.redundancy.kept)
    for b in np.flatnonzero(np.reshape(low, -1)):
        x, v, f = (part[b] for part in state)
        if not all(np.isfinite(part).all() for part in (x, v, f, time[b])):
            continue
        M, A = cs.mass_matrix(x, time[b]), all_rows(cs, x)
        free, Y = solved(M, f - cs.bias_forces(x, v, time[b])), solved_matrix(M, A.T)
        if not np.isfinite(Y).all():  # M is singular there
            continue
        force = Y @ least(A @ Y, -(A @ free + cs.bent(x, v, A)))  # (1)
        out[b], forces[b] = free + force, least(A[kept] @ Y[:, kept], A[kept] @ force)
        if not np.allclose(Y[:, kept] @ forces[b], force, rtol=1e-6, atol=1e-9 * np.abs(force).max(initial=0.0)):
            forces[b] = np.nan  # a row that was dropped carries it
    return out.reshape(qdd.shape), forces.reshape(multipliers.shape)


def projection(cs: ConstrainedSystem, q: Array, t: Any) -> Array:
    """(n, n) P_T at one configuration."""
    A = all_rows(cs, q)
    Y = solved_matrix(cs.mass_matrix(q, t), A.T)
    return np.eye(cs.n) - Y @ least(A @ Y, A)  # (1)


def second_form(cs: ConstrainedSystem, M: Array, c: Array, q: Array, qd: Array) -> Array:
    """(n,) the second fundamental form at one state, c = C qd."""
    A = all_rows(cs, q)
    Y = solved_matrix(M, A.T)
    return Y @ least(A @ Y, Y.T @ c - cs.rows.drift(q, qd))


def all_rows(cs: ConstrainedSystem, q: Array) -> Array:
    """(rows, n), zero where a row has vanished."""
    A = cs.rows.A(q)
    there = np.linalg.norm(A, axis=-1) > kernels.VANISHED * np.array(cs.redundancy.lengths)
    return np.where(there[:, None], A, 0.0)


def least(S: Array, right: Array) -> Array:
    """The smallest x with S x = right, for an S = A M^-1 A^T whose rank may fall. right: (k,) or (k, m)."""
    if not np.isfinite(S).all():
        return np.full(np.shape(right), np.nan)
    size = np.sqrt(np.diagonal(S))
    D = np.where(size > 0.0, 1.0 / np.where(size > 0.0, size, 1.0), 0.0)[:, None]
    values, vectors = np.linalg.eigh(S * D * D.T)  # which row is small must not matter
    some = values > PIVOT * max(float(values.max()), 1e-300)
    U, b = vectors[:, some], np.reshape(right, (len(S), -1))
    x = D * (U @ (U.T @ (D * b) / values[some, None]))
    none = D * vectors[:, ~some]
    return (x - none @ np.linalg.lstsq(none, x, rcond=None)[0]).reshape(np.shape(right))
