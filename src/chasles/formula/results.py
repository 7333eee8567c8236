"""Results of functions as equations that people read: M = a matrix, g = a column, Gamma_{112} = an entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from chasles.formula.names import GREEK, entry, named
from chasles.formula.tree import ZERO, Equation, Formula, Matrix, Symbol

LETTERS = {
    "mass_matrix": "M",
    "coriolis_matrix": "C",
    "gravity_forces": "g",
    "friction_forces": "f",
    "bias_forces": "b",
    "christoffel_symbols": "Gamma",
    "riemann_curvature": "R",
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
    "forward_dynamics": "qdd",
    "constraint_matrix": "A",
    "constraint_forces": "lambda",
}
INDICES = "ijklmn"
RATES = ("q", "qd", "qdd")  # coordinates, and their derivatives by time


def letter(name: str, rank: int) -> Symbol:
    """What a result is called: its letter where it has one, bold where it is a vector or a matrix; else its name."""
    head, _, index = LETTERS.get(name, name).partition("_")
    if head in RATES:
        return Symbol(name, "q", index, RATES.index(head), bold=0 < rank < 3)
    found = named(LETTERS.get(name, name))
    return Symbol(found.name, found.letter, found.index, bold=_is_letter(found.letter) and 0 < rank < 3)


def equations(left: Symbol, shape: tuple[int, ...], entries: Sequence[Formula]) -> tuple[Equation, ...]:
    """The equations of a result: one, or of a tensor one for each entry that is not zero; Gamma_{ijk} = 0 where all
    are."""
    if len(shape) < 3:
        return (Equation(left, as_array(shape, entries)),)
    return tuple(_tensor(left, shape, entries)) or (Equation(entry(left, INDICES[: len(shape)], shape), ZERO),)


def as_array(shape: tuple[int, ...], entries: Sequence[Formula]) -> Formula:
    """A scalar, a column or a matrix."""
    if not shape:
        return entries[0]
    width = shape[1] if len(shape) == 2 else 1
    return Matrix(tuple(tuple(entries[k : k + width]) for k in range(0, len(entries), width)))


def is_symmetric(shape: tuple[int, ...], entries: Sequence[Formula]) -> bool:
    """Whether the last two indices of a tensor may be exchanged."""
    n = shape[-1]
    if shape[-2] != n:
        return False
    places = ((a, j, k) for a in range(0, len(entries), n * n) for j in range(n) for k in range(j))
    return all(entries[a + n * j + k] == entries[a + n * k + j] for a, j, k in places)


def _is_letter(x: str) -> bool:
    return len(x) == 1 or x in GREEK


def _tensor(left: Symbol, shape: tuple[int, ...], entries: Sequence[Formula]) -> Iterator[Equation]:
    once = is_symmetric(shape, entries)
    for place, value in zip(product(*(range(1, size + 1) for size in shape)), entries, strict=True):
        if value != ZERO and not (once and place[-2] > place[-1]):
            yield Equation(entry(left, place, shape), value)
