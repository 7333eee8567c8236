"""The classical Runge-Kutta method: order 4, four evaluations a step."""

from chasles.integrators.tableau import ExplicitRungeKutta

METHOD = ExplicitRungeKutta(order=4, a=[[], [1 / 2], [0.0, 1 / 2], [0.0, 0.0, 1.0]], b=[1 / 6, 1 / 3, 1 / 3, 1 / 6])
