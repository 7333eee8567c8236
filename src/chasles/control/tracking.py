"""Tracking on SE(3) by energy, lifted to the joints; and tracking in the joints, to compare with.

With X, V_e, F of control/pose_error.py, B = M^-1 J^T Lam the horizontal lift, Lam = (J M^-1 J^T)^-1 and N = 1 - B J,

    r = B X,   dr/dt = B (dX/dt - Jd r) + N h,   h = M^-1 (Jd^T Lam X - (C + C^T) r)      (1)
    tau = M dr/dt + C r + g - J^T (F + K_d V_e) - d M N (qd - r)                           (2)

r is the joint velocity that the path asks for, and for e = qd - r the closed loop is

    M de/dt + C e = -J^T (F + K_d V_e) - d M N e,   J e = V_e                              (3)

so that U = e^T M e / 2 + xi^T K_p xi / 2 falls at the rate V_e^T K_d V_e + d |N e|_M^2, as dM/dt - 2C is skew: stable
for any positive gains. K_p, K_d are a stiffness and a damping here; the fastest rate, which a time step must resolve,
is about that of Lam^-1 K_d. [BulloMurray1999] on SE(3), [RED-1] for the lift.

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
from chasles.control.pose_error import potential_force
from chasles.control.pose_law import PoseLaw, Wanted
from chasles.errors import ModelError
from chasles.linear_algebra import down, nan_where_unknown, solved, times
from chasles.robot import Robot


class PoseTracking(PoseLaw):
    """(2): a callable (t, q, qd) -> tau, for `chasles.simulate` too.

    robot, path, frame: see `PoseLaw`; all six rows are followed, and J has to keep its rank. K_p: N m/rad and N/m, K_d:
    N m s/rad and N s/m, numbers, (6,) or (6, 6), in the frame's axes, symmetric and positive. null_damping: d of (2),
    1/s, of the motion that the frame does not see.
    """

    def __init__(
        self,
        robot: Robot,
        path: Wanted,
        *,
        K_p: ArrayLike,
        K_d: ArrayLike,
        frame: str | None = None,
        null_damping: float = 5.0,
    ) -> None:
        super().__init__(robot, path, frame, None)
        self.K_p, self.K_d = _positive(K_p, "K_p"), _positive(K_d, "K_d")
        self.null_damping = not_negative(null_damping, "null_damping")

    def _at(self, t: float, q: ArrayLike, qd: ArrayLike) -> Any:
        return potential_force()(*self.wanted(t), *self._now(q, qd), self.K_p)

    def reference(self, q: ArrayLike, qd: ArrayLike, X: Array, X_rate: Array) -> tuple[Array, Array]:
        """r and dr/dt of (1), (..., n) each, for X (..., 6) that changes at X_rate while the joints move at qd."""
        robot, frame, X_rate = self.robot, self.frame, vector(X_rate, "X_rate", 6)
        q, qd = vector(q, "q", robot.nq), vector(qd, "qd", robot.n)
        B, J, Jd = robot.consistent_inverse(q, frame), robot.jacobian(q, frame), robot.jacobian_derivative(q, qd, frame)
        M, C = robot.mass_matrix(q), robot.coriolis_matrix(q, qd)
        r = times(B, X, "X")
        F = down(B, times(M, r))  # Lam X, as B^T M B = Lam
        h = solved(M, down(Jd, F) - times(C, r) - down(C, r))
        return r, times(B, X_rate - times(Jd, r) - times(J, h)) + h  # (1)

    def energy(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) U of (3), joules."""
        at = self._at(t, q, qd)
        e = vector(qd, "qd", self.robot.n) - times(self.robot.consistent_inverse(q, self.frame), at.carried)
        return self.robot.kinetic_energy(q, e) + at.potential

    def dissipation(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(...) the rate at which U falls, watts, where the plant is the model."""
        at = self._at(t, q, qd)
        e = vector(qd, "qd", self.robot.n) - times(self.robot.consistent_inverse(q, self.frame), at.carried)
        free = times(self.robot.null_space_projector(q, self.frame), e)
        V_e = at.velocity_error
        lost = np.einsum("...i,...i", V_e, times(self.K_d, V_e))
        return lost + 2.0 * self.null_damping * self.robot.kinetic_energy(q, free)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """(..., n) the joint forces at a state."""
        robot, at, qd = self.robot, self._at(t, q, qd), vector(qd, "qd", self.robot.n)
        r, rd = self.reference(q, qd, at.carried, at.carried_rate)
        free = times(robot.null_space_projector(q, self.frame), qd - r)
        J, M = robot.jacobian(q, self.frame), robot.mass_matrix(q)
        pull = down(J, at.force + times(self.K_d, at.velocity_error))
        driven = times(M, rd - self.null_damping * free) + times(robot.coriolis_matrix(q, qd), r)
        return driven + robot.gravity_forces(q) - pull  # (2)


class ComputedTorque:
    """(4): a callable (t, q, qd) -> tau that follows a motion of the joints.

    desired: t -> (q_d (..., nq), qd_d, qdd_d (..., n)), such as what `ResolvedRate.follow` returns. K_p, K_d: numbers,
    (n,) or (n, n).
    """

    def __init__(self, robot: Robot, desired: Callable[[float], Any], *, K_p: ArrayLike, K_d: ArrayLike) -> None:
        instance(robot, "robot", Robot)
        self.robot, self.desired = robot, function(desired, "t", "desired")
        self.K_p, self.K_d = gain(K_p, robot.n, "K_p"), gain(K_d, robot.n, "K_d")
        self.wanted(0.0)

    def wanted(self, t: float) -> tuple[Array, Array, Array]:
        """q_d, qd_d and qdd_d."""
        found = self.desired(number(t, "t"))
        if not isinstance(found, (tuple, list)) or len(found) != 3:
            raise ModelError("desired(t) must return (q, qd, qdd)")
        sizes = (self.robot.nq, self.robot.n, self.robot.n)
        q, qd, qdd = (
            vector(x, "what desired returns", size, finite=True) for x, size in zip(found, sizes, strict=True)
        )
        return q, qd, qdd

    def error(self, t: float, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """e and qd - qd_d, (..., n) each."""
        q_d, qd_d, _ = self.wanted(t)
        return self.robot.difference(q_d, q), vector(qd, "qd", self.robot.n) - qd_d

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """(..., n) the joint forces at a state."""
        q, qd = vector(q, "q", self.robot.nq), vector(qd, "qd", self.robot.n)
        e, ed = self.error(t, q, qd)
        qdd = self.wanted(t)[2] - times(self.K_d, ed) - times(self.K_p, e)
        return nan_where_unknown(self.robot.inverse_dynamics(q, qd, qdd), q, qd)  # (4)


def _positive(K: ArrayLike, name: str) -> Array:
    given = gain(K, 6, name)
    if not np.allclose(given, given.T) or np.linalg.eigvalsh(given)[0] < 0.0:
        raise ModelError(f"{name} must be symmetric, with no negative eigenvalue")
    return given
