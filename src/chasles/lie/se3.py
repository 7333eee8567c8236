"""Rigid motions.

`T_ab` is the pose of frame b in frame a: `T_ab @ T_bc == T_ac`. With T = (R, p):

    Ad_T V          = (R w, p x R w + R v)                                       (1)  [SE3-2]
    Ad_T^T F        = (R^T (m - p x f), R^T f)                                   (2)  [SE3-3, SE3-7]
    Ad_{T^-1}^T F   = (R m + p x R f, R f)                                       (3)
    exp(V) = (exp w, v + c_2 w x v + c_3 w x (w x v)),  c_k of |w|^2              (4)  [SE3-5]
    log: v = p - w x p / 2 + (c_3 - 2c_4)/(2c_2) w x (w x p)                     (5)
"""

from typing import Any

from chasles.lie.so3 import SO3
from chasles.lie.twist import Twist
from chasles.lie.vec3 import Vec3
from chasles.lie.wrench import Wrench
from chasles.reprs import matrix_html, of_leaves
from chasles.scalar.series import stumpff


class SE3:
    """A rigid motion, or pose: rotation R and translation p."""

    __slots__ = ("R", "p")

    def __init__(self, R: SO3, p: Vec3) -> None:
        self.R, self.p = R, p

    @staticmethod
    def identity() -> "SE3":
        return SE3(SO3.identity(), Vec3.zero())

    @staticmethod
    def exp(V: Twist) -> "SE3":
        """The motion after unit time at constant body twist V; smooth at zero."""
        _, _, c2, c3 = stumpff(V.w.square(), 3)
        wv = V.w.cross(V.v)
        return SE3(SO3.exp(V.w), V.v + wv * c2 + V.w.cross(wv) * c3)  # (4)

    def log(self) -> Twist:
        """The twist of least rotation with exp(V) = T; right at 0 and at pi."""
        return SE3.log_of(self.R.log(), self.p)

    @staticmethod
    def log_of(w: Vec3, p: Vec3) -> Twist:
        """The twist whose exponential turns by w, |w| < 2 pi, and moves the origin to p."""
        _, _, c2, c3, c4 = stumpff(w.square(), 4)
        wp = w.cross(p)
        return Twist(w, p - wp * 0.5 + w.cross(wp) * (0.5 * (c3 - 2.0 * c4) / c2))  # (5)

    def __matmul__(self, other: Any) -> Any:
        """Compose two motions, or move a point."""
        if isinstance(other, Vec3):
            return self.R @ other + self.p
        return SE3(self.R @ other.R, self.R @ other.p + self.p)

    def inv(self) -> "SE3":
        R = self.R.inv()
        return SE3(R, -(R @ self.p))

    def Ad(self, V: Twist) -> Twist:
        """Ad_T V: a twist in b, seen from a."""
        w = self.R @ V.w
        return Twist(w, self.p.cross(w) + self.R @ V.v)  # (1)

    def Ad_inv(self, V: Twist) -> Twist:
        """Ad_{T^-1} V: a twist in a, seen from b."""
        R = self.R.inv()
        return Twist(R @ V.w, R @ (V.v - self.p.cross(V.w)))  # (1)

    def Ad_star(self, F: Wrench) -> Wrench:
        """Ad_T^T F: a wrench in a, seen from b. The dual of `Ad`: <Ad_T^T F, V> = <F, Ad_T V>."""
        R = self.R.inv()
        return Wrench(R @ (F.m - self.p.cross(F.f)), R @ F.f)  # (2)

    def Ad_inv_star(self, F: Wrench) -> Wrench:
        """Ad_{T^-1}^T F: a wrench in b, seen from a (the coadjoint action)."""
        f = self.R @ F.f
        return Wrench(self.R @ F.m + self.p.cross(f), f)  # (3)

    def __repr__(self) -> str:
        return of_leaves("SE3", R=self.R, p=self.p)

    def _repr_html_(self) -> str:
        rows = ([*row, x] for row, x in zip(self.R.matrix, self.p, strict=True))
        return matrix_html("SE3", rows, "rotation, and translation in m", p=(self.p, "m"))
