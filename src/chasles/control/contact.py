"""Hybrid control of a body that touches a fixed one, in contact coordinates.

Body f touches body o at eta = (alpha_f, alpha_o, psi) (surface/contact_coordinates.py). Its twist V and the wrench
F_m that is applied to it are in its own frame, with inertia M and weight G there:

    M (dV/dt) - ad(V)^T M V = F_m + G + A^T lambda                                (1)

Where it slides without friction V = J d(eta)/dt and A is the row of the normal; with e = eta - eta_d and f of
control/law.py

    F_m = M J (etadd_d - K_v ed - K_p e) + M (dJ/dt) etad - ad(V)^T M V + A^T f - G              (2)  [EX-9]
    =>  edd + K_v ed + K_p e = 0,   lambda - lambda_d + K_I z = 0                 (3)

Where it rolls without spinning V = J_f d(alpha_f)/dt and A has the rows of slip and spin too:

    F_m = M J_f (alphadd_d - K_p (alphad - alphad_d)) + M (dJ_f/dt) alphad - ad(V)^T M V + A^T f - G    (4)  [EX-10]
    =>  d(alphad - alphad_d)/dt + K_p (alphad - alphad_d) = 0                     (5)

Both are HYB-1 and HYB-2 in the six coordinates of constraint/contact_systems.py, V = K qd and tau = K^T F_m       (6)

The multiplier of the gap is the normal force, pressing positive: the negative of that of EX-9's row, which is along the
normal of f. Those of rolling are the forces along x and y of f's contact frame, and the moment about its z, on f. For a
hand that an arm carries, J_s^T F_m are the arm's joint forces besides those of its own inertia.

Bodies have to touch in one point, their relative curvature positive definite (surface/contact_feasibility.py):
ready-made surfaces that can do so nowhere are refused when the law is made, and a state where others do not, when it
is asked; one such state of a batch is nan. Not covered: singular points of the coordinates, as the poles of spheres.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import text
from chasles.constrained import ConstrainedSystem, Surface
from chasles.constraint.contact_systems import GRAVITY, closed_gap, closed_gap_rolling, gap_system
from chasles.control.hybrid import HybridControl, HybridVelocityControl
from chasles.control.law import Array, Desired, ForceLaw, Measure, state
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.lazy import lazy
from chasles.linear_algebra import refuse_if_none, solved
from chasles.model.link import Link
from chasles.surface.contact_coordinates import COORDINATES, relative_curvature
from chasles.surface.contact_feasibility import positive_definite
from chasles.surface.gap_coordinates import gap_twist


class BodyLaw(ForceLaw):
    """A law for a body that touches a fixed one, of surfaces (f, o)."""

    surfaces: tuple[Surface, Surface]

    @lazy
    def twists(self) -> Kernel:
        """q (..., 6) -> K (..., 6, 6) of (6)."""
        slope = gap_twist(*self.surfaces).jacobian("qd")
        return compile(lambda q: slope(q, np.zeros(6)), q=6)

    @lazy
    def curvature(self) -> Kernel:
        """eta (..., 5) -> (..., 2, 2) the relative curvature."""
        return relative_curvature(*self.surfaces)

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """(..., n) the joint forces at a state, nan for one of several where the bodies do not touch in one point."""
        t, q, qd = state(t, q, qd, self.constrained)
        good = self.one_point(q[..., :5], f"q at t = {t:.6g}")
        tau = super().__call__(t, q, qd)
        return tau if good.all() else np.where(good[..., None], tau, np.nan)

    def one_point(self, eta: Array, what: str) -> NDArray[np.bool_]:
        """(...) whether the bodies touch in one point at eta (..., 5); refused where they do so at none."""
        what, K = text(what, "what"), self.curvature(eta)
        good = positive_definite(K)
        f, o = self.surfaces
        refuse_if_none(
            good,
            np.isfinite(K).all(axis=(-2, -1)),
            f"{what}: surfaces {f.name!r} and {o.name!r} do not touch in one point there: their relative curvature is "
            "not positive definite",
        )
        return good

    def wrench(self, t: float, q: Array, qd: Array) -> Array:
        """(..., 6) F_m, (moment, force) in f's frame, which the law's tau is made of; recorded as a call is."""
        return solved(np.swapaxes(self.twists(q), -1, -2), self(t, q, qd))  # (6)


class SlidingContactControl(HybridControl, BodyLaw):
    """(2): a body slides on a fixed one without friction. A callable (t, q, qd) -> tau, q = (eta, gap) (..., 6).

    link: the body, in the frame of surface_f. gravity: (3,) in the frame of surface_o. desired: t -> (eta_d, its first
    and second derivative), (..., 5) each. K_p, K_v: numbers, (5,) or (5, 5). force: (1,) the normal force, pressing
    positive, or a function of t. K_I, measure: see `ForceLaw`. `constrained` is the model, which can be simulated.
    """

    def __init__(
        self,
        link: Link,
        surface_f: Surface,
        surface_o: Surface,
        desired: Desired,
        *,
        K_p: ArrayLike,
        K_v: ArrayLike,
        force: ArrayLike | Callable[[float], ArrayLike] | None = None,
        K_I: ArrayLike = 0.0,
        measure: Measure | None = None,
        gravity: ArrayLike = GRAVITY,
    ) -> None:
        self.surfaces = surface_f, surface_o
        super().__init__(
            ConstrainedSystem(gap_system(link, surface_f, surface_o, gravity), closed_gap()),
            desired,
            K_p=K_p,
            K_v=K_v,
            independent=COORDINATES,
            force=force,
            K_I=K_I,
            measure=measure,
        )
        self.one_point(self.wanted(0.0)[0], "desired(0)")


class RollingContactControl(HybridVelocityControl, BodyLaw):
    """(4): a body rolls on a fixed one without slip or spin. A callable (t, q, qd) -> tau, q = (eta, gap) (..., 6).

    desired: t -> (the rate of alpha_f, its derivative), (..., 2) each. K_p: a number, (2,) or (2, 2). force: (4,) the
    normal force, the friction along x and y of f's contact frame, and the moment about its z, or a function of t. The
    others: see `SlidingContactControl`.
    """

    def __init__(
        self,
        link: Link,
        surface_f: Surface,
        surface_o: Surface,
        desired: Desired,
        *,
        K_p: ArrayLike,
        force: ArrayLike | Callable[[float], ArrayLike] | None = None,
        K_I: ArrayLike = 0.0,
        measure: Measure | None = None,
        gravity: ArrayLike = GRAVITY,
    ) -> None:
        self.surfaces = surface_f, surface_o
        super().__init__(
            ConstrainedSystem(
                gap_system(link, surface_f, surface_o, gravity), closed_gap_rolling(surface_f, surface_o)
            ),
            desired,
            K_p=K_p,
            independent=COORDINATES[:2],
            force=force,
            K_I=K_I,
            measure=measure,
        )
