"""Robot dynamics as Lie-group geometry, compiled."""

import sys as _sys
import time as _time
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from chasles.errors import (
    ChaslesError,
    CompileError,
    FrameError,
    MassMatrixWarning,
    ModelError,
    ModelWarning,
    ProgramError,
    ShapeError,
    SimulationError,
    SimulationInterrupted,
    SingularMassMatrixError,
    TraceError,
)
from chasles.lie import SE3, SO3, SpatialInertia, Twist, Vec3, Wrench
from chasles.loading import load, load_text
from chasles.model.link import Link
from chasles.model.screws import cylindrical, prismatic, screw, universal
from chasles.robot import Robot
from chasles.threads import get_num_threads, set_num_threads

if _TYPE_CHECKING:
    from chasles import control, conventions, formulations, integrators, paths, plot, random, results
    from chasles.constrained import ConstrainedSystem, Constraint, Surface
    from chasles.function.compile import compile
    from chasles.function.kernel import Kernel
    from chasles.graph.array import where
    from chasles.graph.program import Equation, Loop, Program, Restart, Status
    from chasles.graph.trace_loop import loop
    from chasles.lagrangian import LagrangianSystem
    from chasles.recorded_motion import Event, Sampling, Trajectory
    from chasles.simulation import Rollout, rollout, simulate
    from chasles.symbol import symbols
    from chasles.system import System

__version__ = "0.1.0"
_imported = _time.time()  # code on disk is not named by sources that were written later (backend/host/records.py)

_WHEN_NEEDED = {
    "ConstrainedSystem": "chasles.constrained",
    "Constraint": "chasles.constrained",
    "Equation": "chasles.graph.trace_loop",
    "Event": "chasles.recorded_motion",
    "Kernel": "chasles.function.kernel",
    "LagrangianSystem": "chasles.lagrangian",
    "Loop": "chasles.graph.trace_loop",
    "Program": "chasles.graph.program",
    "Restart": "chasles.graph.trace_loop",
    "Rollout": "chasles.simulation",
    "Sampling": "chasles.recorded_motion",
    "Status": "chasles.graph.trace_loop",
    "Surface": "chasles.constrained",
    "System": "chasles.system",
    "Trajectory": "chasles.recorded_motion",
    "compile": "chasles.function.compile",
    "control": "chasles.control",
    "conventions": "chasles.conventions",
    "formulations": "chasles.formulations",
    "integrators": "chasles.integrators",
    "loop": "chasles.graph.trace_loop",
    "paths": "chasles.paths",
    "plot": "chasles.plot",
    "random": "chasles.random",
    "results": "chasles.results",
    "rollout": "chasles.simulation",
    "simulate": "chasles.simulation",
    "symbols": "chasles.symbol",
    "where": "chasles.graph.array",
}


def __getattr__(name: str) -> _Any:
    """Names that need the compiler, and modules, imported when first used."""
    if name not in _WHEN_NEEDED:
        if name.startswith("_"):
            raise AttributeError(f"module 'chasles' has no attribute {name!r}")
        from chasles import hints

        if name.islower() and (method := hints.method_of(name, dir(Robot))):
            raise AttributeError(f"module 'chasles' has no attribute {name!r}: it is a method, robot.{method}")
        raise hints.MissingAttributeError(name, _sys.modules[__name__], "module {!r}", hints.MODULE)
    from importlib import import_module

    module = import_module(_WHEN_NEEDED[name])
    value = globals()[name] = getattr(module, name, module)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "SE3",
    "SO3",
    "ChaslesError",
    "CompileError",
    "ConstrainedSystem",
    "Constraint",
    "Equation",
    "Event",
    "FrameError",
    "Kernel",
    "LagrangianSystem",
    "Link",
    "Loop",
    "MassMatrixWarning",
    "ModelError",
    "ModelWarning",
    "Program",
    "ProgramError",
    "Restart",
    "Robot",
    "Rollout",
    "Sampling",
    "ShapeError",
    "SimulationError",
    "SimulationInterrupted",
    "SingularMassMatrixError",
    "SpatialInertia",
    "Status",
    "Surface",
    "System",
    "TraceError",
    "Trajectory",
    "Twist",
    "Vec3",
    "Wrench",
    "compile",
    "control",
    "conventions",
    "cylindrical",
    "formulations",
    "get_num_threads",
    "integrators",
    "load",
    "load_text",
    "loop",
    "paths",
    "plot",
    "prismatic",
    "random",
    "results",
    "rollout",
    "screw",
    "set_num_threads",
    "simulate",
    "symbols",
    "universal",
    "where",
]
