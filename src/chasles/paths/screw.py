"""Paths from one pose to another: by a screw motion (screw linear interpolation, ScLERP), or by the geodesic of
SO(3) x R^3 (spherical linear interpolation, slerp, of the rotation and a straight line).

    screw      T = T0 exp(s X),  X = log(T0^-1 T1):   V = s' X,  A = s'' X                     (1)
    geodesic   R = R0 exp(s a),  a = log(R0^T R1),  p = p0 + s (p1 - p0)                       (2)
               w = s' a,  R^T p' = s' R^T (p1 - p0),  and so on by path.py (2)

s(t) is a time scaling (scaling.py). The screw depends on neither frame: T -> G T H of both ends makes G T(t) H. The
geodesic turns about a fixed axis while the body's origin moves on a straight line; it does not depend on the space
frame, but on where the body's origin is. Half a turn apart there are two of each, and one is taken: the axis is that of
`SO3.log`.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import broadcast, poses, positive
from chasles.arguments.arrays import Array
from chasles.paths import lie
from chasles.paths.path import Motion, Path
from chasles.paths.scaling import Scaling, polynomials, values


def screw(T0: ArrayLike, T1: ArrayLike, duration: float = 1.0, scaling: Scaling = "quintic") -> Path:
    """The screw motion from T0 to T1, (..., 4, 4), in `duration` seconds: screw linear interpolation.

    scaling: "linear" at constant speed, "cubic" from rest to rest, "quintic" without acceleration at the ends too.
    """
    return Screw(T0, T1, duration, scaling)


def geodesic(T0: ArrayLike, T1: ArrayLike, duration: float = 1.0, scaling: Scaling = "quintic") -> Path:
    """A turn about a fixed axis while the origin moves on a straight line, from T0 to T1, (..., 4, 4).

    With scaling "cubic" it is the path of least squared acceleration from rest to rest, with "quintic" that of least
    squared jerk without acceleration at the ends, with "linear" that of least energy.
    """
    return Straight(T0, T1, duration, scaling)


class _Between(Path):
    def __init__(self, T0: ArrayLike, T1: ArrayLike, duration: float, scaling: str) -> None:
        shape = ("...", 4, 4)
        self.T0, self.T1 = broadcast("", T0=(poses(T0, "T0"), shape), T1=(poses(T1, "T1"), shape))
        self.duration, self.batch = positive(duration, "duration", "of seconds"), self.T0.shape[:-2]
        self.relative = lie.inverse(self.T0) @ self.T1
        self.s = polynomials(scaling, self.duration)


class Screw(_Between):
    """(1)."""

    def __init__(self, T0: ArrayLike, T1: ArrayLike, duration: float, scaling: str) -> None:
        super().__init__(T0, T1, duration, scaling)
        self.twist = lie.log(self.relative)

    def inside(self, t: Array) -> Motion:
        s, X = values(self.s, t), self.twist[..., None, :]
        pose = self.T0[..., None, :, :] @ lie.exp(s[0][:, None] * X)
        return Motion(pose, *(rate[:, None] * X for rate in s[1:]))  # (1)


class Straight(_Between):
    """(2)."""

    def __init__(self, T0: ArrayLike, T1: ArrayLike, duration: float, scaling: str) -> None:
        super().__init__(T0, T1, duration, scaling)
        self.turn = lie.rotation_vector(self.relative[..., :3, :3])
        self.way = self.relative[..., :3, 3]

    def inside(self, t: Array) -> Motion:
        s, a, d = values(self.s, t), self.turn[..., None, :], self.way[..., None, :]
        s0, s1, s2, s3 = (x[:, None] for x in s)
        pose = lie.exp(np.concatenate(np.broadcast_arrays(s0 * a, 0.0 * s0 * a), axis=-1))
        R = pose[..., :3, :3].copy()
        pose[..., :3, 3] = s0 * d
        return moving(self.T0[..., None, :, :] @ pose, R, (s1 * a, s2 * a, s3 * a), (s1 * d, s2 * d, s3 * d))


def moving(pose: Array, R: Array, turn: tuple[Array, Array, Array], way: tuple[Array, Array, Array]) -> Motion:
    """The motion of which angular velocity, with its derivatives, and the origin's derivatives p', p'', p''' are known.

    R: the rotation that takes the body's axes to those of p.
    """
    (w, wd, wdd), (v, pdd, pddd) = turn, (np.einsum("...ji,...j->...i", R, x) for x in way)
    wv = lie.cross(w, v)
    vd = pdd - wv
    vdd = pddd - 2.0 * lie.cross(w, vd) - lie.cross(wd, v) - lie.cross(w, wv)  # path.py (2)
    return Motion(pose, *(np.concatenate(pair, axis=-1) for pair in ((w, v), (wd, vd), (wdd, vdd))))
