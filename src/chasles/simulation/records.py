"""Records of a motion on its way: the states that are kept, and the rows of a batch that have ended."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import function, mapping, real, refuse_beyond_memory, shown, text
from chasles.constrained import ConstrainedSystem
from chasles.errors import ChaslesError, ModelError, ShapeError, SimulationError
from chasles.recorded_motion import Occurrence, Signal, Trajectory
from chasles.recorded_motion.labels import labels_of
from chasles.simulation.failure import ended_at, explained
from chasles.simulation.fixed_steps import FixedSteps

Array = NDArray[np.float64]
Signals = dict[str, Array]
Reached = tuple[float, Array, Array, Any]
"""t, q (..., nq), qd (..., n) of a motion, and the rows that have ended before, None for none."""


class Ended:
    """Which rows of a batch have ended, and why the first did."""

    def __init__(self, run: FixedSteps, lead: tuple[int, ...]) -> None:
        self.run, self.rows = run, np.zeros(lead, dtype=bool)
        self.any = self.all = False
        self.message, self.cause = "", None

    def mark(self, t: float, q: Array, qd: Array, rows: Any, alone: bool = False) -> None:
        """That rows end in the step that begins at a state; those that have already, stay so."""
        new = rows & ~self.rows
        if not np.any(new):
            return
        if not self.message:
            self.message = explained(self.run, t, q, qd, tuple(int(i) for i in np.argwhere(new)[0]), alone)
        self._end(new)

    def because(self, t: float, q: Array, qd: Array, problem: ChaslesError, row: tuple[int, ...] | None = None) -> None:
        """That all end, or a row, by an error."""
        if not self.message:
            self.message, self.cause = f"{ended_at(t, q, qd, row or ())}: {problem}", problem
        new = np.zeros_like(self.rows)
        new[... if row is None else row] = True
        self._end(new)

    def _end(self, rows: Any) -> None:
        self.rows = self.rows | rows
        self.any, self.all = True, bool(self.rows.all())

    def error(self, kept: Kept) -> SimulationError:
        error = SimulationError(f"{self.message}. What was computed is this error's `trajectory`", kept.motion())
        error.__cause__ = self.cause
        return error


class Kept:
    """States as they are kept, in arrays of the size of the whole motion, and signals."""

    def __init__(self, run: FixedSteps, lead: tuple[int, ...], most: int, record: Mapping[str, Signal] | None) -> None:
        self.run, self.count, self.lead = run, 0, lead
        nq, n = run.system.nq, run.system.n
        size = 8.0 * most * (1 + np.prod(lead, dtype=float) * (nq + 2 * n))
        refuse_beyond_memory(size, f"{most} states", "keep fewer by every=, or simulate in parts, each from t0=")
        self.t = np.empty(most)
        self.q, self.qd, self.tau = (np.empty((*lead, most, m)) for m in (nq, n, n))
        self.recorded = _recorded(record)
        self.of_law: Any = getattr(run.control, "signals", None)
        self.signals: dict[str, list[Array]] = {}
        self.events: list[Occurrence] = []

    @property
    def asks(self) -> bool:
        """Whether there are signals to ask for."""
        return bool(self.recorded) or callable(self.of_law)

    def add_one(self, t: float, q: Array, qd: Array, tau: Any, ended: Any, signals: Signals | None = None) -> None:
        """A state; ended: rows that have, None for none; signals: what was `asked` there."""
        for name, value in (signals or {}).items():
            held = self.signals.setdefault(name, [])
            del held[self.count :]
            held.append(value)
        if ended is not None:
            self.add([t], q[..., None, :], qd[..., None, :], tau, ended)
            return
        k = self.count
        self.t[k], self.q[..., k, :], self.qd[..., k, :], self.tau[..., k, :] = t, q, qd, tau
        self.count = k + 1

    def add(self, t: Any, q: Array, qd: Array, tau: Any, ended: Any) -> None:
        """States q (..., m, nq), qd (..., m, n) at times t (m,), under tau (..., n); ended: rows, None for none."""
        k, last = self.count, self.count + len(t)
        self.t[k:last], self.q[..., k:last, :], self.qd[..., k:last, :] = t, q, qd
        self.tau[..., k:last, :] = np.asarray(tau)[..., None, :] if np.ndim(tau) else tau
        if ended is not None:
            for part in (self.q, self.qd, self.tau):
                part[ended, k:last, :] = np.nan
        self.count = last

    def reach(self, t: float, q: Array, qd: Array, ended: Any) -> None:
        """The state that a motion reached before it was ended from outside, unless it is kept already: without forces
        and signals."""
        if not self.count or self.t[self.count - 1] < t:
            self.add_one(t, q, qd, np.nan, ended)

    def asked(self, t: float, q: Array, qd: Array, tau: Any) -> Signals:
        """The signals at a state, checked."""
        found = {name: f(t, q.copy(), qd.copy(), np.array(tau)) for name, f in self.recorded.items()}
        if callable(self.of_law):
            given = self.of_law(t, q.copy(), qd.copy())
            if not isinstance(given, Mapping):
                raise ModelError(f"control: its signals(t, q, qd) must return a dict of arrays, got {shown(given)}")
            found |= given
        signals: Signals = {}
        for name, value in found.items():
            x, lead = real(value, f"signal {name!r}"), len(self.lead)
            held = self.signals.get(text(name, "the name of a signal"))
            if x.shape[:lead] != self.lead or (held and held[0].shape != x.shape):
                wanted = held[0].shape if held else (*self.lead, "...")
                raise ShapeError(f"signal {name!r} must have shape {wanted} at every time, got {x.shape}")
            signals[name] = x.copy()
        return signals

    def motion(self) -> Trajectory:
        """What is kept, with energies and multipliers."""
        run, k = self.run, self.count
        t, q, v, tau = self.t, self.q, self.qd, self.tau
        if k < len(t):
            t, q, v, tau = t[:k].copy(), q[..., :k, :].copy(), v[..., :k, :].copy(), tau[..., :k, :].copy()
        acts = tau
        signals = {name: np.stack(_as_many(x, k), axis=len(self.lead)) for name, x in self.signals.items() if x[:k]}
        if run.stops is not None:
            signals["stops"] = run.stops.forces(q, v)
            acts = tau + signals["stops"]
        known = {} if run.constrained is None else {"multipliers": _multipliers(run.constrained, q, v, acts, t)}
        labels = labels_of(run.system, run.method, run.dt)
        return Trajectory(t, q, v, tau, signals, run.system, labels, tuple(self.events), known=known)


def hand_back(kept: Kept, problem: Exception, t: float, x: Array, v: Array, before: Any) -> None:
    """Say when and where an exception of the user's was raised, and let it have what was computed."""
    problem.add_note(f"{ended_at(t, x, v, ())}; what was computed is this exception's `trajectory`")
    with contextlib.suppress(Exception):
        kept.reach(t, x, v, before)
        problem.trajectory = kept.motion()  # type: ignore[attr-defined]


def _as_many(signal: list[Array], k: int) -> list[Array]:
    """k of a signal's values: nan where a motion ended before it was asked for the last."""
    return signal[:k] + [np.full(signal[0].shape, np.nan)] * (k - len(signal))


def _recorded(record: Any) -> dict[str, Callable[..., Any]]:
    if record is None:
        return {}
    given = mapping(record, "record", "a dict of functions of (t, q, qd, tau) by name")
    return {
        text(name, "record: a name"): function(f, "t, q, qd, tau", f"record[{name!r}]") for name, f in given.items()
    }


def _multipliers(constrained: ConstrainedSystem, q: Array, v: Array, tau: Array, t: Array) -> Array:
    """(..., T, k); nan where none of the states has any."""
    try:
        return constrained.forward_dynamics(q, v, tau, t).multipliers
    except ChaslesError:
        return np.full((*v.shape[:-1], len(constrained.row_names)), np.nan)
