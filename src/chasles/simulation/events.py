"""Events: when a function of time and state passes through zero, found within steps.

    g(t, q(t), v(t)) = 0

A step over which g changes its sign is halved, on the states within it (interpolants.py), until the time is known to
1e-12 s; the event is then at the end of that interval, where g has its new sign. A g that changes its sign twice within
one of the parts at which it is looked at is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import function, real, sequence
from chasles.errors import ModelError
from chasles.recorded_motion.events import Event, Occurrence
from chasles.simulation.interpolants import Within

Array = NDArray[np.float64]
SHORTEST = 1e-12  # s, of the interval an event is in


class Watch:
    """Events of a motion, looked for in one step after the other.

    parts: into how many each step is divided, at whose ends the functions are looked at.
    """

    def __init__(self, events: Iterable[Any], t: float, q: Array, v: Array, parts: int = 1) -> None:
        self.events, self.parts = as_events(events), parts
        self.rows = list(np.ndindex(q.shape[:-1])) if self.events else []
        if q.ndim > 1 and any(event.terminal for event in self.events):
            raise ModelError("events of a batch cannot be terminal: its rows go on together; simulate row by row")
        self.last = {(row, k): _value(e, t, q[row], v[row]) for row in self.rows for k, e in enumerate(self.events)}

    def advance(self, step: Within) -> list[Occurrence]:
        """What occurs in the next step, by time, until the first that is terminal."""
        found = []
        for row in self.rows:
            states = step.row(row)
            for k, event in enumerate(self.events):
                a, before = step.t, self.last[row, k]
                for part in range(1, self.parts + 1):
                    b = step.t + step.h * (part / self.parts)
                    after = _value(event, b, *states(b))
                    if _crosses(event, before, after):
                        found.append(_located(event, states, a, b, before, row))
                    a, before = b, after
                self.last[row, k] = before
        found.sort(key=lambda occurrence: occurrence.t)
        ends = [place for place, occurrence in enumerate(found) if occurrence.terminal]
        return found[: ends[0] + 1] if ends else found


def as_events(given: Iterable[Any]) -> list[Event]:
    """Events and plain functions, as events."""
    listed = sequence(given, "events", "Event or functions of (t, q, qd)")
    for k, event in enumerate(listed):
        if not isinstance(event, Event):
            listed[k] = Event(function(event, "t, q, qd", f"events[{k}]"))
    return listed


def _value(event: Event, t: float, q: Array, v: Array) -> float:
    """g at a state."""
    found = real(event.function(float(t), q.copy(), v.copy()), f"what event {event.name!r} returns")
    if found.size != 1:
        raise ModelError(f"event {event.name!r} must return one number, got an array of shape {found.shape}")
    return float(found.reshape(()))


def _crosses(event: Event, before: float, after: float) -> bool:
    """Whether zero is passed, in the direction asked for. A zero at the beginning is none."""
    rises, falls = before < 0.0 <= after, after <= 0.0 < before
    return (rises and event.direction >= 0) or (falls and event.direction <= 0)


def _located(event: Event, states: Within, a: float, b: float, before: float, row: tuple[int, ...]) -> Occurrence:
    while b - a > SHORTEST:
        middle = a + (b - a) / 2
        if not a < middle < b:
            break
        if _crosses(event, before, _value(event, middle, *states(middle))):
            b = middle
        else:
            a = middle
    return Occurrence(event.name, b, *states.equations.settled(b, *states(b)), row, event.terminal)
