"""Equations of Lagrangian systems: d/dt dL/dqd - dL/dq = tau + Q - dF/dqd, row by row."""

from __future__ import annotations

from chasles.equations.collected import Expressions, on_symbols
from chasles.equations.leaves import Leaves
from chasles.equations.of_system import MOST_COLLECTED, SystemEquations
from chasles.equations.sources import LagrangianSource, elements
from chasles.formula.statement import Statement
from chasles.lagrangian import INPUTS, LagrangianSystem

MEMBERS = ("lagrangian", "momenta", "mass_matrix", "coriolis_matrix", "christoffel_symbols", "driving_forces", "motion")
MEMBERS += ("kinetic_energy", "potential_energy")


class LagrangianEquations(SystemEquations):
    """Those of a Lagrangian system."""

    main = ("lagrangian", "motion")

    def __init__(self, system: LagrangianSystem, leaves: Leaves, names: bool) -> None:
        super().__init__(system.name, LagrangianSource(system), leaves, names)
        self.driven = system.is_driven
        self.members = tuple(name for name in MEMBERS if name != "driving_forces" or self.driven)

    def known(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.members, *sorted(INPUTS))))

    def _motion_expressions(self) -> Expressions:
        driving = ["driving_forces"] if self.driven else []
        found = on_symbols(self.source.program(["mass_matrix", "unforced_bias", *driving]))
        return {"mass_matrix": found.pop("mass_matrix"), "bias": found.pop("unforced_bias"), **found}

    def _motion_terms(self) -> Expressions:
        if self.n <= MOST_COLLECTED:
            return super()._motion_terms()
        given = self._motion_expressions()
        return {"inverse_dynamics": given.pop("mass_matrix") @ elements("qdd", self.n) + given.pop("bias"), **given}

    def _lagrangian(self) -> Statement:
        return self._energy("lagrangian")

    def _overview(self) -> Statement:
        made = self._formulas(self._energy_terms("lagrangian") | self._motion_terms())
        equations = *self._energy_row("lagrangian", made), *self._motion_rows(made)
        return Statement(self.title, equations, made.where, self._legend())
