"""Sums of products as a person writes them: common factors in front, terms with a factor in common together.

A term is a product of powers of factors, numbered so that they are written in their order, with a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import Any

from chasles.formula.tree import ZERO, Formula, Number, Power, Product, Quotient, Sum
from chasles.simplification.coefficients import Coefficient, cleaned, lowered

Factor = tuple[Any, ...]
Term = tuple[tuple[Factor, int], ...]
Terms = dict[Term, Any]
Part = Callable[[Term], Term]

PARAMETER, QUANTITY, TRIG, OTHER = range(4)
"""The ranks that factors begin with, in the order in which they are written."""


def content(terms: Terms) -> tuple[Term, Coefficient]:
    """What all terms have in common: factors, and the number that leaves whole ones without a common divisor.

    The number has the sign of the first term; a decimal is not taken out of a constant, 0.2 + m l^2.
    """
    common: dict[Factor, int] | None = None
    for term in terms:
        powers = dict(term)
        if common is None:
            common = powers
        else:
            both = (*common, *(factor for factor in powers if factor not in common))
            common = {factor: min(common.get(factor, 0), powers.get(factor, 0)) for factor in both}
    shared = tuple(sorted((factor, power) for factor, power in (common or {}).items() if power))
    number = number_content(list(terms.values()))
    return shared, (-1 if number < 0 else 1) if type(number) is float and () in terms and len(terms) > 1 else number


def number_content(numbers: list[Any]) -> Coefficient:
    """The largest number of which all are whole multiples, with the sign of the first.

    Of floats, the smallest, if the others are small multiples of it, else 1.
    """
    if len(numbers) == 1:
        return numbers[0]
    sign = -1 if numbers[0] < 0 else 1
    if any(type(x) is float for x in numbers):
        least = min(abs(float(x)) for x in numbers)
        multiples = (abs(float(x)) / least for x in numbers)
        return sign * least if all(x < 12.5 and abs(x - round(x)) < 1e-12 for x in multiples) else sign
    fractions = [Fraction(x) for x in numbers]
    above = gcd(*(abs(x.numerator) for x in fractions))
    return lowered(sign * Fraction(above, lcm(*(x.denominator for x in fractions))))


def divided(terms: Terms, by: Term, number: Coefficient) -> Terms:
    """Terms without a factor that all have."""
    less = dict(by)
    result: Terms = {}
    for term, x in terms.items():
        powers = dict(term)
        for factor, power in less.items():
            powers[factor] = powers.get(factor, 0) - power
        result[_term(powers.items())] = ratio(x, number)
    return result


def square_root(terms: Terms) -> Terms | None:
    """The sum that terms are the square of: qd_1^2 + 2 qd_1 qd_2 + qd_2^2; None if they are no square of one."""
    if any(type(x) is float for x in terms.values()):
        return None
    squares = [(term, x) for term, x in terms.items() if all(power % 2 == 0 for _, power in term)]
    if not 2 <= len(squares) <= 8 or len(terms) != len(squares) * (len(squares) + 1) // 2:
        return None
    roots: Terms = {}
    for term, x in squares:
        size = Fraction(isqrt(abs(Fraction(x).numerator)), isqrt(Fraction(x).denominator))
        root = tuple((factor, power // 2) for factor, power in term)
        first = next(iter(roots), None)
        sign = -1 if first is not None and terms.get(times(first, root), 0) < 0 else 1
        roots[root] = lowered(sign * size)
    product: Terms = {}
    for x, a in roots.items():
        for y, b in roots.items():
            product[times(x, y)] = product.get(times(x, y), 0) + a * b
    return roots if product == terms else None


def place(terms: Terms) -> Factor:
    """Where a sum stands in a product: (m_1 + m_2) l_1^2, but l_2 (l_2 + l_1 c_2) and s_2 (qd_1 + qd_2)."""
    factors = [factor for term in terms for factor, _ in term]
    last = max(factors)
    return (last[0] + 1,) if last[0] else min(factors)


def ratio(x: Coefficient, y: Coefficient) -> Coefficient:
    """x / y, exact where both are."""
    if y in (1, -1):
        return x if y == 1 else -x
    return cleaned(x / y, 0.0) if type(x) is float or type(y) is float else lowered(Fraction(x) / y)


def times(x: Term, y: Term) -> Term:
    powers = dict(x)
    for factor, power in y:
        powers[factor] = powers.get(factor, 0) + power
    return _term(powers.items())


def _term(powers: Iterable[tuple[Factor, int]]) -> Term:
    return tuple(sorted((factor, power) for factor, power in powers if power))


def two_factors(terms: Terms) -> tuple[Terms, Terms] | None:
    """The two sums that terms are the product of, the second of coordinates and rates; None if they are no product."""
    if (found := next(_products(terms), None)) is None or len(found) < len(terms):
        return None
    rows = _rows(terms)
    right = rows[next(iter(rows))]
    number = number_content(list(right.values()))
    first = next(iter(right))
    left = {part: ratio(row[first], ratio(right[first], number)) for part, row in rows.items()}
    return left, {other: ratio(x, number) for other, x in right.items()}


def _products(terms: Terms) -> Iterator[Terms]:
    """Terms that are the product of a sum with one of several coordinates and rates."""
    groups: dict[Any, list[Term]] = {}
    rows = _rows(terms)
    for part, row in rows.items():
        first = next(iter(row.values()))
        if len(row) > 1:
            key = frozenset((other, float(f"{float(x / first):.11g}")) for other, x in row.items())
            groups.setdefault(key, []).append(part)
    for parts in groups.values():
        if len(parts) > 1:
            yield {times(part, other): rows[part][other] for part in parts for other in rows[part]}


def _rows(terms: Terms) -> dict[Term, Terms]:
    """Numbers by the coordinates and rates in terms, by what is left of them; terms of accelerations are left out."""
    rows: dict[Term, Terms] = {}
    for term, x in terms.items():
        other = tuple(item for item in term if item[0][0] == OTHER)
        if all(factor[1] < 2 for factor, _ in other):
            rows.setdefault(tuple(item for item in term if item[0][0] != OTHER), {})[other] = x
    return rows


def _is_constant(terms: Terms) -> bool:
    return all(_is_parameter(factor) for term in terms for factor, _ in term)


def _is_parameter(factor: Factor) -> bool:
    return factor[0] == PARAMETER


class Collector:
    """Writes terms. formula: of a factor. order: of terms in a sum. parts: of terms, which those may share as wholes.

    first: the part that is tried before all others.
    """

    def __init__(
        self,
        formula: Callable[[Factor], Formula],
        order: Callable[[Term], Any],
        parts: list[Part],
        first: Part | None = None,
    ) -> None:
        self.formula, self.order, self.parts, self.first = formula, order, parts, first

    def written(self, terms: Terms) -> Formula:
        """The sum, with terms together that share a part."""
        if not terms:
            return ZERO
        terms = dict(sorted(terms.items(), key=lambda item: self.order(item[0])))
        common, number = content(terms)
        if len(terms) == 1:
            return self.product(number, common)
        if self._would_nest(common, terms):
            common = ()
        inner = divided(terms, common, number)
        if any(x > 0 for x in terms.values()) and number < 0:
            number, inner = -number, {term: -x for term, x in inner.items()}
        if not common and self._stays_inside(number, inner):
            number, inner = (1 if number > 0 else -1), {t: lowered(x * abs(number)) for t, x in inner.items()}
        root = square_root(inner)
        if root is not None:
            return self.product(number, common, (Power(self._sum(root), Number(Fraction(2))), place(inner)))
        both = two_factors(inner) or (inner,)
        return self.product(number, common, *((self._sum(x), place(x)) for x in both))

    def _would_nest(self, common: Term, terms: Terms) -> bool:
        """Whether a parameter in front would put brackets around brackets: (m_1 + m_2) g l_1 c_1 + m_2 g l_2 c_2."""
        if len(common) != 1 or not _is_parameter(common[0][0]) or common[0][1] != 1:
            return False
        return any(
            isinstance(self.formula(factor), Sum) for term in terms for factor, _ in term if _is_parameter(factor)
        )

    def _stays_inside(self, number: Coefficient, inner: Terms) -> bool:
        """Whether a number that all terms have stays with them: beside a number, or where most are whole."""
        if type(number) is float or abs(number) == 1:
            return False
        whole = sum(Fraction(x * number).denominator == 1 for x in inner.values()) if abs(number) < 1 else 0
        varies = any(factor[0] == OTHER for term in inner for factor, _ in term)
        return () in inner or 2 * whole > len(inner) - varies

    def _sum(self, terms: Terms) -> Formula:
        """Groups of terms that share a part, and the others, by the first of each."""
        pieces: list[tuple[Any, Terms]] = []
        left = dict(terms)
        while (group := next(_products(left), None) or self._shared(left)) is not None:
            pieces.append((min(map(self.order, group)), group))
            left = {term: x for term, x in left.items() if term not in group}
        pieces += [(self.order(term), {term: x}) for term, x in left.items()]
        if len(pieces) == 1:
            return self._flat(pieces[0][1])
        parts = [part for _, part in sorted(pieces, key=lambda piece: piece[0])]
        if _is_constant(parts[0]) and not _is_constant(parts[-1]) and max(parts[0].values()) < 0 < max(terms.values()):
            parts.append(parts.pop(0))
        return joined([self.written(part) for part in parts])

    def _shared(self, terms: Terms) -> Terms | None:
        """The terms that share the part that is worth most to be written once."""
        best, most = None, 0
        for part in self.parts:
            groups: dict[Term, Terms] = {}
            for term, x in terms.items():
                groups.setdefault(part(term), {})[term] = x
            for shared, group in groups.items():
                worth = (len(group) - 1) * sum(abs(power) for _, power in shared)
                if worth > most:
                    best, most = group, worth
            if best is not None and part is self.first:
                break
        return best

    def _flat(self, terms: Terms) -> Formula:
        return _sum([self.product(x, term) for term, x in terms.items()])

    def product(self, number: Coefficient, term: Term, *sums: tuple[Formula, Factor]) -> Formula:
        """A number times powers of factors, times sums in their places among them; negative powers are below a line."""
        above = [self._power(factor, power) for factor, power in term if power > 0]
        below = [self._power(factor, -power) for factor, power in term if power < 0]
        for inner, at in reversed(sums):
            above.insert(sum(factor <= at for factor, power in term if power > 0), inner)
        if below and type(number) is not float and abs(number) != 1 and Fraction(number).denominator > 1:
            below.insert(0, Number(Fraction(Fraction(number).denominator)))
            number = Fraction(number).numerator
        if number != 1 or not above:
            above = _with_number(number, above)
        upper = above[0] if len(above) == 1 else Product(tuple(above))
        if not below:
            return upper
        return Quotient(upper, below[0] if len(below) == 1 else Product(tuple(below)))

    def _power(self, factor: Factor, power: int) -> Formula:
        base = self.formula(factor)
        return base if power == 1 else Power(base, Number(Fraction(power)))


def _with_number(number: Coefficient, above: list[Formula]) -> list[Formula]:
    value = number if type(number) is float else Fraction(number)
    if above and isinstance(above[0], Sum) and len(above) == 1 and number == -1:
        return [_sum([negated(term) for term in above[0].terms])]
    return [Number(value), *above]


def negated(formula: Formula) -> Formula:
    """-formula, its sign in the number at its front."""
    if isinstance(formula, Number):
        return Number(-formula.value)
    if isinstance(formula, Quotient):
        return Quotient(negated(formula.above), formula.below)
    if isinstance(formula, Product) and isinstance(formula.factors[0], Number):
        value = -formula.factors[0].value
        rest = formula.factors[1:]
        if value == 1:
            return rest[0] if len(rest) == 1 else Product(rest)
        return Product((Number(value), *rest))
    if isinstance(formula, Product):
        return Product((Number(Fraction(-1)), *formula.factors))
    return Product((Number(Fraction(-1)), formula))


def is_negative(formula: Formula) -> bool:
    if isinstance(formula, Quotient):
        return is_negative(formula.above)
    if isinstance(formula, Product):
        return is_negative(formula.factors[0])
    return isinstance(formula, Number) and formula.value < 0


def joined(terms: list[Formula]) -> Formula:
    """The sum of formulas, sums among them written into it."""
    return _sum([inner for term in terms for inner in (term.terms if isinstance(term, Sum) else (term,))])


def _sum(terms: list[Formula]) -> Formula:
    """Terms in their order, but a positive one in front, where there is one."""
    if len(terms) == 1:
        return terms[0]
    first = next((k for k, term in enumerate(terms) if not is_negative(term)), 0)
    return Sum((terms[first], *terms[:first], *terms[first + 1 :]))
