"""A path on SE(3): a pose as a function of time, with its body twist and the twist's derivatives.

    dT/dt = T [V],   V = (w, v),   A = dV/dt,   J = dA/dt                         (1)

all in the frame that moves. With R, p of T the origin moves by

    p' = R v,   p'' = R (v' + w x v),   p''' = R (v'' + 2 w x v' + w' x v + w x (w x v))    (2)

and with the metric <V, V> = alpha |w|^2 + beta |v|^2, which is that of SO(3) x R^3 and does not depend on the space
frame, the covariant derivatives of the velocity along the path are, in the body's axes,

    order 1   V                      order 2   (w', R^T p'')
    order 3   (w'' + w x w' / 2, R^T p''')                                        (3)

whose squared lengths, integrated over time, are the path's cost: energy, squared acceleration, squared jerk.
[ZefranKumarCroke1998]
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import array, not_negative, one_of
from chasles.arguments.arrays import Array
from chasles.errors import ModelError
from chasles.graph.array import is_traced, plain, traced, where
from chasles.reprs import record

ROUNDING = 1e-9  # of the duration: a time this little outside is at the end
LARGEST_GAP = 1e-9  # what may be between the end of one path and the start of the next, radians or metres
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)


@record()
class Motion(NamedTuple):
    """pose (..., 4, 4), and velocity, acceleration and jerk (..., 6): a body twist and its derivatives by time."""

    pose: Array
    velocity: Array
    acceleration: Array
    jerk: Array


class Path(ABC):
    """A pose as a function of time from 0 to `duration`, in seconds, or many at once.

    Results have the axes of the batch of paths, then those of t, then their own. Outside of its times a path rests: at
    its first or last pose, with no velocity.
    """

    duration: float
    batch: tuple[int, ...]

    @abstractmethod
    def inside(self, t: Array) -> Motion:
        """The motion at times (S,) within the duration: (*batch, S, ...)."""

    @property
    def knots(self) -> Array:
        """(K,) the times between which the path is smooth, its ends among them."""
        return np.array([0.0, self.duration])

    def motion(self, t: ArrayLike) -> Motion:
        """Pose, velocity, acceleration and jerk at once. t: seconds, of any shape.

        A traced t is taken by `screw` and `geodesic` paths, reversed and joined ones too: for laws in a rollout.
        """
        is_number = not is_traced(t)
        given = array(t, "t", ("...",), finite=True) if is_number else traced(plain(t))
        times, span = given.reshape(-1), self.duration
        within = (times >= -ROUNDING * span) & (times <= span * (1.0 + ROUNDING))
        parts = self.inside(np.clip(times, 0.0, span))
        if not is_number:
            parts = Motion(parts.pose, *(where(within[:, None], x, 0.0) for x in parts[1:]))
        elif not within.all():
            parts = Motion(parts.pose, *(x * within[:, None] for x in parts[1:]))
        lead = (*self.batch, *given.shape)
        return Motion(*(x.reshape(*lead, *own) for x, own in zip(parts, ((4, 4), (6,), (6,), (6,)), strict=True)))

    def __call__(self, t: ArrayLike) -> Array:
        """(..., 4, 4) the pose at time t, seconds, of any shape."""
        return self.motion(t).pose

    def velocity(self, t: ArrayLike) -> Array:
        """(..., 6) the body twist (angular, linear) at time t."""
        return self.motion(t).velocity

    def acceleration(self, t: ArrayLike) -> Array:
        """(..., 6) the derivative of the body twist, as `Robot.acceleration` has it."""
        return self.motion(t).acceleration

    def jerk(self, t: ArrayLike) -> Array:
        """(..., 6) the second derivative of the body twist."""
        return self.motion(t).jerk

    @property
    def start(self) -> Array:
        """(..., 4, 4) the first pose."""
        return self(0.0)

    @property
    def end(self) -> Array:
        """(..., 4, 4) the last pose."""
        return self(self.duration)

    def cost(self, order: int = 2, rotation: float = 1.0, translation: float = 1.0) -> Array:
        """(...) the integral of the squared velocity (order 1), acceleration (2) or jerk (3) of (3).

        rotation, translation: the weights alpha and beta of angular and linear parts. Jumps at knots do not count.
        """
        one_of(order, "order", (1, 2, 3))
        rotation, translation = not_negative(rotation, "rotation"), not_negative(translation, "translation")
        knots = self.knots
        half = np.diff(knots) / 2.0
        t = (knots[:-1] + half)[:, None] + half[:, None] * NODES
        w, v = covariant(self.inside(t.reshape(-1)), order)
        density = rotation * np.einsum("...i,...i", w, w) + translation * np.einsum("...i,...i", v, v)
        return density @ (half[:, None] * WEIGHTS).reshape(-1)

    def reversed(self) -> Path:
        """The same path from its end to its start."""
        return Reversed(self)

    def __add__(self, other: Path) -> Path:
        """This path, then the other, which has to start where this one ends; velocities may jump there."""
        return Joined(self, other) if isinstance(other, Path) else NotImplemented

    def __repr__(self) -> str:
        many = f", {self.batch} of them" if self.batch else ""
        return f"<{type(self).__name__} path: {self.duration:.6g} s{many}>"


def covariant(motion: Motion, order: int) -> tuple[Array, Array]:
    """The angular and linear part of (3)."""
    V, A, J = motion.velocity, motion.acceleration, motion.jerk
    (w, v), (wd, vd), (wdd, vdd) = ((x[..., :3], x[..., 3:]) for x in (V, A, J))
    if order == 1:
        return w, v
    if order == 2:
        return wd, vd + np.cross(w, v)  # (2)
    p_jerk = vdd + 2.0 * np.cross(w, vd) + np.cross(wd, v) + np.cross(w, np.cross(w, v))
    return wdd + np.cross(w, wd) / 2.0, p_jerk


class Reversed(Path):
    """T(duration - t)."""

    def __init__(self, path: Path) -> None:
        self.path, self.duration, self.batch = path, path.duration, path.batch

    @property
    def knots(self) -> Array:
        return self.duration - self.path.knots[::-1]

    def inside(self, t: Array) -> Motion:
        pose, V, A, J = self.path.inside(self.duration - t)
        return Motion(pose, -V, A, -J)

    def reversed(self) -> Path:
        return self.path


class Joined(Path):
    """One path after another. At the time where they meet the second one counts."""

    def __init__(self, first: Path, second: Path) -> None:
        if first.batch != second.batch:
            raise ModelError(f"paths of batches {first.batch} and {second.batch} cannot follow each other")
        gap = np.abs(first.end - second.start).max()
        if gap > LARGEST_GAP * (1.0 + np.abs(first.end).max()):
            raise ModelError(f"the second path does not start where the first ends: {gap:.2g} is between them")
        self.parts = (first, second)
        self.duration, self.batch = first.duration + second.duration, first.batch

    @property
    def knots(self) -> Array:
        first, second = self.parts
        return np.concatenate([first.knots, first.duration + second.knots[1:]])

    def inside(self, t: Array) -> Motion:
        first, second = self.parts
        late = t >= first.duration
        out = first.inside(np.minimum(t, first.duration))
        if is_traced(t):
            then = second.inside(np.clip(t - first.duration, 0.0, second.duration))
            own = (2, 1, 1, 1)
            return Motion(*(where(late.reshape(-1, *(1,) * k), x, y) for x, y, k in zip(then, out, own, strict=True)))
        if late.any():
            then = second.inside(np.clip(t[late] - first.duration, 0.0, second.duration))
            for whole, part, own in zip(out, then, (2, 1, 1, 1), strict=True):
                whole[(..., late, *(slice(None),) * own)] = part
        return out
