"""Trigonometric polynomials in few terms.

In normal form they are polynomials of the sines and cosines of single angles. Sums of angles are brought in where they
leave fewer terms (angle_sums.py), and likewise

    c_1 c_2 - s_1 s_2 = c_{12}                                                                      (1)
    1 - c^2 = s^2,  1 - 2 c^2 = -cos(2 q)       powers of sines, or waves of one angle              (2)
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

from chasles.simplification.angle_sums import Angles, Terms, Trig, in_waves, kept, replaced
from chasles.simplification.coefficients import exact, lowered

__all__ = ["Trig", "fewest"]


def fewest(terms: Terms, scale: float) -> Terms:
    """The polynomial in few terms; the search is made once for all multiples of one with whole or simple ratios."""
    if len(terms) < 2:
        return terms
    items = sorted(terms.items())
    first = items[0][1]
    ratios = [ratio if type(x) is not float else exact(ratio) for _, x in items for ratio in [_ratio(x, first)]]
    if any(type(x) is float for x in ratios):
        return _searched(terms, scale)
    shared = _of_ratios(tuple((term, x) for (term, _), x in zip(items, ratios, strict=True)))
    return {term: lowered(x * first) for term, x in shared}


def _ratio(x: Any, y: Any) -> Any:
    return x / y if type(x) is float or type(y) is float else lowered(Fraction(x) / y)


@lru_cache(4096)
def _of_ratios(terms: tuple[tuple[Trig, Any], ...]) -> tuple[tuple[Trig, Any], ...]:
    return tuple(_searched(dict(terms), 0.0).items())


def _searched(terms: Terms, scale: float) -> Terms:
    """The better of two: sums of angles replace angles as long as they help, or waves do where they help more."""
    if not _pairs(terms):
        return _finished(terms, scale)
    replacing = _in_sums(terms, scale, waves=False)
    both = (_finished(_in_sums(start, scale, waves=True), scale) for start in (replacing, terms))
    return min(both, key=_cost)


def _finished(terms: Terms, scale: float) -> Terms:
    terms = _in_sines(terms, scale)
    for angle in _angles(terms):
        terms = _in_powers(terms, angle, scale)
    return terms


def _angles(terms: Terms) -> list[Angles]:
    return sorted({angle for term in terms for angle, _, _ in term.powers})


def _in_sums(terms: Terms, scale: float, *, waves: bool) -> Terms:
    """(1): one pair of angles after the other, in the way that leaves least; waves: whether in waves, too."""
    while True:
        best, least = None, _cost(terms)
        for x, y in _pairs(terms):
            found = [replaced(terms, old, by, sign, scale) for old, by in ((y, x), (x, y)) for sign in (1, -1)]
            for candidate in (*found, _group_in_waves(terms, (x, y), scale) if waves else None):
                if candidate is not None and _cost(candidate) < least:
                    best, least = candidate, _cost(candidate)
        if best is None:
            return terms
        terms = best


def _group_in_waves(terms: Terms, group: tuple[Angles, ...], scale: float) -> Terms | None:
    """In waves of a pair of angles, and of what helps to add."""
    found = in_waves(terms, group, scale)
    while found is not None:
        best = None
        for angle in _angles(found):
            candidate = in_waves(terms, (*group, angle), scale)
            if candidate is not None and _cost(candidate) < _cost(best[1] if best else found):
                best = (*group, angle), candidate
        if best is None:
            return found
        group, found = best
    return None


def _cost(terms: Terms) -> tuple[int, int]:
    """How many terms, and how many letters they have."""
    letters = sum(s + c for term in terms for _, s, c in term.powers)
    letters += sum(1 + sum(abs(n) != 1 for _, n in wave.angles) for term in terms for wave in term.waves)
    return len(terms), letters


def _pairs(terms: Terms) -> list[tuple[Angles, Angles]]:
    """Pairs of angles of which two terms, equal in size, would add up to one of the sum or difference of them."""
    found: dict[tuple[Angles, Angles], None] = {}
    for term, x in terms.items():
        for (i, s_i, c_i), (j, s_j, c_j) in combinations(term.powers, 2):
            for k in (1, -1):
                if (i, j) not in found and c_i > 0 and (c_j if k == 1 else s_j) > 0:
                    turned = {i: (i, s_i + 1, c_i - 1), j: (j, s_j + k, c_j - k)}
                    other = terms.get(Trig(tuple(turned.get(power[0], power) for power in term.powers), term.waves))
                    if other is not None and abs(abs(other) - abs(x)) <= 1e-9 * abs(x):
                        found[i, j] = None
    return sorted(found)


def _in_sines(terms: Terms, scale: float) -> Terms:
    """Powers of sines in place of those of cosines, throughout, for angles of which they leave fewer terms; as many
    are taken on the way, as those of two angles may be fewer only together."""
    best = terms
    for angle in _angles(terms):
        found = _in_sine(terms, angle, scale)
        if found is not None and len(found) <= len(terms):
            terms = found
            best = terms if len(terms) < len(best) else best
    return best


def _in_sine(terms: Terms, angle: Angles, scale: float) -> Terms | None:
    result: Terms = {}
    for term, x in terms.items():
        own = next(((s, c) for a, s, c in term.powers if a == angle), (0, 0))
        if min(own) < 0:
            return None
        rest = [power for power in term.powers if power[0] != angle]
        for (s, c), y in _by_sines({own: x}, 0.0).items():
            key = Trig(tuple(sorted([*rest, (angle, s, c)] if (s, c) != (0, 0) else rest)), term.waves)
            result[key] = result.get(key, 0) + y
    return kept(result, scale)


def _in_powers(terms: Terms, angle: Angles, scale: float) -> Terms:
    """(2) for one angle: what is multiplied with the same of other angles is written in the fewest terms."""
    groups: dict[Trig, dict[tuple[int, int], Any]] = {}
    for term, x in terms.items():
        rest = Trig(tuple(power for power in term.powers if power[0] != angle), term.waves)
        powers = next(((s, c) for a, s, c in term.powers if a == angle), (0, 0))
        groups.setdefault(rest, {})[powers] = x
    result: Terms = {}
    for rest, part in groups.items():
        for (powers, waves), x in _shortest(part, angle, scale).items():
            own = ((angle, *powers),) if powers != (0, 0) else ()
            result[Trig(tuple(sorted((*rest.powers, *own))), tuple(sorted((*rest.waves, *waves))))] = x
    return result


def _shortest(part: dict[tuple[int, int], Any], angle: Angles, scale: float) -> dict[Any, Any]:
    plain = {(powers, ()): x for powers, x in part.items()}
    if len(part) < 2 or any(s < 0 or c < 0 for s, c in part) or max(s + c for s, c in part) < 2:
        return plain
    candidates: list[dict[Any, Any]] = [plain, {(p, ()): x for p, x in _by_sines(part, scale).items()}]
    candidates.append({(p, ()): x for p, x in _even(part, scale).items()})
    waves = in_waves({Trig(((angle, s, c),)): x for (s, c), x in part.items()}, (angle,), scale) or {}
    candidates.append({((0, 0), term.waves): x for term, x in waves.items()})
    return min(candidates, key=len)


def _by_sines(part: dict[tuple[int, int], Any], scale: float) -> dict[tuple[int, int], Any]:
    """c^2 = 1 - s^2 throughout."""
    result: dict[tuple[int, int], Any] = {}
    for (s, c), x in part.items():
        for k in range(c // 2 + 1):
            powers = (s + 2 * k, c % 2)
            result[powers] = result.get(powers, 0) + (-1) ** k * comb(c // 2, k) * x
    return kept(result, scale)


def _even(part: dict[tuple[int, int], Any], scale: float) -> dict[tuple[int, int], Any]:
    """All terms of one degree, as far as it is even: a + (b - a) c^2 = a s^2 + b c^2."""
    result: dict[tuple[int, int], Any] = {}
    for odd in (0, 1):
        degree = max((s + c for s, c in part if (s + c) % 2 == odd), default=0)
        for (s, c), x in part.items():
            if (s + c) % 2 == odd:
                missing = (degree - s - c) // 2
                for k in range(missing + 1):
                    powers = (s + 2 * k, c + 2 * (missing - k))
                    result[powers] = result.get(powers, 0) + comb(missing, k) * x
    return kept(result, scale)
