"""Motions step by step, by any method: its state goes from step to step as it is."""

from typing import Any

import numpy as np

import chasles as ch
from chasles import integrators
from chasles.integrators.equations import equations


class March:
    """The steps of a system by a method under a law of (t, q, v), each a kernel."""

    def __init__(self, system: Any, method: str = "variational", law: Any = None) -> None:
        self.scheme, self.laws = integrators.find(method), equations(system, law or (lambda t, q, v: v * 0.0))

        def begin(t: Any, q: Any, v: Any) -> Any:
            return dict(zip("abcdefgh", self.scheme.begin(self.laws, t, q, v), strict=False))

        def step(t: Any, dt: Any, **state: Any) -> Any:
            return dict(zip(state, self.scheme.step(self.laws, t, tuple(state.values()), dt), strict=True))

        def end(t: Any, **state: Any) -> Any:
            q, v = self.scheme.end(self.laws, t, tuple(state.values()))
            return {"q": q, "v": v}

        self.begin = ch.compile(begin, t=(), q=system.nq, v=system.n)
        shapes: Any = {o.name: o.shape for o in self.begin.outputs}
        self.step, self.end = ch.compile(step, t=(), dt=(), **shapes), ch.compile(end, t=(), **shapes)

    def states(self, q: Any, v: Any, dt: float, steps: int, t: float = 0.0) -> Any:
        """The states after each step, the start first."""
        state = self.begin(t, q, v)
        yield state
        for k in range(steps):
            state = self.step(t + k * dt, dt, *state)
            yield state

    def path(self, q: Any, v: Any, dt: float, steps: int, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """(steps + 1, ..., nq) and (steps + 1, ..., n)."""
        states = [np.stack(x) for x in zip(*self.states(q, v, dt, steps, t), strict=True)]
        return tuple(self.end(0.0, *states))

    def last(self, q: Any, v: Any, dt: float, steps: int, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """q and v at the end."""
        *_, state = self.states(q, v, dt, steps, t)
        return tuple(self.end(t + steps * dt, *state))
