"""Inverse kinematics: configurations at which frames have given poses.

The search itself is a kernel (ik/levenberg_marquardt.py, a Loop of graph/program.py); here is what it is given. All
solutions of a pose: ik/all_solutions.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import count, positive, vector
from chasles.arguments.arrays import leading
from chasles.arguments.motions import RIGID_TOLERANCE
from chasles.errors import ModelError
from chasles.ik.levenberg_marquardt import MEMORY_SIZE, REFUSED
from chasles.ik.search import Searches
from chasles.ik.search_box import SearchBox
from chasles.lazy import lazy
from chasles.linear_algebra import nan_where_unknown
from chasles.model.task import Task
from chasles.reprs import record
from chasles.robot_like import RobotLike

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
_DESCENT_STEPS = 200.0
_NO_MEMORY = np.zeros(MEMORY_SIZE)


@record(residual="rad, m")
class Solutions(NamedTuple):
    """q (..., nq), found (...) and residual (...): |e| in rad and m, the least that was reached where none was found.

    Of all solutions the last axis but that of q counts them, nearest to q0 first; places to spare have nan.
    """

    q: Array
    found: Flags
    residual: Array


@dataclass(frozen=True)
class Settings:
    """When a search ends."""

    attempts: int
    iterations: int
    tolerance: float

    def __post_init__(self) -> None:
        count(self.attempts, "inverse_kinematics: attempts")
        count(self.iterations, "inverse_kinematics: iterations")
        positive(self.tolerance, "inverse_kinematics: tolerance")


@dataclass(frozen=True)
class Problem:
    """A compiled search with its limits and settings."""

    robot: RobotLike
    task: Task
    box: SearchBox
    settings: Settings
    searches: Searches

    @lazy
    def given(self) -> tuple[Array, ...]:
        """What the kernels take between T and the tolerance."""
        box = self.box
        return *box.walls, box.centre, box.span

    @lazy
    def ending(self) -> tuple[Array, Array]:
        """The tolerance and the number of steps."""
        return np.array(self.settings.tolerance, dtype=float), np.array(self.settings.iterations, dtype=float)

    def first(self, T: Array, q0: Any) -> Solutions:
        """One solution for each pose: that of the first attempt which finds one, else the nearest."""
        start = self.start(q0)
        if start.ndim > 1 and start.shape[:-1] != T.shape[:-3]:
            matching(T, start)
        T = nan_where_unknown(T, start, own=3)
        q, found, residual = self.search(T, start, self.settings.attempts)
        if not self.box.holds(q):
            q = self.box.nearest(q, start)
        if found.all():
            return Solutions(q, found, residual)
        q, found, residual = np.array(q), np.array(found), np.array(residual)
        lost = ~found & np.isfinite(residual)
        poses = np.broadcast_to(T, (*found.shape, *T.shape[-3:]))
        q[lost], found[lost], residual[lost] = self.descend(poses[lost], q[lost])
        return Solutions(self.box.nearest(q, start), found[()], residual[()])

    def search(self, T: Array, start: Array, attempts: int, tolerance: float | None = None) -> Solutions:
        """T (..., frames, 4, 4), start (..., nq). tolerance: to go on to, beyond that of the settings."""
        kernel = self.searches["inverse_kinematics", self.task]
        enough, steps = self.ending
        aim = enough if tolerance is None else np.array(tolerance)
        tries = np.array(attempts, dtype=float)
        _, q, status, residual = kernel.call(_NO_MEMORY, start, T, *self.given, aim, steps, tries)
        refused = status == REFUSED
        if refused.any():
            _refuse(T)  # or it is nan, and so is the answer
            q, residual = np.where(refused[..., None], np.nan, q), np.where(refused, np.nan, residual)
        return Solutions(q, (residual <= enough) & ~refused, residual)

    def descend(self, T: Array, q: Array) -> Solutions:
        """The nearest configuration downhill from q. T: (B, frames, 4, 4), q: (B, nq)."""
        kernel = self.searches["nearest", self.task]
        start = np.concatenate([q, q], axis=-1)
        _, x, _, residual = kernel.call(_NO_MEMORY, start, T, *self.given, self.ending[0], _DESCENT_STEPS, 1.0)
        return Solutions(x[..., q.shape[-1] :], residual <= self.ending[0], residual)

    def start(self, q0: Any) -> Array:
        """(..., nq) where the first attempt begins."""
        if q0 is None:
            return self.box.centre
        if (
            type(q0) is np.ndarray
            and q0.dtype == np.float64
            and q0.shape[-1:] == self.box.centre.shape
            and q0.ndim < 32
        ):
            return q0
        return vector(q0, "inverse_kinematics: q0", self.robot.nq)


def _refuse(T: Array) -> None:
    """Name the pose that is finite and no rigid motion, if there is one."""
    R, last = T[..., :3, :3], T[..., 3, :] - [0.0, 0.0, 0.0, 1.0]
    with np.errstate(all="ignore"):
        off = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max((-1, -2))
        off = np.maximum(off, np.abs(last).max(-1))
        bad = np.isfinite(T).all((-1, -2)) & ((off > RIGID_TOLERANCE / 2.0) | (np.linalg.det(R) < 0.0))
    if bad.any():
        at = tuple(int(k) for k in np.argwhere(bad)[0])
        is_off = off[at] > RIGID_TOLERANCE / 2.0
        why = f"its rotation or last row is off by {off[at]:.2g}" if is_off else "it is a reflection"
        raise ModelError(f"inverse_kinematics: T{list(at[:-1]) if at[:-1] else ''} is not a rigid motion: {why}")


def matching(T: Array, start: Array) -> Array:
    leading("inverse_kinematics", {"T": T.shape[:-3], "q0": start.shape[:-1]})
    return start
