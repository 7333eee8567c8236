"""Arguments of the functions of geodesics: a robot that moves, arrays with their leading axes broadcast, paths."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from numpy.typing import ArrayLike

from chasles import arguments
from chasles.arguments.arrays import Array
from chasles.errors import ModelError, ShapeError
from chasles.robot_like import RobotLike


def broadcast(robot: RobotLike, function: str, **given: tuple[ArrayLike, int]) -> tuple[Array, ...]:
    """Arrays (..., size), with their leading axes broadcast."""
    _refuse_still(robot, function)
    return arguments.broadcast(function, **{name: (x, ("...", size)) for name, (x, size) in given.items()})


def sampled_path(robot: RobotLike, function: str, q: ArrayLike) -> Array:
    """(..., T, nq), T at least 1."""
    _refuse_still(robot, function)
    x = arguments.real(q, f"{function}: q")
    if x.ndim < 2 or x.shape[-1] != robot.nq or x.shape[-2] < 1:
        raise ShapeError(f"{function}: q must have shape (..., T, {robot.nq}), got {x.shape}")
    return x


def _refuse_still(robot: RobotLike, function: str) -> None:
    if not robot.n:
        raise ModelError(f"{function}: robot {robot.name!r} has no joints, and so no motions")
