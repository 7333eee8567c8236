"""Arguments of the functions of paths, checked: poses, twists, times; each refusal names the argument."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.errors import ModelError, ShapeError

Array = NDArray[np.float64]
RIGID = 1e-6  # a rotation may be this far from orthonormal; it is made so
LAST = np.array([0.0, 0.0, 0.0, 1.0])


def numbers(x: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    """Finite numbers (..., *shape)."""
    form = f"(..., {', '.join(map(str, shape))})" if shape else "of any shape"
    try:
        out = np.asarray(x)
    except ValueError:
        raise ShapeError(f"{name} is not a rectangular array") from None
    if out.dtype == object or not (np.issubdtype(out.dtype, np.number) or out.dtype == bool) or np.iscomplexobj(out):
        raise ShapeError(f"{name} must be real numbers {form}, got {type(x).__name__} of {out.dtype}")
    if out.shape[max(0, out.ndim - len(shape)) :] != shape:
        raise ShapeError(f"{name} must have shape {form}, got {out.shape}")
    if not np.isfinite(out).all():
        raise ModelError(f"{name} has a nan or an infinity{_where(~np.isfinite(out), len(shape))}")
    return out.astype(float)


def poses(T: ArrayLike, name: str) -> Array:
    """Rigid motions (..., 4, 4), with rotations orthonormal to rounding."""
    out = numbers(T, name, (4, 4))
    R = out[..., :3, :3]
    defect = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-1, -2))
    row = np.abs(out[..., 3, :] - LAST).max(axis=-1)
    wrong = (defect > RIGID) | (row > RIGID)
    mirror = ~wrong & (np.linalg.det(R) < 0.0)
    if mirror.any():
        raise ModelError(f"{name} is not a rigid motion: it is a reflection (its determinant is -1){_where(mirror)}")
    if wrong.any():
        first = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        raise ModelError(
            f"{name} is not a rigid motion: rotation off by {defect[first]:.2g}, "
            f"last row {out[first][3].tolist()}{_where(wrong)}"
        )
    U, _, Vt = np.linalg.svd(R)
    out[..., :3, :3] = np.where((defect > 1e-15)[..., None, None], U @ Vt, R)
    out[..., 3, :] = LAST
    return out


def twists(V: ArrayLike | None, name: str) -> Array:
    """(..., 6), zero by default."""
    return np.zeros(6) if V is None else numbers(V, name, (6,))


def seconds(x: Any, name: str) -> float:
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)) or not 0.0 < x < np.inf:
        raise ModelError(f"{name} must be a positive number of seconds, got {x!r}")
    return float(x)


def broadcast(**given: tuple[Array, int]) -> tuple[Array, ...]:
    """Arrays with their leading axes broadcast; with each, how many of its last axes are its own."""
    leads = {name: x.shape[: x.ndim - own] for name, (x, own) in given.items()}
    try:
        lead = np.broadcast_shapes(*leads.values())
    except ValueError:
        shapes = ", ".join(f"{name} {shape}" for name, shape in leads.items())
        raise ShapeError(f"the leading axes do not broadcast: {shapes}") from None
    return tuple(np.broadcast_to(x, (*lead, *x.shape[x.ndim - own :])) for x, own in given.values())


def _where(wrong: Array | Any, own: int = 0) -> str:
    """The first index of a batch at which something is wrong, as text; nothing where there is no batch."""
    flags = np.asarray(wrong)
    flags = flags.any(axis=tuple(range(flags.ndim - own, flags.ndim))) if own else flags
    return f", at {tuple(int(k) for k in np.argwhere(flags)[0])}" if flags.ndim else ""
