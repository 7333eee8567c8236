"""Atoms and monomials of polynomials, numbered as they are met, so that the same are the same in every process.

An atom is what a polynomial does not look into: a leaf, the sine or cosine of an angle, a function of polynomials, a
sum that divides, a name given to a polynomial. A monomial is a product of powers of atoms, a whole number in
polynomials:

    (4, 1), (7, 2)      the first power of atom 4 times the second of atom 7; monomial 0 is 1

Products of monomials are polynomials, in the normal form in which sines have powers 0 and 1,

    s^2 = 1 - c^2                                                                       (1)
    c^2 = 1 - s^2           where s is divided by                                       (2)
    1 / (s c) = s / c + c / s                                                           (3)
    sqrt(x)^2 = x,  sqrt(x)^-2 = 1 / x                                                  (4)
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from chasles.formula.tree import Symbol
from chasles.simplification.coefficients import NOISE

Exponents = tuple[tuple[int, int], ...]
ONE = 0


class Leaf(NamedTuple):
    """A symbol; a parameter is a number of the system, which coefficients are made of."""

    symbol: Symbol
    parameter: bool


class Angle(NamedTuple):
    """An angle: `factor` times the monomial `of`; or a sum of other angles, (angle, whole number) pairs."""

    of: int
    factor: Any
    parts: tuple[tuple[int, int], ...] = ()


class Sine(NamedTuple):
    angle: int


class Cosine(NamedTuple):
    angle: int


class Function(NamedTuple):
    """An operation of the table on polynomials and conditions."""

    operation: str
    arguments: tuple[Any, ...]


class Divisor(NamedTuple):
    """A sum that divides: it occurs with negative powers only."""

    of: Any


class Named(NamedTuple):
    """An intermediate quantity, by its number."""

    number: int


class Table:
    """Numbers for atoms, angles and monomials. noise: what is less, of the largest that went into a sum, is dropped."""

    def __init__(self, noise: float = NOISE) -> None:
        self.noise = noise
        self.atoms: list[Any] = []
        self.angles: list[Angle] = []
        self.monomials: list[Exponents] = [()]
        self._atoms: dict[Any, int] = {}
        self._angles: dict[Angle, int] = {}
        self._monomials: dict[Exponents, int] = {(): ONE}
        self.products: dict[tuple[int, int], Any] = {}
        self.kinds: list[type] = []
        self.is_plain: list[bool] = []
        self.squared_inverses: dict[int, list[tuple[dict[int, int], Any]]] = {}  # terms of sqrt(x)^-2, by the root
        self.in_sums: dict[int, tuple[Any, Any]] = {}

    def atom(self, atom: Any, key: Any = None) -> int:
        """Its number; key: what tells it from others, if not the atom itself."""
        key = (type(atom), atom if key is None else key)
        found = self._atoms.get(key)
        if found is None:
            found = self._atoms[key] = len(self.atoms)
            self.atoms.append(atom)
            self.kinds.append(type(atom))
            self.is_plain.append(type(atom) in (Leaf, Named, Cosine))
        return found

    def angle(self, angle: Angle) -> int:
        """Its number; its sine and cosine become atoms."""
        found = self._angles.get(angle)
        if found is None:
            found = self._angles[angle] = len(self.angles)
            self.angles.append(angle)
            self.atom(Sine(found))
            self.atom(Cosine(found))
        return found

    def combination(self, angle: int) -> tuple[tuple[int, int], ...]:
        """The angles that an angle is the sum of, itself if it is none."""
        return self.angles[angle].parts or ((angle, 1),)

    def sine(self, angle: int) -> int:
        return self._atoms[Sine, Sine(angle)]

    def cosine(self, angle: int) -> int:
        return self._atoms[Cosine, Cosine(angle)]

    def monomial(self, exponents: Iterable[tuple[int, int]]) -> int:
        """The number of a product of powers."""
        key = tuple(sorted([item for item in exponents if item[1]]))
        found = self._monomials.get(key)
        if found is None:
            found = self._monomials[key] = len(self.monomials)
            self.monomials.append(key)
        return found

    def product(self, x: int, y: int) -> Any:
        """The number of a monomial, or (monomial, coefficient) pairs of the polynomial in normal form."""
        powers = dict(self.monomials[x])
        for atom, power in self.monomials[y]:
            powers[atom] = powers.get(atom, 0) + power
        if not all(self.is_plain[atom] for atom in powers):
            terms = self._reduced(powers)
        else:
            terms = [(self.monomial(powers.items()), 1)]
        result = terms[0][0] if len(terms) == 1 and terms[0][1] == 1 else tuple(terms)
        self.products[x, y] = self.products[y, x] = result
        return result

    def _reduced(self, powers: dict[int, int]) -> list[tuple[int, Any]]:
        for atom, power in powers.items():
            kind = self.kinds[atom]
            if kind is Sine:
                c = self.cosine(self.atoms[atom].angle)
                cosines = powers.get(c, 0)
                if power >= 2:
                    return self._replaced(powers, {atom: -2}, [({}, 1), ({c: 2}, -1)])  # (1)
                if power < 0 and cosines >= 2:
                    return self._replaced(powers, {c: -2}, [({}, 1), ({atom: 2}, -1)])  # (2)
                if power < 0 and cosines < 0:
                    return self._replaced(powers, {}, [({atom: 2}, 1), ({c: 2}, 1)])  # (3)
            elif kind is Function and power >= 2 and self.atoms[atom].operation == "sqrt":
                terms = self.atoms[atom].arguments[0].terms
                return self._replaced(
                    powers, {atom: -2}, [(dict(self.monomials[m]), x) for m, x in terms.items()]
                )  # (4)
            elif power <= -2 and atom in self.squared_inverses:
                return self._replaced(powers, {atom: 2}, self.squared_inverses[atom])  # (4)
            elif kind is Divisor and power > 0:
                terms = [(dict(self.monomials[m]), x) for m, x in self.atoms[atom].of.terms.items()]
                return self._replaced(powers, {atom: -1}, terms)
        return [(self.monomial(powers.items()), 1)]

    def _replaced(self, powers: dict[int, int], less: dict[int, int], by: list[Any]) -> list[tuple[int, Any]]:
        total: dict[int, Any] = {}
        for more, factor in by:
            new = dict(powers)
            for change in (less, more):
                for atom, power in change.items():
                    new[atom] = new.get(atom, 0) + power
            for monomial, x in self._reduced({atom: power for atom, power in new.items() if power}):
                total[monomial] = total.get(monomial, 0) + factor * x
        return [(monomial, x) for monomial, x in total.items() if x]
