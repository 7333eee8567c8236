"""Implicit Runge-Kutta methods on groups, as data: tableaux, and the two steps that read them.

Stage i is at x_i in the canonical coordinates of the step (equations.py), q_i = integrate(q, x_i). Of a method whose
stages are solved one after the other, with the same number g on the diagonal:

    X = h sum of a_ij k_j,   V = v + h sum of a_ij l_j   over j < i                                   (1)
    k_i = (x_i - X) / (h g),   v_i = dexp_{-x_i}(k_i),   l_i = (v_i - V) / (h g)                      (2)
    v_i - V = h g dv/dt(t + c_i h, q_i, v_i)                                                          (3)

Of one whose stages depend on each other, with w = a^-1:

    k_i = sum of w_ij x_j / h,   v_i = dexp_{-x_i}(k_i)                                               (4)
    sum of w_ij (v_j - v) = h dv/dt(t + c_i h, q_i, v_i)                                              (5)

(3) is solved for n numbers at a time, (5) for all x_i at once, by Newton's method (newton.py). The last stage is the
new state: the weights b are the last row, so that what is stiff is damped. [HairerWanner1996] IV.5, IV.6
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.graph.array import TracedArray
from chasles.graph.diff import jacobian_forward
from chasles.graph.trace_loop import loop
from chasles.integrators.equations import Equations
from chasles.integrators.method import Method, State
from chasles.integrators.newton import root
from chasles.integrators.tableau import weighted


class Implicit(Method):
    """The method of a full tableau, rows a, the last of them the weights."""

    def __init__(self, order: int, a: Sequence[Sequence[float]]) -> None:
        self.order = order
        self.c, self.inverse = np.sum(a, axis=1), np.linalg.inv(a)

    def step(self, equations: Equations, t: Any, state: State, h: Any) -> State:
        (q, v), n, stages = state, state[1].shape[-1], len(self.c)

        def speeds(x: list[Any]) -> list[Any]:
            return [equations.velocity(y, weighted(w, x, 1.0) / h) for w, y in zip(self.inverse, x, strict=True)]  # (4)

        def left(flat: Any) -> Any:
            x = [flat[..., n * i : n * (i + 1)] for i in range(stages)]
            u = speeds(x)
            gained, rows = [y - v for y in u], []
            for w, c, y, z in zip(self.inverse, self.c, x, u, strict=True):
                qdd = equations.acceleration(t + c * h, equations.integrate(q, y), z)
                rows.append(weighted(w, gained, 1.0) - h * qdd)  # (5)
            return np.concatenate(rows, axis=-1)

        def scale(flat: Any) -> Any:
            return np.abs(h) + np.max(np.abs(flat), axis=-1)

        def slopes(flat: Any) -> Any:
            x = flat.reshape(stages, n)
            return self._slopes(equations, (t, q, h), x, np.stack(speeds(list(x))))

        flat = root(left, np.concatenate([v * (c * h) for c in self.c], axis=-1), scale, slopes)
        x = [flat[..., n * i : n * (i + 1)] for i in range(stages)]
        return equations.settled(t + h, equations.integrate(q, x[-1]), speeds(x)[-1])

    def _slopes(self, equations: Equations, at: tuple[Any, Any, Any], x: Any, u: Any) -> Any:
        """(s n, s n) the derivative of (5) by x (s, n), traced: of dexp the first two terms, which do for Newton."""
        (t, q, h), w, (stages, n) = at, self.inverse, x.shape

        def stage(none: Any, x: Any, u: Any, c: Any) -> Any:
            qdd = equations.acceleration(t + c * h, equations.integrate(q, x), u)
            found = jacobian_forward(list(qdd), [*x, *u])
            return none, {"record": np.stack([np.stack(row) for row in found])}

        by = loop(stage, 0.0, each={"x": x, "u": u, "c": self.c}, count=stages)[1]["record"]
        turns = [np.eye(n) - equations.adjoint(y) / 2.0 for y in x]
        bent = [equations.adjoint(weighted(row, list(x), 1.0) / h) / 2.0 for row in w]
        U = [[turns[m] * (w[m, j] / h) + (bent[m] if m == j else 0.0) for j in range(stages)] for m in range(stages)]
        rows = []
        for i in range(stages):
            row = [sum(w[i, m] * U[m][j] for m in range(stages)) - h * (by[i, :, n:] @ U[i][j]) for j in range(stages)]
            row[i] = row[i] - h * by[i, :, :n]
            rows.append(np.concatenate(row, axis=1))
        return np.concatenate(rows)


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
