"""Vectors, matrices and symmetric matrices of R^3, on any leaf.

`[a]` is the skew matrix of a: `[a] b = a x b`. A symmetric matrix keeps six leaves, so that nothing symmetric is
computed twice.
"""

from collections.abc import Iterator
from typing import Any

from chasles.reprs import leaves_html, matrix_html, of_leaves


class Vec3:
    """A vector of R^3 with components x, y, z."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x: Any, y: Any, z: Any) -> None:
        self.x, self.y, self.z = x, y, z

    @staticmethod
    def zero() -> "Vec3":
        return Vec3(0.0, 0.0, 0.0)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.x, self.y, self.z))

    def __repr__(self) -> str:
        return of_leaves("Vec3", *self)

    def _repr_html_(self) -> str:
        return leaves_html("Vec3", [("", self, "")])

    def __add__(self, b: "Vec3") -> "Vec3":
        return Vec3(self.x + b.x, self.y + b.y, self.z + b.z)

    def __sub__(self, b: "Vec3") -> "Vec3":
        return Vec3(self.x - b.x, self.y - b.y, self.z - b.z)

    def __neg__(self) -> "Vec3":
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, s: Any) -> "Vec3":
        return Vec3(self.x * s, self.y * s, self.z * s)

    __rmul__ = __mul__

    def dot(self, b: "Vec3") -> Any:
        return self.x * b.x + self.y * b.y + self.z * b.z

    def cross(self, b: "Vec3") -> "Vec3":
        return Vec3(self.y * b.z - self.z * b.y, self.z * b.x - self.x * b.z, self.x * b.y - self.y * b.x)

    def outer(self, b: "Vec3") -> "Mat3":
        return Mat3(b * self.x, b * self.y, b * self.z)

    def square(self) -> Any:
        """The squared length."""
        return self.dot(self)


class Mat3:
    """A 3x3 matrix, as three rows."""

    __slots__ = ("a", "b", "c")

    def __init__(self, a: Vec3, b: Vec3, c: Vec3) -> None:
        self.a, self.b, self.c = a, b, c

    @staticmethod
    def skew(v: Vec3) -> "Mat3":
        """[v], with [v] b = v x b."""
        return Mat3(Vec3(0.0, -v.z, v.y), Vec3(v.z, 0.0, -v.x), Vec3(-v.y, v.x, 0.0))

    @property
    def T(self) -> "Mat3":
        a, b, c = self.a, self.b, self.c
        return Mat3(Vec3(a.x, b.x, c.x), Vec3(a.y, b.y, c.y), Vec3(a.z, b.z, c.z))

    def __iter__(self) -> Iterator[Vec3]:
        return iter((self.a, self.b, self.c))

    def __repr__(self) -> str:
        return of_leaves("Mat3", *self)

    def _repr_html_(self) -> str:
        return matrix_html("Mat3", self)

    def __add__(self, B: "Mat3") -> "Mat3":
        return Mat3(self.a + B.a, self.b + B.b, self.c + B.c)

    def __sub__(self, B: "Mat3") -> "Mat3":
        return Mat3(self.a - B.a, self.b - B.b, self.c - B.c)

    def __neg__(self) -> "Mat3":
        return Mat3(-self.a, -self.b, -self.c)

    def __mul__(self, s: Any) -> "Mat3":
        return Mat3(self.a * s, self.b * s, self.c * s)

    __rmul__ = __mul__

    def dot(self, v: Vec3) -> Vec3:
        return Vec3(self.a.dot(v), self.b.dot(v), self.c.dot(v))

    def matmul(self, B: "Mat3") -> "Mat3":
        columns = B.T
        return Mat3(columns.dot(self.a), columns.dot(self.b), columns.dot(self.c))

    def symmetric(self) -> "Sym3":
        """A + A^T."""
        a, b, c = self.a, self.b, self.c
        return Sym3(a.x + a.x, b.y + b.y, c.z + c.z, a.y + b.x, a.z + c.x, b.z + c.y)


class Sym3:
    """A symmetric 3x3 matrix: six leaves."""

    __slots__ = ("xx", "xy", "xz", "yy", "yz", "zz")

    def __init__(self, xx: Any, yy: Any, zz: Any, xy: Any, xz: Any, yz: Any) -> None:
        self.xx, self.yy, self.zz, self.xy, self.xz, self.yz = xx, yy, zz, xy, xz, yz

    @staticmethod
    def zero() -> "Sym3":
        return Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    @staticmethod
    def scalar(s: Any) -> "Sym3":
        """s times the identity."""
        return Sym3(s, s, s, 0.0, 0.0, 0.0)

    @staticmethod
    def square(v: Vec3, s: Any = 1.0) -> "Sym3":
        """s v v^T."""
        w = v * s
        return Sym3(v.x * w.x, v.y * w.y, v.z * w.z, v.x * w.y, v.x * w.z, v.y * w.z)

    @staticmethod
    def pair(u: Vec3, v: Vec3) -> "Sym3":
        """u v^T + v u^T."""
        return u.outer(v).symmetric()

    @property
    def matrix(self) -> Mat3:
        return Mat3(Vec3(self.xx, self.xy, self.xz), Vec3(self.xy, self.yy, self.yz), Vec3(self.xz, self.yz, self.zz))

    @property
    def trace(self) -> Any:
        return self.xx + self.yy + self.zz

    def __iter__(self) -> Iterator[Any]:
        return iter((self.xx, self.yy, self.zz, self.xy, self.xz, self.yz))

    def __repr__(self) -> str:
        return of_leaves("Sym3", xx=self.xx, yy=self.yy, zz=self.zz, xy=self.xy, xz=self.xz, yz=self.yz)

    def _repr_html_(self) -> str:
        return matrix_html("Sym3", self.matrix)

    def __add__(self, B: "Sym3") -> "Sym3":
        return Sym3(*(a + b for a, b in zip(self, B, strict=True)))

    def __sub__(self, B: "Sym3") -> "Sym3":
        return Sym3(*(a - b for a, b in zip(self, B, strict=True)))

    def __neg__(self) -> "Sym3":
        return Sym3(*(-a for a in self))

    def __mul__(self, s: Any) -> "Sym3":
        return Sym3(*(a * s for a in self))

    __rmul__ = __mul__

    def dot(self, v: Vec3) -> Vec3:
        return self.matrix.dot(v)

    def congruent(self, R: Mat3) -> "Sym3":
        """R A R^T."""
        B = R.matmul(self.matrix)
        a, b, c = R
        return Sym3(B.a.dot(a), B.b.dot(b), B.c.dot(c), B.a.dot(b), B.a.dot(c), B.b.dot(c))

    def inertia(self) -> "Sym3":
        """tr(A) 1 - A: from second moments to the rotational inertia."""
        return Sym3(self.yy + self.zz, self.xx + self.zz, self.xx + self.yy, -self.xy, -self.xz, -self.yz)

    def moments(self) -> "Sym3":
        """tr(A)/2 1 - A: from the rotational inertia to second moments."""
        xx, yy, zz = self.xx, self.yy, self.zz
        return Sym3((yy + zz - xx) * 0.5, (xx + zz - yy) * 0.5, (xx + yy - zz) * 0.5, -self.xy, -self.xz, -self.yz)
