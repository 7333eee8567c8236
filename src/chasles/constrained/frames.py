"""How frames and points of a robot move, at a traced configuration: what ready-made constraints are written with.

With J = (J_w, J_v) the Jacobian of a frame at its origin p, in space axes, a point x that moves with it has

    dx/dt = (J_v + J_w x (x - p)) v                                               (1)

the cross product taken of every column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.model.checks import array, rigid
from chasles.robot import Robot
from chasles.system import System

TINY = 1e-30


class Moving:
    """A frame of a system at q: R (3, 3), p (3,), and J_w, J_v (3, n) in space axes. No frame: the space frame."""

    def __init__(self, system: System, q: Any, frame: str | None, name: str) -> None:
        if not isinstance(system, Robot):
            raise ModelError(f"constraint {name!r} is between frames of a Robot: {system.name!r} has no frames")
        self.n = system.n
        if frame is None:
            self.R, self.p = np.eye(3), np.zeros(3)
            self.J_w, self.J_v = np.zeros((3, system.n)), np.zeros((3, system.n))
            return
        T, J = system.forward_kinematics(q, frame), system.jacobian(q, frame, "mixed")
        self.R, self.p, self.J_w, self.J_v = T[:3, :3], T[:3, 3], J[:3], J[3:]

    def at(self, point: Any) -> Any:
        """(3,) where a point of the frame is in space."""
        return self.p + self.R @ point

    def inside(self, x: Any) -> Any:
        """(3,) a point of space, in the frame."""
        return self.R.T @ (x - self.p)

    def velocity(self, x: Any) -> Any:
        """(3, n) the velocity, in space axes, of what moves with the frame at the point x of space."""
        return self.J_v + np.cross(self.J_w.T, np.stack([*(x - self.p)])).T  # (1)


def root(square: Any) -> Any:
    """The square root, finite with its derivatives at zero."""
    return np.sqrt(np.maximum(square, TINY))


def unit(x: Any) -> Any:
    """(3,) of length one; zero, and not nan, where x is."""
    return x / root(x @ x)


def frame_name(frame: Any, what: str) -> str:
    """A frame's name; whether the robot has it is found when the constraint meets the robot."""
    if not isinstance(frame, str):
        raise ModelError(f"{what} must be the name of a frame, got {frame!r}")
    return frame


def vector(x: Any, what: str) -> np.ndarray:
    """(3,) finite numbers."""
    return array(x, (3,), what)


def direction(x: Any, what: str) -> np.ndarray:
    """(3,) a unit vector."""
    v = array(x, (3,), what)
    length = float(np.linalg.norm(v))
    if not length > 0.0:
        raise ModelError(f"{what} must be a direction, got {x!r}")
    return v / length


def placement(T: Any, what: str) -> np.ndarray:
    """(4, 4) a pose."""
    return rigid(array(T, (4, 4), what), what, [])


def positive(x: Any, what: str, zero: bool = False) -> float:
    """A finite number above zero, or not below."""
    good = not isinstance(x, bool) and isinstance(x, (int, float, np.integer, np.floating))
    if not good or not 0.0 <= x < np.inf or (x == 0.0 and not zero):
        raise ModelError(f"{what} must be a number that is {'not negative' if zero else 'positive'}, got {x!r}")
    return float(x)


def chosen(rows: Any, names: Sequence[str], what: str) -> tuple[int, ...]:
    """Rows by name ("tx ty", or a list) or by index, in their order."""
    given = rows.split() if isinstance(rows, str) else [rows] if isinstance(rows, (int, np.integer)) else list(rows)
    found = []
    for row in given:
        if isinstance(row, str) and row in names:
            found.append(names.index(row))
        elif isinstance(row, (int, np.integer)) and not isinstance(row, bool) and 0 <= row < len(names):
            found.append(int(row))
        else:
            raise ModelError(f"{what}: no row {row!r}; there are {' '.join(names)}, or 0 to {len(names) - 1}")
    if not found:
        raise ModelError(f"{what}: name at least one row of {' '.join(names)}")
    if len(set(found)) != len(found):
        raise ModelError(f"{what}: a row is named twice in {rows!r}")
    return tuple(sorted(found))
