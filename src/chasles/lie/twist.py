"""Twists: the Lie algebra of rigid motions.

    [V, W] = ad_V W = (w_V x w_W, w_V x v_W - w_W x v_V)                          (1)  [SE3-1]
    ad_V^T (m, f) = (-w x m - v x f, -w x f)                                      (2)  [SE3-3]
    exp(S q): rotation by |w| q about w, origin moved to                          (3)  [SE3-5]
        p = (s . v) s q' + (1 - R) (s x v),  s = w/|w|, v per radian, q' = |w| q;   p = v q where w = 0

and the differential of exp, d exp(V) = dexp_V(dV) exp(V), as a polynomial in ad whose coefficients are Stumpff
functions of |w|^2 (scalar/series.py), because ad_V is a root of t^5 + 2 x t^3 + x^2 t:

    dexp_V    = 1 + (4c_2 - c_1)/2 ad + (5c_3 - c_2)/2 ad^2 + (c_3 - 2c_4)/2 ad^3 + (c_4 - 3c_5)/2 ad^4     (4)
    dexp_V^-1 = 1 - ad/2 + (3c_3 - 8c_4)/(4c_2) ad^2 + (4c_6 - c_5)/(4c_2) ad^4                            (5)

(5) is finite for |w| < 2 pi. The body (left-trivialised) form is dexp_{-V}.
"""

from typing import TYPE_CHECKING, Any

from chasles.lie.vec3 import Vec3
from chasles.lie.wrench import Wrench
from chasles.reprs import leaves_html, of_leaves
from chasles.scalar.ops import is_constant, sqrt
from chasles.scalar.series import stumpff

if TYPE_CHECKING:
    from chasles.lie.se3 import SE3


class Twist:
    """An angular velocity w and the velocity v of the frame's origin."""

    __slots__ = ("v", "w")

    def __init__(self, w: Vec3, v: Vec3) -> None:
        self.w, self.v = w, v

    @staticmethod
    def zero() -> "Twist":
        return Twist(Vec3.zero(), Vec3.zero())

    def __add__(self, V: "Twist") -> "Twist":
        return Twist(self.w + V.w, self.v + V.v)

    def __sub__(self, V: "Twist") -> "Twist":
        return Twist(self.w - V.w, self.v - V.v)

    def __neg__(self) -> "Twist":
        return Twist(-self.w, -self.v)

    def __mul__(self, s: Any) -> "Twist":
        return Twist(self.w * s, self.v * s)

    __rmul__ = __mul__

    def ad(self, W: "Twist") -> "Twist":
        """The Lie bracket [V, W]."""
        return Twist(self.w.cross(W.w), self.w.cross(W.v) + self.v.cross(W.w))  # (1)

    def ad_star(self, F: Wrench) -> Wrench:
        """ad_V^T F, the dual of `ad`: <ad_V^T F, W> = <F, [V, W]>."""
        return Wrench(-(self.w.cross(F.m) + self.v.cross(F.f)), -self.w.cross(F.f))  # (2)

    def exp(self, q: Any) -> "SE3":
        """exp([S] q) of a *screw*: exact for any pitch, cheap where the screw is constant, its structure known.

        The zero angular part must be structural (the plain number 0); for a twist that may pass through it use
        `SE3.exp`.
        """
        from chasles.lie.se3 import SE3
        from chasles.lie.so3 import SO3

        if all(is_constant(component, 0.0) for component in self.w):
            return SE3(SO3.identity(), self.v * q)  # (3)
        square = self.w.square()
        rate = 1.0 if is_constant(square, 1.0) else sqrt(square)
        scale = 1.0 / rate
        s, v = self.w * scale, self.v * scale
        R = SO3.about(s, q * rate)
        arm = s.cross(v)
        return SE3(R, s * (s.dot(v) * (q * rate)) + (arm - R @ arm))  # (3)

    def dexp(self, dV: "Twist") -> "Twist":
        """dexp_V(dV), right-trivialised: d/dt exp(V) = [dexp_V(Vdot)] exp(V)."""
        _, c1, c2, c3, c4, c5 = stumpff(self.w.square(), 5)
        return self._polynomial(
            dV, (0.5 * (4.0 * c2 - c1), 0.5 * (5.0 * c3 - c2), 0.5 * (c3 - 2.0 * c4), 0.5 * (c4 - 3.0 * c5))
        )  # (4)

    def dexp_inv(self, dX: "Twist") -> "Twist":
        """The inverse of `dexp`, for |w| < 2 pi."""
        _, _, c2, c3, c4, c5, c6 = stumpff(self.w.square(), 6)
        scale = 0.25 / c2
        return self._polynomial(dX, (-0.5, (3.0 * c3 - 8.0 * c4) * scale, 0.0, (4.0 * c6 - c5) * scale))  # (5)

    def _polynomial(self, W: "Twist", coefficients: tuple[Any, ...]) -> "Twist":
        total = W
        for coefficient in coefficients:
            W = self.ad(W)
            total = total + W * coefficient
        return total

    def __repr__(self) -> str:
        return of_leaves("Twist", w=self.w, v=self.v)

    def _repr_html_(self) -> str:
        return leaves_html("Twist", [("angular w", self.w, ""), ("linear v", self.v, "")])
