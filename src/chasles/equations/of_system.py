"""Equations of any system: programs of its functions, simplified, as statements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from chasles.equations import layout
from chasles.equations.leaves import Leaves
from chasles.equations.sources import Source
from chasles.errors import ModelError
from chasles.formula.collection import Equations
from chasles.formula.statement import Statement
from chasles.formula.tree import Equation, Formula
from chasles.graph.operand import Operand
from chasles.hints import ATTRIBUTES, did_you_mean
from chasles.simplification import Names, simplified

MOST_ENTRIES = 4000  # of a result that is printed


class Simplified(NamedTuple):
    """Results of functions as formulas, each with its name and shape, and the quantities that they name."""

    outputs: tuple[Operand, ...]
    results: tuple[tuple[Formula, ...], ...]
    where: tuple[Equation, ...]

    def of(self, name: str) -> tuple[Formula, ...]:
        return next(x for operand, x in zip(self.outputs, self.results, strict=True) if operand.name == name)


class SystemEquations(Equations):
    """What the equations of all systems have in common."""

    def __init__(self, title: str, source: Source, leaves: Leaves, names: bool) -> None:
        self.title, self.source, self.leaves = title, source, leaves
        self.names = Names(coefficients=names)

    def simplified(self, names: Sequence[str]) -> Simplified:
        """Functions of the system, all together, so that they name the same quantities."""
        program = self.source.program(names)
        for operand in program.outputs:
            self._refuse_long(operand)
        self.leaves.refuse_ambiguous(program.inputs)
        leaves = [self.leaves.of(operand) for operand in program.inputs]
        made = simplified(program, leaves, names=self.names)
        return Simplified(program.outputs, made.results, made.where)

    def _refuse_long(self, operand: Operand) -> None:
        if prod(operand.shape) > MOST_ENTRIES:
            size = " x ".join(map(str, operand.shape))
            raise ModelError(
                f"{operand.name} of {self.title!r} has {size} = {prod(operand.shape):,} entries, more than anybody "
                "reads: ask for eq.motion, eq.recursion, or for the numbers at a configuration"
            )

    def _made(self, name: str) -> Statement:
        if not isinstance(name, str) or name not in self.known():
            hint = did_you_mean(name, self.known(), ATTRIBUTES) or ";"
            raise ModelError(f"no equations {name!r} of {self.title!r}{hint} there are {', '.join(self.known())}")
        own = getattr(self, f"_{name}", None)
        return own() if own is not None else self._plain(name)

    def known(self) -> tuple[str, ...]:
        """All that `eq[name]` takes."""
        return self.members

    def _plain(self, name: str) -> Statement:
        """A function's results, each by its letter."""
        made = self.simplified([name])
        return Statement(name.replace("_", " "), self._equations(made), made.where)

    def _equations(self, made: Simplified) -> tuple[Equation, ...]:
        pairs = zip(made.outputs, made.results, strict=True)
        return tuple(x for operand, entries in pairs for x in layout.equations(operand.name, operand.shape, entries))

    def _christoffel_symbols(self) -> Statement:
        made = self.simplified(["christoffel_symbols"])
        entries, shape = made.results[0], made.outputs[0].shape
        found = layout.equations("christoffel_symbols", shape, entries)
        same = "Gamma_ijk = Gamma_ikj; " if layout.is_symmetric(shape, entries) else ""
        others = "all others are zero" if found else "all are zero"
        return Statement("Christoffel symbols", found, made.where, f"{same}{others}; i is the equation")

    def _motion(self) -> Statement:
        made = self.simplified(["inverse_dynamics"])
        return Statement("equations of motion", self._rows(made), made.where, self.legend())

    def _rows(self, made: Simplified) -> tuple[Equation, ...]:
        tau = self.leaves.of(Operand("tau", (len(self.leaves.qd),)))
        return layout.rows(made.of("inverse_dynamics"), tau)

    def legend(self) -> str:
        """Which joint is which coordinate; empty where the names say so."""
        return "; ".join(f"{name}: {what}" for name, what in self.leaves.legend if name != what)

