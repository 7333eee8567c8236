"""Polynomials as formulas: trigonometry in few terms, coefficients of parameters named or factored, terms collected.

(I_1 + m_1 r_1^2 + ...) + 2 m_2 l_1 r_2 cos(q_2)    ->    alpha + 2 beta c_2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from fractions import Fraction
from typing import Any

from chasles.formula.tree import ZERO, Call, Comparison, Formula, Number, Power, Symbol
from chasles.simplification.coefficients import cleaned, is_noise
from chasles.simplification.collecting import (
    OTHER,
    PARAMETER,
    QUANTITY,
    TRIG,
    Collector,
    Factor,
    Term,
    Terms,
    content,
    divided,
    joined,
    number_content,
    ratio,
    times,
)
from chasles.simplification.factoring import factored
from chasles.simplification.functions import Condition
from chasles.simplification.names import NamedCoefficient, Names
from chasles.simplification.ordering import (
    accelerations,
    all_but_others,
    by_shape,
    constants,
    customary,
    has_decimals,
    in_decimals,
    is_gravity,
    order,
    others,
    trigonometric,
    without_divisors,
)
from chasles.simplification.polynomial import Polynomial
from chasles.simplification.table import Cosine, Divisor, Function, Leaf, Named, Sine
from chasles.simplification.trigonometry import Trig, fewest
from chasles.simplification.uses import needed, symbol_names

_RELATIONS = {"less": "<", "less_equal": "<=", "and": "and", "or": "or", "not": "not"}


_LONG_SUM, _LONG_PRODUCT = 3, 3  # terms that a sum without a name has at most, factors that a product with one has
_DEFINITION, _WEIGHT = 3, 8  # words that a name saves at least, that of a weight, m g l, which all know, more


class Writer:
    """Writes polynomials of the table of names, and defines the names that it uses."""

    def __init__(self, names: Names) -> None:
        self.names, self.table = names, names.table
        self._sums: dict[Any, int] = {}
        self._sum_terms: list[Terms] = []
        parts = [accelerations, others, trigonometric, constants, all_but_others]
        self._collector = Collector(self._formula, order, parts, first=accelerations)
        self._parameters = Collector(self._formula, order, [])
        self._symbols: dict[Factor, Symbol] = {}
        self._formulas: dict[Factor, Formula] = {}
        self._found: dict[Any, Terms] = {}

    def written(self, polynomials: list[Polynomial]) -> list[Formula]:
        """The formulas of polynomials, and of the intermediate quantities that they need."""
        new = [k for k in needed(self.names, polynomials) if k not in self.names.quantity_symbols]
        every = [self.terms(p) for p in (*(self.names.quantities[k] for k in new), *polynomials)]
        if any(map(has_decimals, every)):
            every = [in_decimals(terms) for terms in every]
        if self.names.names_coefficients:
            self._name_coefficients(every, every[: len(new)])
        defined = []
        for k, terms in zip(new, every, strict=False):
            symbol = self._coefficient_symbol(terms)
            self.names.quantity_symbols[k] = symbol or self.names.new_quantity()
            if symbol is None:
                defined.append((self.names.quantity_symbols[k], terms))
        for symbol, terms in defined:
            self.names.define(symbol, self._collected(terms))
        return [self._collected(terms) for terms in every[len(new) :]]

    def _coefficient_symbol(self, terms: Terms) -> Symbol | None:
        """The name of terms that are a coefficient."""
        if not _is_coefficient(terms):
            return None
        named = self._named(terms)
        return self._symbols[named[0]] if named is not None and named[1] == 1 else None

    def terms(self, polynomial: Polynomial) -> Terms:
        """The polynomial in factors as they are written, its trigonometry in few terms."""
        found = self._found.get(polynomial.key)
        if found is None:
            found = self._found[polynomial.key] = self._terms(polynomial)
        return found

    def length(self, polynomial: Polynomial) -> int:
        """How many terms it is written in, or would be, if each had three factors."""
        return _length(by_shape(self.terms(polynomial)))

    def unsimplified_length(self, polynomial: Polynomial) -> int:
        """The same of its normal form, which is seldom three times as long as what a person would write in full."""
        table = self.table
        shapes = (tuple(x for x in table.monomials[m] if not self._is_parameter(x[0])) for m in polynomial.terms)
        return _length(set(shapes))

    def _is_parameter(self, atom: int) -> bool:
        value = self.table.atoms[atom]
        return isinstance(value, Leaf) and value.parameter

    def _terms(self, polynomial: Polynomial) -> Terms:
        groups: dict[Term, dict[Trig, Any]] = {}
        for monomial, x in polynomial.terms.items():
            rest, powers = [], {}
            for atom, power in self.table.monomials[monomial]:
                kind = self.table.kinds[atom]
                if kind is Sine or kind is Cosine:
                    s, c = powers.get(self.table.atoms[atom].angle, (0, 0))
                    powers[self.table.atoms[atom].angle] = (s + power, c) if kind is Sine else (s, c + power)
                else:
                    rest.append((self._factor(atom), power))
            trig = Trig(tuple(sorted((self.table.combination(angle), *power) for angle, power in powers.items())))
            groups.setdefault(tuple(sorted(rest)), {})[trig] = x
        result: Terms = {}
        for rest, part in groups.items():
            for trig, x in fewest(part, polynomial.scale).items():
                if not is_noise(x, polynomial.scale):
                    result[times(rest, self._trig_term(trig))] = cleaned(x, polynomial.scale)
        return in_decimals(result) if has_decimals(result) else result

    def _factor(self, atom: int) -> Factor:
        value = self.table.atoms[atom]
        if isinstance(value, Leaf):
            place = customary(value.symbol) if value.parameter else ()
            return (PARAMETER, 1, place, 0, atom) if value.parameter else (OTHER, value.symbol.dots, atom)
        if isinstance(value, Named):
            return (QUANTITY, value.number)
        return (OTHER, 0, atom)

    def _trig_term(self, trig: Trig) -> Term:
        factors: dict[Factor, int] = {}
        for angles, s, c in trig.powers:
            factors[TRIG, angles, 0] = s
            factors[TRIG, angles, 1] = c
        for wave in trig.waves:
            factor = (TRIG, wave.angles, 0 if wave.is_sine else 1)
            factors[factor] = factors.get(factor, 0) + 1
        return tuple(sorted((factor, power) for factor, power in factors.items() if power))

    def _collected(self, terms: Terms) -> Formula:
        """Terms over the same sums together, those over none first."""
        return joined([self._over_one(part) for part in self._by_divisors(terms)] or [ZERO])

    def _by_divisors(self, terms: Terms) -> list[Terms]:
        parts: dict[Term, Terms] = {}
        for term, x in terms.items():
            below = tuple(item for item in term if item[1] < 0 and self._is_divisor(item[0]))
            parts.setdefault(below, {})[term] = x
        return [parts[below] for below in sorted(parts)]

    def _is_divisor(self, factor: Factor) -> bool:
        return factor[0] == OTHER and self.table.kinds[factor[-1]] is Divisor

    def _over_one(self, terms: Terms) -> Formula:
        below, terms = without_divisors(terms)
        result: Terms = {}
        for shape, coefficient in by_shape(terms).items():
            shape = times(shape, below)
            symbol_and_number = self._named(coefficient)
            if symbol_and_number is not None:
                factor, number = symbol_and_number
                result[times(((factor, 1),), shape)] = number
                continue
            if len(coefficient) == 1:
                ((term, x),) = coefficient.items()
                result[times(term, shape)] = x
                continue
            common, number = content(coefficient)
            inner = divided(coefficient, common, number)
            result[times(times(common, ((self._sum_factor(inner), 1),)), shape)] = number
        return self._collector.written(result)

    def _sum_factor(self, terms: Terms) -> Factor:
        key = tuple(sorted(terms.items()))
        if key not in self._sums:
            self._sums[key] = len(self._sum_terms)
            self._sum_terms.append(terms)
        return (PARAMETER, 1, min(term[0][0][2] for term in terms if term), 1, self._sums[key])

    def _name_coefficients(self, every: list[Terms], quantities: list[Terms]) -> None:
        """Names for sums and products of parameters where they save words, for products only beside sums; and for
        those that are quantities by themselves."""
        whole = {_normal(terms)[0] for terms in quantities if _is_coefficient(terms)}
        counts: dict[Any, int] = {}
        first: dict[Any, Terms] = {}
        for part in (part for terms in every for part in self._by_divisors(terms)):
            for coefficient in by_shape(without_divisors(part)[1]).values():
                key, _ = _normal(coefficient)
                counts[key] = counts.get(key, 0) + 1
                first.setdefault(key, coefficient)
        known = self.names.coefficients
        saving = (key for key, x in first.items() if key in whole or self._saves(x, counts[key]))
        new = {key: first[key] for key in saving if key not in known}
        if not known and all(len(x) == 1 for x in new.values()):
            return
        self.names.expect(len(new))
        for key, coefficient in new.items():
            shown = divided(coefficient, (), 1 if key in whole else _content(coefficient))
            known[key] = NamedCoefficient(self.names.new_coefficient(), len(known), _normal(shown)[1])
            self.names.define(known[key].symbol, factored(shown, self._parameters))

    def _saves(self, coefficient: Terms, uses: int) -> bool:
        """Whether a name is worth its definition: for long sums, and for what is long and used often enough."""
        if len(coefficient) > _LONG_SUM:
            return True
        if len(coefficient) == 1 and len(next(iter(coefficient))) < _LONG_PRODUCT:
            return False
        words = sum(1 for _ in symbol_names(factored(coefficient, self._parameters)))
        weighs = any(is_gravity(factor) for factor, _ in content(coefficient)[0])
        return (words - 1) * (uses - 1) > (_WEIGHT if weighs else _DEFINITION)

    def _named(self, coefficient: Terms) -> tuple[Factor, Any] | None:
        if not self.names.names_coefficients or not self.names.coefficients:
            return None
        key, number = _normal(coefficient)
        known = self.names.coefficients.get(key)
        if known is None:
            return None
        factor = (PARAMETER, 0, known.place)
        self._symbols[factor] = known.symbol
        return factor, ratio(number, known.number)

    def _formula(self, factor: Factor) -> Formula:
        found = self._formulas.get(factor)
        if found is None:
            found = self._formulas[factor] = self._made(factor)
        return found

    def _made(self, factor: Factor) -> Formula:
        if factor[0] == QUANTITY:
            return self.names.quantity_symbols[factor[1]]
        if factor[0] == TRIG:
            return Call("cos" if factor[2] else "sin", (self._angle(factor[1]),))
        if factor in self._symbols:
            return self._symbols[factor]
        if factor[0] == PARAMETER and factor[3]:
            return factored(self._sum_terms[factor[4]], self._parameters)
        return self._atom(self.table.atoms[factor[-1]])

    def _angle(self, angles: tuple[tuple[int, int], ...]) -> Formula:
        table, terms = self.table, {}
        for angle, n in angles:
            of, factor, _ = table.angles[angle]
            term = tuple(sorted((self._factor(atom), power) for atom, power in table.monomials[of]))
            terms[term] = terms.get(term, 0) + n * factor
        return Collector(self._formula, lambda term: 0, [])._flat(terms)

    def _atom(self, atom: Any) -> Formula:
        if isinstance(atom, Leaf):
            return atom.symbol
        if isinstance(atom, Divisor):
            return self._plain(atom.of)
        assert isinstance(atom, Function)
        arguments = tuple(self._argument(x) for x in atom.arguments)
        return Power(*arguments) if atom.operation == "pow" else Call(atom.operation, arguments)

    def _argument(self, x: Any) -> Formula:
        if isinstance(x, Condition):
            if not x.sides:
                return Comparison("<=" if x.operation == "true" else "<", (Number(Fraction(0)), Number(Fraction(0))))
            return Comparison(_RELATIONS[x.operation], tuple(self._argument(side) for side in x.sides))
        return self._plain(x)

    def _plain(self, polynomial: Polynomial) -> Formula:
        return self._collected(self.terms(polynomial))


def _is_coefficient(terms: Terms) -> bool:
    return bool(terms) and all(factor[0] == PARAMETER for term in terms for factor, _ in term)


def _length(shapes: Collection[Any]) -> int:
    return max(len(shapes), (len(shapes) + sum(abs(power) for shape in shapes for _, power in shape)) // 4)


def _content(coefficient: Terms) -> Any:
    """The number that the definition of a name leaves out: what all have in common.

    Of decimals, that of parameters of one kind, the last, so that h_2 + 0.2 m_3 is no mass; or the most frequent, where
    all are of one kind.
    """
    numbers = list(coefficient.values())
    sign = -1 if all(x < 0 for x in numbers) else 1
    if not any(type(x) is float for x in numbers):
        return sign * abs(number_content(numbers))
    kinds = {term: tuple((factor[2][2], power) for factor, power in term) for term in coefficient}
    last = kinds[max(coefficient)]
    sizes = Counter(abs(x) for term, x in coefficient.items() if kinds[term] == last)
    if len(set(kinds.values())) > 1:
        return sign * (next(iter(sizes)) if len(sizes) == 1 else 1)
    most = max(sizes, key=lambda x: sizes[x])
    return sign * (most if sizes[most] > 1 else 1)


def _normal(coefficient: Terms) -> tuple[Any, Any]:
    """What multiples of a coefficient have in common, and the number it is of that."""
    ordered = sorted(coefficient.items())
    first = ordered[0][1]
    if not any(type(x) is float for _, x in ordered):
        return tuple((term, ratio(x, first)) for term, x in ordered), first
    return tuple((term, float(f"{float(x) / float(first):.11g}")) for term, x in ordered), first
