"""Equations of robots: M qdd + C qd + g = tau, and every function of the catalogue."""

from __future__ import annotations

from chasles.catalogue import Options, catalogue
from chasles.equations import layout
from chasles.equations.collected import Expressions, on_symbols
from chasles.equations.leaves import PARAMETERS, Leaves, inertia_symbol
from chasles.equations.of_system import SystemEquations
from chasles.equations.sources import RobotSource, elements
from chasles.formula.statement import Statement
from chasles.formula.tree import ZERO, Equation, Matrix, Product
from chasles.robot import Robot

MAIN = ("mass_matrix", "coriolis_matrix", "gravity_forces", "friction_forces")
MEMBERS = (*MAIN, "motion", "christoffel_symbols")
MEMBERS += ("kinetic_energy", "potential_energy", "forward_kinematics", "jacobian", "regressor")


class RobotEquations(SystemEquations):
    """Those of a robot. frame: of forward_kinematics, jacobian and the like; None: the tool."""

    def __init__(self, robot: Robot, leaves: Leaves, names: bool, options: Options) -> None:
        super().__init__(robot.name, RobotSource(robot, options), leaves, names)
        self.robot = robot
        has = {"friction_forces": robot.mechanism.has_friction}
        self.members = tuple(name for name in MEMBERS if has.get(name, True))
        self.main = tuple(name for name in MAIN if name in self.members)

    def known(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.members, *sorted(catalogue()))))

    def motion_expressions(self) -> Expressions:
        found = on_symbols(self.source.program(self.main))
        bias = found.pop("coriolis_matrix") @ elements("qd", self.n) + found.pop("gravity_forces")
        return {**found, "bias": bias}

    def _overview(self) -> Statement:
        made = self.simplified(self.main)
        found = self._equations(made)
        M, C = found[0].left, found[1].left
        qdd, qd, tau = layout.named("q", 2), layout.named("q", 1), layout.named("tau")
        forces = [x.left for x in found[2:] if any(y != ZERO for row in _rows(x) for y in row)]
        general = Equation(tau, layout.added(Product((M, qdd)), Product((C, qd)), *forces))
        kept = [x for x in found if x.left in (M, C, *forces)]
        return Statement(self.title, (general, *kept), made.where, self.legend())

    def _regressor(self) -> Statement:
        made = self.simplified(["regressor"])
        n, width = made.outputs[0].shape
        entries = made.results[0]
        used = [c for c in range(width) if any(entries[width * r + c] != ZERO for r in range(n))]
        Y, pi = layout.letter("regressor", 2), layout.named("pi")
        names = [inertia_symbol(PARAMETERS[c % 10], c // 10 + 1) for c in used]
        kept = Matrix(tuple(tuple(entries[width * r + c] for c in used) for r in range(n)))
        equations = (
            Equation(layout.named("tau"), Product((Y, pi))),
            Equation(Y, kept),
            Equation(pi, layout.column(names)),
        )
        left = width - len(used)
        about = f"{left} of {width} inertial parameters have no effect and are left out" if left else ""
        return Statement("regressor", equations, made.where, about)


def _rows(equation: Equation) -> tuple[tuple[object, ...], ...]:
    right = equation.right
    return right.rows if isinstance(right, Matrix) else ((right,),)
