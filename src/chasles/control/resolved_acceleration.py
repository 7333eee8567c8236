"""Resolved-acceleration control: a frame follows a path, with the redundancy, limits and singularities seen to.

    xi'' + K_d xi' + K_p xi = 0,   xi = log(T_d^-1 T)                             (1)

is the motion of the error that control/pose_error.py (5) turns into a body acceleration a of the frame, exactly, and

    qdd = J# (a - (dJ/dt) qd) + N qdd0,   tau = M qdd + C qd + g                  (2)  [TSK-2]

by control/redundancy.py, with qdd0 = -k M^-1 df/dq - d qd for an objective f(q). With a plant M', b' instead of the
model M, b, at rest J M'^-1 (b - b') = dexp_{-xi} K_p xi where J is square.       (3)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import not_negative, vector
from chasles.control import pose_error
from chasles.control.law import Array, gain
from chasles.control.limits import Limits
from chasles.control.pose_law import PoseLaw, Wanted
from chasles.control.redundancy import HORIZON, Inverse, Objective, Redundancy
from chasles.control.task_inverse import unserved
from chasles.errors import ModelError
from chasles.robot import Robot


class ResolvedAcceleration(PoseLaw):
    """(2): a callable (t, q, qd) -> tau, for `chasles.simulate` too.

    robot, path, frame, rows: see `PoseLaw`. K_p, K_d: numbers, (6,) or (6, 6), by which xi of (1) does not grow.
    inverse: "inertia", the dynamically consistent one, or "moore-penrose". objective: a function of a traced q, made
    small by what the task leaves free, at the gain `objective_gain`, which acts through M^-1: an objective of curvature
    c pulls on a joint of inertia m as k c / m; free motion is damped at the rate `null_damping` (default: the mean of
    K_d). damping: the scaled singular value below which the task is damped; horizon: seconds, within which no
    singularity is run into (task_inverse.py): a path out of reach is followed as far as the arm goes, and `residual` is
    what is left of what was asked for; rates are of 1/horizon there, but forces are bounded by limits alone. limits:
    True for the robot's, or a `Limits`.
    """

    def __init__(
        self,
        robot: Robot,
        path: Wanted,
        *,
        K_p: ArrayLike,
        K_d: ArrayLike,
        frame: str | None = None,
        rows: Any = None,
        inverse: Inverse = "inertia",
        objective: Callable[[Any], Any] | None = None,
        objective_gain: float = 1.0,
        null_damping: float | None = None,
        damping: float = 0.01,
        horizon: float = HORIZON,
        limits: Limits | bool = False,
    ) -> None:
        super().__init__(robot, path, frame, rows)
        self.K_p, self.K_d = gain(K_p, 6, "K_p"), gain(K_d, 6, "K_d")
        if growth(self.K_p, self.K_d) > 0.0:
            raise ModelError("K_p, K_d: the error would grow: xi'' + K_d xi' + K_p xi = 0 is not stable")
        self.redundancy = Redundancy(robot, frame, self.rows, inverse, damping, limits, horizon)
        self.objective = None if objective is None else Objective(robot, objective)
        self.objective_gain = not_negative(objective_gain, "objective_gain")
        mean = float(np.trace(self.K_d)) / 6.0
        self.null_damping = mean if null_damping is None else not_negative(null_damping, "null_damping")

    def acceleration(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., 6) the body acceleration of the frame that (1) asks for, as `Robot.acceleration` has it."""
        of = pose_error.point_acceleration if self.point else pose_error.linear_acceleration
        return of()(*self.wanted(t), *self._now(q, qd), self.K_p, self.K_d)

    def joint_acceleration(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n) qdd of (2)."""
        return self._resolved(t, vector(q, "q", self.robot.nq), vector(qd, "qd", self.robot.n))[0]

    def residual(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) |J qdd + (dJ/dt) qd - a| over the rows, rad/s^2 and m/s^2: zero where the task is served in full.

        It is not out of reach, near singularities, and where limits do not let it.
        """
        qdd, J, b = self._resolved(t, vector(q, "q", self.robot.nq), vector(qd, "qd", self.robot.n))
        return unserved(J, qdd, b, self.rows)

    def _resolved(self, t: float, q: Array, qd: Array) -> tuple[Array, Array, Array]:
        """qdd, J and the b of J qdd = b."""
        robot, limits = self.robot, self.redundancy.limits
        J, drift = robot.jacobian(q, self.frame), robot.acceleration(q, qd, np.zeros(robot.n), self.frame)
        free = -self.null_damping * qd
        if self.objective is not None:
            free = free - self.objective_gain * self.redundancy.raised(q, self.objective.gradient(q))
        bounds = limits.accelerations(q, qd) if limits else None
        forces = None
        if limits and np.isfinite(limits.effort).any():
            forces = (robot.mass_matrix(q), robot.bias_forces(q, qd), limits.effort, limits.acceleration)
        b = self.acceleration(t, q, qd) - drift
        return self.redundancy.nearest(q, J, b, free, bounds, forces, order=2), J, b  # (2)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """(..., n) the joint forces at a state."""
        return self.robot.inverse_dynamics(q, qd, self.joint_acceleration(t, q, qd))


def growth(K: Array, K_d: Array | None = None) -> float:
    """The rate at which solutions of xi' = -K xi, or of xi'' = -K_d xi' - K xi, grow; 0 if they do not."""
    A = -K
    if K_d is not None:
        A = np.block([[np.zeros_like(K), np.eye(len(K))], [-K, -K_d]])
    fastest = float(np.linalg.eigvals(A).real.max())
    return fastest if fastest > 1e-6 * float(np.abs(A).max()) else 0.0
