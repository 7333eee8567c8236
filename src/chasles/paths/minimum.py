"""Paths of least squared acceleration or jerk, between two poses or through many.

With the metric of SO(3) x R^3 (path.py) rotation and position part: the position is a polynomial of degree 3 or 5 of
time in the space frame, the rotation solves w''' + w x w'' = 0 or the equation of least jerk (series.py), with

    w, w' at the ends as given,   p' = R v,   p'' = R (v' + w x v) there                          (1)

from the body twists V = (w, v) and their derivatives A that are given. The weights of the metric do not matter, the
origin of the body frame does; the space frame does not. All is computed relative to the first pose. From rest to rest
these are `geodesic` with a cubic or quintic time scaling.

Each is stationary, and least among its neighbours if turns are short. Two poses half a turn apart have two such paths,
and one is taken, by `SO3.log`; so turn less than half a turn between poses.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import array, broadcast, one_of, positive, vector
from chasles.arguments import poses as rigid
from chasles.arguments.arrays import Array
from chasles.errors import ModelError, ShapeError
from chasles.paths import lie
from chasles.paths.boundary import polynomial_spline, rotation_spline
from chasles.paths.path import Motion, Path
from chasles.paths.screw import moving
from chasles.paths.series import DEGREE, value

COLUMNS = 25  # of the table: w, w', w'', Q, p, p', p'', p''', three or four each


def minimum_acceleration(
    T0: ArrayLike, T1: ArrayLike, V0: ArrayLike | None = None, V1: ArrayLike | None = None, duration: float = 1.0
) -> Path:
    """The path of least squared acceleration from T0 to T1, (..., 4, 4), with body twists V0 and V1, (..., 6), there.

    Twists are (angular, linear), at rest by default. duration: seconds.
    """
    first, last, *ends = _ends(T0, T1, {"V0": V0, "V1": V1})
    return Minimum(first, last, np.array([0.0, positive(duration, "duration", "of seconds")]), ends[0::2], ends[1::2])


def minimum_jerk(
    T0: ArrayLike,
    T1: ArrayLike,
    V0: ArrayLike | None = None,
    V1: ArrayLike | None = None,
    A0: ArrayLike | None = None,
    A1: ArrayLike | None = None,
    duration: float = 1.0,
) -> Path:
    """The path of least squared jerk from T0 to T1, (..., 4, 4), with twists V0, V1 and accelerations A0, A1 there.

    V0, V1: (..., 6) body twists, A0, A1: (..., 6) their derivatives; zero by default. duration: seconds.
    """
    first, last, *ends = _ends(T0, T1, {"V0": V0, "V1": V1, "A0": A0, "A1": A1})
    return Minimum(first, last, np.array([0.0, positive(duration, "duration", "of seconds")]), ends[0::2], ends[1::2])


def through(
    poses: ArrayLike,
    times: ArrayLike,
    V0: ArrayLike | None = None,
    V1: ArrayLike | None = None,
    A0: ArrayLike | None = None,
    A1: ArrayLike | None = None,
    *,
    minimum: Literal["acceleration", "jerk"] = "acceleration",
) -> Path:
    """The path of least squared acceleration, or jerk, through poses at given times.

    poses: (..., K, 4, 4). times: (K,), increasing, the first zero. V0, V1: (..., 6) body twists at the ends; A0, A1:
    their derivatives, for minimum="jerk". Acceleration (jerk: and its next two derivatives) is continuous.
    """
    T, t = rigid(poses, "poses"), array(times, "times", ("...",), finite=True)
    if T.ndim < 3 or T.shape[-3] < 2:
        raise ShapeError(f"poses must have shape (..., K, 4, 4), K at least 2, got {T.shape}")
    if t.shape != T.shape[-3:-2]:
        raise ShapeError(f"times must have shape ({T.shape[-3]},), one for each pose, got {t.shape}")
    if t[0] != 0.0 or (np.diff(t) <= 0.0).any():
        raise ModelError(f"times must increase from 0, got {t.tolist()}")
    one_of(minimum, "minimum", ("acceleration", "jerk"))
    if minimum == "acceleration" and not (A0 is None and A1 is None):
        raise ModelError("accelerations A0 and A1 can be given for minimum='jerk' only")
    given = {"V0": V0, "V1": V1} if minimum == "acceleration" else {"V0": V0, "V1": V1, "A0": A0, "A1": A1}
    T, *ends = broadcast("", poses=(T, ("...", -1, 4, 4)), **_twists(given))
    return Minimum(T[..., 0, :, :], T[..., 1:, :, :], t, ends[0::2], ends[1::2])


def _ends(T0: ArrayLike, T1: ArrayLike, given: dict[str, Any]) -> tuple[Array, ...]:
    """T0, T1 as the one pose of (..., 1, 4, 4), and the twists in the order given."""
    shape = ("...", 4, 4)
    first, last, *rest = broadcast("", T0=(rigid(T0, "T0"), shape), T1=(rigid(T1, "T1"), shape), **_twists(given))
    return first, last[..., None, :, :], *rest


def _twists(given: dict[str, Any]) -> dict[str, Any]:
    """Twists (..., 6) with their shape, zero by default."""
    shape = ("...", 6)
    return {name: (np.zeros(6) if V is None else vector(V, name, 6, finite=True), shape) for name, V in given.items()}


class Minimum(Path):
    """A path of stationary cost, as a table of power series, of w, Q and p."""

    def __init__(self, T0: Array, T: Array, times: Array, first: Any, last: Any) -> None:
        """T: (..., K, 4, 4) the poses after T0. first, last: V (and A) at the ends."""
        self.T0, self.batch, self.duration = T0, T0.shape[:-2], float(times[-1])
        K, B = len(times) - 1, int(np.prod(self.batch))
        unit = self.duration / K  # time is counted in it
        h = np.diff(times) / unit
        T = (lie.inverse(T0)[..., None, :, :] @ T).reshape(B, K, 4, 4)
        T = np.concatenate([np.broadcast_to(np.eye(4), (B, 1, 4, 4)), T], axis=1)
        R, p = T[..., :3, :3], T[..., :3, 3]
        start, end = ([V.reshape(B, 6) * unit**k for k, V in enumerate(given, 1)] for given in (first, last))
        turns = lie.rotation_vector(np.swapaxes(R[:, :-1], -1, -2) @ R[:, 1:])
        series = rotation_spline(turns, h, [V[:, :3] for V in start], [V[:, :3] for V in end])
        origin = polynomial_spline(p, h, _origin(R[:, 0], start), _origin(R[:, -1], end))
        self.unit, self.steps = unit, len(series)
        inner = np.arange(self.steps) / self.steps
        self.starts = (times[:-1, None] + np.diff(times)[:, None] * inner).reshape(-1)
        self.table = _table(series, origin, h).reshape(*self.batch, K * self.steps, DEGREE + 1, COLUMNS)
        self.R = R[:, :-1].reshape(*self.batch, K, 3, 3)

    @property
    def knots(self) -> Array:
        return np.append(self.starts, self.duration)

    def inside(self, t: Array) -> Motion:
        k = np.searchsorted(self.starts, t, side="right") - 1
        x = (t - self.starts[k])[:, None] / self.unit
        out = value(self.table[..., k, :, :], x)
        R = self.R[..., k // self.steps, :, :] @ lie.rotation(out[..., 9:13])
        u = self.unit
        turn = (out[..., 0:3] / u, out[..., 3:6] / u**2, out[..., 6:9] / u**3)
        way = (out[..., 16:19] / u, out[..., 19:22] / u**2, out[..., 22:25] / u**3)
        return moving(self.T0[..., None, :, :] @ lie.assembled(R, out[..., 13:16]), R, turn, way)


def _origin(R: Array, given: list[Array]) -> list[Array]:
    """p' (and p'') of (1)."""
    V, out = given[0], []
    v = V[:, 3:]
    out.append(np.einsum("bij,bj->bi", R, v))
    if len(given) == 2:
        out.append(np.einsum("bij,bj->bi", R, given[1][:, 3:] + np.cross(V[:, :3], v)))
    return out


def _table(series: list[Array], origin: Array, h: Array) -> Array:
    """(B, K, steps, DEGREE + 1, COLUMNS)."""
    B, K, steps = *origin.shape[:2], len(series)
    out = np.zeros((B, K, steps, DEGREE + 1, COLUMNS))
    for i, Y in enumerate(series):
        p = _shifted(origin, i * h / steps)
        for k in range(3):
            out[:, :, i, : DEGREE + 1 - k, 3 * k : 3 * k + 3] = _derivative(Y[..., :3], k)
        out[:, :, i, :, 9:13] = Y[..., -4:]
        for k in range(4):
            out[:, :, i, : p.shape[-2] - k, 13 + 3 * k : 16 + 3 * k] = _derivative(p, k)
    return out


def _derivative(series: Array, order: int) -> Array:
    for _ in range(order):
        series = series[..., 1:, :] * np.arange(1.0, series.shape[-2])[:, None]
    return series


def _shifted(series: Array, t: Array) -> Array:
    """The same polynomials (B, K, d, 3) by powers of the time from t (K,) on."""
    out, top = series.copy(), series.shape[-2] - 1
    for i in range(top):
        for d in range(top - 1, i - 1, -1):
            out[..., d, :] += t[:, None] * out[..., d + 1, :]
    return out
