"""Small rigid motions by Cayley's map: sums and products of small numbers, so that nothing is lost as a step shrinks.

W = cay(X) = (1 - [X]/2)^-1 (1 + [X]/2) of a twist X = (2 g, y) turns by the Gibbs vector g = n tan(angle/2):

    R - 1 = 2 ([g] + [g]^2) / (1 + g.g),   y = p - g x p                          (1)
    W_a W_b:  g = (a + b + a x b) / (1 - a.b),   p = p_a + p_b + (R_a - 1) p_b    (2)
    T^-1 W T: g' = R_T^T g,   p' = R_T^T (p + (R - 1) p_T)                        (3)

and its derivative, dW W^-1 = dcay_X(dX), has an inverse without any division, with the dual

    dcay_X^-1* (m, f):  f' = f + g x f,   m' = m + g x m + g (g.m) + y x f' / 2   (4)

[KobilarovMarsden2011]. Half a turn has no g.
"""

from typing import Any

from chasles.lie.se3 import SE3
from chasles.lie.so3 import SO3
from chasles.lie.twist import Twist
from chasles.lie.vec3 import Mat3, Vec3
from chasles.lie.wrench import Wrench
from chasles.scalar.ops import cos, is_constant, sin, sqrt
from chasles.scalar.series import stumpff


class Increment:
    """The motion W of Gibbs vector g that carries the origin to p."""

    __slots__ = ("_scale", "g", "p")

    def __init__(self, g: Vec3, p: Vec3) -> None:
        self.g, self.p = g, p
        self._scale: Any = 2.0 / (1.0 + g.square())

    @staticmethod
    def identity() -> "Increment":
        return Increment(Vec3.zero(), Vec3.zero())

    @staticmethod
    def exp(V: Twist) -> "Increment":
        """exp(V), as `SE3.exp` is, for less than half a turn."""
        if all(is_constant(component, 0.0) for component in V.w):
            return Increment(Vec3.zero(), V.v)
        c0, c1, c2, c3 = stumpff(V.w.square(), 3)
        wv = V.w.cross(V.v)
        return Increment(V.w * (c1 / (1.0 + c0)), V.v + wv * c2 + V.w.cross(wv) * c3)

    @staticmethod
    def screw(S: Twist, q: Any) -> "Increment":
        """exp(S q) of a screw, as `Twist.exp` is: the zero angular part of a prismatic one must be the plain number."""
        if all(is_constant(component, 0.0) for component in S.w):
            return Increment(Vec3.zero(), S.v * q)
        square = S.w.square()
        rate = 1.0 if is_constant(square, 1.0) else sqrt(square)
        s, v, angle = S.w * (1.0 / rate), S.v * (1.0 / rate), q * rate
        turn = Increment(s * (sin(angle) / (1.0 + cos(angle))), Vec3.zero())
        turn.p = s * (s.dot(v) * angle) - turn.turned(s.cross(v))
        return turn

    def turned(self, v: Vec3) -> Vec3:
        """(R - 1) v."""
        once = self.g.cross(v)
        return (once + self.g.cross(once)) * self._scale  # (1)

    def __matmul__(self, other: "Increment") -> "Increment":
        a, b = self.g, other.g
        return Increment(
            (a + b + a.cross(b)) * (1.0 / (1.0 - a.dot(b))), self.p + other.p + self.turned(other.p)
        )  # (2)

    def seen_from(self, T: SE3) -> "Increment":
        """T^-1 W T."""
        R = T.R.inv()
        return Increment(R @ self.g, R @ (self.p + self.turned(T.p)))  # (3)

    def twist(self) -> Twist:
        """X with cay(X) = W."""
        return Twist(self.g * 2.0, self.p - self.g.cross(self.p))  # (1)

    def motion(self) -> SE3:
        """W as a rigid motion."""
        axes = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
        return SE3(SO3(Mat3(*(e + self.turned(e) for e in axes)).T), self.p)  # (1)

    def dcay_inv_star(self, F: Wrench, sign: float = 1.0) -> Wrench:
        """The dual of dcay_X^-1, or with sign -1 of dcay_{-X}^-1: what the end of a step feels, not its beginning."""
        g, y = self.g * sign, self.twist().v * (0.5 * sign)
        f = F.f + g.cross(F.f)
        return Wrench(F.m + g.cross(F.m) + g * g.dot(F.m) + y.cross(f), f)  # (4)
