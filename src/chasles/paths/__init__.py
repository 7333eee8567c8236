"""Paths on SE(3): poses as functions of time, with body twists and their derivatives."""

from chasles.paths.minimum import minimum_acceleration, minimum_jerk, through
from chasles.paths.path import Motion, Path
from chasles.paths.screw import geodesic, screw

__all__ = ["Motion", "Path", "geodesic", "minimum_acceleration", "minimum_jerk", "screw", "through"]
