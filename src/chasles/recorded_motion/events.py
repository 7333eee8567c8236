"""Events: when a function of time and state passes through zero, and what is recorded of it."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import flag, function, one_of, text
from chasles.reprs import quoted, record

Array = NDArray[np.float64]
Crossing = Callable[[float, Array, Array], Any]


class Event:
    """When a function of (t, q, qd) of one motion, q (nq,) and qd (n,), passes through zero.

    direction: 1 where it has to rise, -1 where it has to fall, 0 for both. terminal: the motion ends there. name: what
    it is called in records (default: the function's name).
    """

    def __init__(
        self,
        crossing: Crossing,
        name: str | None = None,
        *,
        direction: Literal[-1, 0, 1] = 0,
        terminal: bool = False,
    ) -> None:
        self.function = function(crossing, "t, q, qd", "event: crossing")
        self.name = getattr(crossing, "__name__", "event") if name is None else text(name, "event: name")
        self.direction = one_of(direction, "event: direction", (-1, 0, 1))
        self.terminal = flag(terminal, "event: terminal")

    def __repr__(self) -> str:
        return f"<Event {quoted(self.name)}{', terminal' * self.terminal}>"


@record(t="s")
@dataclass(frozen=True, eq=False, repr=False)
class Occurrence:
    """An event that has occurred: its name, the time in seconds, the state there, and the row of a batch."""

    name: str
    t: float
    q: Array
    qd: Array
    row: tuple[int, ...] = ()
    terminal: bool = False
