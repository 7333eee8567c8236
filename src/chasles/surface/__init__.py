"""Surfaces: their forms and curvature, and where two of them come closest."""

from chasles.surface.surface import Surface

__all__ = ["Surface"]
