"""Equations of systems under constraints, the multipliers on the right.

M qdd + bias = tau + A^T lambda,   A qd = 0                                   (1)  [CON-1]
lambda = (A M^-1 A^T)^-1 (A M^-1 (bias - tau) - (dA/dt) qd)                   (2)  [CON-2]

A M^-1 A^T is taken where the constraints hold (on_constraint.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.constrained import ConstrainedSystem
from chasles.dynamics.linear_solve import factored, solve_factored
from chasles.dynamics.matrices import dot
from chasles.equations import layout
from chasles.equations.collected import MINUS, Expressions, on_symbols, total
from chasles.equations.of_system import Simplified, SystemEquations
from chasles.equations.on_constraint import on_constraint
from chasles.equations.sources import Source, elements, of_expressions
from chasles.errors import ModelError
from chasles.formula.statement import Statement
from chasles.formula.statements import Statements
from chasles.formula.tree import ZERO, Equation, Formula, Inverse, Product, Sum, Symbol, Transpose
from chasles.formula.words import Words, listed
from chasles.graph.operand import Operand
from chasles.graph.program import Program

MEMBERS = ("constraints", "constraint_matrix", "motion", "constraint_forces")


class ConstrainedSource:
    """The functions of the system, and those of its constraints."""

    def __init__(self, constrained: ConstrainedSystem, inner: Source) -> None:
        self.constrained, self.inner = constrained, inner

    def program(self, names: Sequence[str]) -> Program:
        own = [name for name in names if hasattr(self, f"_{name}")]
        if not own:
            return self.inner.program(names)
        computed = {name: getattr(self, f"_{name}")() for name in own}
        others = [name for name in names if name not in own]
        computed |= on_symbols(self.inner.program(others)) if others else {}
        return of_expressions({name: computed[name] for name in names})

    @property
    def _q(self) -> Any:
        return elements("q", self.constrained.nq)

    @property
    def _qd(self) -> Any:
        return elements("qd", self.constrained.n)

    def _kept(self, rows: Any) -> Any:
        return rows[list(self.constrained.redundancy.kept)]

    def _constraint_matrix(self) -> Any:
        return self._kept(self.constrained.rows.A(self._q))

    def _constraint_values(self) -> Any:
        return self._kept(self.constrained.rows.h(self._q))

    def _constraint_drift(self) -> Any:
        return self._kept(self.constrained.rows.drift(self._q, self._qd))

    def _constraint_forces(self) -> Any:
        system = on_symbols(self.inner.program(["mass_matrix", "bias_forces"]))
        M, A = [list(row) for row in system["mass_matrix"]], [list(row) for row in self._constraint_matrix()]
        mass = factored(M)
        Y = [solve_factored(mass, row) for row in A]
        pushed = [x - y for x, y in zip(system["bias_forces"], elements("tau", len(M)), strict=True)]
        right = [dot(y, pushed) - d for y, d in zip(Y, self._constraint_drift(), strict=True)]
        held, kept = set(self.constrained.rows.holonomic), self.constrained.redundancy.kept
        values = [x for k, x in zip(kept, self._constraint_values(), strict=True) if k in held]
        entries = iter(on_constraint([dot(a, y) for a in A for y in Y], values, self.constrained.nq))
        S = factored([[next(entries) for _ in A] for _ in A])
        return np.array(solve_factored(S, right), dtype=object)  # (2)


class ConstrainedEquations(SystemEquations):
    """Those of a system under constraints; those of the system alone by their names too."""

    def __init__(self, constrained: ConstrainedSystem, free: SystemEquations) -> None:
        super().__init__(
            free.title, ConstrainedSource(constrained, free.source), free.leaves, free.names.names_coefficients
        )
        self.names = free.names
        self.constrained, self.free, self.kind = constrained, free, free.kind
        self.main = ("motion", "constraints")
        self.members = (*MEMBERS, *(name for name in free.members if name not in MEMBERS))

    def known(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.members, *self.free.known())))

    def _plain(self, name: str) -> Statement:
        return self.free[name] if name not in MEMBERS else super()._plain(name)

    def _christoffel_symbols(self) -> Statement:
        return self.free.christoffel_symbols

    def recursion(
        self, name: str = "inverse_dynamics", *, inputs: str | Sequence[str] = (), links: Sequence[str] | None = None
    ) -> Statements:
        return self.free.recursion(name, inputs=inputs, links=links)

    def _regressor(self) -> Statement:
        return self.free.regressor

    def _lagrangian(self) -> Statement:
        return self.free.lagrangian

    def _coriolis_matrix(self) -> Statement:
        return self.free.coriolis_matrix

    def _kinetic_energy(self) -> Statement:
        return self.free.kinetic_energy

    def _motion_expressions(self) -> Expressions:
        return self.free._motion_expressions()

    def _motion_terms(self) -> Expressions:
        return super()._motion_terms() | on_symbols(self.source.program(["constraint_matrix"]))

    def _acting(self, made: Simplified) -> list[Sequence[Formula]]:
        rows = [made.row("constraint_matrix", k) for k in range(len(self._multipliers))]
        reactions = [
            total([(row[i], (x,)) for row, x in zip(rows, self._multipliers, strict=True)]) for i in range(self.n)
        ]
        return [*super()._acting(made), reactions]  # (1)

    @property
    def _multipliers(self) -> list[Symbol]:
        return self.leaves.of(Operand("multipliers", (len(self.constrained.redundancy.kept),)))

    def _constraints(self) -> Statement:
        made = self._formulas(["constraint_values", "constraint_matrix"])
        return Statement("constraints", self._constraint_rows(made), made.where, self._row_names())

    def _constraint_rows(self, made: Simplified) -> tuple[Equation, ...]:
        held, kept = set(self.constrained.rows.holonomic), self.constrained.redundancy.kept
        values = [x for k, x in zip(kept, made.of("constraint_values"), strict=True) if k in held]
        rates = [
            total([(a, (v,)) for a, v in zip(made.row("constraint_matrix", k), self.leaves.qd, strict=True)])
            for k in range(len(kept))
        ]
        return tuple(Equation(ZERO, x) for x in (*values, *rates))

    def _row_names(self) -> Words:
        return listed((x, f": {name}") for x, name in zip(self._multipliers, self.constrained.row_names, strict=True))

    def _constraint_forces(self) -> Statement:
        redundancy = self.constrained.redundancy
        if redundancy.varies:
            raise ModelError(
                f"the multipliers of {self.title!r} are not unique, its constraints say the same at some "
                "configurations: eq.motion has them as unknowns, and forward_dynamics gives the least"
            )
        if not self._is_short(["constraint_forces"]):
            return self._in_matrices()
        made = self._formulas(["constraint_forces"])
        return Statement(
            "constraint forces", layout.rows(self._multipliers, made.results[0]), made.where, self._row_names()
        )

    def _in_matrices(self) -> Statement:
        """(2) as it stands, and the matrices in it."""
        names = ("constraint_matrix", "mass_matrix", "bias_forces", "constraint_drift")
        made = self._formulas(names)
        equations = [x for name in names[:3] for x in layout.equations(name, self._shape(made, name), made.of(name))]
        A, M, b = (x.left for x in equations)
        drift = Product((Symbol("Ad", "A", dots=1, bold=True), layout.named("q", 1)))
        pushed = Sum((b, Product((MINUS, layout.named("tau")))))
        free = Sum((Product((A, Inverse(M), pushed)), Product((MINUS, *drift.factors))))
        solved = Product((Inverse(Product((A, Inverse(M), Transpose(A)))), free))
        column = layout.column(made.of("constraint_drift"))
        every = Equation(layout.named("lambda"), solved), *equations, Equation(drift, column)
        return Statement("constraint forces", every, made.where, self._row_names())

    def _shape(self, made: Simplified, name: str) -> tuple[int, ...]:
        return next(x.shape for x in made.outputs if x.name == name)

    def _overview(self) -> Statement:
        held = on_symbols(self.source.program(["constraint_values"]))
        made = self._formulas(self._motion_terms() | held)
        told = listed([self._legend(), self._row_names()])
        return Statement(self.title, (*self._motion_rows(made), *self._constraint_rows(made)), made.where, told)
