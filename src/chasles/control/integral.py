"""The integral of a force error, over the times at which a law is asked.

    dz/dt = e,   predicted z(t) = c + (t - t') e',   corrected c(t) = c + (t - t') (e' + e) / 2    (1)

from the time t' asked before: second order, and e at t may depend on the z predicted there. A time may be asked again,
as the stages of a Runge-Kutta step are: the last e counts. The last TIMES_KEPT times are known, more than a step has
stages: one that has passed gives the z that was used then; an earlier one is refused, as is the first of a motion that
has gone on. `begin` forgets them, for another motion.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from chasles.errors import ModelError

SHORTEST_INTERVAL = 1e-10  # seconds: two times nearer than this are one
TIMES_KEPT = 16  # times


class _Asked(NamedTuple):
    """A time that was asked for: z as predicted and as corrected, and the error there."""

    t: float
    used: Any
    corrected: Any
    error: Any


class ForceIntegral:
    """z (..., k) as a function of time, known at the last times recorded and a step beyond."""

    def __init__(self, start: ArrayLike) -> None:
        self.reset(start)

    def reset(self, start: ArrayLike) -> None:
        """Begin another motion with z at `start` (..., k), at the first time asked."""
        self.start: Any = np.array(start, dtype=float)
        self.begin()

    def begin(self) -> None:
        """Begin another motion, from the same start."""
        self.asked: list[_Asked] = []
        self.first = np.inf

    def _entry(self, t: float) -> tuple[int, bool]:
        """The last time kept that is not after t, and whether it is t."""
        k = bisect_right([x.t for x in self.asked], t + SHORTEST_INTERVAL) - 1
        return k, k >= 0 and t - self.asked[k].t <= SHORTEST_INTERVAL

    def at(self, t: float) -> Any:
        """(..., k) z at a time."""
        k, same = self._entry(t)
        if self.asked and (k < 0 or (t <= self.first + SHORTEST_INTERVAL and len(self.asked) > 1)):
            raise ModelError(
                f"the force's integral has gone on to t = {self.asked[-1].t:.6g}: t = {t:.6g} has passed. `begin()` "
                "begins another motion"
            )
        if same:
            return self.asked[k].used
        return self.start if k < 0 else self.asked[k].corrected + (t - self.asked[k].t) * self.asked[k].error  # (1)

    def record(self, t: float, error: Any) -> None:
        """That the force error was `error` (..., k) at t; of times that have passed nothing is changed."""
        k, same = self._entry(t)
        if k + 1 < len(self.asked):
            return
        z = self.at(t)
        if same:
            self.asked.pop()
        before = self.asked[-1] if self.asked else None
        c = self.start if before is None else before.corrected + (t - before.t) * (before.error + error) / 2.0  # (1)
        self.asked.append(_Asked(t, z, c, error))
        self.first = min(self.first, t)
        del self.asked[:-TIMES_KEPT]
