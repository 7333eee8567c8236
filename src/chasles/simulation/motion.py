"""A motion, step by step (advance.py), what of it is kept (records.py), and its end before its time (failure.py)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import count, number, positive
from chasles.arguments import steps as number_of_steps
from chasles.constrained import ConstrainedSystem
from chasles.errors import ChaslesError, ModelError, SimulationInterrupted, SingularMassMatrixError, caller
from chasles.linear_algebra import all_finite
from chasles.recorded_motion import Control, Event, Occurrence, Sampling, Signal, Trajectory
from chasles.recorded_motion.events import Crossing
from chasles.simulation.advance import Advance, ByCompiledStages, ByStages, InKernels
from chasles.simulation.by_tolerance import ByTolerance
from chasles.simulation.compiled_stages import asks_once, has_stages
from chasles.simulation.compiled_steps import can_be_compiled
from chasles.simulation.events import Watch, as_events
from chasles.simulation.fixed_steps import FixedSteps
from chasles.simulation.held_forces import Held, sampling
from chasles.simulation.interpolants import by_ends
from chasles.simulation.progress import Bar
from chasles.simulation.records import Ended, Kept, Reached, Signals, hand_back
from chasles.system import System

Array = NDArray[np.float64]


def simulate(
    system: System | ConstrainedSystem,
    q: ArrayLike,
    qd: ArrayLike,
    control: Control | None = None,
    *,
    duration: float,
    t0: float = 0.0,
    dt: float = 1e-3,
    method: str = "rk4",
    project: bool = True,
    every: int = 1,
    sample: float | Sampling | None = None,
    saturate: bool | ArrayLike = False,
    stops: bool | float = False,
    record: Mapping[str, Signal] | None = None,
    tolerance: float | None = None,
    events: Iterable[Event | Crossing] = (),
) -> Trajectory:
    """The motion of a system from (q, qd) at t0 over `duration` seconds in steps of dt.

    q: (..., nq), qd: (..., n). control: joint forces of (t, q, qd), (..., n), asked once at every stage, with the whole
    batch (default: none); if it has a method begin(), as the laws of `chasles.control` do, that is called first.
    t0: seconds, where times begin, for systems and laws that depend on t. method: a name of `chasles.integrators`.
    project: put the state back onto the constraints after every step, under `stabilization` too. every: keep one state
    in so many. A start that does not satisfy a constraint is refused by its name: see `ConstrainedSystem.consistent`.

    sample: seconds, a whole number of steps; control is asked once in so long and its forces are held, or a `Sampling`,
    which says delay and resolutions too. Without a control there is nothing to sample, and it is not looked at.
    saturate: True to keep tau within the robot's limits of effort, or limits, a number or (n,). stops: True for springs
    and dampers at the limits of the robot's joints, or their time constant in seconds (default: 0.01); their forces are
    the signal "stops". record: functions of (t, q, qd, tau) by name, kept as signals; a control that has a method
    signals(t, q, qd), which returns a dict, is asked for its own, after its forces there and before any others.

    tolerance: the error of a step, rad and rad/s or m and m/s, of which, and of as large a part of velocities, steps
    are as long as they may be; dt is then the distance of the states that are returned. The method must estimate its
    error, as "dormand_prince" does. events: `Event`s or functions of (t, q, qd) of one motion whose zeros are found to
    1e-12 s within steps; those that occurred are the `events` of the result. A terminal one ends the motion.

    Where the motion is no longer finite, or an error of chasles is raised on the way, it ends in a `SimulationError`
    that names the time, the state and the likely cause, and has what was computed as its `trajectory`; so have another
    exception of control, of what is recorded or of an event, with a note, and `SimulationInterrupted`, which Ctrl-C
    raises: the state that was reached is its last, with nan for forces and signals that were not found. A row of a
    batch that ends is nan from there on, and is warned of; the others go on. Floating-point warnings are not given.
    """
    run = FixedSteps(
        system, control, positive(dt, "dt", "of seconds"), method, project, saturate, stops, tolerance is None
    )
    begin = number(t0, "t0", "of seconds")
    steps = number_of_steps(positive(duration, "duration", "of seconds"), run.dt)
    if steps < 1 or abs(steps * run.dt - duration) > 1e-6 * run.dt + 4.0 * np.spacing(duration):
        raise ModelError(f"duration must be a whole number of steps of dt = {dt}, got {duration}")
    latest = max(abs(begin), abs(begin + duration))
    if not latest < np.inf or latest + run.dt == latest:
        raise ModelError(f"t0 = {t0} is too large for steps of dt = {dt}: times beside it are not told apart")
    clock = sampling(sample)
    if tolerance is not None and clock:
        raise ModelError("sample and tolerance: forces that are held jump, and no step may pass that: give dt alone")
    if clock is None and control is not None and asks_once(method) and tolerance is None:
        clock = Sampling(run.dt)
    x, v = run.start(q, qd)
    kept = Kept(run, x.shape[:-1], (steps - 1) // count(every, "every") + 2, record)
    ended = Ended(run, x.shape[:-1])
    given = as_events(events)
    held = Held(run, clock if control is not None else None, steps, v.shape) if clock or control is None else None
    if tolerance is None:
        motion = _Motion(run, kept, ended, held, begin, steps, every, Watch(given, begin, x, v), x, v)
    else:
        motion = ByTolerance(run, kept, ended, begin, steps, every, positive(tolerance, "tolerance"), given)
    with np.errstate(all="ignore"), Bar(steps) as bar:
        try:
            motion.go(x, v, bar)
        except KeyboardInterrupt:
            said = f"simulate was interrupted at t = {motion.reached[0]:.6g}"
            kept.reach(*motion.reached)
            raise SimulationInterrupted(f"{said}: what was computed is in `trajectory`", kept.motion()) from None
        except Exception as problem:
            if kept.count or not isinstance(problem, ChaslesError):
                hand_back(kept, problem, *motion.reached)
            raise
        if ended.all:
            raise ended.error(kept)
        if ended.any:
            warnings.warn(ended.message, RuntimeWarning, stacklevel=caller())
        return kept.motion()


class _Motion:
    """What happens from the first step to the last. k: the step that is reached; reached: the state, for who asks why
    it ends."""

    def __init__(
        self,
        run: FixedSteps,
        kept: Kept,
        ended: Ended,
        held: Held | None,
        begin: float,
        steps: int,
        every: int,
        watch: Watch,
        x: Array,
        v: Array,
    ) -> None:
        self.watch = watch
        self.reached: Reached = begin, x, v, None
        self.run, self.kept, self.ended, self.held = run, kept, ended, held
        self.begin, self.steps, self.every, self.k = begin, steps, every, 0
        quick = can_be_compiled(run.system)
        if quick and held is not None:
            self.advance = InKernels(run, ended, begin, held.longest)
        else:
            self.advance = (ByCompiledStages if quick and has_stages(run.method) else ByStages)(run, ended, begin)

    def go(self, x: Array, v: Array, bar: Bar) -> None:
        """All steps, from a state."""
        state: Any = None
        while True:
            k, ended = self.k, self.ended
            t, before = self.begin + k * self.run.dt, ended.rows if ended.any else None
            tau, found, signals = None, None, None
            self.reached = t, x, v, before
            try:
                self.run.begin_step()
                tau = self._forces(k, t, x, v)
            except ChaslesError as problem:
                self._ends(problem)
            else:
                if self.kept.asks and self._is_kept(k):
                    signals = self.kept.asked(t, x, v, tau)  # before the stages: a law may remember its last call
                try:
                    state = self.run.begin(t, x, v) if state is None else state
                    if k < self.steps and not ended.all:
                        found = self.advance(k, self._many(k), state, x, v, tau)
                except ChaslesError as problem:
                    self._ends(problem)
            last = None
            if found is not None and self.watch.events:
                found, last = self._watched(k, x, v, found, tau, signals)
            self._keep(k, found, tau, signals)
            if last is not None:
                self._keep_last(last, tau)
            if found is None or ended.all or last is not None:
                return
            path, _, state = found
            self.k = k + path.shape[-2]
            x, v = self.run.end(self.begin + self.k * self.run.dt, state)
            bar.at(self.k)

    def _ends(self, problem: ChaslesError) -> None:
        """That an error of chasles ends all rows where they are."""
        if not self.kept.count and (not self.run.stages or isinstance(problem, SingularMassMatrixError)):
            raise problem  # what control returns first is wrong, or the system is: there is no motion to hand back
        t, x, v, _ = self.reached
        self.ended.because(t, x, v, problem)

    def _forces(self, k: int, t: float, x: Array, v: Array) -> Array:
        tau = self.run.begin_with(t, x, v) if self.held is None else self.held.at(k, t, x, v)
        if self.run.control is not None and not all_finite(tau):
            self.ended.mark(t, x, v, ~np.isfinite(tau).all(axis=-1))
        self.run.held = None if self.held is None else tau
        return tau

    def _many(self, k: int) -> int:
        return 1 if self.held is None else self.held.until(k) - k

    def _is_kept(self, k: int) -> bool:
        return k % self.every == 0 or k == self.steps

    def _keep(self, k: int, found: Advance | None, tau: Array | None, signals: Signals | None) -> None:
        """Keep the state at step k, and of those found after it all but the last, at which forces are asked for first;
        one in so many."""
        t, x, v, before = self.reached
        acts: Any = np.nan if tau is None else tau
        if self._is_kept(k) or self.ended.all:
            self.kept.add_one(t, x, v, acts, before, signals)
        if found is None or found[0].shape[-2] == 1:
            return
        path, velocities, _ = found
        first = self.every - k % self.every
        numbers = np.arange(k + first, k + path.shape[-2], self.every)
        if not len(numbers):
            return
        some = slice(first - 1, path.shape[-2] - 1, self.every)
        times, path, velocities = self.begin + numbers * self.run.dt, path[..., some, :], velocities[..., some, :]
        if not self.kept.asks:
            self.kept.add(times, path, velocities, acts, before)
            return
        for i, t in enumerate(map(float, times)):
            x, v = path[..., i, :], velocities[..., i, :]
            self.reached = t, x, v, before
            self.kept.add_one(t, x, v, acts, before, self.kept.asked(t, x, v, acts))

    def _keep_last(self, last: Occurrence, tau: Array | None) -> None:
        """Keep the state of a terminal event, under the forces there: those that are held, or asked for."""
        self.reached = last.t, last.q, last.qd, None
        if self.held is None:
            self.run.begin_step()
            tau = self.run.forces(*self.reached[:3])
        signals = self.kept.asked(last.t, last.q, last.qd, tau) if self.kept.asks else None
        self.kept.add_one(last.t, last.q, last.qd, tau, None, signals)

    def _watched(
        self, k: int, x: Array, v: Array, found: Advance, tau: Array | None, signals: Signals | None
    ) -> tuple[Advance, Occurrence | None]:
        """Record what occurs in steps that are found; these, until the one with a terminal event, and that event."""
        path, velocities, state = found
        for i in range(path.shape[-2]):
            t, after = self.begin + (k + i) * self.run.dt, (path[..., i, :], velocities[..., i, :])
            try:
                events = self.watch.advance(by_ends(self.run.equations, t, self.run.dt, (x, v), after))
            except BaseException:  # of an event's function: what was computed before is kept
                self._keep(k, (path[..., :i, :], velocities[..., :i, :], state) if i else None, tau, signals)
                self.reached = t, x, v, self.reached[3]
                raise
            self.kept.events += events
            if events and events[-1].terminal:
                return (path[..., : i + 1, :], velocities[..., : i + 1, :], state), events[-1]
            x, v = after
        return found, None
