"""From a step to the next, or over many: in Python, stage by stage, or in kernels (compiled_steps.py)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ChaslesError
from chasles.integrators.method import State
from chasles.linear_algebra import all_finite
from chasles.simulation.compiled_stages import CompiledStages
from chasles.simulation.compiled_steps import CompiledSteps
from chasles.simulation.fixed_steps import FixedSteps
from chasles.simulation.records import Ended

Array = NDArray[np.float64]
Advance = tuple[Array, Array, State]
"""q (..., m, nq) and qd (..., m, n) after each of m steps, and the state after the last; rows that ended stay."""


class ByStages:
    """One step, in Python."""

    def __init__(self, run: FixedSteps, ended: Ended, begin: float) -> None:
        self.run, self.ended, self.begin = run, ended, begin

    def step(self, t: float, state: State, tau: Array) -> State:
        """The state after a step."""
        return self.run.step(t, state)

    def __call__(self, k: int, many: int, state: State, q: Array, v: Array, tau: Array) -> Advance:
        t, ended = self.begin + k * self.run.dt, self.ended
        after = self.step(t, state, tau)
        if not all_finite(*after):
            ended.mark(t, q, v, ~np.all([np.isfinite(x).all(axis=-1) for x in after], axis=0))
        if ended.any:
            stays = ended.rows[..., None]
            after = tuple(np.where(stays, x, y) for x, y in zip(state, after, strict=True))
        q, v = self.run.end(t + self.run.dt, after)
        return q[..., None, :], v[..., None, :], after


class ByCompiledStages(ByStages):
    """One step, its stages in kernels; where the rank of constraints falls, in Python."""

    def __init__(self, run: FixedSteps, ended: Ended, begin: float) -> None:
        super().__init__(run, ended, begin)
        self.stages = CompiledStages(run)

    def step(self, t: float, state: State, tau: Array) -> State:
        after = self.stages(t, state[0], state[1], tau)
        if self.run.constrained is None or all_finite(*after):
            return after
        del self.run.stages[1:]
        return self.run.step(t, state)


class InKernels:
    """Many steps under the same forces. Those that are not finite are made again in Python, row by row."""

    def __init__(self, run: FixedSteps, ended: Ended, begin: float, longest: float) -> None:
        self.run, self.ended, self.begin = run, ended, begin
        options = run.method, run.dt, run.project, run.stops
        self.steps = CompiledSteps(run.system, *options, ended.rows.size, longest)

    def __call__(self, k: int, many: int, state: State, q: Array, v: Array, tau: Array) -> Advance:
        path, velocities, after = self._made(k, many, state, tau)
        if all_finite(*after):
            return path, velocities, after
        many = path.shape[-2]
        finite = np.isfinite(path).all(axis=-1) & np.isfinite(velocities).all(axis=-1) | self.ended.rows[..., None]
        good = finite.reshape(-1, many).all(axis=0)
        first = many - 1 if good.all() else int(np.argmin(good))
        if first:
            return self._made(k, first, state, tau)
        return self._mended(k, state, q, v, tau, self._made(k, 1, state, tau)[2])

    def _made(self, k: int, many: int, state: State, tau: Array) -> Advance:
        """Steps of the rows that go on; others stay, and are nan on the way."""
        if not self.ended.any:
            return self.steps(self.begin, k, many, state, tau)
        going = ~self.ended.rows
        *paths, found = self.steps(self.begin, k, many, tuple(x[going] for x in state), tau[going])
        path, velocities = (np.full((*going.shape, *x.shape[-2:]), np.nan) for x in paths)
        path[going], velocities[going] = paths
        after = tuple(x.copy() for x in state)
        for x, new in zip(after, found, strict=True):
            x[going] = new
        return path, velocities, after

    def _mended(self, k: int, state: State, q: Array, v: Array, tau: Array, after: State) -> Advance:
        """A step, with rows that are not finite made again; those that still are not, end."""
        run, ended, t = self.run, self.ended, self.begin + k * self.run.dt
        wrong = ~np.all([np.isfinite(x).all(axis=-1) for x in after], axis=0)
        parts = tuple(x.copy() for x in after)
        for place in np.argwhere(wrong):
            row = tuple(int(i) for i in place)
            run.begin_step()
            run.held = tau[row]
            found: State = tuple(x[row] for x in state)
            try:
                new = run.step(t, found)
                if all_finite(*new):
                    found = new
                else:
                    here = np.zeros_like(wrong)
                    here[row] = True
                    ended.mark(t, q, v, here, alone=True)
            except ChaslesError as problem:
                ended.because(t, q, v, problem, row)
            for x, y in zip(parts, found, strict=True):
                x[row] = y
        q, v = run.end(t + run.dt, parts)
        return q[..., None, :], v[..., None, :], parts
