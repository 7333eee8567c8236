"""Methods of `chasles.Robot`, by subject; robot.py holds the rest and makes the kernels behind all of them."""

from chasles.methods.derivatives import DerivativeMethods
from chasles.methods.geodesics import GeodesicMethods
from chasles.methods.geometry import GeometryMethods
from chasles.methods.inverse_kinematics import InverseKinematicsMethods
from chasles.methods.manipulability import ManipulabilityMethods
from chasles.methods.parameters import ParameterMethods
from chasles.methods.submersion import SubmersionMethods
from chasles.methods.task import TaskMethods

__all__ = [
    "DerivativeMethods",
    "GeodesicMethods",
    "GeometryMethods",
    "InverseKinematicsMethods",
    "ManipulabilityMethods",
    "ParameterMethods",
    "SubmersionMethods",
    "TaskMethods",
]
