"""A motion in steps as long as a tolerance allows (adaptive.py), with the records of one in fixed steps (motion.py)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ChaslesError, SimulationError
from chasles.recorded_motion import Event
from chasles.simulation.adaptive import EmbeddedStep, Tolerance, samples
from chasles.simulation.fixed_steps import FixedSteps
from chasles.simulation.progress import Bar
from chasles.simulation.records import Ended, Kept, hand_back

Array = NDArray[np.float64]


class ByTolerance:
    """What happens from the start to the end. k: the state to be kept that is reached."""

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
        self.run, self.kept, self.ended, self.k = run, kept, ended, 0
        self.begin, self.tolerance, self.events = begin, Tolerance(tolerance, tolerance), events
        self.times = begin + np.append(np.arange(0, steps, every), steps) * run.dt
        free = run.control is None and run.stops is None
        self.attempts = EmbeddedStep(run.system, None if free else run.acting, run.method, run.project)

    def go(self, x: Array, v: Array, bar: Bar) -> None:
        """All of it, from a state."""
        t, run = self.begin, self.run
        try:
            for part in samples(self.attempts, self.times, x, v, self.tolerance, self.events):
                self.kept.events += part.events
                for i, t in enumerate(map(float, part.t)):
                    self._keep(t, x, v, part.q[..., i, :], part.v[..., i, :])
                    x, v = part.q[..., i, :], part.v[..., i, :]
                self.k = int((part.end - self.begin) / run.dt)
                bar.at(self.k)
                run.begin_step()
        except ChaslesError as problem:
            if not self.kept.count:
                raise
            self.ended.because(t, x, v, problem)
        except Exception as problem:
            hand_back(self.kept, problem, t, x, v, self.ended.rows if self.ended.any else None)
            raise

    def _keep(self, t: float, x: Array, v: Array, q: Array, qd: Array) -> None:
        """A state and its forces; (x, v) is the one before, where rows ended that are nan now."""
        gone = np.isnan(q).any(axis=-1) & ~self.ended.rows
        for row in map(tuple, np.argwhere(gone)):
            problem = SimulationError(f"no step is short enough for a tolerance of {self.tolerance.rtol:g}")
            self.ended.because(t, x, v, problem, tuple(int(i) for i in row))
        tau = self.run.limited(self.run.asked(t, q, qd))
        self.kept.add([t], q[..., None, :], qd[..., None, :], tau, self.ended.rows if self.ended.any else None)
