"""Constraints on a system, and the system under them."""

from chasles.constrained.system import ConstrainedSystem
from chasles.constraint.constraint import Constraint
from chasles.surface.surface import Surface

__all__ = ["ConstrainedSystem", "Constraint", "Surface"]
