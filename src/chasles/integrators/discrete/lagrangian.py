"""Discrete mechanics of a system given by a Lagrangian: L_d is h L at the middle of the step.

    m = (q + h x / 2, x, t + h / 2)
    p_0 = dL/dqd(m) - h/2 dL/dq(m),   p_1 = dL/dqd(m) + h/2 dL/dq(m)              (1)

p_0 = p is solved for x by Newton's iteration. Generalised forces and dissipation are forces at the ends of the step.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.graph.trace_loop import loop
from chasles.integrators.discrete.mechanics import FreeMechanics, kept, solved
from chasles.system import when

MOST_ITERATIONS = 30
LARGEST_CHANGE = 1e-9  # of x, relative: the next one is its square
NO_CHANGE = 1e-14  # of x, in its units: rounding of forces that cancel

_STEPS: WeakKeyDictionary[Any, Kernel] = WeakKeyDictionary()
_VELOCITIES: WeakKeyDictionary[Any, Kernel] = WeakKeyDictionary()


class DiscreteLagrangian(FreeMechanics):
    """A LagrangianSystem."""

    def _of(self, name: str, t: Any, *state: Any) -> Any:
        return self.system.kernel(name)(*state, *when(self.system, t))

    def momenta(self, t: Any, q: Any, v: Any) -> Any:
        return self._of("momenta", t, q, v)

    def velocities(self, t: Any, q: Any, p: Any) -> Any:
        n = self.system.n

        def velocities(q: Any, p: Any, t: Any = 0.0) -> Any:
            return solved(self._of("mass_matrix", t, q), p - self._of("momenta", t, q, np.zeros(n)))

        return kept(_VELOCITIES, self.system, velocities, q=n, p=n)(q, p, *when(self.system, t))

    def kept_forces(self, t: Any, q: Any) -> Any:
        return q * 0.0

    def asked_forces(self, t: Any, q: Any, v: Any) -> Any:
        return self.forces(t, q, v) + self._of("driving_forces", t, q, v)

    def step_momenta(self, t: Any, q: Any, x: Any, h: Any) -> tuple[Any, Any]:
        middle = t + h / 2, q + x * (h / 2), x
        along, push = self._of("momenta", *middle), self._of("configuration_forces", *middle) * (h / 2)
        return along - push, along + push  # (1)

    def tangent(self, t: Any, q: Any, x: Any, h: Any) -> Any:
        def start(q: Any, x: Any, h: Any, t: Any) -> Any:
            return self.step_momenta(t, q, x, h)[0]

        n = self.system.n
        return compile(start, q=n, x=n, h=(), t=()).jacobian("x")(q, x, h, t)

    def free_step(self, t: Any, q: Any, p: Any, h: Any, x: Any, lag: Any) -> tuple[Any, Any, Any, Any]:
        n = self.system.n
        step = kept(_STEPS, self.system, self._free_step, q=n, p=n, lag=n, h=())
        return tuple(step(q, p, lag, h, *when(self.system, t)))

    def _free_step(self, q: Any, p: Any, lag: Any, h: Any, t: Any = 0.0) -> Any:
        def newton(x: Any) -> Any:
            change = solved(self.tangent(t, q, x, h), self.step_momenta(t, q, x, h)[0] - p, symmetric=False)
            found = x - change
            limit = LARGEST_CHANGE * np.max(np.abs(found)) + NO_CHANGE
            return found, {"until": np.max(np.abs(change)) <= limit}

        straight = self.velocities(t, q, p)
        x, how = loop(newton, straight - lag / h, count=MOST_ITERATIONS, rule="fixed_point")
        start, end = self.step_momenta(t, q, x, h)
        p1 = where(how["until"] > 0.5, where(how["until"] < 1.5, end + (p - start), np.nan), np.nan)
        return {"q1": q + x * h, "p1": p1, "x": x, "lag": (straight - x) * h}
