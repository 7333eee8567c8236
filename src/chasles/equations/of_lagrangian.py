"""Equations of Lagrangian systems: d/dt dL/dqd - dL/dq = tau + Q - dF/dqd, row by row."""

from __future__ import annotations

from chasles.equations import layout
from chasles.equations.leaves import Leaves
from chasles.equations.of_system import SystemEquations
from chasles.equations.sources import LagrangianSource
from chasles.formula.statement import Statement
from chasles.lagrangian import INPUTS, LagrangianSystem

MEMBERS = ("lagrangian", "momenta", "mass_matrix", "coriolis_matrix", "christoffel_symbols", "driving_forces", "motion")
MEMBERS += ("kinetic_energy", "potential_energy")
MAIN = ("lagrangian", "motion")


class LagrangianEquations(SystemEquations):
    """Those of a Lagrangian system."""

    def __init__(self, system: LagrangianSystem, leaves: Leaves, names: bool) -> None:
        super().__init__(system.name, LagrangianSource(system), leaves, names)
        self.members = tuple(name for name in MEMBERS if name != "driving_forces" or system.is_driven)
        self.main = MAIN

    def known(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.members, *sorted(INPUTS))))

    def _overview(self) -> Statement:
        made = self.simplified(["lagrangian", "inverse_dynamics"])
        L = layout.equations("lagrangian", (), made.of("lagrangian"))
        return Statement(self.title, (*L, *self._rows(made)), made.where, self.legend())
