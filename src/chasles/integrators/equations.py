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
from chasles.constrained.singular_configurations import SMALLEST_PIVOT
from chasles.constraint.projection import ROUNDING
from chasles.derivatives.canonical_coordinates import CanonicalRates
from chasles.errors import ModelError
from chasles.graph.array import TracedArray, is_traced, where
from chasles.graph.trace_loop import loop
from chasles.integrators.acceleration import acceleration
from chasles.robot import Robot
from chasles.system import System, when

Forces = Callable[[Any, Any, Any], Any]
MOST_CORRECTIONS = 3  # of a state that has left the constraints by the error of a step
LARGEST_CORRECTION = 1e-12  # rad or m: a shorter one is not made


def equations(system: Any, forces: Forces, project: bool = True, differentiable: bool = False) -> Equations:
    """The equations of a robot, a Lagrangian system or one under constraints, with joint forces of (t, q, v).

    project: put states back onto the constraints after every step. differentiable: also those that are on them but for
    rounding, so that no derivative leads off the constraints.
    """
    refuse_motionless(system)
    if isinstance(system, ConstrainedSystem):
        return EquationsUnderConstraints(system, forces, project, differentiable)
    return Equations(system, forces)


def refuse_motionless(system: Any) -> None:
    """Raise ModelError where something is no system, or has no velocities."""
    if not isinstance(system, (System, ConstrainedSystem)):
        raise ModelError(f"system must be a Robot, LagrangianSystem or ConstrainedSystem, got {type(system).__name__}")
    if not system.n:
        raise ModelError(f"{system.name!r} has no joints: nothing moves")


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
    """A system under constraints.

    Traced, they are nan where they are solved otherwise than usual: where the rank of the constraints falls, and where
    a state is not put back onto them in a few corrections.
    """

    def __init__(self, system: ConstrainedSystem, forces: Forces, project: bool, differentiable: bool) -> None:
        super().__init__(system, forces)
        self.project, self.differentiable = project, differentiable

    @np.errstate(all="ignore")
    def acceleration(self, t: Any, q: Any, v: Any) -> Any:
        tau = self.forces(t, q, v)
        if not is_traced(q):
            return self.system.forward_dynamics(q, v, tau, t).qdd

        def usual(q: Any, v: Any, tau: Any, *t: Any) -> Any:
            qdd, _, pivot = self.system.dynamics(q, v, tau, *t)
            return where(pivot > SMALLEST_PIVOT, qdd, np.nan)

        return self.called(usual, t, q, v, tau)

    @np.errstate(all="ignore")
    def settled(self, t: Any, q: Any, v: Any) -> tuple[Any, Any]:
        if not self.project:
            return q, v
        if not isinstance(q, TracedArray):
            return self.system.corrected(q, v, t)
        time = when(self.system, t)
        if not self.system.rows.holonomic:
            _, change, pivot = self.system.correction(q, v, *time)
            return q, v + where(pivot > SMALLEST_PIVOT, change, np.nan)

        def back(q: Any, _: Any) -> Any:
            step, change, pivot = self.system.correction(q, v, *time)
            largest = LARGEST_CORRECTION + ROUNDING * np.maximum(1.0, np.max(np.abs(q)))
            near = np.max(np.abs(step)) <= largest
            moved = self.integrate(q, step)
            there = moved if self.differentiable else where(near, q, moved)
            return (there, where(pivot > SMALLEST_PIVOT, change, np.nan)), {"until": near}

        (q, change), ended = loop(back, (q, np.zeros(self.system.n)), count=MOST_CORRECTIONS)
        return q, v + where(ended["until"] > 0.0, change, np.nan)  # (2)
