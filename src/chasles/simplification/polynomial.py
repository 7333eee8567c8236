"""Polynomials in normal form: coefficients by monomials of a table.

Each carries the largest coefficient that went into it, its scale: what is far below (Table.noise) is dropped.
"""

from __future__ import annotations

from typing import Any

from chasles.simplification.coefficients import Coefficient, lowered
from chasles.simplification.table import ONE, Divisor, Table


class Polynomial:
    """terms: coefficients by numbers of monomials, none of them zero."""

    __slots__ = ("_key", "scale", "table", "terms")

    def __init__(self, table: Table, terms: dict[int, Coefficient], scale: float) -> None:
        self.table, self.terms, self.scale = table, terms, scale
        self._key: Any = None

    @classmethod
    def constant(cls, table: Table, x: Coefficient) -> Polynomial:
        return cls(table, {ONE: x} if x else {}, abs(float(x)))

    @classmethod
    def of_atom(cls, table: Table, atom: int, power: int = 1) -> Polynomial:
        return cls(table, {table.monomial([(atom, power)]): 1}, 1.0)

    @property
    def key(self) -> Any:
        """What equal ones have in common."""
        if self._key is None:
            self._key = tuple(sorted(self.terms.items()))
        return self._key

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def value(self) -> Coefficient | None:
        """The number that it is, if it is one."""
        if not self.terms:
            return 0
        return self.terms.get(ONE) if len(self.terms) == 1 else None

    def __add__(self, other: Polynomial) -> Polynomial:
        large, small = (self, other) if len(self.terms) >= len(other.terms) else (other, self)
        scale = max(self.scale, other.scale)
        terms = dict(large.terms)
        for monomial, x in small.terms.items():
            terms[monomial] = terms.get(monomial, 0) + x
        return Polynomial(self.table, _kept(terms, scale * self.table.noise), scale)

    def __neg__(self) -> Polynomial:
        return Polynomial(self.table, {m: -x for m, x in self.terms.items()}, self.scale)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __mul__(self, other: Polynomial) -> Polynomial:
        table, scale = self.table, self.scale * other.scale
        products = table.products
        terms: dict[int, Any] = {}
        for a, x in self.terms.items():
            for b, y in other.terms.items():
                product = products.get((a, b))
                if product is None:
                    product = table.product(a, b)
                if type(product) is int:
                    terms[product] = terms.get(product, 0) + x * y
                else:
                    for monomial, factor in product:
                        terms[monomial] = terms.get(monomial, 0) + x * y * factor
        return Polynomial(table, _kept(terms, scale * table.noise), scale)

    def scaled(self, factor: Coefficient) -> Polynomial:
        terms = {m: lowered(x * factor) for m, x in self.terms.items()} if factor else {}
        return Polynomial(self.table, terms, self.scale * abs(float(factor)))

    def above(self, least: float) -> Polynomial:
        """The same without floats below the least."""
        return Polynomial(self.table, _kept(self.terms, least), self.scale)

    def power(self, exponent: int) -> Polynomial:
        result = Polynomial.constant(self.table, 1)
        for _ in range(exponent):
            result = result * self
        return result

    def content(self) -> tuple[int, Coefficient]:
        """The monomial, and the coefficient of the first term, that all terms have as a factor."""
        table = self.table
        common: dict[int, int] | None = None
        for monomial in self.terms:
            powers = dict(table.monomials[monomial])
            if common is None:
                common = powers
            else:
                shared = [atom for atom in (*common, *(a for a in powers if a not in common))]
                common = {a: self._least(a, common.get(a, 0), powers.get(a, 0)) for a in shared}
        first = min(self.terms)
        return table.monomial((common or {}).items()), self.terms[first]

    def _least(self, atom: int, x: int, y: int) -> int:
        """The power that two terms have in common; a sum divides both, or is no factor."""
        return max(x, y) if self.table.kinds[atom] is Divisor else min(x, y)

    def over(self, monomial: int, factor: Coefficient) -> Polynomial:
        """Its terms divided by a factor that all have."""
        table = self.table
        less = table.monomial((atom, -power) for atom, power in table.monomials[monomial])
        by = reciprocal(factor)
        terms: dict[int, Any] = {}
        for m, x in self.terms.items():
            powers = dict(table.monomials[m])
            for atom, power in table.monomials[less]:
                powers[atom] = powers.get(atom, 0) + power
            terms[table.monomial(powers.items())] = lowered(x * by)
        return Polynomial(table, terms, self.scale * abs(float(by)))

    def ratio(self, other: Polynomial) -> Coefficient | None:
        """The number that it is of another, if it is one."""
        if len(self.terms) != len(other.terms) or not self.terms:
            return None
        ratio: Any = None
        for monomial, x in self.terms.items():
            y = other.terms.get(monomial)
            if y is None:
                return None
            z = x * reciprocal(y)
            if ratio is None:
                ratio = z
            elif ratio != z and not (type(z * 1.0) is float and abs(float(z - ratio)) < 1e-13 * abs(float(ratio))):
                return None
        return lowered(ratio)


def reciprocal(x: Coefficient) -> Coefficient:
    """1 / x, exact where x is."""
    from fractions import Fraction

    return 1.0 / x if type(x) is float else lowered(1 / Fraction(x))


def _kept(terms: dict[int, Any], least: float) -> dict[int, Any]:
    """Terms without zeros, and without floats below the least."""
    return {m: lowered(x) for m, x in terms.items() if x and (type(x) is not float or not abs(x) < least)}
