"""Small rigid motions W = (R, p), kept as R - 1 and p: nothing is lost as a step shrinks.

The turn is a unit quaternion (u, w), u = n sin(angle/2), w = cos(angle/2):

    R - 1 = 2 w [u] + 2 [u]^2                                                     (1)
    W_a W_b:  u = w_a u_b + w_b u_a + u_a x u_b,   w = w_a w_b - u_a . u_b,
              p = p_a + p_b + (R_a - 1) p_b                                       (2)
    T^-1 W T: u' = R_T^T u,   p' = R_T^T (p + (R - 1) p_T)                        (3)
    W^-1:     R^T - 1 = (R - 1)^T,   the displacement R^T p = p + (R - 1)^T p     (4)

u, R - 1 and p are small numbers of full relative precision. Length is not restored: what a chain of motions loses of it
is rounding.
"""

from typing import Any

from chasles.lie.se3 import SE3
from chasles.lie.so3 import SO3
from chasles.lie.twist import Twist
from chasles.lie.vec3 import Mat3, Vec3
from chasles.scalar.ops import cos, is_constant, sin, sqrt
from chasles.scalar.series import stumpff


class Increment:
    """The motion W of quaternion (u, w) that carries the origin to p; D = R - 1."""

    __slots__ = ("D", "p", "u", "w")

    def __init__(self, u: Vec3, w: Any, p: Vec3) -> None:
        self.u, self.w, self.p = u, w, p
        double, turn = u * 2.0, u * (w * 2.0)
        xx, yy, zz = double.x * u.x, double.y * u.y, double.z * u.z
        xy, xz, yz = double.x * u.y, double.x * u.z, double.y * u.z
        self.D = Mat3(
            Vec3(-(yy + zz), xy - turn.z, xz + turn.y),
            Vec3(xy + turn.z, -(xx + zz), yz - turn.x),
            Vec3(xz - turn.y, yz + turn.x, -(xx + yy)),
        )  # (1)

    @staticmethod
    def identity() -> "Increment":
        return Increment(Vec3.zero(), 1.0, Vec3.zero())

    @staticmethod
    def exp(V: Twist) -> "Increment":
        """exp(V), as `SE3.exp` is."""
        if all(is_constant(component, 0.0) for component in V.w):
            return Increment(Vec3.zero(), 1.0, V.v)
        square = V.w.square()
        c0, c1 = stumpff(square * 0.25, 1)
        _, _, c2, c3 = stumpff(square, 3)
        wv = V.w.cross(V.v)
        return Increment(V.w * (c1 * 0.5), c0, V.v + wv * c2 + V.w.cross(wv) * c3)

    @staticmethod
    def screw(S: Twist, q: Any) -> "Increment":
        """exp(S q) of a screw, as `Twist.exp` is: the zero angular part of a prismatic one must be the plain number."""
        if all(is_constant(component, 0.0) for component in S.w):
            return Increment(Vec3.zero(), 1.0, S.v * q)
        square = S.w.square()
        rate = 1.0 if is_constant(square, 1.0) else sqrt(square)
        s, v, angle = S.w * (1.0 / rate), S.v * (1.0 / rate), q * rate
        turn = Increment(s * sin(angle * 0.5), cos(angle * 0.5), Vec3.zero())
        turn.p = s * (s.dot(v) * angle) - turn.D.dot(s.cross(v))
        return turn

    def __matmul__(self, other: "Increment") -> "Increment":
        a, b = self.u, other.u
        u, w = b * self.w + a * other.w + a.cross(b), self.w * other.w - a.dot(b)
        return Increment(u, w, self.p + other.p + self.D.dot(other.p))  # (2)

    def seen_from(self, T: SE3) -> "Increment":
        """T^-1 W T."""
        R = T.R.inv()
        return Increment(R @ self.u, self.w, R @ (self.p + self.D.dot(T.p)))  # (3)

    def motion(self) -> SE3:
        """W as a rigid motion."""
        one = Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
        return SE3(SO3(one + self.D), self.p)
