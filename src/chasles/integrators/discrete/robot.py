"""Discrete mechanics of a robot: L_d has the kinetic energy (dynamics/discrete_newton_euler.py), gravity is a force."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.integrators.discrete.mechanics import FreeMechanics


class DiscreteRobot(FreeMechanics):
    """A robot."""

    def momenta(self, t: Any, q: Any, v: Any) -> Any:
        return np.einsum("...ij,...j->...i", self.system.mass_matrix(q), v)

    def velocities(self, t: Any, q: Any, p: Any) -> Any:
        return self.system.kernel("impulse_response")(q, p)

    def kept_forces(self, t: Any, q: Any) -> Any:
        return -self.system.gravity_forces(q)

    def asked_forces(self, t: Any, q: Any, v: Any) -> Any:
        return self.forces(t, q, v) - self.system.kernel("friction_forces")(v)

    def free_step(self, t: Any, q: Any, p: Any, h: Any, x: Any, lag: Any) -> tuple[Any, Any, Any, Any]:
        q1, gained, moved, lag = self.system.kernel("discrete_step")(q, x * h, lag, p * h)
        return q1, p + gained / h, moved / h, lag

    def step_momenta(self, t: Any, q: Any, x: Any, h: Any) -> tuple[Any, Any]:
        start, end = self.system.kernel("discrete_momenta")(q, x * h)
        return start / h, end / h

    def tangent(self, t: Any, q: Any, x: Any, h: Any) -> Any:
        return self.system.mass_matrix(q)
