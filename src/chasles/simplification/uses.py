"""Names that formulas use, and intermediate quantities that polynomials use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from chasles.formula.tree import Equation, Formula, Symbol
from chasles.simplification.functions import Condition
from chasles.simplification.names import Names
from chasles.simplification.polynomial import Polynomial
from chasles.simplification.table import Cosine, Divisor, Function, Named, Sine, Table


def used(formulas: list[Formula], names: Names) -> tuple[Equation, ...]:
    """The definitions of the names that formulas use, those that these use among them, each after those it needs."""
    found: dict[str, None] = {}
    stack: list[Any] = list(formulas)
    while stack:
        for name in symbol_names(stack.pop()):
            if name in names.definitions and name not in found:
                found[name] = None
                stack.append(names.definitions[name].right)
    return tuple(equation for name, equation in names.definitions.items() if name in found)


def symbol_names(formula: Any) -> Iterator[str]:
    """The names of the symbols in a formula."""
    stack = [formula]
    while stack:
        x = stack.pop()
        if isinstance(x, Symbol):
            yield x.name
        elif isinstance(x, tuple):
            stack.extend(x)
        elif isinstance(x, Formula):
            stack.extend(getattr(x, field) for field in _fields(type(x)))


@cache
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(kind.__dataclass_fields__)  # type: ignore[attr-defined]


def needed(names: Names, polynomials: list[Polynomial]) -> list[int]:
    """The numbers of the intermediate quantities in polynomials, and in those quantities, ascending."""
    table, found, seen = names.table, dict[int, None](), set[int]()
    stack: list[Any] = list(polynomials)
    while stack:
        x = stack.pop()
        if isinstance(x, Condition):
            stack.extend(x.sides)
            continue
        for monomial in x.terms:
            for atom, _ in table.monomials[monomial]:
                if atom in seen:
                    continue
                seen.add(atom)
                value = table.atoms[atom]
                if isinstance(value, Named):
                    found[value.number] = None
                    stack.append(names.quantities[value.number])
                else:
                    stack.extend(within(table, value))
    return sorted(found)


def within(table: Table, atom: Any) -> tuple[Any, ...]:
    """The polynomials and conditions that an atom is of; none of a leaf or a name."""
    if isinstance(atom, Function):
        return atom.arguments
    if isinstance(atom, Divisor):
        return (atom.of,)
    if isinstance(atom, (Sine, Cosine)):
        parts = [table.angles[part].of for part, _ in table.combination(atom.angle)]
        return tuple(Polynomial(table, {of: 1}, 1.0) for of in parts)
    return ()


class Extent:
    """How many factors polynomials are written in, those within functions and divisors as often as they occur."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._atoms: dict[int, int] = {}

    def __call__(self, x: Any) -> int:
        if isinstance(x, Condition):
            return sum(map(self, x.sides))
        return sum(self._atom(atom) for monomial in x.terms for atom, _ in self.table.monomials[monomial])

    def _atom(self, atom: int) -> int:
        if atom not in self._atoms:
            value = self.table.atoms[atom]
            plain = isinstance(value, (Sine, Cosine))
            self._atoms[atom] = 1 if plain else 1 + sum(map(self, within(self.table, value)))
        return self._atoms[atom]
