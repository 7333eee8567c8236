"""Methods of `chasles.Robot`, by subject; kernels.py makes what is behind all of them."""

from chasles.robot.methods.construction import ConstructionMethods
from chasles.robot.methods.conversion import ConversionMethods
from chasles.robot.methods.coordinates import CoordinateMethods
from chasles.robot.methods.derivatives import DerivativeMethods
from chasles.robot.methods.dynamics import DynamicsMethods
from chasles.robot.methods.geodesics import GeodesicMethods
from chasles.robot.methods.geometry import GeometryMethods
from chasles.robot.methods.inverse_kinematics import InverseKinematicsMethods
from chasles.robot.methods.kernels import KernelMethods
from chasles.robot.methods.kinematics import KinematicsMethods
from chasles.robot.methods.manipulability import ManipulabilityMethods
from chasles.robot.methods.parameters import ParameterMethods
from chasles.robot.methods.submersion import SubmersionMethods
from chasles.robot.methods.task import TaskMethods
from chasles.robot.methods.variations import VariationMethods

__all__ = [
    "ConstructionMethods",
    "ConversionMethods",
    "CoordinateMethods",
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
    "VariationMethods",
]
