"""Equations of motion as integrators see them, on numbers and on traced values alike.

In the canonical coordinates x of a step, q = integrate(q_k, x),

    dx/dt = v + [x, v] / 2 + [x, [x, v]] / 12,   dv/dt = forward_dynamics(q, v, tau(t, q, v))        (1)

brackets those of the joints' groups, zero for screws [Munthe-Kaas 1999]. The next term of dx/dt is of fourth order in
x, so that methods up to order 5 keep their order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.derivatives.canonical_coordinates import CanonicalRates
from chasles.robot import Robot
from chasles.system import when

Forces = Callable[[Any, Any, Any], Any]


class Equations:
    """A system under joint forces of (t, q, v)."""

    def __init__(self, system: Any, forces: Forces) -> None:
        self.system, self.forces = system, forces
        self.canonical = CanonicalRates(system) if isinstance(system, Robot) else None

    def integrate(self, q: Any, x: Any) -> Any:
        """The configuration at x beyond q."""
        return self.system.integrate(q, x)

    def rate(self, x: Any, v: Any) -> Any:
        """dx/dt of (1)."""
        return v if self.canonical is None else self.canonical.rate(x, v)

    def acceleration(self, t: Any, q: Any, v: Any) -> Any:
        """dv/dt of (1)."""
        return self.system.forward_dynamics(q, v, self.forces(t, q, v), *when(self.system, t))

    def smooth_forces(self, t: Any, q: Any, v: Any) -> Any:
        """Joint forces without those of inertia: tau - gravity - friction."""
        return self.forces(t, q, v) - self.system.gravity_forces(q)

    def momenta(self, q: Any, v: Any) -> Any:
        """(..., n) M v."""
        M = self.system.mass_matrix(q)
        return M @ v if M.ndim == 2 else np.einsum("...ij,...j->...i", M, v)

    def impulse_response(self, q: Any, p: Any) -> Any:
        """(..., n) M^-1 p."""
        return self.system.kernel("impulse_response")(q, p)

    def discrete_momenta(self, q: Any, v: Any) -> Any:
        """p_0 and p_1 of a unit step (dynamics/discrete_newton_euler.py)."""
        return self.system.kernel("discrete_momenta")(q, v)
