"""Moving frames and their points at a traced configuration: what ready-made constraints are written with.

With J = (J_w, J_v) the Jacobian of a frame at its origin p, in space axes, a point x that moves with it has

    dx/dt = (J_v + J_w x (x - p)) v                                               (1)

the cross product taken of every column.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.robot import Robot
from chasles.system import System


class MovingFrame:
    """A frame of a system at q: R (3, 3), p (3,), and J_w, J_v (3, n) in space axes. No frame: the space frame."""

    def __init__(self, system: System, q: Any, frame: str | None, name: str) -> None:
        if not isinstance(system, Robot):
            raise ModelError(f"constraint {name!r} is between frames of a Robot: {system.name!r} has no frames")
        self.robot = system
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
