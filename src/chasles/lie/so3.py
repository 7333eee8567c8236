"""Rotations, by Rodrigues' formula:

    exp(w)      = 1 + c_1(x) [w] + c_2(x) [w]^2,  x = |w|^2,  c_k of scalar/series.py        (1)
    about(s, t) = cos t (1 - s s^T) + sin t [s] + s s^T,  |s| = 1                             (2)

The logarithm goes through the unit quaternion, whose largest component is found first, so it is right at 0 and at pi.
[SE3-5]
"""

from typing import Any

from chasles.lie.vec3 import Mat3, Vec3
from chasles.reprs import matrix_html, of_leaves
from chasles.scalar.ops import cos, less, sin, sqrt, where
from chasles.scalar.series import arc_over_chord, stumpff


class SO3:
    """A rotation R, held as its matrix; `R @ v` rotates, `R @ Q` composes."""

    __slots__ = ("matrix",)

    def __init__(self, matrix: Mat3) -> None:
        self.matrix = matrix

    @staticmethod
    def identity() -> "SO3":
        return SO3(Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)))

    @staticmethod
    def exp(w: Vec3) -> "SO3":
        """The rotation by |w| about w."""
        _, c1, c2 = stumpff(w.square(), 2)
        W = Mat3.skew(w)
        one = SO3.identity().matrix
        return SO3(one + W * c1 + W.matmul(W) * c2)  # (1)

    @staticmethod
    def about(s: Vec3, angle: Any) -> "SO3":
        """The rotation by `angle` about the unit vector s."""
        c, t = cos(angle), sin(angle)
        u = 1.0 - c
        xy, xz, yz = s.x * s.y * u, s.x * s.z * u, s.y * s.z * u
        x, y, z = s.x * t, s.y * t, s.z * t
        xx, yy, zz = s.x * s.x, s.y * s.y, s.z * s.z
        return SO3(
            Mat3(
                Vec3(xx + c * (1.0 - xx), xy - z, xz + y),
                Vec3(xy + z, yy + c * (1.0 - yy), yz - x),
                Vec3(xz - y, yz + x, zz + c * (1.0 - zz)),
            )
        )  # (2)

    def quaternion(self) -> tuple[Any, Any, Any, Any]:
        """The unit quaternion (x, y, z, w) of the rotation, with w >= 0."""
        a, b, c = self.matrix
        # four times the squares of the components, and the products of each component with the others
        squares = (
            1.0 + a.x - b.y - c.z,
            1.0 - a.x + b.y - c.z,
            1.0 - a.x - b.y + c.z,
            1.0 + a.x + b.y + c.z,
        )
        rows = (
            (squares[0], a.y + b.x, a.z + c.x, c.y - b.z),
            (a.y + b.x, squares[1], b.z + c.y, a.z - c.x),
            (a.z + c.x, b.z + c.y, squares[2], b.x - a.y),
            (c.y - b.z, a.z - c.x, b.x - a.y, squares[3]),
        )
        largest, row = squares[3], rows[3]
        for k in range(3):
            better = less(largest, squares[k])
            largest = where(better, squares[k], largest)
            row = tuple(where(better, new, old) for new, old in zip(rows[k], row, strict=True))
        scale = 0.5 / sqrt(largest)
        scale = where(less(row[3], 0.0), -scale, scale)
        x, y, z, w = (component * scale for component in row)
        return x, y, z, w

    def log(self) -> Vec3:
        """The rotation vector, of length at most pi."""
        x, y, z, w = self.quaternion()
        v = Vec3(x, y, z)
        return v * (2.0 * arc_over_chord(v.square(), w))

    def inv(self) -> "SO3":
        return SO3(self.matrix.T)

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Vec3):
            return self.matrix.dot(other)
        return SO3(self.matrix.matmul(other.matrix))

    def __repr__(self) -> str:
        return of_leaves("SO3", self.matrix)

    def _repr_html_(self) -> str:
        return matrix_html("SO3", self.matrix)
