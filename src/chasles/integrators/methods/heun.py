"""Heun's method: order 2, two evaluations a step."""

from chasles.integrators.tableau import ExplicitRungeKutta

METHOD = ExplicitRungeKutta(order=2, a=[[], [1.0]], b=[1 / 2, 1 / 2])
