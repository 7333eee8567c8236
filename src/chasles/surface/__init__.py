"""Surfaces: their forms and curvature, closest points, and the kinematics of contact [Montana 1988]."""

from chasles.surface.surface import Surface

__all__ = ["Surface"]
