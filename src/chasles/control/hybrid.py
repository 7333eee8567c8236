"""Hybrid position and force control: the motion along the constraint and the force across it, each with its law.

x(q) are m coordinates on the constraint, qd = J xd (constrained/reduced.py), e = x - x_d, and f of control/law.py:

    tau = M J (xdd_d - K_v ed - K_p e) + M (dJ/dt) xd + bias + A^T f              (1)  [HYB-1]
    =>  edd + K_v ed + K_p e = 0,   lambda - lambda_d + K_I z = 0                 (2)

Under constraints that are not holonomic there are no such coordinates, but velocities u with qd = J u:

    tau = M J (ud_d - K_p (u - u_d)) + M (dJ/dt) u + bias + A^T f                 (3)  [HYB-2]
    =>  d(u - u_d)/dt + K_p (u - u_d) = 0                                         (4)

bias is C qd with gravity and all else. With a model M', bias' of a plant M, bias, the motion is that of

    J^T M J (xdd - a) = J^T ((M' - M) (J a + (dJ/dt) xd) + bias' - bias),   a = xdd_d - K_v ed - K_p e    (5)

so that at rest e = (J^T M' J K_p)^-1 J^T (bias' - bias).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from chasles.arguments import function, vector
from chasles.constrained import ConstrainedSystem
from chasles.constrained.reduced import Tangent
from chasles.control.law import Array, Desired, ForceLaw, Measure, PositionLaw, gain, wanted
from chasles.linear_algebra import down, times


class HybridControl(PositionLaw):
    """(1): holonomic constraints. A callable (t, q, qd) -> tau, for `chasles.simulate` too.

    K_p, K_v: numbers, (m,) or (m, m). desired, coordinates, independent, at: see `PositionLaw`; force, K_I, measure:
    see `ForceLaw`.
    """

    def __init__(
        self,
        constrained: ConstrainedSystem,
        desired: Desired,
        *,
        K_p: ArrayLike,
        K_v: ArrayLike,
        coordinates: Callable[[Any], Any] | None = None,
        independent: Sequence[str | int] | None = None,
        at: ArrayLike | None = None,
        force: ArrayLike | Callable[[float], ArrayLike] | None = None,
        K_I: ArrayLike = 0.0,
        measure: Measure | None = None,
    ) -> None:
        super().__init__(constrained, desired, coordinates, independent, at, force, K_I, measure)
        self.K_p, self.K_v = gain(K_p, self.m, "K_p"), gain(K_v, self.m, "K_v")

    def acceleration(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., m) the xdd that the law asks for."""
        return commanded_acceleration(self, self.K_p, self.K_v, t, q, qd)

    def joint_forces(self, t: float, q: Array, qd: Array, f: Array) -> Array:
        at = self.reduced.tangent(q, qd, t)
        return motion_forces(at, self.acceleration(t, q, qd), self.reduced.of(q, qd)) + down(at.A, f, "f")  # (1)


class HybridVelocityControl(ForceLaw):
    """(3): constraints that need not be holonomic, as rolling. A callable (t, q, qd) -> tau.

    desired: t -> (u_d, ud_d), (..., m) each. K_p: a number, (m,) or (m, m). velocities: a function of a traced q that
    returns rows X (m, n), u = X qd; or independent: names or indices of velocities (default: chosen). force, K_I,
    measure: see `ForceLaw`.
    """

    def __init__(
        self,
        constrained: ConstrainedSystem,
        desired: Desired,
        *,
        K_p: ArrayLike,
        velocities: Callable[[Any], Any] | None = None,
        independent: Sequence[str | int] | None = None,
        at: ArrayLike | None = None,
        force: ArrayLike | Callable[[float], ArrayLike] | None = None,
        K_I: ArrayLike = 0.0,
        measure: Measure | None = None,
    ) -> None:
        super().__init__(constrained, force, K_I, measure)
        self.K_p = gain(K_p, self.m, "K_p")
        if at is not None:
            vector(at, "at", constrained.system.nq, finite=True)
        self.reduced = constrained.reduced(independent, velocities=velocities, at=at)
        self.desired = function(desired, "t", "desired")
        wanted(desired, 0.0, 2, self.m)

    def error(self, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., m) u - u_d."""
        return self.reduced.of(q, qd) - wanted(self.desired, t, 2, self.m)[0]

    def joint_forces(self, t: float, q: Array, qd: Array, f: Array) -> Array:
        at, a = self.reduced.tangent(q, qd, t), wanted(self.desired, t, 2, self.m)[1]
        a = a - times(self.K_p, self.error(t, q, qd))
        return motion_forces(at, a, self.reduced.of(q, qd)) + down(at.A, f, "f")  # (3)


def commanded_acceleration(law: PositionLaw, K_p: Array, K_v: Array, t: float, q: ArrayLike, qd: ArrayLike) -> Array:
    """(..., m) xdd_d - K_v ed - K_p e."""
    e, ed = law.error(t, q, qd)
    return law.wanted(t)[2] - times(K_v, ed) - times(K_p, e)


def motion_forces(at: Tangent, a: Array, u: Array) -> Array:
    """(..., n) M (J a + (dJ/dt) u) + bias: the joint forces of the motion, without any of the constraint."""
    return times(at.M, times(at.J, a) + times(at.J_rate, u)) + at.bias
