"""Equations of Lagrangian systems: d/dt dL/dqd - dL/dq = tau + Q - dF/dqd, row by row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chasles.equations.collected import Expressions, on_symbols, powers
from chasles.equations.leaves import Leaves
from chasles.equations.of_system import MOST_COLLECTED, SystemEquations
from chasles.equations.sources import LagrangianSource, elements
from chasles.formula.statement import Statement
from chasles.formula.words import Words, words
from chasles.lagrangian import INPUTS, LagrangianSystem
from chasles.model.leaves import is_zero

MEMBERS = ("lagrangian", "momenta", "mass_matrix", "coriolis_matrix", "christoffel_symbols", "driving_forces", "motion")
MEMBERS += ("kinetic_energy", "potential_energy")


class LagrangianEquations(SystemEquations):
    """Those of a Lagrangian system."""

    main = ("lagrangian", "motion")

    def __init__(self, system: LagrangianSystem, leaves: Leaves, names: bool) -> None:
        super().__init__(system.name, LagrangianSource(system), leaves, names)
        self.driven, self.depends_on_time = system.is_driven, system.depends_on_time
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

    def _kinetic_energy(self) -> Statement:
        return replace(super()._kinetic_energy(), about=self._parts())

    def _potential_energy(self) -> Statement:
        return replace(self._plain("potential_energy"), about=self._parts())

    def _parts(self) -> Words:
        """What K and U are of a Lagrangian that is not their difference for all times."""
        L = on_symbols(self.source.program(["lagrangian"]))["lagrangian"]
        linear = powers(L.reshape(1), self.n).linear
        gyroscopic = any(not is_zero(x) for x in np.ravel(linear))
        if not gyroscopic and not self.depends_on_time:
            return ()
        return words("`K`: the part of `L` that is quadratic in the velocities; `U`: -`L` at rest")

    def _lagrangian(self) -> Statement:
        return self._energy("lagrangian")

    def _overview(self) -> Statement:
        made = self._formulas(self._energy_terms("lagrangian") | self._motion_terms())
        equations = *self._energy_row("lagrangian", made), *self._motion_rows(made)
        return Statement(self.title, equations, made.where, self._legend())
