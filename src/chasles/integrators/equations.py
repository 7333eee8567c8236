"""Equations of motion as integrators see them, on numbers and on traced values alike.

In the canonical coordinates x of a step, q = integrate(q_k, x),

    dx/dt = v + [x, v] / 2 + [x, [x, v]] / 12,   dv/dt = forward_dynamics(q, v, tau(t, q, v))        (1)

brackets those of the joints' groups, zero for screws [Munthe-Kaas 1999]. The next term has four brackets: within a step
of h seconds, where [x, v] is of order h^2, it is of order h^5, so that methods up to order 5 keep theirs. Under
constraints a state is put back onto them after each step

    q <- integrate(q, -M^-1 A^T S^-1 h),   v <- v - M^-1 A^T S^-1 A v             (2)

the first until h is zero, and the second once: what of a step's error leads off the constraints is taken away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.constrained import ConstrainedSystem
from chasles.derivatives.canonical_coordinates import CanonicalRates
from chasles.graph.array import TracedArray, is_traced
from chasles.graph.trace_loop import loop
from chasles.integrators.acceleration import acceleration
from chasles.robot import Robot
from chasles.system import when

Forces = Callable[[Any, Any, Any], Any]
MOST_CORRECTIONS = 4  # of a state that has left the constraints by the error of a step
LARGEST_CORRECTION = 1e-12  # rad or m: a shorter one is not followed by another


def equations(system: Any, forces: Forces, project: bool = True) -> Equations:
    """The equations of a robot, a Lagrangian system or one under constraints, with joint forces of (t, q, v).

    project: put states back onto the constraints after every step.
    """
    if isinstance(system, ConstrainedSystem):
        return EquationsUnderConstraints(system, forces, project)
    return Equations(system, forces)


class Equations:
    """A system under joint forces of (t, q, v)."""

    def __init__(self, system: Any, forces: Forces) -> None:
        self.system, self.forces = system, forces
        inner = system.system if isinstance(system, ConstrainedSystem) else system
        self.canonical = CanonicalRates(inner) if isinstance(inner, Robot) else None

    def integrate(self, q: Any, x: Any) -> Any:
        """The configuration at x beyond q."""
        return self.system.integrate(q, x)

    def rate(self, x: Any, v: Any) -> Any:
        """dx/dt of (1)."""
        return v if self.canonical is None else self.canonical.rate(x, v)

    def velocity(self, x: Any, xd: Any) -> Any:
        """v at x where dx/dt is xd: the first terms of dexp_{-x}(xd), as many as methods of order 5 need."""
        if self.canonical is None or self.canonical.flat:
            return xd
        once = self.canonical.bracket(x, xd)
        twice = self.canonical.bracket(x, once)
        return xd - once / 2.0 + twice / 6.0 - self.canonical.bracket(x, twice) / 24.0

    def adjoint(self, x: Any) -> Any:
        """(n, n) ad(x), with ad(x) v = [x, v]."""
        unit = np.eye(self.system.n)
        if self.canonical is None or self.canonical.flat:
            return 0.0 * unit
        return np.stack([self.canonical.bracket(x, e) for e in unit], axis=-1)

    def acceleration(self, t: Any, q: Any, v: Any) -> Any:
        """dv/dt of (1)."""
        tau = self.forces(t, q, v)
        if isinstance(self.system, Robot) and is_traced(q) and not self.system.mechanism.impossible_links:
            return acceleration(self.system, q, v, tau)
        if is_traced(q) and not isinstance(self.system, Robot):
            return self.called(lambda q, v, tau, *t: self.system.forward_dynamics(q, v, tau, *t), t, q, v, tau)
        return self.system.forward_dynamics(q, v, tau, *when(self.system, t))

    def called(self, function: Callable[..., Any], t: Any, *given: Any) -> Any:
        """(n,) a function of (q, v, tau) and the time as a call, which is compiled once for all stages."""
        values: dict[str, Any] = dict(zip(("q", "v", "tau", "t"), (*given, *when(self.system, t)), strict=False))

        def once(found: Any, **values: Any) -> Any:
            return function(*values.values())

        return loop(once, np.zeros(self.system.n), given=values, count=1)

    def settled(self, t: Any, q: Any, v: Any) -> tuple[Any, Any]:
        """The state at the end of a step: (2)."""
        return q, v


class EquationsUnderConstraints(Equations):
    """A system under constraints."""

    def __init__(self, system: ConstrainedSystem, forces: Forces, project: bool) -> None:
        super().__init__(system, forces)
        self.project = project

    def acceleration(self, t: Any, q: Any, v: Any) -> Any:
        tau = self.forces(t, q, v)
        if is_traced(q):
            return self.called(lambda q, v, tau, *t: self.system.dynamics(q, v, tau, *t)[0], t, q, v, tau)
        return self.system.forward_dynamics(q, v, tau, t).qdd

    def settled(self, t: Any, q: Any, v: Any) -> tuple[Any, Any]:
        if not self.project:
            return q, v
        if not isinstance(q, TracedArray):
            return self.system.corrected(q, v, t)
        time = when(self.system, t)

        def back(q: Any) -> Any:
            step = self.system.correction(q, np.zeros(self.system.n), *time)[0]
            return self.integrate(q, step), {"until": np.max(np.abs(step)) < LARGEST_CORRECTION}

        if self.system.rows.holonomic:
            q, _ = loop(back, q, count=MOST_CORRECTIONS)
        return q, v + self.system.correction(q, v, *time)[1]  # (2)
