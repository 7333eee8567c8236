"""Rows of an overconstrained system, chosen at each state: on leaves, so that they are compiled.

More rows are kept than the rank of A where none of them follows from others everywhere in the same way
(independent_rows.py). They come in groups, as of one loop each, in which some follow from others of the group; the rest
are always used. At each configuration as many rows as the rank r of a group are put first by pivoted Gram-Schmidt
orthogonalisation, each time that with the largest part across those before. With c of these and d of the others of the
group, T of coefficients that are not large, as the pivots are the largest,

    A_d = T A_c,   T = A_d A_c^T (A_c A_c^T)^-1                                   (1)

and the rows c alone determine the motion. Multipliers are not unique, their force A^T lambda is; returned is the lambda
with the least sum of squares,

    x = (1 + T T^T)^-1 T lambda_c,   lambda = (lambda_c - T^T x, x)               (2)

It is the limit of constraints that yield, all rows with the same stiffness, in the units that they are written in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from chasles.constrained.independent_rows import IndependentRows
from chasles.dynamics.linear_solve import factored, solve_factored
from chasles.dynamics.matrices import dot
from chasles.graph.array import where

VALUES_FIRST = 1e3  # a row with values is taken unless what is left of it is shorter than of others by so much


class _Choice(NamedTuple):
    """A group of rows in the order of their use, indices into `members` as leaves: `rank` of them are used."""

    members: tuple[int, ...]
    order: list[Any]
    rank: int
    T: list[list[Any]]

    def used(self, values: Sequence[Any]) -> list[Any]:
        own = [values[k] for k in self.members]
        return [_at(index, own) for index in self.order[: self.rank]]

    def of_all(self, multipliers: list[Any]) -> list[Any]:
        """Those of `members`, by (2)."""
        T = self.T
        inner = [[dot(a, b) + (1.0 if i == j else 0.0) for j, b in enumerate(T)] for i, a in enumerate(T)]
        x = solve_factored(factored(inner), [dot(row, multipliers) for row in T])
        less = [y - dot(x, column) for y, column in zip(multipliers, zip(*T, strict=True), strict=True)]  # (2)
        return [_placed(k, self.order, [*less, *x]) for k in range(len(self.members))]


class ChosenRows(NamedTuple):
    """The rows kept that are used at a configuration: those that always are, then those chosen of each group."""

    always: tuple[int, ...]
    groups: list[_Choice]

    def used(self, values: Sequence[Any]) -> list[Any]:
        """Of values for the rows kept, those of the rows that are used; a value may be a list of leaves, one length."""
        return [values[k] for k in self.always] + [x for group in self.groups for x in group.used(values)]

    def of_all(self, multipliers: list[Any]) -> list[Any]:
        """The least multipliers of all rows kept, from those of the rows that are used."""
        found = dict(zip(self.always, multipliers, strict=False))
        left = multipliers[len(self.always) :]
        for group in self.groups:
            found |= zip(group.members, group.of_all(left[: group.rank]), strict=True)
            left = left[group.rank :]
        return [found[k] for k in range(len(found))]


def chosen_rows(A: Sequence[Sequence[Any]], rows: IndependentRows) -> ChosenRows:
    """A: (k, n) the rows kept, at a configuration."""
    grouped = {k for group in rows.groups for k in group.members}
    always = tuple(k for k in range(len(A)) if k not in grouped)
    return ChosenRows(always, [_chosen(A, rows, *group) for group in rows.groups])


def _chosen(A: Sequence[Sequence[Any]], rows: IndependentRows, members: tuple[int, ...], rank: int) -> _Choice:
    of = [rows.kept[k] for k in members]
    mixed = not set(of) <= set(rows.holonomic)
    weight = [(VALUES_FIRST if mixed and k in rows.holonomic else 1.0) / rows.lengths[k] for k in of]
    own = [list(A[k]) for k in members]
    order = _pivoted([[w * x for x in row] for w, row in zip(weight, own, strict=True)], rank)
    sorted_rows = [_at(index, own) for index in order]
    used, others = sorted_rows[:rank], sorted_rows[rank:]
    gram = factored([[dot(a, b) for b in used] for a in used])
    return _Choice(members, order, rank, [solve_factored(gram, [dot(a, row) for a in used]) for row in others])  # (1)


def _pivoted(rest: list[list[Any]], rank: int) -> list[Any]:
    """The order of rows, as leaves: as many as the rank with the largest parts across those before, then the others."""
    order: list[Any] = [float(k) for k in range(len(rest))]
    for j in range(rank):
        for i in range(j + 1, len(rest)):
            longer = dot(rest[j], rest[j]) < dot(rest[i], rest[i])
            rest[j], rest[i] = _where(longer, rest[i], rest[j]), _where(longer, rest[j], rest[i])
            order[j], order[i] = _where(longer, order[i], order[j]), _where(longer, order[j], order[i])
        square = dot(rest[j], rest[j])
        for i in range(j + 1, len(rest)):
            part = dot(rest[i], rest[j]) / square
            rest[i] = [x - part * y for x, y in zip(rest[i], rest[j], strict=True)]
    return order


def _at(index: Any, values: Sequence[Any]) -> Any:
    """The value of an index that is a leaf."""
    found = values[0]
    for k, value in enumerate(values[1:], 1):
        found = _where(k - 0.5 < index, value, found)
    return found


def _placed(k: int, order: list[Any], values: list[Any]) -> Any:
    """The value whose index is k."""
    found = values[0]
    for index, value in zip(order[1:], values[1:], strict=True):
        off = index - k
        found = _where(off * off < 0.25, value, found)
    return found


def _where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y, of leaves or of lists of them."""
    if isinstance(x, list):
        return [_where(condition, a, b) for a, b in zip(x, y, strict=True)]
    return x if x is y or (isinstance(x, float) and isinstance(y, float) and x == y) else where(condition, x, y)
