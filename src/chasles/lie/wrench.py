"""Wrenches: the dual of twists."""

from typing import TYPE_CHECKING, Any

from chasles.lie.vec3 import Vec3
from chasles.reprs import leaves_html, of_leaves

if TYPE_CHECKING:
    from chasles.lie.twist import Twist


class Wrench:
    """A moment m about the frame's origin and a force f; `F.pair(V)` is the power on a twist."""

    __slots__ = ("f", "m")

    def __init__(self, m: Vec3, f: Vec3) -> None:
        self.m, self.f = m, f

    @staticmethod
    def zero() -> "Wrench":
        return Wrench(Vec3.zero(), Vec3.zero())

    def __add__(self, F: "Wrench") -> "Wrench":
        return Wrench(self.m + F.m, self.f + F.f)

    def __sub__(self, F: "Wrench") -> "Wrench":
        return Wrench(self.m - F.m, self.f - F.f)

    def __neg__(self) -> "Wrench":
        return Wrench(-self.m, -self.f)

    def __mul__(self, s: Any) -> "Wrench":
        return Wrench(self.m * s, self.f * s)

    __rmul__ = __mul__

    def pair(self, V: "Twist") -> Any:
        """<F, V> = m . w + f . v."""
        return self.m.dot(V.w) + self.f.dot(V.v)

    def __repr__(self) -> str:
        return of_leaves("Wrench", m=self.m, f=self.f)

    def _repr_html_(self) -> str:
        return leaves_html("Wrench", [("moment m", self.m, ""), ("force f", self.f, "")])
