"""Equations of any system: programs of its functions, simplified, as statements."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from chasles.arguments import shown
from chasles.equations import layout
from chasles.equations.collected import Expressions, on_symbols, pairs_of, powers, total
from chasles.equations.leaves import GIVEN, Leaves
from chasles.equations.sources import Source, of_expressions, of_unit_quaternions
from chasles.errors import ModelError
from chasles.formula.collection import Equations
from chasles.formula.names import named as symbol
from chasles.formula.statement import Statement
from chasles.formula.tree import Equation, Formula
from chasles.formula.words import Words, listed, words
from chasles.graph.operand import Operand
from chasles.graph.program import Program
from chasles.hints import ATTRIBUTES, did_you_mean
from chasles.simplification import Names, simplified

MOST_ENTRIES, MOST_OPERATIONS = 1_000, 8_000  # of what is printed: seconds, and a book
MOST_COLLECTED = 4  # degrees of freedom whose motion is collected by products of velocities

MANY = 7  # degrees of freedom, beyond which less is written out
MOST_TERMS, FEWER_TERMS, FEWEST_TERMS = 28, 14, 7  # of an entry that has no intermediate quantities
DUST = 1e-9  # of the largest coefficient of an entry: what is less is not printed
MANY_BRANCHES = 4  # conditions of a function, beyond those of friction


class Simplified(NamedTuple):
    """Results of functions as formulas, each with its name and shape, and the quantities that they name."""

    outputs: tuple[Operand, ...]
    results: tuple[tuple[Formula, ...], ...]
    where: tuple[Equation, ...]

    def of(self, name: str) -> tuple[Formula, ...]:
        """A result by its name, flat; empty where it is not there."""
        pairs = zip(self.outputs, self.results, strict=True)
        return next((x for operand, x in pairs if operand.name == name), ())

    def row(self, name: str, i: int) -> tuple[Formula, ...]:
        """Row i of a result."""
        shape = next(x.shape for x in self.outputs if x.name == name)
        return self.of(name)[i * shape[1] : (i + 1) * shape[1]]


class SystemEquations(Equations):
    """What the equations of all systems have in common. kind: of the system, whose functions `eq[name]` has too."""

    kind = ""

    def __init__(self, title: str, source: Source, leaves: Leaves, names: bool) -> None:
        self.title, self.source, self.leaves = title, source, leaves
        self.names = Names(coefficients=names, noise=DUST)
        self._has_names = False

    @abstractmethod
    def _motion_expressions(self) -> Expressions:
        """M and the bias of the motion, and what else acts, at symbols."""

    def _formulas(self, functions: Sequence[str] | Expressions) -> Simplified:
        """Functions of the system, or expressions, all together, so that they name the same quantities."""
        self._name_by_mass_matrix()
        if isinstance(functions, dict):
            return self._simplified(of_expressions(functions))
        return self._simplified(self.source.program(functions))

    def _name_by_mass_matrix(self) -> None:
        """Give the first names to the mass matrix, so that they are the same, whatever is asked for first."""
        if not self._has_names and self.n <= MOST_COLLECTED:
            self._has_names = True
            made = self.source.program(["mass_matrix"])
            if any(x.name not in GIVEN for x in made.inputs) and self._is_short(["mass_matrix"]):
                self._simplified(made)

    def _simplified(self, program: Program, names: Names | None = None) -> Simplified:
        self._refuse_long(program)
        self.leaves.refuse_ambiguous(program.inputs, program.outputs)
        leaves = [self.leaves.of(operand) for operand in program.inputs]
        own = [x.name for x in program.inputs if x.name not in GIVEN]
        unit = of_unit_quaternions(program)
        branches = sum(op == "where" for op, _ in unit.nodes)
        limit = MOST_TERMS if self.n <= MANY else FEWER_TERMS
        limit = FEWEST_TERMS if branches > MANY_BRANCHES + self.n * 2 else limit  # each of which multiplies the terms
        made = simplified(unit, leaves, names=names or self.names, parameters=own, limit=limit)
        if any(op == "where" for op, _ in program.nodes):
            made = made._replace(results=layout.with_signs(made.results), where=layout.with_signs(made.where))
        return Simplified(program.outputs, made.results, made.where)

    def _refuse_long(self, program: Program) -> None:
        sizes = [" x ".join(map(str, x.shape)) for x in program.outputs]
        entries, operations = sum(prod(x.shape) for x in program.outputs), program.operations.total
        if entries <= MOST_ENTRIES and operations <= MOST_OPERATIONS:
            return
        names = ", ".join(x.name for x in program.outputs)
        said = f"{' + '.join(sizes)} = {entries:,} entries of {operations:,} operations"
        raise ModelError(
            f"{names} of {self.title!r}: {said} are more than anybody reads ({MOST_ENTRIES:,} of {MOST_OPERATIONS:,}): "
            f"ask for eq.recursion(), or for numbers, {self.title}.{program.outputs[0].name}(...)"
        )

    def _made(self, name: str) -> Statement:
        if name == "recursion":
            raise ModelError("the recursion is several statements: eq.recursion(), which takes a function's name too")
        if not isinstance(name, str) or (name not in self.members and name not in self.known()):
            hint = did_you_mean(name, self.known(), ATTRIBUTES) or ";"
            more = f", and by their names all functions of a {self.kind}" if self.kind else ""
            there = f"there are {', '.join(self.members)}{more}"
            raise ModelError(f"no equations {shown(name)} of {self.title!r}{hint} {there}")
        own = getattr(self, f"_{name}", None)
        return own() if own is not None else self._plain(name)

    def known(self) -> tuple[str, ...]:
        """All that `eq[name]` takes."""
        return self.members

    def _plain(self, name: str) -> Statement:
        """A function's results, each by its letter."""
        made = self._formulas([name])
        return Statement(name.replace("_", " "), self._equations(made), made.where)

    def _equations(self, made: Simplified) -> tuple[Equation, ...]:
        pairs = zip(made.outputs, made.results, strict=True)
        return tuple(x for operand, entries in pairs for x in layout.equations(operand.name, operand.shape, entries))

    def _christoffel_symbols(self) -> Statement:
        made = self._formulas(["christoffel_symbols"])
        entries, shape = made.results[0], made.outputs[0].shape
        found = layout.equations("christoffel_symbols", shape, entries)
        if layout.is_zero(found[0].right):
            return Statement("Christoffel symbols", found)
        swapped = (Equation(symbol("Gamma_ijk"), symbol("Gamma_ikj")),)
        same = swapped if layout.is_symmetric(shape, entries) else ()
        told = listed([same, "all others are zero", words("`i` is the equation")])
        return Statement("Christoffel symbols", found, made.where, told)

    def _is_short(self, functions: Sequence[str]) -> bool:
        """Whether the formulas of functions need no intermediate quantities; tried under other names."""
        trial = Names(coefficients=self.names.names_coefficients, noise=DUST)
        named = {x.left for x in self._simplified(self.source.program(functions), trial).where}
        return named.isdisjoint(trial.quantity_symbols.values())

    # the Coriolis matrix, by velocities where that is shorter

    def _coriolis_matrix(self) -> Statement:
        made = self._formulas(self._coriolis_terms())
        return Statement("Coriolis matrix", self._coriolis_row(made), made.where)

    def _coriolis_terms(self) -> Expressions:
        """C, or its coefficients of the velocities, (n, n, n), where C itself needs intermediate quantities."""
        C = on_symbols(self.source.program(["coriolis_matrix"]))
        if self.n > MOST_COLLECTED:
            return C
        if self._is_short(["coriolis_matrix"]):
            return C
        rates = powers(C["coriolis_matrix"].reshape(-1), self.n).linear
        return {"coriolis_rates": rates}

    def _coriolis_row(self, made: Simplified) -> tuple[Equation, ...]:
        entries = made.of("coriolis_matrix") or [
            total([(rate, (v,)) for rate, v in zip(made.row("coriolis_rates", k), self.leaves.qd, strict=True)])
            for k in range(self.n**2)
        ]
        return layout.equations("coriolis_matrix", (self.n, self.n), entries)

    # motion and energies, collected

    @property
    def n(self) -> int:
        return len(self.leaves.qd)

    def _motion(self) -> Statement:
        made = self._formulas(self._motion_terms())
        return Statement("equations of motion", self._motion_rows(made), made.where, self._legend())

    def _motion_terms(self) -> Expressions:
        """What the rows of the motion are put together from."""
        if self.n > MOST_COLLECTED:
            return on_symbols(self.source.program(["inverse_dynamics"]))
        given = self._motion_expressions()
        found = powers(given.pop("bias"), self.n)
        return given | dict(reversed(found._asdict().items()))

    def _motion_rows(self, made: Simplified) -> tuple[Equation, ...]:
        """tau, and what else acts, = (1) of collected.py."""
        tau = self.leaves.of(Operand("tau", (self.n,)))
        left = [layout.added(*x) for x in zip(tau, *self._acting(made), strict=True)]
        right = made.of("inverse_dynamics") or [self._collected(made, i) for i in range(self.n)]
        return layout.rows(left, right)

    def _acting(self, made: Simplified) -> list[Sequence[Formula]]:
        """Columns (n,) that stand beside tau."""
        return [made.of("driving_forces")] if made.of("driving_forces") else []

    def _collected(self, made: Simplified, i: int) -> Formula:
        singles = [((x,), (y,)) for x, y in zip(self.leaves.qdd, self.leaves.qd, strict=True)]
        accelerations = zip(made.row("mass_matrix", i), (x for x, _ in singles), strict=True)
        squares = zip(made.row("quadratic", i), pairs_of(self.leaves.qd), strict=True)
        rates = zip(made.row("linear", i), (y for _, y in singles), strict=True)
        losses = [(made.of("friction_forces")[i], ())] if made.of("friction_forces") else []
        return total([*accelerations, *squares, *rates, *losses, (made.of("constant")[i], ())])

    def _kinetic_energy(self) -> Statement:
        return self._energy("kinetic_energy")

    def _energy(self, name: str) -> Statement:
        made = self._formulas(self._energy_terms(name))
        return Statement(name.replace("_", " "), self._energy_row(name, made), made.where)

    def _energy_terms(self, name: str) -> Expressions:
        """Coefficients of the velocities in a scalar that is quadratic in them: (2) of collected.py."""
        if self.n > MOST_COLLECTED:
            return on_symbols(self.source.program([name]))
        found = powers(on_symbols(self.source.program([name]))[name].reshape(1), self.n)
        return {f"{name} {part}": x for part, x in reversed(found._asdict().items())}

    def _energy_row(self, name: str, made: Simplified) -> tuple[Equation, ...]:
        if made.of(name):
            return layout.equations(name, (), made.of(name))
        squares = zip(made.of(f"{name} quadratic"), pairs_of(self.leaves.qd), strict=True)
        rates = zip(made.of(f"{name} linear"), ((x,) for x in self.leaves.qd), strict=True)
        return layout.equations(name, (), [total([*squares, *rates, (made.of(f"{name} constant")[0], ())])])

    def _legend(self) -> Words:
        """Which joint is which coordinate; empty where the names say so."""
        return listed(self.leaves.legend)
