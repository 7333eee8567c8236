"""Rigid motions and directions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from chasles.arguments.arrays import Array, array, place
from chasles.arguments.leaves import shown
from chasles.errors import ModelError

RIGID_TOLERANCE = 1e-6  # how far a rotation may be from orthonormal: it is made so up to there
LAST = np.array([0.0, 0.0, 0.0, 1.0])


def poses(T: Any, what: str) -> Array:
    """Rigid motions (..., 4, 4), a new array, with rotations orthonormal to rounding."""
    out = array(T, what, ("...", 4, 4), finite=True).copy()
    R = out[..., :3, :3]
    defect = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-1, -2))
    row = np.abs(out[..., 3, :] - LAST).max(axis=-1)
    wrong = (defect > RIGID_TOLERANCE) | (row > RIGID_TOLERANCE)
    mirror = ~wrong & (np.linalg.det(R) < 0.0)
    if mirror.any():
        raise ModelError(f"{what} is not a rigid motion: it is a reflection (its determinant is -1){place(mirror)}")
    if wrong.any():
        first = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        raise ModelError(
            f"{what} is not a rigid motion: rotation off by {defect[first]:.2g}, "
            f"last row {out[first][3].tolist()}{place(wrong)}"
        )
    U, _, Vt = np.linalg.svd(R)
    out[..., :3, :3] = np.where((defect > 1e-15)[..., None, None], U @ Vt, R)
    out[..., 3, :] = LAST
    return out


def pose(T: Any, what: str) -> Array:
    """(4, 4) one rigid motion."""
    return poses(array(T, what, (4, 4)), what)


def direction(x: Any, what: str) -> Array:
    """(3,) a unit vector."""
    v = point(x, what)
    length = float(np.linalg.norm(v))
    if not 0.0 < length < np.inf:
        raise ModelError(f"{what} must be a direction, got {shown(x)}")
    return v / length


def point(x: Any, what: str, size: int = 3) -> Array:
    """(size,) finite numbers."""
    return array(x, what, (size,), finite=True, error=ModelError)


def pairs(x: Any, what: str) -> tuple[tuple[float, float], ...]:
    """Finite numbers in pairs, none or more."""
    try:
        given = None if isinstance(x, (str, bytes)) or not isinstance(x, Iterable) else list(x)
    except TypeError:
        given = None
    if given is None:
        raise ModelError(f"{what} must be a list of pairs (u, v), got {shown(x)}")
    found = [point(pair, f"{what}[{k}]", 2) for k, pair in enumerate(given)]
    return tuple((float(u), float(v)) for u, v in found)
