"""Variational Lie-group integrator: order 2, symplectic, keeps momenta to rounding and energies bounded for ever.

From (q, p) to (q', p') by the discrete Euler-Lagrange equations, p the generalised momenta M v. With the momenta
p_0(q, h x) and p_1(q, h x) of a step at velocities x (dynamics/discrete_newton_euler.py) and forces f = tau - gravity,

    p_0(q, h x) / h = p + f(t, q, v) h/2 =: p_w                                   (1)
    q' = integrate(q, h x)                                                        (2)
    p' = p_1(q, h x) / h + (p_w - p_0 / h) + f(t + h, q', v') h/2                 (3)

(1) is solved for x by a quasi-Newton iteration, x <- x - M(q)^-1 (p_0 / h - p_w), which wins a factor of about
1 / (h v) each time. What is left of (1), rounding, is passed on in (3): so no momentum is lost. v' in f of (3) is
predicted with the forces of the beginning, which costs no order. Linear in the number of links.
[MarsdenWest2001], [LeeLiuParkSrinivasa2016]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.graph.trace_loop import loop
from chasles.integrators.equations import Equations
from chasles.integrators.method import Method, State

MOST_ITERATIONS = 30
LARGEST_CHANGE = 1e-13  # of x, rad/s or m/s, in units of its size where that is beyond 1


class Variational(Method):
    """(1) to (3). Its state: q, p, v, the forces f and x."""

    order = 2

    def begin(self, equations: Equations, t: Any, q: Any, v: Any) -> State:
        return q, equations.momenta(q, v), v, equations.smooth_forces(t, q, v), v

    def step(self, equations: Equations, t: Any, state: State, h: Any) -> State:
        q, p, _, f, x = state
        aim = p + f * (h / 2)

        def newton(x: Any) -> Any:
            change = equations.impulse_response(q, equations.discrete_momenta(q, x * h)[0] / h - aim)
            size = np.max(np.abs(x))
            return x - change, {"until": np.max(np.abs(change)) < LARGEST_CHANGE * np.maximum(1.0, size)}

        x, _ = loop(newton, x, count=MOST_ITERATIONS, rule="fixed_point")  # (1)
        start, end = equations.discrete_momenta(q, x * h)
        moved, drifted = equations.integrate(q, x * h), (end - start) / h + aim  # (2)
        predicted = equations.impulse_response(moved, drifted + f * (h / 2))
        f = equations.smooth_forces(t + h, moved, predicted)
        p = drifted + f * (h / 2)  # (3)
        return moved, p, equations.impulse_response(moved, p), f, x

    def end(self, equations: Equations, t: Any, state: State) -> tuple[Any, Any]:
        return state[0], state[2]


METHOD = Variational()
