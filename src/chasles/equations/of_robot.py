"""Equations of robots: M qdd + C qd + g = tau, and every function of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence

from chasles.catalogue import Options, catalogue
from chasles.equations import layout
from chasles.equations.collected import Expressions, on_symbols
from chasles.equations.leaves import PARAMETERS, Leaves, inertia_symbol
from chasles.equations.of_system import SystemEquations
from chasles.equations.sources import RobotSource, decisions, elements, of_unit_quaternions
from chasles.errors import ModelError
from chasles.formula.statement import Statement
from chasles.formula.statements import Statements
from chasles.formula.tree import ZERO, Equation, Matrix, Product, Symbol, Transpose
from chasles.model.mechanism import TENSOR_LIMIT
from chasles.robot import Robot

MAIN = ("mass_matrix", "coriolis_matrix", "gravity_forces", "friction_forces")
MEMBERS = (*MAIN, "motion", "christoffel_symbols")
MEMBERS += ("kinetic_energy", "potential_energy", "forward_kinematics", "jacobian", "regressor")


MOST_IN_A_ROW = 10  # inertial parameters


class RobotEquations(SystemEquations):
    """Those of a robot. frame: of forward_kinematics, jacobian and the like; None: the tool."""

    kind = "robot"

    def __init__(self, robot: Robot, leaves: Leaves, names: bool, options: Options) -> None:
        super().__init__(robot.name, RobotSource(robot, options), leaves, names)
        self.robot = robot
        has = {"friction_forces": robot.mechanism.has_friction}
        self.members = tuple(name for name in MEMBERS if has.get(name, True))
        self.main = tuple(name for name in MAIN if name in self.members)

    def known(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.members, *sorted(catalogue()))))

    def _motion_expressions(self) -> Expressions:
        found = on_symbols(self.source.program(self.main))
        bias = found.pop("coriolis_matrix") @ elements("qd", self.n) + found.pop("gravity_forces")
        return {**found, "bias": bias}

    def _plain(self, name: str) -> Statement:
        self._refuse_cases(name)
        return super()._plain(name)

    def _refuse_cases(self, name: str) -> None:
        """Raise ModelError where a function decides by its numbers, as those that test a rank do."""
        cases = decisions(of_unit_quaternions(self.source.program([name])))
        if cases > 2 * self.n * self.robot.mechanism.has_friction:
            raise ModelError(
                f"{name} of {self.title!r} decides {cases} times by its numbers, as by ranks, and is no formula that "
                f"people read: ask for numbers, robot.{name}(...)"
            )

    def _outline(self) -> Statement:
        """What there is to ask for, of a robot whose equations nobody reads as a whole."""
        terms = [Product((layout.letter(name, 2), rate)) for name, rate in zip(MAIN, self._rates, strict=False)]
        forces = [layout.letter(name, 1) for name in self.main[2:]]
        general = Equation(layout.named("tau"), layout.added(*terms, *forces))
        asked = ", ".join(f"eq.{name}" for name in self.main)
        about = f"M and C have {self.n} x {self.n} entries: {asked}, or the recursion over the links, eq.recursion()"
        return Statement(self.title, (general,), (), about)

    @property
    def _rates(self) -> tuple[Symbol, Symbol]:
        """What M and C are multiplied with."""
        letters = {x.letter for x in self.leaves.q}
        own = letters.pop() if len(letters) == 1 else "q"
        letter, dots = (own, 1) if all(x.dots for x in self.leaves.qd) else ("v", 0)
        return layout.named(letter, dots + 1), layout.named(letter, dots)

    def recursion(
        self, name: str = "inverse_dynamics", *, inputs: str | Sequence[str] = (), links: Sequence[str] | None = None
    ) -> Statements:
        from chasles.equations.recursion import recursion

        return recursion(self.robot, name, inputs=inputs, links=links)

    def _overview(self) -> Statement:
        if self.n > TENSOR_LIMIT:
            return self._outline()
        forces = [name for name in self.main if name.endswith("_forces")]
        M = on_symbols(self.source.program(["mass_matrix"]))
        made = self._formulas(M | self._coriolis_terms() | on_symbols(self.source.program(forces)))
        found = [
            (layout.equations("mass_matrix", (self.n, self.n), made.of("mass_matrix")), self._rates[0]),
            (self._coriolis_row(made), self._rates[1]),
            *((layout.equations(name, (self.n,), made.of(name)), None) for name in forces),
        ]
        terms = [(x, x.left if y is None else Product((x.left, y))) for (x,), y in found if not layout.is_zero(x.right)]
        general = Equation(layout.named("tau"), layout.added(*(term for _, term in terms)))
        return Statement(self.title, (general, *(layout.lying(x) for x, _ in terms)), made.where, self._legend())

    def _regressor(self) -> Statement:
        made = self._formulas(["regressor"])
        n, width = made.outputs[0].shape
        entries = made.results[0]
        used = [c for c in range(width) if any(entries[width * r + c] != ZERO for r in range(n))]
        Y, pi = layout.letter("regressor", 2), layout.named("pi")
        names = [inertia_symbol(PARAMETERS[c % 10], c // 10 + 1) for c in used]
        kept = Matrix(tuple(tuple(entries[width * r + c] for c in used) for r in range(n)))
        equations = (
            Equation(layout.named("tau"), Product((Y, pi))),
            Equation(Y, kept),
            Equation(pi, Transpose(Matrix((tuple(names),))) if len(names) <= MOST_IN_A_ROW else layout.column(names)),
        )
        left = width - len(used)
        about = f"{left} of {width} inertial parameters have no effect and are left out" if left else ""
        return Statement("regressor", equations, made.where, about)
