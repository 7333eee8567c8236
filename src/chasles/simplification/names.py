"""Names of coefficients and of intermediate quantities, shared by all formulas of a system.

A coefficient is a sum of products of parameters; the same one, up to a number, has the same name wherever it occurs:
alpha, beta, ..., then a_1, a_2, ... Intermediate quantities are u_1, u_2, ... Names that symbols have are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chasles.formula.tree import Equation, Formula, Symbol
from chasles.simplification.polynomial import Polynomial
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


class Names:
    """Names given so far, and what they stand for.

    reserved: names that symbols of the system have, beyond those of the formulas that have been made.
    coefficients: whether coefficients are named; intermediate quantities are in any case.
    """

    def __init__(self, reserved: Iterable[str] = (), *, coefficients: bool = True) -> None:
        self.names_coefficients = coefficients
        self.table = Table()
        self.definitions: dict[str, Equation] = {}
        self.quantities: list[Polynomial] = []
        self.quantity_symbols: dict[int, Symbol] = {}
        self.coefficients: dict[Any, Symbol] = {}
        self._quantities: dict[Any, int] = {}
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

    def quantity(self, of: Polynomial) -> int:
        """The number of an intermediate quantity, the same for the same polynomial."""
        number = self._quantities.get(of.key)
        if number is None:
            number = self._quantities[of.key] = len(self.quantities)
            self.quantities.append(of)
        return number

    def define(self, symbol: Symbol, formula: Formula) -> None:
        self.definitions[symbol.name] = Equation(symbol, formula)

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
