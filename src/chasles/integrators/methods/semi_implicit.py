"""Semi-implicit (symplectic) Euler: order 1, energies stay bounded, one evaluation a step.

v' = v + h dv/dt(q, v),   q' = integrate(q, h v')                             (1)
"""

from __future__ import annotations

from typing import Any

from chasles.integrators.equations import Equations
from chasles.integrators.method import Method, State


class SemiImplicit(Method):
    """(1)."""

    order = 1

    def step(self, equations: Equations, t: Any, state: State, h: Any) -> State:
        q, v = state
        faster = v + equations.acceleration(t, q, v) * h
        return equations.settled(t + h, equations.integrate(q, faster * h), faster)  # (1)


METHOD = SemiImplicit()
