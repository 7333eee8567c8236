"""Composition of steps of a symmetric method of order 2 into one of order 4, by Suzuki's five.

    s, s, 1 - 4 s, s, s,   s = 1 / (4 - 4^(1/3))                                  (1)

times the step: symmetric, symplectic where the method is. [Suzuki1990]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.graph.array import is_traced
from chasles.graph.trace_loop import loop
from chasles.integrators.equations import Equations
from chasles.integrators.method import Method, State

SHARE = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
SHARES = (SHARE, SHARE, 1.0 - 4.0 * SHARE, SHARE, SHARE)


class Composed(Method):
    """(1), of a method whose state it keeps."""

    order = 4

    def __init__(self, inner: Method) -> None:
        self.inner = inner

    def begin(self, equations: Equations, t: Any, q: Any, v: Any) -> State:
        return self.inner.begin(equations, t, q, v)

    def step(self, equations: Equations, t: Any, state: State, h: Any) -> State:
        def part(t: Any, *state: Any, share: Any) -> State:
            return t + share * h, *self.inner.step(equations, t, state, share * h)

        if is_traced((t, h, *state)):
            return loop(part, (t, *state), each={"share": np.array(SHARES)}, count=len(SHARES))[1:]  # (1)
        for share in SHARES:
            t, *state = part(t, *state, share=share)  # type: ignore[assignment]
        return tuple(state)

    def end(self, equations: Equations, t: Any, state: State) -> tuple[Any, Any]:
        return self.inner.end(equations, t, state)
