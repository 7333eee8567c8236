"""Discrete mechanics: what a variational integrator asks of a robot, a Lagrangian system, or one under constraints."""

from __future__ import annotations

from typing import Any

from chasles.constrained import ConstrainedSystem
from chasles.errors import ModelError
from chasles.integrators.discrete.constrained import DiscreteConstrained
from chasles.integrators.discrete.lagrangian import DiscreteLagrangian
from chasles.integrators.discrete.mechanics import DiscreteMechanics
from chasles.integrators.discrete.robot import DiscreteRobot
from chasles.integrators.equations import Equations
from chasles.lagrangian import LagrangianSystem
from chasles.robot import Robot

__all__ = ["DiscreteMechanics", "discrete_mechanics"]


def discrete_mechanics(equations: Equations) -> DiscreteMechanics:
    """Of the system of `equations`, under their forces."""
    system = equations.system
    if isinstance(system, ConstrainedSystem):
        return DiscreteConstrained(system, _free(system.system, equations.forces))
    return _free(system, equations.forces)


def _free(system: Any, forces: Any) -> DiscreteRobot | DiscreteLagrangian:
    if isinstance(system, Robot):
        return DiscreteRobot(system, forces)
    if isinstance(system, LagrangianSystem):
        return DiscreteLagrangian(system, forces)
    raise ModelError(
        f"a variational method needs a Robot or a LagrangianSystem, got {type(system).__name__}: take another method"
    )
