"""Types of results: the classes that methods return and that nobody makes by hand, for annotations and isinstance.

    def report(found: chasles.results.Flatness) -> str: ...

Each is what the public methods are annotated to return, under one name in one place.
"""

from chasles.constrained.gauge import Gauge, GaugeEquations, GaugeFrame, GaugeMotion
from chasles.constrained.independent_rows import IndependentRows
from chasles.constrained.reduced import Reduced, Tangent
from chasles.constrained.system import ConstrainedMotion, Projections
from chasles.constraint.frobenius import Integrability
from chasles.control.gauge import Gains
from chasles.derivatives.linearize import Linearization
from chasles.formula.collection import Equations
from chasles.formula.statement import Statement
from chasles.formula.statements import Statements
from chasles.formulations.closed_form import Factorization, Factors
from chasles.graph.operand import Operand
from chasles.graph.program import Operations
from chasles.identify.base_parameters import BaseParameters
from chasles.ik.problem import Solutions
from chasles.integrators.method import Method
from chasles.io.pinocchio_twin import PinocchioTwin
from chasles.lie.vec3 import Mat3, Sym3
from chasles.live_view import LiveView
from chasles.recorded_motion import Occurrence, Trajectory
from chasles.riemann.balance import Balance, Counterweight
from chasles.riemann.flatness import Flatness, Isometry, Linear
from chasles.riemann.geodesics.energy import PathEnergy
from chasles.riemann.geodesics.flow import Geodesic
from chasles.robot.methods.derivatives import (
    ForwardDynamicsDerivatives,
    ForwardDynamicsSecondDerivatives,
    InverseDynamicsDerivatives,
    InverseDynamicsSecondDerivatives,
    ModelDerivatives,
)
from chasles.task.agreement import Agreement
from chasles.task.base_curvature import BaseCurvature
from chasles.task.holonomy import Holonomy, LiftedPath
from chasles.task.repeatability import Repeatability
from chasles.web_page import Page

__all__ = [
    "Agreement",
    "Balance",
    "BaseCurvature",
    "BaseParameters",
    "ConstrainedMotion",
    "Counterweight",
    "Equations",
    "Factorization",
    "Factors",
    "Flatness",
    "ForwardDynamicsDerivatives",
    "ForwardDynamicsSecondDerivatives",
    "Gains",
    "Gauge",
    "GaugeEquations",
    "GaugeFrame",
    "GaugeMotion",
    "Geodesic",
    "Holonomy",
    "IndependentRows",
    "Integrability",
    "InverseDynamicsDerivatives",
    "InverseDynamicsSecondDerivatives",
    "Isometry",
    "LiftedPath",
    "Linear",
    "Linearization",
    "LiveView",
    "Mat3",
    "Method",
    "ModelDerivatives",
    "Occurrence",
    "Operand",
    "Operations",
    "Page",
    "PathEnergy",
    "PinocchioTwin",
    "Projections",
    "Reduced",
    "Repeatability",
    "Solutions",
    "Statement",
    "Statements",
    "Sym3",
    "Tangent",
    "Trajectory",
]
