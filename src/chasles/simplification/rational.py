"""Quotients of polynomials.

A sum that divides is an atom with a negative power, without the factors that its terms have in common. Sums of
quotients are brought to one denominator, and what divides the numerator is divided out,

    x / (x + y) + y / (x + y) = (x + y) / (x + y) = 1                                               (1)

so that equal quotients are equal as far as their denominators are powers of the same sums. Where only a part of the
numerator has the sum as a factor, the quotient is split,

    (x z + y z + 1) / (x + y) = z + 1 / (x + y)                                                     (2)
    (x + y c^2) / (x + y) = 1 - y s^2 / (x + y)                                                     (3)
"""

from __future__ import annotations

from typing import Any

from chasles.simplification.collecting import number_content
from chasles.simplification.polynomial import Polynomial, reciprocal
from chasles.simplification.table import Cosine, Divisor, Function, Sine, Table

_MOST_TERMS = 2000


def inverse(polynomial: Polynomial) -> Polynomial:
    """1 over it: negative powers of a monomial, and of the sum that is left."""
    table = polynomial.table
    above, divisors = together(polynomial)
    common, factor = above.content()
    for atom, _ in table.monomials[common]:
        _note_squared_inverse(table, atom)
    numbers = [x for _, x in above.key]
    if not any(type(x) is float for x in numbers):
        factor = number_content(numbers)
    rest = above.over(common, factor)
    outer: dict[int, Any] = {table.monomial((atom, -power) for atom, power in table.monomials[common]): 1}
    result = Polynomial(table, outer, 1.0).scaled(reciprocal(factor))
    if len(rest.terms) > 1:
        result = result * Polynomial.of_atom(table, table.atom(Divisor(rest), rest.key), -1)
    for atom, power in divisors:
        result = result * table.atoms[atom].of.power(power)
    return result


def _note_squared_inverse(table: Table, atom: int) -> None:
    """Tell the table what the square of a root that divides is."""
    if table.kinds[atom] is Function and table.atoms[atom].operation == "sqrt" and atom not in table.squared_inverses:
        found = inverse(table.atoms[atom].arguments[0])
        table.squared_inverses[atom] = [(dict(table.monomials[m]), x) for m, x in found.terms.items()]


def power(polynomial: Polynomial, exponent: int) -> Polynomial:
    return polynomial.power(exponent) if exponent >= 0 else inverse(polynomial.power(-exponent))


def cancelled(polynomial: Polynomial) -> Polynomial:
    """The same over one denominator, without what divides the numerator (1)."""
    above, divisors = together(polynomial)
    if not divisors:
        return above
    table = polynomial.table
    return above * Polynomial(table, {table.monomial((atom, -power) for atom, power in divisors): 1}, 1.0)


def split(polynomial: Polynomial) -> Polynomial:
    """The same, where it is over one sum: without this below what has it as a factor, (2) and (3)."""
    table = polynomial.table
    above, divisors = together(polynomial)
    if len(divisors) != 1 or divisors[0][1] != 1:
        return polynomial
    below = table.atoms[divisors[0][0]].of
    own = {atom for monomial in below.terms for atom, _ in table.monomials[monomial]}
    parts: dict[int, dict[int, Any]] = {}
    for monomial, x in above.terms.items():
        others = table.monomial(power for power in table.monomials[monomial] if power[0] not in own)
        parts.setdefault(others, {})[monomial] = x
    groups = {others: Polynomial(table, terms, above.scale) for others, terms in parts.items()}
    of_squares: dict[int, list[Polynomial]] = {}
    for others, part in groups.items():
        for atom, exponent in table.monomials[others]:
            if table.kinds[atom] is Cosine and exponent >= 2:
                square = table.monomial([(atom, 2)])
                lower = table.monomial((a, e - 2 if a == atom else e) for a, e in table.monomials[others])
                of_squares.setdefault(lower, []).append(part.over(square, 1))
    whole = Polynomial(table, {}, 0.0)
    for others, part in groups.items():
        candidates = (part, *(part + x for x in of_squares.get(others, [])))
        whole = whole + next((x for x in (divided(c, below) for c in candidates) if x is not None), whole.scaled(0))
    return whole + (above - whole * below) * Polynomial.of_atom(table, divisors[0][0], -1)


def together(polynomial: Polynomial) -> tuple[Polynomial, list[tuple[int, int]]]:
    """The numerator, and the powers of sums that divide it; the polynomial itself where that would be too long."""
    table = polynomial.table
    most: dict[int, int] = {}
    for monomial in polynomial.terms:
        for atom, exponent in table.monomials[monomial]:
            if table.kinds[atom] is Divisor:
                most[atom] = max(most.get(atom, 0), -exponent)
    if not most:
        return polynomial, []
    size = len(polynomial)
    for atom, exponent in most.items():
        size *= len(table.atoms[atom].of) ** exponent
    if size > _MOST_TERMS:
        return polynomial, []
    above = Polynomial(table, {}, 0.0)
    for monomial, x in polynomial.terms.items():
        own = dict(table.monomials[monomial])
        missing = {atom: exponent + own.pop(atom, 0) for atom, exponent in most.items()}
        term = Polynomial(table, {table.monomial(own.items()): x}, polynomial.scale)
        for atom, exponent in missing.items():
            term = term * table.atoms[atom].of.power(exponent)
        above = above + term
    left = []
    for atom, exponent in sorted(most.items()):
        while exponent and (quotient := divided(above, table.atoms[atom].of)) is not None:
            above, exponent = quotient, exponent - 1
        if exponent:
            left.append((atom, exponent))
    return above, left


def divided(above: Polynomial, below: Polynomial) -> Polynomial | None:
    """The quotient of polynomials, where the division leaves nothing; None otherwise, or where sines divide."""
    table = above.table
    common, _ = above.content() if above.terms else (0, 1)
    rest = above.over(common, 1)
    if any(table.kinds[atom] is Sine for monomial in below.terms for atom, _ in table.monomials[monomial]):
        return None
    lead = max(below.terms, key=lambda monomial: _rank(table.monomials[monomial]))
    powers = dict(table.monomials[lead])
    quotient: dict[int, Any] = {}
    while rest.terms:
        first = max(rest.terms, key=lambda monomial: _rank(table.monomials[monomial]))
        own = dict(table.monomials[first])
        if any(own.get(atom, 0) < exponent for atom, exponent in powers.items()):
            return None
        for atom, exponent in powers.items():
            own[atom] -= exponent
        term = {table.monomial(own.items()): rest.terms[first] * reciprocal(below.terms[lead])}
        quotient |= term
        rest = rest - Polynomial(table, term, 0.0) * below
        rest.terms.pop(first, None)
        if len(quotient) + len(rest.terms) > _MOST_TERMS:
            return None
    return Polynomial(table, quotient, above.scale) * Polynomial(table, {common: 1}, 1.0)


def _rank(exponents: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """By which monomials are ordered lexicographically."""
    return tuple((-atom, exponent) for atom, exponent in exponents)
