"""Diagonally implicit Runge-Kutta methods on groups, as data: tableaux, and the one step that reads them.

With g the one number on the diagonal, stage i ends at x_i in the canonical coordinates of the step (equations.py):

    X = h sum of a_ij k_j,   V = v + h sum of a_ij l_j   over j < i                                   (1)
    k_i = (x_i - X) / (h g),   v_i = dexp_{-x_i}(k_i),   l_i = (v_i - V) / (h g)                      (2)
    v_i - V = h g dv/dt(t + c_i h, integrate(q, x_i), v_i)                                            (3)

(3) is solved for x_i by Newton's method (newton.py). The last stage is the new state: methods whose weights b are their
last row, so that what is stiff is damped. [Alexander1977], [HairerWanner1996] IV.6
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.graph.array import TracedArray
from chasles.graph.trace_loop import loop
from chasles.integrators.equations import Equations
from chasles.integrators.method import Method, State
from chasles.integrators.newton import root


class DiagonallyImplicit(Method):
    """The method of a tableau: rows a below the diagonal, the last of them the weights; the number on the diagonal."""

    def __init__(self, order: int, diagonal: float, a: Sequence[Sequence[float]]) -> None:
        self.order, self.diagonal = order, diagonal
        self.a = np.array([[*row, *([0.0] * (len(a) - len(row)))] for row in a])
        self.c = self.a.sum(axis=1) + diagonal

    def step(self, equations: Equations, t: Any, state: State, h: Any) -> State:
        (q, v), g, stages = state, h * self.diagonal, len(self.a)

        def stage(k: Any, l: Any, x: Any, speed: Any, row: Any, c: Any, place: Any) -> State:
            X, V = h * np.tensordot(row, k, 1), v + h * np.tensordot(row, l, 1)  # (1)

            def left(x: Any) -> Any:
                u = equations.velocity(x, (x - X) / g)
                return u - V - g * equations.acceleration(t + c * h, equations.integrate(q, x), u)  # (3)

            def scale(x: Any) -> Any:
                return np.abs(g) + np.max(np.abs(x - X), axis=-1)

            x = root(left, X + g * speed, scale)
            rate = (x - X) / g
            speed = equations.velocity(x, rate)  # (2)
            here = place.reshape(stages, *([1] * v.ndim))
            return k + here * rate, l + here * ((speed - V) / g), x, speed

        none = np.zeros((stages, *v.shape))
        each = {"row": self.a, "c": self.c, "place": np.eye(stages)}
        carried: State = (none, none, np.zeros(v.shape), v)
        if isinstance(v, TracedArray):
            carried = loop(stage, carried, each=each, count=stages)
        else:
            for parts in zip(*each.values(), strict=True):
                carried = stage(*carried, *parts)
        return equations.settled(t + h, equations.integrate(q, carried[2]), carried[3])
