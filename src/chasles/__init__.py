"""Robot dynamics as Lie-group geometry, compiled."""

from typing import TYPE_CHECKING, Any

from chasles.errors import (
    ChaslesError,
    CompileError,
    FrameError,
    ModelError,
    ModelWarning,
    ShapeError,
    SingularMassMatrixError,
    TraceError,
)
from chasles.lie import SE3, SO3, SpatialInertia, Twist, Vec3, Wrench
from chasles.loading import load, load_text
from chasles.model.link import Link
from chasles.model.screws import cylindrical, prismatic, screw, universal
from chasles.robot import Robot
from chasles.threads import get_num_threads, set_num_threads

if TYPE_CHECKING:
    from chasles import conventions
    from chasles.backend.kernel import Kernel
    from chasles.constrained import ConstrainedSystem, Constraint
    from chasles.function import compile
    from chasles.graph.array import where
    from chasles.lagrangian import LagrangianSystem
    from chasles.simulate import simulate

__version__ = "0.1.0"

_WHEN_NEEDED = {
    "ConstrainedSystem": "chasles.constrained",
    "Constraint": "chasles.constrained",
    "Kernel": "chasles.backend.kernel",
    "LagrangianSystem": "chasles.lagrangian",
    "compile": "chasles.function",
    "conventions": "chasles.conventions",
    "simulate": "chasles.simulate",
    "where": "chasles.graph.array",
}


def __getattr__(name: str) -> Any:
    """The compiler's names and the module of conventions, imported when first used."""
    if name not in _WHEN_NEEDED:
        raise AttributeError(f"module 'chasles' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(_WHEN_NEEDED[name])
    value = globals()[name] = getattr(module, name, module)
    return value


__all__ = [
    "SE3",
    "SO3",
    "ChaslesError",
    "CompileError",
    "ConstrainedSystem",
    "Constraint",
    "FrameError",
    "Kernel",
    "LagrangianSystem",
    "Link",
    "ModelError",
    "ModelWarning",
    "Robot",
    "ShapeError",
    "SingularMassMatrixError",
    "SpatialInertia",
    "TraceError",
    "Twist",
    "Vec3",
    "Wrench",
    "compile",
    "conventions",
    "cylindrical",
    "get_num_threads",
    "load",
    "load_text",
    "prismatic",
    "screw",
    "set_num_threads",
    "simulate",
    "universal",
    "where",
]
