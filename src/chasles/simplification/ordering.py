"""Factors and terms in the order in which they are written.

A factor begins with its rank: parameters, then intermediate quantities, then sines and cosines, then coordinates, their
rates and functions. A term is split into these parts, and its *shape* is all but the parameters.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

from chasles.formula.tree import Symbol
from chasles.simplification.collecting import OTHER, PARAMETER, TRIG, Factor, Term, Terms, divided

_MOMENTS = {"h": 1, "m": 2, "M": 2}  # inertias by the order of their moments, second ones and others 0


def has_decimals(terms: Terms) -> bool:
    return any(type(x) is float for x in terms.values())


def in_decimals(terms: Terms) -> Terms:
    """Fractions as decimals, but where they are of parameters and quantities: 1.5 + 0.3 c_2, but m l^2 / 12."""
    bare = {term for term, x in terms.items() if type(x) is Fraction and all(f[0] >= TRIG for f, _ in term)}
    return {term: float(x) if term in bare else x for term, x in terms.items()}


def without_divisors(terms: Terms) -> tuple[Term, Terms]:
    """The factors that divide, with negative powers, and terms that they divide."""
    least: dict[Factor, int] = {}
    for term in terms:
        for factor, power in term:
            least[factor] = min(least.get(factor, 0), power)
    below = tuple(sorted((factor, power) for factor, power in least.items() if power < 0))
    return below, divided(terms, below, 1) if below else terms


def by_shape(terms: Terms) -> dict[Term, Terms]:
    """Coefficients, sums of products of parameters, by what they multiply."""
    result: dict[Term, Terms] = {}
    for term, x in sorted(terms.items(), key=lambda item: order(item[0])):
        shape = tuple(item for item in term if item[0][0] != PARAMETER)
        result.setdefault(shape, {})[tuple(item for item in term if item[0][0] == PARAMETER)] = x
    return result


def others(term: Term) -> Term:
    return tuple(item for item in term if item[0][0] == OTHER)


def accelerations(term: Term) -> Term:
    return tuple(item for item in term if item[0][0] == OTHER and item[0][1] == 2)


def trigonometric(term: Term) -> Term:
    return tuple(item for item in term if item[0][0] == TRIG)


def constants(term: Term) -> Term:
    return tuple(item for item in term if item[0][0] < TRIG)


def all_but_others(term: Term) -> Term:
    return tuple(item for item in term if item[0][0] != OTHER)


@lru_cache(1 << 14)
def order(term: Term) -> Any:
    """Accelerations first, then velocities; constants first, then by joints; then by parameters, masses last."""
    varying, constant = others(term), constants(term)
    dots = max((factor[1] for factor, _ in varying), default=0)
    degree = sum(power for factor, power in constant if factor[:2] == (PARAMETER, 1))
    moments = max((_MOMENTS.get(f[2][2], 0) for f, _ in constant if f[:2] == (PARAMETER, 1)), default=0)
    inertia = (degree, moments if degree == 1 else 0, _descending(constant))
    return (-dots, _descending(varying), _descending(trigonometric(term)), *inertia)


def is_gravity(factor: Factor) -> bool:
    return factor[:2] == (PARAMETER, 1) and factor[2][0] == 1


def customary(symbol: Symbol) -> tuple[Any, ...]:
    """Masses first, then gravity, then others by their letters: m_2 g l_1."""
    parts = [part for part in re.split("([0-9]+)", symbol.index) if part]
    index = tuple((0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part) for part in parts)
    first = {"m": 0, "M": 0, "g": 1}.get(symbol.letter, 2)
    return (first, symbol.letter.lower(), symbol.letter, index, symbol.name)


def _descending(term: Term) -> Any:
    return tuple((factor, -power) for factor, power in term)
