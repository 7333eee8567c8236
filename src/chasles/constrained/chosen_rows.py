"""Rows of an overconstrained system, chosen at each state: on leaves, so that they are compiled.

More rows are kept than the rank r of A where none of them follows from others everywhere in the same way
(independent_rows.py). At each configuration r of them are put first by pivoted Gram-Schmidt orthogonalisation, each
time that with the largest part across those before. With c of these and d of the others, T of coefficients that are
not large, as the pivots are the largest,

    A_d = T A_c                                                                   (1)

and the rows c alone determine the motion. Multipliers are not unique, their force A^T lambda is; returned is the lambda
with the least sum of squares,

    x = (1 + T T^T)^-1 T lambda_c,   lambda = (lambda_c - T^T x, x)               (2)

It is the limit of constraints that yield, all rows with the same stiffness, in the units that they are written in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chasles.constrained.independent_rows import IndependentRows
from chasles.dynamics.linear_solve import factored, solve_factored
from chasles.graph.array import where

VALUES_FIRST = 1e3  # a row with values is taken unless what is left of it is shorter than of others by so much


def order(A: Sequence[Sequence[Any]], rows: IndependentRows) -> list[Any]:
    """Indices into the rows kept, A (p, n), as leaves: those that are used, as many as the rank, then the others."""
    mixed = not set(rows.kept) <= set(rows.holonomic)
    weight = [(VALUES_FIRST if mixed and k in rows.holonomic else 1.0) / rows.lengths[k] for k in rows.kept]
    rest = [[w * x for x in row] for w, row in zip(weight, A, strict=True)]
    found: list[Any] = [float(k) for k in range(len(rest))]
    for j in range(rows.rank):
        for i in range(j + 1, len(rest)):
            longer = dot(rest[j], rest[j]) < dot(rest[i], rest[i])
            rest[j], rest[i] = _exchanged(longer, rest[j], rest[i])
            (found[j],), (found[i],) = _exchanged(longer, [found[j]], [found[i]])
        square = dot(rest[j], rest[j])
        for i in range(j + 1, len(rest)):
            part = dot(rest[i], rest[j]) / square
            rest[i] = [x - part * y for x, y in zip(rest[i], rest[j], strict=True)]
    return found


def _exchanged(condition: Any, x: list[Any], y: list[Any]) -> tuple[list[Any], list[Any]]:
    """y and x where the condition holds, else x and y."""
    pairs = list(zip(x, y, strict=True))
    return [where(condition, b, a) for a, b in pairs], [where(condition, a, b) for a, b in pairs]


def at(index: Any, values: Sequence[Any]) -> Any:
    """The value of an index that is a leaf."""
    found = values[0]
    for k, value in enumerate(values[1:], 1):
        found = where(k - 0.5 < index, value, found)
    return found


def row_at(index: Any, rows: Sequence[Sequence[Any]]) -> list[Any]:
    """The row of an index that is a leaf."""
    return [at(index, column) for column in zip(*rows, strict=True)]


def least(T: list[list[Any]], multipliers: list[Any], order: list[Any]) -> list[Any]:
    """(p,) the multipliers of all rows by (2), from those of the rows that are used."""
    inner = [[dot(a, b) + (1.0 if i == j else 0.0) for j, b in enumerate(T)] for i, a in enumerate(T)]
    x = solve_factored(factored(inner), [dot(row, multipliers) for row in T])
    used = [y - dot(x, column) for y, column in zip(multipliers, zip(*T, strict=True), strict=True)]  # (2)
    return [_placed(k, order, [*used, *x]) for k in range(len(order))]


def _placed(k: int, order: list[Any], values: list[Any]) -> Any:
    """The value whose index is k."""
    found = values[0]
    for index, value in zip(order[1:], values[1:], strict=True):
        off = index - k
        found = where(off * off < 0.25, value, found)
    return found


def dot(x: Any, y: Any) -> Any:
    total: Any = 0.0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total
