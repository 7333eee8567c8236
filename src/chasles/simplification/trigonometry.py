"""Trigonometric polynomials in few terms.

In normal form they are polynomials of the sines and cosines of single angles. A term is written as powers of those,
and waves, sines and cosines of sums of angles:

    c_1 c_2 - s_1 s_2 = cos(q_1 + q_2)          waves, for the angles of which they leave fewer terms       (1)
    1 - c^2 = s^2,  1 - 2 c^2 = -cos(2 q)       powers of sines, or waves of one angle, likewise            (2)
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

from chasles.simplification.coefficients import is_noise, lowered

Powers = tuple[tuple[int, int, int], ...]


class Wave(NamedTuple):
    """The cosine, or the sine, of a sum of angles: (angle, whole number) pairs, the first number positive."""

    angles: tuple[tuple[int, int], ...]
    is_sine: bool


class Trig(NamedTuple):
    """A product of powers of sines and cosines, (angle, power of its sine, of its cosine), and of waves."""

    powers: Powers = ()
    waves: tuple[Wave, ...] = ()


Terms = dict[Trig, Any]


def fewest(terms: Terms, scale: float) -> Terms:
    """The polynomial in few terms."""
    if len(terms) < 2:
        return terms
    terms = _in_sines(_in_waves(terms, scale), scale)
    for angle in _angles(terms):
        terms = _in_powers(terms, angle, scale)
    return terms


def _angles(terms: Terms) -> list[int]:
    return sorted({angle for term in terms for angle, _, _ in term.powers})


def _in_waves(terms: Terms, scale: float) -> Terms:
    """(1): groups of angles, made of the pair that helps most, and what helps to add."""
    left = _angles(terms)
    while True:
        best: tuple[int, tuple[int, ...], Terms] | None = None
        for pair in _pairs(terms):
            best = _better(terms, pair, scale, best)
        if best is None:
            return terms
        _, group, found = best
        while True:
            best = None
            for angle in left:
                if angle not in group:
                    best = _better(terms, (*group, angle), scale, best, len(found))
            if best is None:
                break
            _, group, found = best
        terms, left = found, [angle for angle in left if angle not in group]


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


def _in_sine(terms: Terms, angle: int, scale: float) -> Terms | None:
    result: Terms = {}
    for term, x in terms.items():
        own = next(((s, c) for a, s, c in term.powers if a == angle), (0, 0))
        if min(own) < 0:
            return None
        rest = [power for power in term.powers if power[0] != angle]
        for (s, c), y in _by_sines({own: x}, 0.0).items():
            key = Trig(tuple(sorted([*rest, (angle, s, c)] if (s, c) != (0, 0) else rest)), term.waves)
            result[key] = result.get(key, 0) + y
    return _kept(result, scale)


def _pairs(terms: Terms) -> list[tuple[int, int]]:
    """Pairs of angles of which two terms, equal in size, would add up to one of the sum or difference of them."""
    found: dict[tuple[int, int], None] = {}
    for term, x in terms.items():
        for (i, s_i, c_i), (j, s_j, c_j) in combinations(term.powers, 2):
            for k in (1, -1):
                if (i, j) not in found and c_i and (c_j if k == 1 else s_j):
                    turned = {i: (i, s_i + 1, c_i - 1), j: (j, s_j + k, c_j - k)}
                    other = terms.get(Trig(tuple(turned.get(power[0], power) for power in term.powers), term.waves))
                    if other is not None and abs(abs(other) - abs(x)) <= 1e-9 * abs(x):
                        found[i, j] = None
    return sorted(found)


def _better(terms: Terms, group: tuple[int, ...], scale: float, best: Any, least: int = 0) -> Any:
    found = _waves(terms, group, scale)
    least = best[0] if best else least or len(terms)
    return (len(found), group, found) if found is not None and len(found) < least else best


def _waves(terms: Terms, group: tuple[int, ...], scale: float) -> Terms | None:
    """The same with waves of a group of angles in place of their powers; None if some are divided by."""
    result: Terms = {}
    for term, x in terms.items():
        waves: dict[Wave, Any] = {Wave((), False): x}
        twice = 0
        for angle, s, c in term.powers:
            if angle in group:
                if s < 0 or c < 0:
                    return None
                for is_sine in (True,) * s + (False,) * c:
                    waves = _times(waves, Wave(((angle, 1),), is_sine))
                    twice += 1
        rest = tuple(power for power in term.powers if power[0] not in group)
        for wave, y in waves.items():
            key = Trig(rest, tuple(sorted((*term.waves, wave))) if wave.angles else term.waves)
            result[key] = result.get(key, 0) + (y / 2**twice if type(y) is float else Fraction(y) / 2**twice)
    return _kept(result, scale)


def _times(waves: dict[Wave, Any], by: Wave) -> dict[Wave, Any]:
    """Twice the product: 2 cos x cos y = cos(x - y) + cos(x + y) and its like."""
    result: dict[Wave, Any] = {}
    for wave, x in waves.items():
        for sign in (1, -1):
            factor = x
            if by.is_sine:
                factor = -sign * x if wave.is_sine else sign * x
            numbers = dict(wave.angles)
            for angle, n in by.angles:
                numbers[angle] = numbers.get(angle, 0) + sign * n
            angles = tuple(sorted((angle, n) for angle, n in numbers.items() if n))
            is_sine = wave.is_sine != by.is_sine
            if angles and angles[0][1] < 0:
                angles, factor = tuple((angle, -n) for angle, n in angles), -factor if is_sine else factor
            if angles or not is_sine:
                key = Wave(angles, is_sine)
                result[key] = result.get(key, 0) + factor
    return result


def _in_powers(terms: Terms, angle: int, scale: float) -> Terms:
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


def _shortest(part: dict[tuple[int, int], Any], angle: int, scale: float) -> dict[Any, Any]:
    plain = {(powers, ()): x for powers, x in part.items()}
    if len(part) < 2 or any(s < 0 or c < 0 for s, c in part) or max(s + c for s, c in part) < 2:
        return plain
    candidates: list[dict[Any, Any]] = [plain, {(p, ()): x for p, x in _by_sines(part, scale).items()}]
    candidates.append({(p, ()): x for p, x in _even(part, scale).items()})
    waves = _waves({Trig(((angle, s, c),)): x for (s, c), x in part.items()}, (angle,), scale) or {}
    candidates.append({((0, 0), term.waves): x for term, x in waves.items()})
    return min(candidates, key=len)


def _by_sines(part: dict[tuple[int, int], Any], scale: float) -> dict[tuple[int, int], Any]:
    """c^2 = 1 - s^2 throughout."""
    result: dict[tuple[int, int], Any] = {}
    for (s, c), x in part.items():
        for k in range(c // 2 + 1):
            powers = (s + 2 * k, c % 2)
            result[powers] = result.get(powers, 0) + (-1) ** k * comb(c // 2, k) * x
    return _kept(result, scale)


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
    return _kept(result, scale)


def _kept(terms: dict[Any, Any], scale: float) -> dict[Any, Any]:
    return {key: lowered(x) for key, x in terms.items() if not is_noise(x, scale)}
