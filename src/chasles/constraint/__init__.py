"""Constraints on a system: the library of ready-made ones, contact, projection, integrability."""

from chasles.constraint.constraint import Constraint

__all__ = ["Constraint"]
