"""The integral of a force error, over the times at which a law is asked.

    dz/dt = e,   predicted z(t) = c + (t - t') e',   corrected c(t) = c + (t - t') (e' + e) / 2    (1)

from the time t' asked before: second order, and e at t may depend on the z predicted there. A time may be asked again,
as the stages of a Runge-Kutta step are: the last e counts. A time that has passed gives the z that was used then. To
ask again for the first time, when others have passed, begins another motion, from the same start.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

SAME = 1e-10  # seconds: two times nearer than this are one


class ForceIntegral:
    """z (..., k) as a function of time, known up to the last time recorded."""

    def __init__(self, start: ArrayLike) -> None:
        self.reset(start)

    def reset(self, start: ArrayLike) -> None:
        """Forget the motion; z is `start` (..., k) at the first time asked."""
        self.start: Any = np.array(start, dtype=float)
        self.times: list[float] = []
        self.used: list[Any] = []  # z as predicted
        self.corrected: list[Any] = []
        self.errors: list[Any] = []

    def _entry(self, t: float) -> tuple[int, bool]:
        """The last time that is not after t, and whether it is t."""
        k = bisect_right(self.times, t + SAME) - 1
        return k, k >= 0 and t - self.times[k] <= SAME

    def at(self, t: float) -> Any:
        """(..., k) z at a time."""
        if len(self.times) > 1 and t <= self.times[0] + SAME:
            self.reset(self.start)
        k, same = self._entry(t)
        if same:
            return self.used[k]
        return self.start if k < 0 else self.corrected[k] + (t - self.times[k]) * self.errors[k]  # (1)

    def record(self, t: float, error: Any) -> None:
        """That the force error was `error` (..., k) at t; of times that have passed nothing is changed."""
        k, same = self._entry(t)
        if k + 1 < len(self.times):
            return
        z = self.at(t)
        if same:
            for kept in (self.times, self.used, self.corrected, self.errors):
                kept.pop()
            k -= 1
        step = 0.0 if k < 0 else t - self.times[k]
        c = self.start if k < 0 else self.corrected[k] + step * (self.errors[k] + error) / 2.0  # (1)
        for kept, value in ((self.times, t), (self.used, z), (self.corrected, c), (self.errors, error)):
            kept.append(value)
