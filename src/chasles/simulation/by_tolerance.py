"""A motion in steps as long as a tolerance allows (adaptive.py), with the records of one in fixed steps (motion.py)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ChaslesError, SimulationError
from chasles.linear_algebra import all_finite
from chasles.recorded_motion import Event
from chasles.simulation.adaptive import EmbeddedStep, Tolerance, samples
from chasles.simulation.failure import control_at_fault
from chasles.simulation.fixed_steps import FixedSteps
from chasles.simulation.progress import Bar
from chasles.simulation.records import Ended, Kept, Reached

Array = NDArray[np.float64]


class ByTolerance:
    """What happens from the start to the end. reached: the last state that was computed."""

    def __init__(
        self,
        run: FixedSteps,
        kept: Kept,
        ended: Ended,
        begin: float,
        steps: int,
        every: int,
        tolerance: float,
        events: Iterable[Event],
    ) -> None:
        self.run, self.kept, self.ended = run, kept, ended
        self.reached: Reached = begin, np.empty(0), np.empty(0), None
        self.begin, self.tolerance, self.events = begin, Tolerance(tolerance, tolerance), events
        self.times = begin + np.append(np.arange(0, steps, every), steps) * run.dt
        free = run.control is None and run.stops is None
        self.attempts = EmbeddedStep(run.system, None if free else run.acting, run.method, run.project)

    def go(self, x: Array, v: Array, bar: Bar) -> None:
        """All of it, from a state."""
        run = self.run
        self.reached = self.begin, x, v, None
        try:
            for part in samples(self.attempts, self.times, x, v, self.tolerance, self.events):
                self._end_rows(part.last[0])
                self.kept.events += part.events
                for i, t in enumerate(map(float, part.t)):
                    self._keep(t, part.q[..., i, :], part.v[..., i, :])
                    if self.ended.all:
                        return
                self.reached = part.end, *part.last, self.ended.rows if self.ended.any else None
                bar.at(int((part.end - self.begin) / run.dt))
                run.begin_step()
        except ChaslesError as problem:
            if not self.kept.count:
                raise
            t, x, v, _ = self.reached
            said = next(filter(None, (control_at_fault(run, row) for row in np.ndindex(x.shape[:-1]))), "")
            self.ended.because(t, x, v, SimulationError(said) if said else problem)

    def _end_rows(self, q: Array) -> None:
        """That rows which are nan after a step ended at its beginning."""
        gone = np.isnan(q).any(axis=-1) & ~self.ended.rows
        t, x, v, _ = self.reached
        for row in (tuple(map(int, place)) for place in np.argwhere(gone)):
            said = control_at_fault(self.run, row)
            said = said or f"no step is short enough for a tolerance of {self.tolerance.rtol:g}"
            self.ended.because(t, x, v, SimulationError(said), row)

    def _keep(self, t: float, q: Array, qd: Array) -> None:
        """A state and its forces."""
        before = self.ended.rows if self.ended.any else None
        self.reached = t, q, qd, before
        self.run.begin_step()
        tau = self.run.limited(self.run.asked(t, q, qd))
        if not all_finite(tau):
            self.ended.mark(t, q, qd, ~np.isfinite(tau).all(axis=-1))
        self.kept.add_one(t, q, qd, tau, before, self.kept.asked(t, q, qd, tau) if self.kept.asks else None)
