"""Variational Lie-group integrator: order 2, symplectic, keeps momenta to rounding and energies bounded for ever.

From (q, p) to (q', p') by the discrete Euler-Lagrange equations, p the generalised momenta M v. With the momenta p_0
and p_1 of the discrete Lagrangian at both ends of a step at velocities x (discrete/), forces f that do not depend on
velocities and are kept from step to step, and u that are asked for anew, as they may jump between steps,

    p_0(q, x) = p + (f(q) + u(t, q, v)) h/2,   q' = integrate(q, h x)             (1)
    p' = p_1(q, x) + (f(q') + u(t + h, q', v')) h/2                               (2)

v' is at first 2 x - v, and then M^-1 p': once is enough for order 2, three times for a composition of order 4, which
needs the symmetry of the step in time. How x lags behind what is simply made of the momenta in (1), which changes
slowly, is extrapolated from three steps. [MarsdenWest2001], [LeeLiuParkSrinivasa2016]
"""

from __future__ import annotations

from typing import Any

from chasles.integrators.discrete import discrete_mechanics
from chasles.integrators.equations import Equations
from chasles.integrators.method import Method, State


class Variational(Method):
    """(1) and (2). Its state: q, p, f, x, and the lags of the last steps, each over the square of h.

    corrections: how often v' is taken from p'. extrapolation: the lag of a step in those of the last three.
    """

    order = 2

    def __init__(self, corrections: int = 1, extrapolation: tuple[float, float, float] = (3.0, -3.0, 1.0)) -> None:
        self.corrections, self.extrapolation = corrections, extrapolation

    def begin(self, equations: Equations, t: Any, q: Any, v: Any) -> State:
        system, none = discrete_mechanics(equations), v * 0.0
        return q, system.momenta(t, q, v), system.kept_forces(t, q), v, none, none, none

    def step(self, equations: Equations, t: Any, state: State, h: Any) -> State:
        system, (q, p, f, x, *lags) = discrete_mechanics(equations), state
        v = system.velocities(t, q, p)
        pushed = p + (f + system.asked_forces(t, q, v)) * (h / 2)
        lag = sum(share * x for share, x in zip(self.extrapolation, lags, strict=True) if share)
        moved, drifted, x, lag = system.free_step(t, q, pushed, h, x, lag * (h * h))  # (1)
        f, v = system.kept_forces(t + h, moved), x * 2.0 - v
        for k in range(self.corrections):
            v = system.velocities(t + h, moved, p) if k else v
            p = system.settled(t + h, moved, drifted + (f + system.asked_forces(t + h, moved, v)) * (h / 2))  # (2)
        return moved, p, f, x, lag / (h * h), *lags[:-1]

    def end(self, equations: Equations, t: Any, state: State) -> tuple[Any, Any]:
        return state[0], discrete_mechanics(equations).velocities(t, state[0], state[1])


METHOD = Variational()
