"""Names of coefficients and of intermediate quantities, shared by all formulas of a system.

A coefficient is a sum of products of parameters; the same one, up to a number, has the same name wherever it occurs:
alpha, beta, ..., or a_1, a_2, ... where there are more of them than letters. Intermediate quantities are u_1, u_2, ...
Names that symbols have are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from chasles.formula.tree import Equation, Formula, Symbol
from chasles.simplification.coefficients import NOISE, Coefficient
from chasles.simplification.collecting import number_content, ratio
from chasles.simplification.polynomial import Polynomial, reciprocal
from chasles.simplification.table import Table

_GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "kappa",
    "nu",
    "xi",
    "rho",
    "sigma",
    "chi",
    "psi",
]


class NamedCoefficient(NamedTuple):
    """symbol, its place among all, and the first number of what it stands for."""

    symbol: Symbol
    place: int
    number: Any


class Names:
    """Names given so far, and what they stand for.

    reserved: names that symbols of the system have, beyond those of the formulas that have been made.
    coefficients: whether coefficients are named; intermediate quantities are in any case. noise: terms below it, of the
    largest that went into a sum, are left out; beyond rounding, those of angles that files give in few digits.
    """

    def __init__(self, reserved: Iterable[str] = (), *, coefficients: bool = True, noise: float = NOISE) -> None:
        self.names_coefficients = coefficients
        self.table = Table(noise)
        self.definitions: dict[str, Equation] = {}
        self.quantities: list[Polynomial] = []
        self.quantity_symbols: dict[int, Symbol] = {}
        self.coefficients: dict[Any, NamedCoefficient] = {}
        self._quantities: dict[Any, tuple[int, Coefficient]] = {}
        self._reserved: dict[str, None] = dict.fromkeys(reserved)
        self._greek = iter(_GREEK)
        self._counts: dict[str, int] = {}

    @property
    def where(self) -> tuple[Equation, ...]:
        """The definitions of all names, each after those that it needs."""
        return tuple(self.definitions.values())

    def reserve(self, symbols: Iterable[Symbol]) -> None:
        """Leave the names of symbols to them."""
        for symbol in symbols:
            self._reserved[symbol.name] = None
            self._reserved[symbol.letter] = None

    def quantity(self, of: Polynomial, first: Coefficient) -> tuple[int, Coefficient]:
        """The number of an intermediate quantity, and how many times it a polynomial is.

        first: the first coefficient of the polynomial.
        """
        key = _normal_key(of, first)
        if key not in self._quantities:
            exact = not any(type(x) is float for x in of.terms.values())
            by = number_content(list(of.terms.values())) if exact else 1
            self._quantities[key] = len(self.quantities), first * reciprocal(by)
            self.quantities.append(of.scaled(reciprocal(by)))
        number, own = self._quantities[key]
        return number, ratio(first, own)

    def define(self, symbol: Symbol, formula: Formula) -> None:
        self.definitions[symbol.name] = Equation(symbol, formula)

    def expect(self, count: int) -> None:
        """So many coefficients will have names: Greek letters, if they are enough, else all are numbered."""
        free = [letter for letter in _GREEK if letter not in self._reserved]
        if not self.coefficients and count > len(free):
            self._greek = iter(())

    def new_coefficient(self) -> Symbol:
        """A symbol of a name that is free."""
        for letter in self._greek:
            if letter not in self._reserved:
                return Symbol(letter, letter)
        return self._numbered("abcdk")

    def new_quantity(self) -> Symbol:
        return self._numbered("uwzyh")

    def _numbered(self, letters: str) -> Symbol:
        letter = next((x for x in letters if x not in self._reserved), letters[0] * 2)
        while True:
            self._counts[letter] = self._counts.get(letter, 0) + 1
            index = str(self._counts[letter])
            if letter + index not in self._reserved:
                return Symbol(letter + index, letter, index)


def _normal_key(polynomial: Polynomial, first: Coefficient) -> Any:
    """What multiples of a polynomial have in common."""
    if type(first) is float or any(type(x) is float for x in polynomial.terms.values()):
        return tuple((m, float(f"{float(x) / float(first):.11g}")) for m, x in polynomial.key)
    return tuple((m, ratio(x, first)) for m, x in polynomial.key)
