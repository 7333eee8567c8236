"""Constraints on a system, and the system under them."""

from chasles.constrained.constraint import Constraint
from chasles.constrained.surface import Surface
from chasles.constrained.system import ConstrainedSystem

__all__ = ["ConstrainedSystem", "Constraint", "Surface"]
