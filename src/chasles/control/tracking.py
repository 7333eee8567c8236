"""Tracking on SE(3) by energy, lifted to the joints; and tracking in the joints, to compare with.

With X, V_e, F of control/pose_error.py, all in the rows of the task, J and its rate Jd too, B = M^-1 J^T Lam the
horizontal lift, Lam = (J M^-1 J^T)^-1 and N = 1 - B J,

    r = B X,   dr/dt = B (dX/dt - Jd r) + N h,   h = M^-1 (Jd^T Lam X - (C + C^T) r)      (1)
    tau = M dr/dt + C r + g - J^T (F + K_d V_e) - d M N (qd - r)                           (2)

r is the joint velocity that the path asks for, and for e = qd - r the closed loop is

    M de/dt + C e = -J^T (F + K_d V_e) - d M N e,   J e = V_e                              (3)

so that U = e^T M e / 2 + xi^T K_p xi / 2 falls at the rate V_e^T K_d V_e + d |N e|_M^2, as dM/dt - 2C is skew: stable
for any positive gains. K_p, K_d are a stiffness and a damping here; the fastest rate, which a time step must resolve,
is about that of Lam^-1 K_d. [BulloMurray1999] on SE(3), [RED-1] for the lift. Where other rows move, and F has
components in them, these do work on U that nothing answers: none of a frame's origin, of a rotation, or of all rows.

Near singularities B is that of control/task_inverse.py, in r and in its rate, so that r is bounded and (3) is no longer
exact: J r - X is the residual.

In the joints, with e = difference(q_d, q),

    tau = M (qdd_d - K_d (qd - qd_d) - K_p e) + C qd + g                                   (4)

the computed torque; for screws e'' + K_d e' + K_p e = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import function, instance, not_negative, number, vector
from chasles.control.law import Array, gain
from chasles.control.pose_error import point_force, potential_force
from chasles.control.pose_law import PoseLaw, Wanted
from chasles.control.redundancy import HORIZON, Redundancy
from chasles.control.task_inverse import TaskInverse, unserved
from chasles.errors import ModelError
from chasles.graph.array import is_traced
from chasles.linear_algebra import down, nan_where_unknown, times
from chasles.reprs import quoted
from chasles.robot import Robot


class PoseTracking(PoseLaw):
    """(2): a callable (t, q, qd) -> tau, for `chasles.simulate` too.

    robot, path, frame, rows: see `PoseLaw`. K_p: N m/rad and N/m, K_d: N m s/rad and N s/m, numbers, (6,) or (6, 6), of
    which the rows count, in the frame's axes, symmetric and positive; K_p of a frame's origin alone is in space axes.
    null_damping: d of (2), 1/s, of the motion that the task does not see. damping, horizon: see `ResolvedAcceleration`.
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
        null_damping: float = 5.0,
        damping: float = 0.01,
        horizon: float = HORIZON,
    ) -> None:
        super().__init__(robot, path, frame, rows)
        served = np.isin(np.arange(6), self.rows)
        self.K_p, self.K_d = (_positive(K, name) * served * served[:, None] for K, name in ((K_p, "K_p"), (K_d, "K_d")))
        if self.point:
            self.K_p = _positive(K_p, "K_p")
        self.served = served
        self.redundancy = Redundancy(robot, frame, self.rows, "inertia", damping, False, horizon)
        self.null_damping = not_negative(null_damping, "null_damping")

    def _at(self, t: float, q: ArrayLike, qd: ArrayLike) -> Any:
        of = point_force if self.point else potential_force
        return of()(*self.wanted(t), *self._now(q, qd), self.K_p)

    def reference(self, q: ArrayLike, qd: ArrayLike, X: Array, X_rate: Array) -> tuple[Array, Array]:
        """r and dr/dt of (1), (..., n) each, for X (..., 6) that changes at X_rate while the joints move at qd."""
        q, qd = vector(q, "q", self.robot.nq), vector(qd, "qd", self.robot.n)
        return self._lifted(q, qd, vector(X, "X", 6), vector(X_rate, "X_rate", 6))[1:3]

    def _lifted(self, q: Array, qd: Array, X: Array, X_rate: Array) -> tuple[TaskInverse, Array, Array, Array, Array]:
        """B, r, dr/dt, C r and N (qd - r)."""
        Jd, C = self.robot.jacobian_derivative(q, qd, self.frame), self.robot.coriolis_matrix(q, qd)
        by, r, gains = self._velocity(q, X)
        F, turned = by.dual(r, gains), times(C, r)  # F is Lam X, as B^T M B = Lam
        h = by.raised(down(Jd[..., self.rows, :], F) - turned - down(C, r))
        c = by.components(X_rate - times(Jd, r), h)
        rate, e = h + by.moved(c, by.gains(c, order=2))[1], qd - r  # (1)
        c = by.components(times(by.J, e), np.zeros(self.robot.n))
        return by, r, rate, turned, e - by.moved(c, by.gains(c, order=1))[1]

    def _velocity(self, q: Array, X: Array) -> tuple[TaskInverse, Array, Array]:
        """B at q, r of (1), and the gains of B in it."""
        by = self.redundancy.inverse(q, self.robot.jacobian(q, self.frame))
        c = by.components(X, np.zeros(self.robot.n))
        gains = by.gains(c, order=1)
        return by, by.moved(c, gains)[1], gains

    def residual(self, t: float, q: ArrayLike) -> Array:
        """(...) |J r - X| over the rows, in rad/s and m/s: zero where the path's velocity is asked for in full."""
        q = vector(q, "q", self.robot.nq)
        X = self._at(t, q, np.zeros(self.robot.n)).carried
        by, r, _ = self._velocity(q, X)
        return unserved(by.J, r, X, self.rows)

    def energy(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) U of (3), joules."""
        at, q = self._at(t, q, qd), vector(q, "q", self.robot.nq)
        e = vector(qd, "qd", self.robot.n) - self._velocity(q, at.carried)[1]
        return self.robot.kinetic_energy(q, e) + at.potential

    def dissipation(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) the rate at which U falls, watts, where the plant is the model; the work of other rows taken off."""
        at, q, qd = self._at(t, q, qd), vector(q, "q", self.robot.nq), vector(qd, "qd", self.robot.n)
        _, r, _, _, free = self._lifted(q, qd, at.carried, at.carried_rate)
        lost = at.velocity_error * (times(self.K_d, at.velocity_error) - at.force * ~self.served)
        slowed = (qd - r) * times(self.robot.mass_matrix(q), free)
        return lost.sum(axis=-1) + self.null_damping * slowed.sum(axis=-1)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """(..., n) the joint forces at a state."""
        robot, at = self.robot, self._at(t, q, qd)
        q, qd = vector(q, "q", robot.nq), vector(qd, "qd", robot.n)
        by, _, rd, turned, free = self._lifted(q, qd, at.carried, at.carried_rate)
        pull = down(by.J, at.force * self.served + times(self.K_d, at.velocity_error))
        driven = times(robot.mass_matrix(q), rd - self.null_damping * free) + turned
        return driven + robot.gravity_forces(q) - pull  # (2)


class ComputedTorque:
    """(4): a callable (t, q, qd) -> tau that follows a motion of the joints.

    desired: t -> (q_d (..., nq), qd_d, qdd_d (..., n)), such as what `ResolvedRate.follow` returns. K_p, K_d: numbers,
    (n,) or (n, n). It can be traced, and so compiled into a rollout, where `desired` is a function of a traced t.
    """

    def __init__(self, robot: Robot, desired: Callable[[float], Any], *, K_p: ArrayLike, K_d: ArrayLike) -> None:
        instance(robot, "robot", Robot)
        self.robot, self.desired = robot, function(desired, "t", "desired")
        self.K_p, self.K_d = gain(K_p, robot.n, "K_p"), gain(K_d, robot.n, "K_d")
        self.wanted(0.0)

    def __repr__(self) -> str:
        return f"<ComputedTorque of {quoted(self.robot.name)}: {self.robot.n} joints>"

    def wanted(self, t: float) -> tuple[Array, Array, Array]:
        """q_d, qd_d and qdd_d."""
        found = self.desired(t if is_traced(t) else number(t, "t"))
        if not isinstance(found, (tuple, list)) or len(found) != 3:
            raise ModelError("desired(t) must return (q, qd, qdd)")
        sizes = (self.robot.nq, self.robot.n, self.robot.n)
        q, qd, qdd = (
            vector(x, "what desired returns", size, finite=True, symbols=is_traced(t))
            for x, size in zip(found, sizes, strict=True)
        )
        return q, qd, qdd

    def error(self, t: float, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """e and qd - qd_d, (..., n) each."""
        q_d, qd_d, _ = self.wanted(t)
        return self.robot.difference(q_d, q), vector(qd, "qd", self.robot.n, symbols=is_traced(qd)) - qd_d

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """(..., n) the joint forces at a state."""
        traced = is_traced(q)
        q, qd = vector(q, "q", self.robot.nq, symbols=traced), vector(qd, "qd", self.robot.n, symbols=traced)
        e, ed = self.error(t, q, qd)
        if traced:
            return self.robot.inverse_dynamics(q, qd, self.wanted(t)[2] - self.K_d @ ed - self.K_p @ e)  # (4)
        qdd = self.wanted(t)[2] - times(self.K_d, ed) - times(self.K_p, e)
        return nan_where_unknown(self.robot.inverse_dynamics(q, qd, qdd), q, qd)  # (4)


def _positive(K: ArrayLike, name: str) -> Array:
    given = gain(K, 6, name)
    if not np.allclose(given, given.T) or np.linalg.eigvalsh(given)[0] < 0.0:
        raise ModelError(f"{name} must be symmetric, with no negative eigenvalue")
    return given
