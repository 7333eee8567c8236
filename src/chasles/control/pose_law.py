"""Laws for a moving pose, and what they share: the motion wanted, the task, and the error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import array, function, instance, name, poses, real, vector
from chasles.control import pose_error
from chasles.control.law import Array
from chasles.errors import ModelError
from chasles.linear_algebra import nan_where_unknown
from chasles.model.task import task
from chasles.paths import Path
from chasles.reprs import quoted
from chasles.robot import Robot

Wanted = Path | ArrayLike | Callable[[float], Any]


class PoseLaw:
    """A law by which a frame of a robot follows a path.

    robot: the model that the law is computed with. path: of `chasles.paths`; a pose (..., 4, 4), to be held; or a
    function of t that returns (T, V, A), pose, body twist and its derivative. frame: default the tool. rows: those of
    "rx ry rz tx ty tz", in the frame's axes, that the joints are to serve (default: all six). With rows of sliding
    alone the error is that of the frame's origin, in space axes, and how the frame turns does not matter.
    """

    def __init__(self, robot: Robot, path: Wanted, frame: str | None, rows: Any) -> None:
        instance(robot, "robot", Robot)
        if frame is not None:
            name(frame, "frame", "one frame")
        self.robot, self.frame, self._latest = robot, frame, None
        ((_, chosen),) = task(frame, rows)
        self.rows, self.point = list(chosen), min(chosen) >= 3
        robot.mechanism.frame(frame)
        if isinstance(path, Path):
            self.path = path
        elif callable(path):
            self.path = function(path, "t", "path")
            poses(self.wanted(0.0)[0], "the pose that path(t) returns")
        else:
            self.path = poses(path, "path")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {quoted(self.robot.name)}: frame {quoted(self.frame or 'tool')}>"

    def wanted(self, t: float) -> tuple[Array, Array, Array]:
        """T_d (..., 4, 4), V_d and A_d (..., 6)."""
        when = real(t, "t")
        if isinstance(self.path, Path):
            return self._motion(self.path, when)
        if not callable(self.path):
            return self.path, np.zeros(6), np.zeros(6)
        found = self.path(t)
        if not isinstance(found, (tuple, list)) or len(found) != 3:
            raise ModelError("path(t) must return (T, V, A): a pose, its body twist and that twist's derivative")
        T, V, A = found
        pose = array(T, "the pose that path(t) returns", ("...", 4, 4), finite=True)
        return (
            pose,
            vector(V, "the twist of path(t)", 6, finite=True),
            vector(A, "the derivative of path(t)", 6, finite=True),
        )

    def _motion(self, path: Path, t: Array) -> tuple[Array, Array, Array]:
        """As `wanted`; what asks again for the time asked for before, as stages of a step do, has the same."""
        latest: Any = self._latest
        key = path, t.shape, t.tobytes()
        if latest is None or latest[0] != key:
            latest = self._latest = key, path.motion(t)
        _, at = latest
        return at.pose.copy(), at.velocity.copy(), at.acceleration.copy()

    def error(self, t: float, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """xi = log(T_d^-1 T) and its rate, (..., 6) each; (0, p - p_d) where rows are of sliding alone."""
        T_d, V_d, _ = self.wanted(t)
        of = pose_error.point_error if self.point else pose_error.pose_error
        at = of()(T_d, V_d, *self._now(q, qd))
        return at.xi, at.rate

    def _now(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """The frame's pose and body twist, nan where a joint is, also one that the frame does not depend on."""
        q, qd = vector(q, "q", self.robot.nq), vector(qd, "qd", self.robot.n)
        return self._pose(q), nan_where_unknown(self.robot.velocity(q, qd, self.frame), q, qd)

    def _pose(self, q: Array) -> Array:
        return nan_where_unknown(self.robot.forward_kinematics(q, self.frame), q, own=2)
