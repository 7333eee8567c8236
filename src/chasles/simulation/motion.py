"""A motion, step by step (fixed_steps.py), what of it is kept, and its end before its time (failure.py)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import count, number, positive, refuse_beyond_memory
from chasles.arguments import steps as number_of_steps
from chasles.constrained import ConstrainedSystem
from chasles.errors import ChaslesError, ModelError, SimulationError, SingularMassMatrixError, caller
from chasles.linear_algebra import all_finite
from chasles.recorded_motion import Control, Method, Simulation
from chasles.simulation.failure import ended_at, explained
from chasles.simulation.fixed_steps import FixedSteps
from chasles.system import System, when

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
    method: Method = "rk4",
    project: bool = True,
    every: int = 1,
) -> Simulation:
    """The motion of a system from (q, qd) at t0 over `duration` seconds in steps of dt.

    q: (..., nq), qd: (..., n). control: joint forces of (t, q, qd), (..., n), asked once at every stage, with the whole
    batch (default: none); if it has a method begin(), as the laws of `chasles.control` do, that is called first.
    t0: seconds, where times begin, for systems and laws that depend on t. project: put the state back onto the
    constraints after every step, under `stabilization` too. every: keep one state in so many. A start that does not
    satisfy a constraint is refused by its name: see `ConstrainedSystem.consistent`.

    Where the motion is no longer finite, or an error of chasles is raised on the way, it ends in a `SimulationError`
    that names the time, the state and the likely cause, and has what was computed as its `trajectory`. A row of a
    batch that ends is nan from there on, and is warned of; the others go on. Floating-point warnings are not given.
    """
    run = FixedSteps(system, control, positive(dt, "dt", "of seconds"), method, project)
    begin = number(t0, "t0", "of seconds")
    steps = number_of_steps(positive(duration, "duration", "of seconds"), run.dt)
    if steps < 1 or abs(steps * run.dt - duration) > 1e-6 * run.dt * steps:
        raise ModelError(f"duration must be a whole number of steps of dt = {dt}, got {duration}")
    latest = max(abs(begin), abs(begin + duration))
    if not latest < np.inf or latest + run.dt == latest:
        raise ModelError(f"t0 = {t0} is too large for steps of dt = {dt}: times beside it are not told apart")
    x, v = run.start(q, qd)
    kept = _Kept(run, x.shape[:-1], (steps - 1) // count(every, "every") + 2)
    ended = _Ended(run, x.shape[:-1])
    with np.errstate(all="ignore"):
        for k in range(steps + 1):
            t = begin + k * run.dt
            x, v = _advanced(run, kept, ended, t, x, v, keep=k % every == 0 or k == steps, last=k == steps)
            if ended.all:
                raise ended.error(kept)
        if ended.any:
            warnings.warn(ended.message, RuntimeWarning, stacklevel=caller())
        return kept.motion()


def _advanced(
    run: FixedSteps, kept: _Kept, ended: _Ended, t: float, x: Array, v: Array, keep: bool, last: bool
) -> tuple[Array, Array]:
    """The state a step after t, that of rows that have ended as it is; what is to be kept at t is kept."""
    run.begin_step()
    before, tau, after = ended.rows if ended.any else None, None, None
    try:
        tau = run.forces(t, x, v)
        if run.control is not None and not all_finite(tau):
            ended.mark(t, x, v, ~np.isfinite(tau).all(axis=-1))
        if not last and not ended.all:
            after = run.step(t, x, v, tau)
    except ChaslesError as problem:
        if not kept.count and (not run.stages or isinstance(problem, SingularMassMatrixError)):
            raise  # what control returns first is wrong, or the system is: there is no motion to hand back
        ended.because(t, x, v, problem)
    if after is not None and not all_finite(*after):
        ended.mark(t, x, v, ~(np.isfinite(after[0]).all(axis=-1) & np.isfinite(after[1]).all(axis=-1)))
    if keep or ended.all:
        kept.add(t, x, v, np.nan if tau is None else tau, before)
    if after is None or not ended.any:
        return after or (x, v)
    stays = ended.rows[..., None]
    return np.where(stays, x, after[0]), np.where(stays, v, after[1])


class _Ended:
    """Which rows of a batch have ended, and why the first did."""

    def __init__(self, run: FixedSteps, lead: tuple[int, ...]) -> None:
        self.run, self.rows = run, np.zeros(lead, dtype=bool)
        self.any = self.all = False
        self.message, self.cause = "", None

    def mark(self, t: float, q: Array, qd: Array, rows: Any) -> None:
        """That rows end in the step that begins at a state; those that have already, stay so."""
        new = rows & ~self.rows
        if not np.any(new):
            return
        if not self.message:
            self.message = explained(self.run, t, q, qd, tuple(int(i) for i in np.argwhere(new)[0]))
        self.rows = self.rows | new
        self.any, self.all = True, bool(self.rows.all())

    def because(self, t: float, q: Array, qd: Array, problem: ChaslesError) -> None:
        """That all end, by an error."""
        self.message, self.cause = f"{ended_at(t, q, qd, ())}: {problem}", problem
        self.any = self.all = True

    def error(self, kept: _Kept) -> SimulationError:
        error = SimulationError(f"{self.message}. What was computed is this error's `trajectory`", kept.motion())
        error.__cause__ = self.cause
        return error


class _Kept:
    """States as they are kept, in arrays of the size of the whole motion."""

    def __init__(self, run: FixedSteps, lead: tuple[int, ...], most: int) -> None:
        self.run, self.count = run, 0
        nq, n = run.system.nq, run.system.n
        size = 8.0 * most * (1 + np.prod(lead, dtype=float) * (nq + 2 * n))
        refuse_beyond_memory(size, f"{most} states", "keep fewer by every=, or simulate in parts, each from t0=")
        self.t = np.empty(most)
        self.q, self.qd, self.tau = (np.empty((*lead, most, m)) for m in (nq, n, n))

    def add(self, t: float, q: Array, qd: Array, tau: Any, ended: Any) -> None:
        """A state; ended: rows that have, None for none."""
        k, self.count = self.count, self.count + 1
        self.t[k], self.q[..., k, :], self.qd[..., k, :], self.tau[..., k, :] = t, q, qd, tau
        if ended is not None:
            for part in (self.q, self.qd, self.tau):
                part[ended, k, :] = np.nan

    def motion(self) -> Simulation:
        """What is kept, with energies and multipliers."""
        run, k = self.run, self.count
        t, q, v, tau = self.t, self.q, self.qd, self.tau
        if k < len(t):
            t, q, v, tau = t[:k].copy(), q[..., :k, :].copy(), v[..., :k, :].copy(), tau[..., :k, :].copy()
        multipliers = None if run.constrained is None else _multipliers(run.constrained, q, v, tau, t)
        time = when(run.system, t)
        kinetic, potential = run.system.kinetic_energy(q, v, *time), run.system.potential_energy(q, *time)
        return Simulation(t, q, v, tau, multipliers, kinetic, potential)


def _multipliers(constrained: ConstrainedSystem, q: Array, v: Array, tau: Array, t: Array) -> Array:
    """(..., T, k); nan where none of the states has any."""
    try:
        return constrained.forward_dynamics(q, v, tau, t).multipliers
    except ChaslesError:
        return np.full((*v.shape[:-1], len(constrained.row_names)), np.nan)
