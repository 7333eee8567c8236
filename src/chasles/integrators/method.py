"""Method: what every integrator is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from chasles.integrators.equations import Equations

State = tuple[Any, ...]


class Method(ABC):
    """A way to carry a state over a step of h seconds.

    A state is a tuple of arrays, (q, v) unless a method keeps other things; `begin` makes it of q (..., nq) and
    v (..., n), `end` makes these of it. order: that of the error of a motion, h^order.
    """

    order: int

    def begin(self, equations: Equations, t: Any, q: Any, v: Any) -> State:
        """The state at (q, v)."""
        return q, v

    @abstractmethod
    def step(self, equations: Equations, t: Any, state: State, h: Any) -> State:
        """The state h seconds after t."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, of order {getattr(self, 'order', '?')}>"

    def end(self, equations: Equations, t: Any, state: State) -> tuple[Any, Any]:
        """q and v of a state."""
        return state[0], state[1]
