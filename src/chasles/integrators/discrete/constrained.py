"""Discrete mechanics under constraints: those of position at the end of a step, of velocities in its middle.

    p_0(q, x) = p + A(q)^T a,   h(q') = 0  or  A(q_m) x = 0,   q_m = integrate(q, h x / 2)        (1)
    p' = p_1(q, x) + A(q')^T b,   A(q') v' = 0                                    (2)

With holonomic rows h this is RATTLE, which is symplectic on the constraint; rows of velocities alone are in the middle,
so that the step is symmetric in time [FerraroIglesiasMartinDeDiego2008]. (1) is solved for x and a by a quasi-Newton
iteration, with the rows at q for those at q' and the tangent of p_0 at the guess. [Andersen1983], [LeimkuhlerSkeel1994]
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from chasles.constrained import ConstrainedSystem
from chasles.dynamics.linear_solve import factored_from_tips
from chasles.errors import ModelError
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.graph.trace_loop import loop
from chasles.integrators.discrete.mechanics import DiscreteMechanics, FreeMechanics, kept
from chasles.system import when

MOST_ITERATIONS = 40
LARGEST_CHANGE = 1e-12  # of h x, relative: the next one is shorter by a factor of about the size of h x
NO_CHANGE = 1e-15  # of h x, over the largest coordinate: rounding of a constraint's value

_STEPS: WeakKeyDictionary[Any, Kernel] = WeakKeyDictionary()
_SETTLING: WeakKeyDictionary[Any, Kernel] = WeakKeyDictionary()


class DiscreteConstrained(DiscreteMechanics):
    """A system under constraints whose rows are independent."""

    def __init__(self, system: ConstrainedSystem, free: FreeMechanics) -> None:
        self.system, self.free = system, free
        if system.redundancy.varies:
            raise ModelError(
                f"a variational method takes constraints whose rows are independent, those of {system.name!r} are not "
                "everywhere: leave some out, or take another method"
            )
        if system._added is not None:
            raise ModelError(
                f"a variational method needs a mass matrix that is regular without the constraints, that of "
                f"{system.name!r} is not: take another method"
            )
        rows, chosen = system.rows, list(system.redundancy.kept)
        self._position = [k for k, row in enumerate(chosen) if row in rows.holonomic]
        self._velocity = [k for k, row in enumerate(chosen) if row not in rows.holonomic]
        self._chosen = chosen

    def momenta(self, t: Any, q: Any, v: Any) -> Any:
        return self.free.momenta(t, q, v)

    def velocities(self, t: Any, q: Any, p: Any) -> Any:
        return self.free.velocities(t, q, p)

    def kept_forces(self, t: Any, q: Any) -> Any:
        return self.free.kept_forces(t, q)

    def asked_forces(self, t: Any, q: Any, v: Any) -> Any:
        return self.free.asked_forces(t, q, v)

    def settled(self, t: Any, q: Any, p: Any) -> Any:
        inner = self.system.system

        def settle(q: Any, p: Any, t: Any = 0.0) -> Any:
            saddle = _Saddle(inner.mass_matrix(q, *when(inner, t)), self._rows(q))
            return p + saddle.A.T @ saddle.solve(p * 0.0, -(saddle.A @ self.free.velocities(t, q, p)))[1]  # (2)

        return kept(_SETTLING, self.system, settle, q=self.system.nq, p=self.system.n)(q, p, *when(inner, t))

    def free_step(self, t: Any, q: Any, p: Any, h: Any, x: Any, lag: Any) -> tuple[Any, Any, Any, Any]:
        n, nq = self.system.n, self.system.nq
        step = kept(_STEPS, self.system, self._free_step, q=nq, p=n, lag=n, h=())
        return tuple(step(q, p, lag, h, *when(self.system, t)))

    def _rows(self, q: Any) -> Any:
        """(k, n) those kept."""
        return self.system.rows.A(q)[self._chosen]

    def _off(self, q: Any, x: Any, h: Any) -> Any:
        """(k,) by how much (1) is off, as velocities."""
        off: list[Any] = [0.0] * len(self._chosen)
        if self._position:
            values = self.system.rows.h(self.system.integrate(q, x * h))
            for k in self._position:
                off[k] = values[self._chosen[k]] / h
        if self._velocity:
            rates = self._rows(self.system.integrate(q, x * (h / 2))) @ x
            for k in self._velocity:
                off[k] = rates[k]
        return np.stack(off)

    def _free_step(self, q: Any, p: Any, lag: Any, h: Any, t: Any = 0.0) -> Any:
        straight = self.free.velocities(t, q, p)
        guess = straight - lag / h
        saddle = _Saddle(self.free.tangent(t, q, guess, h), self._rows(q))
        rounding = NO_CHANGE * (1.0 + np.max(np.abs(q))) / np.abs(h)

        def newton(x: Any, a: Any) -> Any:
            left = self.free.step_momenta(t, q, x, h)[0] - p - saddle.A.T @ a
            change, push = saddle.solve(left, self._off(q, x, h))
            found = x - change
            limit = LARGEST_CHANGE * np.max(np.abs(found)) + rounding
            return (found, a - push), {"until": np.max(np.abs(change)) <= limit}

        begin = guess, np.zeros(len(self._chosen))
        (x, a), how = loop(newton, begin, count=MOST_ITERATIONS, rule="fixed_point")  # (1)
        start, end = self.free.step_momenta(t, q, x, h)
        left = p + saddle.A.T @ a - start
        p1 = where(how["until"] > 0.5, where(how["until"] < 1.5, end + left, np.nan), np.nan)
        return {"q1": self.system.integrate(q, x * h), "p1": p1, "x": x, "lag": (straight - x) * h}


class _Saddle:
    """Solutions of M x - A^T a = f, A x = g of traced arrays."""

    def __init__(self, M: Any, A: Any) -> None:
        self.A, self.mass = A, factored_from_tips([list(row) for row in M], symmetric=False)
        self.Y = [self.mass.solve(list(row)) for row in A]
        self.inner = factored_from_tips([[np.dot(row, np.stack(y)) for y in self.Y] for row in A], symmetric=False)

    def solve(self, f: Any, g: Any) -> tuple[Any, Any]:
        free = np.stack(self.mass.solve(list(f)))
        a = np.stack(self.inner.solve(list(g - self.A @ free)))
        return free + a @ np.stack([np.stack(y) for y in self.Y]), a
