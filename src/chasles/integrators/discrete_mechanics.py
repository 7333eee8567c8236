"""Discrete mechanics: what a variational integrator asks of a system.

A step of h seconds at velocities x, q' = integrate(q, h x), has a discrete Lagrangian L_d(q, q'), and momenta
p_0 = -D_1 L_d and p_1 = D_2 L_d at its ends. Robots have the kinetic energy alone in it
(dynamics/discrete_newton_euler.py), and half of gravity's impulse at either end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from chasles.integrators.equations import Equations
from chasles.robot import Robot


class DiscreteMechanics(ABC):
    """A system under the forces of `equations`."""

    def __init__(self, equations: Equations) -> None:
        self.system, self.forces = equations.system, equations.forces

    @abstractmethod
    def momenta(self, t: Any, q: Any, v: Any) -> Any:
        """(..., n) p of velocities v."""

    @abstractmethod
    def velocities(self, t: Any, q: Any, p: Any) -> Any:
        """(..., n) v of momenta p."""

    @abstractmethod
    def kept_forces(self, t: Any, q: Any) -> Any:
        """(..., n) those of the system that depend on nothing else, and are no part of L_d."""

    @abstractmethod
    def asked_forces(self, t: Any, q: Any, v: Any) -> Any:
        """(..., n) joint forces, and those of the system that depend on velocities."""

    @abstractmethod
    def free_step(self, t: Any, q: Any, p: Any, h: Any, lag: Any) -> tuple[Any, Any, Any, Any]:
        """q', p_1 and x of the step with p_0 = p, and h x less M^-1 h p, of which `lag` is a guess."""

    def settled(self, t: Any, q: Any, p: Any) -> Any:
        """(..., n) p at the end of a step."""
        return p


def discrete_mechanics(equations: Equations) -> DiscreteMechanics:
    """Of a robot, a Lagrangian system or one under constraints."""
    return DiscreteRobot(equations)


class DiscreteRobot(DiscreteMechanics):
    """A robot."""

    def momenta(self, t: Any, q: Any, v: Any) -> Any:
        return np.einsum("...ij,...j->...i", self.system.mass_matrix(q), v)

    def velocities(self, t: Any, q: Any, p: Any) -> Any:
        return self.system.kernel("impulse_response")(q, p)

    def kept_forces(self, t: Any, q: Any) -> Any:
        return -self.system.gravity_forces(q)

    def asked_forces(self, t: Any, q: Any, v: Any) -> Any:
        return self.forces(t, q, v) - self.system.kernel("friction_forces")(v)

    def free_step(self, t: Any, q: Any, p: Any, h: Any, lag: Any) -> tuple[Any, Any, Any, Any]:
        q1, p1, moved, lag = self.system.kernel("discrete_step")(q=q, p=p * h, v=lag)
        return q1, p1 / h, moved / h, lag
