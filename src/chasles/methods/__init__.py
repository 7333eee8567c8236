"""Methods of `chasles.Robot`, by subject; robot.py holds the rest and makes the kernels behind all of them."""

from chasles.methods.derivatives import DerivativeMethods
from chasles.methods.geodesics import GeodesicMethods
from chasles.methods.geometry import GeometryMethods
from chasles.methods.parameters import ParameterMethods

__all__ = ["DerivativeMethods", "GeodesicMethods", "GeometryMethods", "ParameterMethods"]
