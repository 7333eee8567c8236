"""Methods of `chasles.Robot`, by subject; kernels.py makes what is behind all of them."""

from chasles.methods.derivatives import DerivativeMethods
from chasles.methods.dynamics import DynamicsMethods
from chasles.methods.geodesics import GeodesicMethods
from chasles.methods.geometry import GeometryMethods
from chasles.methods.inverse_kinematics import InverseKinematicsMethods
from chasles.methods.kernels import KernelMethods
from chasles.methods.kinematics import KinematicsMethods
from chasles.methods.manipulability import ManipulabilityMethods
from chasles.methods.parameters import ParameterMethods
from chasles.methods.submersion import SubmersionMethods
from chasles.methods.task import TaskMethods

__all__ = [
    "DerivativeMethods",
    "DynamicsMethods",
    "GeodesicMethods",
    "GeometryMethods",
    "InverseKinematicsMethods",
    "KernelMethods",
    "KinematicsMethods",
    "ManipulabilityMethods",
    "ParameterMethods",
    "SubmersionMethods",
    "TaskMethods",
]
