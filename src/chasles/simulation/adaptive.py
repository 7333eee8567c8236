"""Steps as long as a tolerance allows, by a method with an embedded one (integrators/tableau.py).

The difference of the two, in the canonical coordinates x of the step and in velocities v, both (n,),

    e = max of |dx_i| / (atol + rtol |x_i|), |dv_i| / (atol + rtol |v_i|)         (1)
    h <- h 0.9 e^(-0.17) e_0^0.04,   e_0 that of the step before                  (2)

is at most 1 or the step is made again, shorter; (2) for order 5, between 1/5 and 5 times as long. The rows of a batch
go together, with the largest e of them. [HairerNorsettWanner1993] II.4
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles import integrators
from chasles.constrained import ConstrainedSystem
from chasles.errors import ModelError, SimulationError
from chasles.function.compile import compile
from chasles.integrators.equations import Equations, Forces
from chasles.integrators.equations import equations as equations_of
from chasles.integrators.tableau import ExplicitRungeKutta, weighted
from chasles.lagrangian import LagrangianSystem
from chasles.lazy import lazy
from chasles.robot import Robot
from chasles.simulation.events import Occurrence, Watch
from chasles.simulation.interpolants import Within, by_ends, by_stages

Array = NDArray[np.float64]
SHORTER, LONGER = 0.2, 5.0  # at most, from step to step
CAUTION, MEMORY = 0.9, 0.04  # (2)
PARTS = 4  # of a step, at whose ends events are looked at


@dataclass(frozen=True)
class Tolerance:
    """What a step may be off: atol + rtol times the size, rad and rad/s, or m and m/s where joints slide."""

    rtol: float = 1e-6
    atol: float = 1e-6


class Step:
    """A step that was made. when: the time it begins and its length; start: q and v there; t, q, v: its end."""

    def __init__(self, run: EmbeddedStep, when: Any, start: Any, t: float, found: Any) -> None:
        self.run, self.when, self.start, self.found = run, when, start, found
        self.t, self.q, self.v = t, found[0], found[1]

    @lazy
    def within(self) -> Within:
        """The states within."""
        t, h = self.when
        return self.run.within(t, h, self.start, self.found)


class EmbeddedStep:
    """Attempts at a step: its end, its error and its stages, in one kernel where nothing but ours is called.

    forces: joint forces of (t, q, v), None for none. traced: whether they take traced arrays (none do).
    """

    def __init__(
        self,
        system: Any,
        forces: Forces | None,
        method: str = "dormand_prince",
        project: bool = True,
        traced: bool = False,
    ) -> None:
        scheme = integrators.find(method)
        if not isinstance(scheme, ExplicitRungeKutta) or scheme.embedded is None:
            raise ModelError(f"method {method!r} has no estimate of its error; dormand_prince has, or give dt alone")
        self.system, self.scheme = system, scheme
        self.error = [b - other for b, other in zip(scheme.b, scheme.embedded, strict=True)]
        self.equations: Equations = equations_of(system, forces or _no_forces, project)
        inner = system.system if isinstance(system, ConstrainedSystem) else system
        known = isinstance(inner, (Robot, LagrangianSystem))
        self.attempt: Any = self._attempt
        if known and forces is None:  # kept with the system, as steps are (compiled_steps.py)
            made, key = vars(system).setdefault("_steps", {}), ("embedded", method, project)
            self.attempt = made.get(key) or made.setdefault(key, self._compiled())
        elif known and traced:
            self.attempt = self._compiled()

    def _attempt(self, q: Any, v: Any, t: Any, h: Any, rtol: Any, atol: Any) -> tuple[Any, ...]:
        """q and v at the end, e of (1), and the stages k and l (..., stages, n)."""
        k, l = self.scheme.stages(self.equations, t, (q, v), h)
        x, faster = weighted(self.scheme.b, k, h), v + weighted(self.scheme.b, l, h)
        end = self.equations.settled(t + h, self.equations.integrate(q, x), faster)
        off = weighted(self.error, k, h), weighted(self.error, l, h)
        e = error((x, v, faster), off, rtol, atol)
        return *end, e, np.stack(k, axis=-2), np.stack(l, axis=-2)

    def _compiled(self) -> Any:
        def attempt(q: Any, v: Any, t: Any, h: Any, rtol: Any, atol: Any) -> Any:
            return self._attempt(q, v, t, h, rtol, atol)

        return compile(attempt, q=self.system.nq, v=self.system.n, t=(), h=(), rtol=(), atol=())

    def within(self, t: float, h: float, start: tuple[Array, Array], found: tuple[Any, ...]) -> Within:
        """The states of an attempt."""
        q, v, _, k, l = found
        if self.scheme.within is not None:
            return by_stages(self.equations, t, h, start, k, l, self.scheme.within)
        return by_ends(self.equations, t, h, start, (q, v))


def error(sizes: tuple[Any, Any, Any], off: tuple[Any, Any], rtol: Any, atol: Any) -> Any:
    """(...) e of (1), of x and v at both ends, and what they are off."""
    x, v, faster = (np.abs(size) for size in sizes)
    of_x = np.max(np.abs(off[0]) / (atol + rtol * x), axis=-1)
    return np.maximum(of_x, np.max(np.abs(off[1]) / (atol + rtol * np.maximum(v, faster)), axis=-1))


def adaptive_steps(
    run: EmbeddedStep, t: float, q: Array, v: Array, end: float, tolerance: Tolerance, longest: float = np.inf
) -> Iterator[Step]:
    """The steps of a motion from (q, v) at t until `end`, each as long as the tolerance allows.

    Where even the shortest step is too long for a row, the motion of it ends, nan from there on; where none is left, a
    SimulationError says so.
    """
    shrink = 1.0 / run.scheme.order
    h, before = min(_first(run, t, q, v, tolerance), longest), 1e-4
    ended = np.zeros(q.shape[:-1], dtype=bool)
    while t < end:
        last = t + h * 1.01 >= end
        h = end - t if last else h
        with np.errstate(all="ignore"):
            found = run.attempt(q, v, t, h, tolerance.rtol, tolerance.atol)
        errors = np.where(ended, 0.0, found[2]) if ended.any() else found[2]
        e = float(errors if errors.ndim == 0 else np.max(errors, initial=0.0))
        if e <= 1.0:
            step = Step(run, (t, h), (q, v), end if last else t + h, found)
            yield step
            t, q, v = step.t, step.q, step.v
            growth = CAUTION * max(e, 1e-10) ** (0.75 * MEMORY - shrink) * before**MEMORY
            h, before = min(h * min(max(growth, SHORTER), LONGER), longest), max(e, 1e-4)
            continue
        h = h * max(SHORTER, CAUTION * e**-shrink) if math.isfinite(e) else h * SHORTER
        if h < 1e-14 * max(1.0, abs(t)):
            ended = ended | ~(errors <= 1.0)
            if ended.all():
                raise SimulationError(
                    f"no step is short enough for a tolerance of {tolerance.rtol:g} at t = {t:.6g}, "
                    f"q = {q}, qd = {v}: a force jumps there, or the motion grows without bound. Take a larger "
                    "tolerance, or an implicit method (sdirk3, radau) with steps of dt where it is stiff"
                )
            q, v = (np.where(ended[..., None], np.nan, part) for part in (q, v))
            h = min(_first(run, t, q, v, tolerance), longest)


class Sampled(NamedTuple):
    """What of a step is asked for: states q (..., m, nq) and v (..., m, n) at times t (m,), what occurred, when the
    step ends, and its state there."""

    t: Array
    q: Array
    v: Array
    events: list[Occurrence]
    end: float
    last: tuple[Array, Array]


def samples(
    run: EmbeddedStep,
    times: Array,
    q: Array,
    v: Array,
    tolerance: Tolerance,
    events: Iterable[Any] = (),
    longest: float = np.inf,
) -> Iterator[Sampled]:
    """The motion from (q, v) at the first of rising times, to the last of them or the first terminal event: the start,
    and one step after the other.

    The states at times are those within steps, put back onto the constraints where there are some.
    """
    watch, done = Watch(events, float(times[0]), q, v, PARTS), 1
    yield Sampled(times[:1], q[..., None, :], v[..., None, :], [], float(times[0]), (q, v))
    for step in adaptive_steps(run, float(times[0]), q, v, float(times[-1]), tolerance, longest):
        found = watch.advance(step.within) if watch.events else []
        last = found[-1] if found and found[-1].terminal else None
        until = step.t if last is None else last.t
        state = (step.q, step.v) if last is None else (last.q, last.qd)
        upto = done + int(np.searchsorted(times[done:], until, side="right"))
        t = times[done:upto]
        if not len(t) and last is None:
            yield Sampled(t, *_none(q, v), found, until, state)
            continue
        path, velocities = run.equations.settled(t, *step.within(t)) if len(t) else _none(q, v)
        if last is not None and not (len(t) and t[-1] == last.t):
            t = np.append(t, last.t)
            path, velocities = np.concatenate([path, [last.q]]), np.concatenate([velocities, [last.qd]])
        yield Sampled(t, path, velocities, found, until, state)
        if last is not None:
            return
        done = upto


def _none(q: Array, v: Array) -> tuple[Array, Array]:
    return q[..., None, :][..., :0, :], v[..., None, :][..., :0, :]


@dataclass(frozen=True, eq=False)
class AdaptiveMotion:
    """States at the times asked for, t (T,), q (..., T, nq), qd (..., T, n); what occurred; how many steps."""

    t: Array
    q: Array
    qd: Array
    events: tuple[Occurrence, ...]
    steps: int


def adaptive_motion(run: EmbeddedStep, times: Array, q: Array, v: Array, *how: Any) -> AdaptiveMotion:
    """All of `samples`, together."""
    parts = list(samples(run, times, q, v, *how))
    t = np.concatenate([part.t for part in parts])
    path = np.concatenate([part.q for part in parts], axis=-2)
    velocities = np.concatenate([part.v for part in parts], axis=-2)
    events = tuple(event for part in parts for event in part.events)
    return AdaptiveMotion(t, path, velocities, events, len(parts) - 1)


def _no_forces(t: Any, q: Any, v: Any) -> Any:
    return v * 0.0


def _first(run: EmbeddedStep, t: float, q: Array, v: Array, tolerance: Tolerance) -> float:
    """A length to begin with, by the rates of the motion."""
    with np.errstate(all="ignore"):
        qdd = run.equations.acceleration(t, q, v)
        rate = np.nanmax(np.abs(v), initial=0.0) + np.sqrt(np.nanmax(np.abs(qdd), initial=0.0))
    return float((tolerance.atol + tolerance.rtol) ** (1.0 / run.scheme.order) / (1.0 + rate))
