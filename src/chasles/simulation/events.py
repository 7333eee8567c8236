"""Events: when a function of time and state passes through zero, found within steps.

    g(t, q(t), v(t)) = 0

A step over which g changes its sign is halved, on the states within it (interpolants.py), until the time is known to
1e-12 s; the event is then at the end of that interval, where g has its new sign. A g that changes its sign twice within
one of the parts at which it is looked at is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import flag, function, one_of, real, sequence, text
from chasles.errors import ModelError
from chasles.simulation.interpolants import Within

Array = NDArray[np.float64]
SHORTEST = 1e-12  # s, of the interval an event is in


class Event:
    """When a function of (t, q, qd) of one motion, q (nq,) and qd (n,), passes through zero.

    direction: 1 where it has to rise, -1 where it has to fall, 0 for both. terminal: the motion ends there. name: what
    it is called in records (default: the function's name).
    """

    def __init__(
        self,
        crossing: Callable[[float, Array, Array], Any],
        name: str | None = None,
        *,
        direction: Literal[-1, 0, 1] = 0,
        terminal: bool = False,
    ) -> None:
        self.function = function(crossing, "t, q, qd", "event")
        self.name = getattr(crossing, "__name__", "event") if name is None else text(name, "event: name")
        self.direction = one_of(direction, "event: direction", (-1, 0, 1))
        self.terminal = flag(terminal, "event: terminal")

    def value(self, t: float, q: Array, v: Array) -> float:
        """g at a state."""
        found = real(self.function(float(t), q.copy(), v.copy()), f"what event {self.name!r} returns")
        if found.size != 1:
            raise ModelError(f"event {self.name!r} must return one number, got an array of shape {found.shape}")
        return float(found.reshape(()))

    def crosses(self, before: float, after: float) -> bool:
        """Whether zero is passed, in the direction asked for. A zero at the beginning is none."""
        rises, falls = before < 0.0 <= after, after <= 0.0 < before
        return (rises and self.direction >= 0) or (falls and self.direction <= 0)

    def __repr__(self) -> str:
        return f"<Event {self.name!r}{', terminal' * self.terminal}>"


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that has occurred: its name, the time in seconds, the state there, and the row of a batch."""

    name: str
    t: float
    q: Array
    qd: Array
    row: tuple[int, ...] = ()
    terminal: bool = False


class Watch:
    """Events of a motion, looked for in one step after the other.

    parts: into how many each step is divided, at whose ends the functions are looked at.
    """

    def __init__(self, events: Iterable[Any], t: float, q: Array, v: Array, parts: int = 1) -> None:
        self.events, self.parts, self.rows = as_events(events), parts, list(np.ndindex(q.shape[:-1]))
        if self.rows != [()] and any(event.terminal for event in self.events):
            raise ModelError("events of a batch cannot be terminal: its rows go on together; simulate row by row")
        self.last = {(row, k): e.value(t, q[row], v[row]) for row in self.rows for k, e in enumerate(self.events)}

    def advance(self, step: Within) -> list[Occurrence]:
        """What occurs in the next step, by time, until the first that is terminal."""
        found = []
        for row in self.rows:
            states = step.row(row)
            for k, event in enumerate(self.events):
                a, before = step.t, self.last[row, k]
                for part in range(1, self.parts + 1):
                    b = step.t + step.h * (part / self.parts)
                    after = event.value(b, *states(b))
                    if event.crosses(before, after):
                        found.append(_located(event, states, a, b, before, row))
                    a, before = b, after
                self.last[row, k] = before
        found.sort(key=lambda occurrence: occurrence.t)
        ends = [place for place, occurrence in enumerate(found) if occurrence.terminal]
        return found[: ends[0] + 1] if ends else found


def as_events(given: Iterable[Any]) -> list[Event]:
    """Events and plain functions, as events."""
    listed = sequence(given, "events", "Event or functions of (t, q, qd)")
    return [event if isinstance(event, Event) else Event(event) for event in listed]


def _located(event: Event, states: Within, a: float, b: float, before: float, row: tuple[int, ...]) -> Occurrence:
    while b - a > SHORTEST:
        middle = a + (b - a) / 2
        if not a < middle < b:
            break
        if event.crosses(before, event.value(middle, *states(middle))):
            b = middle
        else:
            a = middle
    return Occurrence(event.name, b, *states.equations.settled(b, *states(b)), row, event.terminal)
