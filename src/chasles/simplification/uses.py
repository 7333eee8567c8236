"""Names that formulas use, and intermediate quantities that polynomials use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from chasles.formula.tree import Equation, Formula, Symbol
from chasles.simplification.functions import Condition
from chasles.simplification.names import Names
from chasles.simplification.polynomial import Polynomial
from chasles.simplification.table import Cosine, Divisor, Function, Named, Sine


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
    table, found = names.table, dict[int, None]()
    stack: list[Any] = list(polynomials)
    while stack:
        x = stack.pop()
        if isinstance(x, Condition):
            stack.extend(x.sides)
            continue
        for monomial in x.terms:
            for atom, _ in table.monomials[monomial]:
                value = table.atoms[atom]
                if isinstance(value, Named) and value.number not in found:
                    found[value.number] = None
                    stack.append(names.quantities[value.number])
                elif isinstance(value, Function):
                    stack.extend(value.arguments)
                elif isinstance(value, Divisor):
                    stack.append(value.of)
                elif isinstance(value, (Sine, Cosine)):
                    of = table.angles[value.angle].of
                    stack.append(Polynomial(table, {of: 1}, 1.0))
    return sorted(found)
