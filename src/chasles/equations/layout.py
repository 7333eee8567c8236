"""Equations of systems, laid out: results of functions, sums, columns, vectors by their letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from chasles.formula import results
from chasles.formula.results import is_symmetric, letter
from chasles.formula.tree import (
    ONE,
    ZERO,
    Call,
    Comparison,
    Equation,
    Formula,
    Matrix,
    Number,
    Product,
    Sum,
    Symbol,
    Transpose,
)

__all__ = ["added", "column", "equations", "is_symmetric", "is_zero", "letter", "lying", "named", "rows"]
__all__ += ["with_signs"]

LEAST_LYING = 4  # rows of a column that is written as a row
MOST_LYING = 2  # entries of it that are not zero


def equations(name: str, shape: tuple[int, ...], entries: Sequence[Formula]) -> tuple[Equation, ...]:
    """The equations of a function's result."""
    return results.equations(letter(name, len(shape)), shape, entries)


def column(entries: Sequence[Formula]) -> Matrix:
    return Matrix(tuple((x,) for x in entries))


def lying(column: Equation) -> Equation:
    """A column that is high and nearly empty as the transpose of a row, to take less room."""
    right = column.right
    if not isinstance(right, Matrix) or len(right.rows[0]) > 1 or len(right.rows) < LEAST_LYING:
        return column
    entries = tuple(row[0] for row in right.rows)
    if sum(x != ZERO for x in entries) > MOST_LYING:
        return column
    return Equation(column.left, Transpose(Matrix((entries,))))


def is_zero(x: Formula) -> bool:
    return all(y == ZERO for row in x.rows for y in row) if isinstance(x, Matrix) else x == ZERO


def added(*terms: Formula) -> Formula:
    """The sum of formulas, those of sums that are among them one by one; zeros are left out."""
    parts = [y for x in terms for y in (x.terms if isinstance(x, Sum) else (x,)) if y != ZERO]
    return Sum(tuple(parts)) if len(parts) > 1 else parts[0] if parts else ZERO


def with_signs(x: Any) -> Any:
    """A formula, or several, with sgn v in place of 1 where 0 < v, -1 where v < 0 and 0 otherwise, and |v| in place of
    -v where v < 0 and v otherwise."""
    match x:
        case Call("where", (Comparison("<" | "<=", sides), first, second)) if ZERO in sides:
            v, positive = (sides[0], second) if sides[1] == ZERO else (sides[1], first)
            if positive == v and _negated(v) in (first, second):
                return Call("abs", (v,))
    match x:
        case Call("where", (Comparison("<", (zero, v)), one, Call("where", (Comparison("<", (w, _)), minus, _)))):
            if v == w and (zero, one, minus) == (ZERO, ONE, Number(-ONE.value)):
                return Call("sign", (v,))
        case tuple():
            return tuple(map(with_signs, x))
    if not isinstance(x, Formula) or isinstance(x, (Symbol, Number)):
        return x
    parts: Any = x
    return replace(parts, **{part.name: with_signs(getattr(x, part.name)) for part in fields(parts)})


def _negated(x: Formula) -> Formula:
    return Product((Number(-ONE.value), x))


def rows(lefts: Sequence[Formula], rights: Sequence[Formula]) -> tuple[Equation, ...]:
    return tuple(Equation(a, b) for a, b in zip(lefts, rights, strict=True))


def named(name: str, dots: int = 0) -> Symbol:
    """A vector by its letter: q, its rates, tau."""
    return Symbol(name + "d" * dots, name, dots=dots, bold=True)
