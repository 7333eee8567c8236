"""Results of functions as equations that people read: M = a matrix, g = a column, Gamma_112 = an entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from chasles.formula.tree import ZERO, Equation, Formula, Matrix, Sum, Symbol, Transpose

LETTERS = {
    "mass_matrix": "M",
    "mass_matrix_inverse": "M",
    "coriolis_matrix": "C",
    "gravity_forces": "g",
    "friction_forces": "f",
    "bias_forces": "b",
    "christoffel_symbols": "Gamma",
    "regressor": "Y",
    "jacobian": "J",
    "forward_kinematics": "T",
    "kinetic_energy": "K",
    "potential_energy": "U",
    "energy": "E",
    "lagrangian": "L",
    "momenta": "p",
    "driving_forces": "Q",
    "inverse_dynamics": "tau",
    "constraint_matrix": "A",
    "constraint_forces": "lambda",
}

LEAST_LYING = 4  # rows of a column that is written as a row
MOST_LYING = 2  # entries of it that are not zero


def letter(name: str, rank: int) -> Symbol:
    """The letter of a function's result: bold where it is a vector or a matrix; its name where it has no letter."""
    known = LETTERS.get(name)
    return Symbol(known or name, known or name, bold=known is not None and 0 < rank < 3)


def equations(name: str, shape: tuple[int, ...], entries: Sequence[Formula]) -> tuple[Equation, ...]:
    """The equations of a result: one, or of a tensor one for each entry that is not zero."""
    left = letter(name, len(shape))
    if len(shape) < 3:
        return (Equation(left, as_array(shape, entries)),)
    return tuple(_tensor(left, shape, entries))


def as_array(shape: tuple[int, ...], entries: Sequence[Formula]) -> Formula:
    """A scalar, a column or a matrix."""
    if not shape:
        return entries[0]
    width = shape[1] if len(shape) == 2 else 1
    return Matrix(tuple(tuple(entries[k : k + width]) for k in range(0, len(entries), width)))


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


def is_symmetric(shape: tuple[int, ...], entries: Sequence[Formula]) -> bool:
    """Whether the last two indices of a tensor may be exchanged."""
    n = shape[-1]
    if shape[-2] != n:
        return False
    places = ((a, j, k) for a in range(0, len(entries), n * n) for j in range(n) for k in range(j))
    return all(entries[a + n * j + k] == entries[a + n * k + j] for a, j, k in places)


def _tensor(left: Symbol, shape: tuple[int, ...], entries: Sequence[Formula]) -> Iterator[Equation]:
    once = is_symmetric(shape, entries)
    for place, entry in zip(product(*map(range, shape)), entries, strict=True):
        if entry != ZERO and not (once and place[-2] > place[-1]):
            yield Equation(at(left, place), entry)


def at(left: Symbol, place: Sequence[int]) -> Symbol:
    """The entry of a result at a place, counted from 1."""
    ones = [str(k + 1) for k in place]
    mark = ("" if max(place) < 9 else ",").join(ones)
    return Symbol(f"{left.name}{'_'.join(ones)}", left.letter, mark)


def added(*terms: Formula) -> Formula:
    """The sum of formulas, those of sums that are among them one by one; zeros are left out."""
    parts = [y for x in terms for y in (x.terms if isinstance(x, Sum) else (x,)) if y != ZERO]
    return Sum(tuple(parts)) if len(parts) > 1 else parts[0] if parts else ZERO


def rows(lefts: Sequence[Formula], rights: Sequence[Formula]) -> tuple[Equation, ...]:
    return tuple(Equation(a, b) for a, b in zip(lefts, rights, strict=True))


def named(name: str, dots: int = 0) -> Symbol:
    """A vector by its letter: q, its rates, tau."""
    return Symbol(name + "d" * dots, name, dots=dots, bold=True)
