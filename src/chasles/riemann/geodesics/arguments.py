"""Arguments of the functions of geodesics, checked: arrays with their leading axes broadcast, and numbers."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.errors import ModelError, ShapeError
from chasles.robot_like import RobotLike

Array = NDArray[np.float64]


def broadcast(robot: RobotLike, function: str, **given: tuple[ArrayLike, int]) -> tuple[Array, ...]:
    """Arrays (..., size), with their leading axes broadcast."""
    arrays = {name: _array(robot, function, name, x) for name, (x, _) in given.items()}
    for (name, x), (_, size) in zip(arrays.items(), given.values(), strict=True):
        if x.ndim < 1 or x.shape[-1] != size:
            raise ShapeError(f"{function}: {name} must have shape (..., {size}), got {x.shape}")
    try:
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape[:-1]}" for name, x in arrays.items())
        raise ShapeError(f"{function}: the leading axes do not broadcast: {shapes}") from None
    return tuple(np.broadcast_to(x, (*lead, x.shape[-1])) for x in arrays.values())


def sampled_path(robot: RobotLike, function: str, q: ArrayLike) -> Array:
    """(..., T, nq), T at least 1."""
    x = _array(robot, function, "q", q)
    if x.ndim < 2 or x.shape[-1] != robot.nq or x.shape[-2] < 1:
        raise ShapeError(f"{function}: q must have shape (..., T, {robot.nq}), got {x.shape}")
    return x


def number(name: str, x: float) -> float:
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)) or not np.isfinite(x):
        raise ModelError(f"{name} must be a finite number, got {x!r}")
    return float(x)


def positive(name: str, x: float) -> float:
    if number(name, x) <= 0.0:
        raise ModelError(f"{name} must be positive, got {x!r}")
    return float(x)


def _array(robot: RobotLike, function: str, name: str, x: ArrayLike) -> Array:
    if not robot.n:
        raise ModelError(f"{function}: robot {robot.name!r} has no joints, and so no motions")
    try:
        return np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError(f"{function}: {name} must be an array of real numbers, got {type(x).__name__}") from None
