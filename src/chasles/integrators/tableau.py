"""Explicit Runge-Kutta methods on groups, as data: Butcher's tableaux, and the one step that reads them.

    x_i = h sum of a_ij k_j,   v_i = v + h sum of a_ij l_j,   q_i = integrate(q, x_i)                 (1)
    k_i = dx/dt at (x_i, v_i),   l_i = dv/dt at (t + c_i h, q_i, v_i)                                 (2)
    q' = integrate(q, h sum of b_i k_i),   v' = v + h sum of b_i l_i                                  (3)  [FD-2]

in the canonical coordinates of the step (equations.py): Runge-Kutta-Munthe-Kaas [Munthe-Kaas 1999]. Of one stage it is
Euler's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chasles.integrators.equations import Equations
from chasles.integrators.method import Method, State


class ExplicitRungeKutta(Method):
    """The method of a tableau: rows a below the diagonal, weights b; those of an embedded method, and polynomials of
    what part of a step is over, the powers 1, 2, ... of each weight in a row, that give the states within, if any."""

    def __init__(
        self,
        order: int,
        a: Sequence[Sequence[float]],
        b: Sequence[float],
        embedded: Sequence[float] | None = None,
        within: Sequence[Sequence[float]] | None = None,
    ) -> None:
        self.order, self.a, self.b, self.embedded, self.within = order, a, b, embedded, within
        self.c = [sum(row) for row in a]

    def stages(self, equations: Equations, t: Any, state: State, h: Any) -> tuple[list[Any], list[Any]]:
        """k and l of (2)."""
        (q, v), k, l = state, [], []
        for row, c in zip(self.a, self.c, strict=True):
            if not any(row):
                k.append(v)
                l.append(equations.acceleration(t, q, v))
                continue
            x_i, v_i = weighted(row, k, h), v + weighted(row, l, h)  # (1)
            k.append(equations.rate(x_i, v_i))
            l.append(equations.acceleration(t + c * h, equations.integrate(q, x_i), v_i))  # (2)
        return k, l

    def step(self, equations: Equations, t: Any, state: State, h: Any) -> State:
        (q, v), (k, l) = state, self.stages(equations, t, state, h)
        moved, faster = equations.integrate(q, weighted(self.b, k, h)), v + weighted(self.b, l, h)  # (3)
        return equations.settled(t + h, moved, faster)


def weighted(weights: Sequence[float], terms: Sequence[Any], h: Any) -> Any:
    """h times the weighted sum of terms; those of weight 0 are passed over."""
    total: Any = None
    for weight, term in zip(weights, terms, strict=False):
        if weight:
            total = term * (weight * h) if total is None else total + term * (weight * h)
    return total
