"""Joints: motions that form a group, with velocities that do not change their meaning as the joint moves.

A joint carries its body by E(q), and its velocity v gives the body's twist relative to the parent in the body's own
frame through constant columns S_a:

    E^-1 dE/dt = [sum of S_a v_a]                                                 (1)

    screw      one number q, E = exp(S (q + offset)), v = dq/dt
    planar     q = (x, y, theta), E = translation (x, y, 0) and rotation theta about z, v = (v_x, v_y, w_z)
    spherical  q = quaternion (x, y, z, w), v = angular velocity
    free       q = (position, quaternion), v = (angular, linear) velocity

v of the last three is in the body's frame. A quaternion is divided by its length wherever it is used: any multiple of
it, the opposite too, is the same rotation, as long as its square neither overflows nor vanishes, or the result is not
finite; `normalize` takes any length but zero. Moving by v for unit time, and the v that leads from one to another:

    integrate(q, v) = E(q) exp(S v),   difference(q0, q1) = log(E(q0)^-1 E(q1))   (2)

`difference` takes the shorter way round; of a planar joint it wraps theta, of a screw it does not.
"""

from __future__ import annotations  # naming NumPy's random numbers would import them

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from chasles.lie import SE3, SO3, Mat3, Twist, Vec3
from chasles.model.leaves import is_zero
from chasles.scalar.ops import absolute, apply, less, maximum, sqrt, where
from chasles.scalar.series import arc_over_chord, stumpff

_X, _Y, _Z, _O = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0), Vec3(0.0, 0.0, 0.0)


class Joint(ABC):
    """A group of motions: nq coordinates, nv velocities, one column a velocity."""

    nq: int
    columns: tuple[Twist, ...]

    @property
    def nv(self) -> int:
        return len(self.columns)

    @abstractmethod
    def motion(self, q: Any) -> SE3:
        """E(q)."""

    @abstractmethod
    def neutral(self) -> list[float]:
        """The q of the home pose."""

    @abstractmethod
    def random(self, rng: np.random.Generator) -> list[float]:
        """A random q: uniform over rotations, and over [-pi, pi] or [-1, 1] m elsewhere."""

    @abstractmethod
    def normalize(self, q: Any) -> list[Any]:
        """The same motion, with a unit quaternion."""

    @abstractmethod
    def rates(self, q: Any, v: Any) -> list[Any]:
        """dq/dt at velocity v."""

    @abstractmethod
    def integrate(self, q: Any, v: Any) -> list[Any]:
        """Coordinates after moving by v for unit time."""

    @abstractmethod
    def difference(self, q0: Any, q1: Any) -> list[Any]:
        """The velocity that leads from q0 to q1 in unit time."""


@dataclass(frozen=True)
class ScrewJoint(Joint):
    """One degree of freedom: revolute, prismatic or helical."""

    S: Twist
    offset: float = 0.0
    nq = 1

    @property
    def columns(self) -> tuple[Twist, ...]:  # type: ignore[override]
        return (self.S,)

    def motion(self, q: Any) -> SE3:
        return self.S.exp(q[0] + self.offset)

    def neutral(self) -> list[float]:
        return [0.0]

    def random(self, rng: np.random.Generator) -> list[float]:
        turns = not is_zero(*self.S.w)
        return [float(rng.uniform(-math.pi, math.pi) if turns else rng.uniform(-1.0, 1.0))]

    def normalize(self, q: Any) -> list[Any]:
        return [q[0]]

    def rates(self, q: Any, v: Any) -> list[Any]:
        return [v[0]]

    def integrate(self, q: Any, v: Any) -> list[Any]:
        return [q[0] + v[0]]

    def difference(self, q0: Any, q1: Any) -> list[Any]:
        return [q1[0] - q0[0]]


class Planar(Joint):
    """Three degrees of freedom in the x-y plane of the joint's frame."""

    nq = 3
    columns = (Twist(_O, _X), Twist(_O, _Y), Twist(_Z, _O))

    def motion(self, q: Any) -> SE3:
        return SE3(SO3.about(_Z, q[2]), Vec3(q[0], q[1], 0.0))

    def neutral(self) -> list[float]:
        return [0.0, 0.0, 0.0]

    def random(self, rng: np.random.Generator) -> list[float]:
        return [*rng.uniform(-1.0, 1.0, 2).tolist(), float(rng.uniform(-math.pi, math.pi))]

    def normalize(self, q: Any) -> list[Any]:
        return list(q)

    def rates(self, q: Any, v: Any) -> list[Any]:
        p = self.motion(q).R @ Vec3(v[0], v[1], 0.0)
        return [p.x, p.y, v[2]]

    def integrate(self, q: Any, v: Any) -> list[Any]:
        T = self.motion(q) @ SE3.exp(Twist(_Z * v[2], Vec3(v[0], v[1], 0.0)))  # (2)
        return [T.p.x, T.p.y, q[2] + v[2]]

    def difference(self, q0: Any, q1: Any) -> list[Any]:
        angle = q1[2] - q0[2]
        angle = angle - 2.0 * math.pi * apply("floor", angle * (0.5 / math.pi) + 0.5)
        across = self.motion(q0).R.inv() @ Vec3(q1[0] - q0[0], q1[1] - q0[1], 0.0)
        V = SE3.log_of(_Z * angle, across)
        return [V.v.x, V.v.y, angle]  # (2)


class Spherical(Joint):
    """Three rotations about the origin of the joint's frame: a ball in its socket."""

    nq = 4
    columns = (Twist(_X, _O), Twist(_Y, _O), Twist(_Z, _O))

    def motion(self, q: Any) -> SE3:
        return SE3(rotation(q), Vec3.zero())

    def neutral(self) -> list[float]:
        return [0.0, 0.0, 0.0, 1.0]

    def random(self, rng: np.random.Generator) -> list[float]:
        return unit(rng.normal(size=4).tolist())

    def normalize(self, q: Any) -> list[Any]:
        return unit(scaled(q))

    def rates(self, q: Any, v: Any) -> list[Any]:
        return quaternion_rates(q, v)

    def integrate(self, q: Any, v: Any) -> list[Any]:
        return unit(product(q, quaternion_exp(Vec3(*v))))  # (2)

    def difference(self, q0: Any, q1: Any) -> list[Any]:
        return [*quaternion_log(product(conjugate(unit(q0)), unit(q1)))]  # (2)


class Free(Joint):
    """Six degrees of freedom: a floating base."""

    nq = 7
    columns = (*Spherical.columns, Twist(_O, _X), Twist(_O, _Y), Twist(_O, _Z))

    def motion(self, q: Any) -> SE3:
        return SE3(rotation(q[3:]), Vec3(*q[:3]))

    def neutral(self) -> list[float]:
        return [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]

    def random(self, rng: np.random.Generator) -> list[float]:
        return [*rng.uniform(-1.0, 1.0, 3).tolist(), *unit(rng.normal(size=4).tolist())]

    def normalize(self, q: Any) -> list[Any]:
        return [*q[:3], *unit(scaled(q[3:]))]

    def rates(self, q: Any, v: Any) -> list[Any]:
        return [*(rotation(q[3:]) @ Vec3(*v[3:])), *quaternion_rates(q[3:], v[:3])]

    def integrate(self, q: Any, v: Any) -> list[Any]:
        step = SE3.exp(Twist(Vec3(*v[:3]), Vec3(*v[3:])))
        p = self.motion(q) @ step.p
        return [*p, *unit(product(q[3:], quaternion_exp(Vec3(*v[:3]))))]  # (2)

    def difference(self, q0: Any, q1: Any) -> list[Any]:
        w = quaternion_log(product(conjugate(unit(q0[3:])), unit(q1[3:])))
        p = rotation(q0[3:]).inv() @ (Vec3(*q1[:3]) - Vec3(*q0[:3]))
        V = SE3.log_of(w, p)
        return [*V.w, *V.v]  # (2)


KINDS: dict[str, type[Joint]] = {
    "planar": Planar,
    "spherical": Spherical,
    "free": Free,
}


def rotation(q: Any) -> SO3:
    """The rotation of a quaternion (x, y, z, w) of any length but zero; not finite where its square is not."""
    x, y, z, w = q
    square = x * x + y * y + z * z + w * w
    s = _or_infinite(2.0 / square, square)
    xs, ys, zs = x * s, y * s, z * s
    xx, yy, zz, xy, xz, yz = x * xs, y * ys, z * zs, x * ys, x * zs, y * zs
    wx, wy, wz = w * xs, w * ys, w * zs
    return SO3(
        Mat3(
            Vec3(1.0 - (yy + zz), xy - wz, xz + wy),
            Vec3(xy + wz, 1.0 - (xx + zz), yz - wx),
            Vec3(xz - wy, yz + wx, 1.0 - (xx + yy)),
        )
    )


def product(a: Any, b: Any) -> list[Any]:
    """The quaternion product: the rotation a after b."""
    u, v = Vec3(*a[:3]), Vec3(*b[:3])
    return [*(v * a[3] + u * b[3] + u.cross(v)), a[3] * b[3] - u.dot(v)]


def conjugate(q: Any) -> list[Any]:
    return [-q[0], -q[1], -q[2], q[3]]


def unit(q: Any) -> list[Any]:
    """A quaternion divided by its length; not finite where the square of that is not."""
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    scale = _or_infinite(1.0 / sqrt(square), square)
    return [c * scale for c in q]


def _or_infinite(inverse: Any, square: Any) -> Any:
    """Something over a square, but infinite where that is: over infinity it is zero, and zero times q no rotation."""
    return where(less(0.0, inverse), inverse, square)


def scaled(q: Any) -> list[Any]:
    """A quaternion divided by its largest number, so that its square is between 1 and 4; nan if it is zero."""
    x, y, z, w = (absolute(c) for c in q)
    largest = maximum(maximum(x, y), maximum(z, w))
    return [c / largest for c in q]


def quaternion_rates(q: Any, w: Any) -> list[Any]:
    """dq/dt of a quaternion that turns at w in its own frame: the product of q and (w, 0) / 2; its length stays."""
    return product(q, [w[0] * 0.5, w[1] * 0.5, w[2] * 0.5, 0.0])


def quaternion_exp(w: Vec3) -> list[Any]:
    """The quaternion of the rotation vector w, smooth at zero."""
    c0, c1 = stumpff(w.square() * 0.25, 1)
    return [*(w * (c1 * 0.5)), c0]


def quaternion_log(q: Any) -> Vec3:
    """The rotation vector, of length at most pi, of a unit quaternion or its opposite; smooth at zero."""
    turned = less(q[3], 0.0)
    x, y, z, w = (where(turned, -c, c) for c in q)
    v = Vec3(x, y, z)
    return v * (2.0 * arc_over_chord(v.square(), w))
