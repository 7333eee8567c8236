"""Trigonometric polynomials in sines and cosines of sums of angles.

Two ways to bring them in. A group of angles in *waves* has no products of their sines and cosines left, only sines and
cosines of their sums with whole numbers,

    2 cos x cos y = cos(x - y) + cos(x + y)     and its like                                        (1)

and an angle x that is *replaced* by its sum t = x + y with another one leaves products of powers again,

    cos x = cos t cos y + sin t sin y,   sin x = sin t cos y - cos t sin y                          (2)

so that c_2 c_{23} and c_{23}^2 are terms by themselves.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from chasles.simplification.coefficients import is_noise, lowered

Angles = tuple[tuple[int, int], ...]
"""A sum of angles: (angle, whole number) pairs, ascending, the first number positive."""


class Wave(NamedTuple):
    """The cosine, or the sine, of a sum of angles."""

    angles: Angles
    is_sine: bool


class Trig(NamedTuple):
    """A product of powers of sines and cosines, (sum of angles, power of its sine, of its cosine), and of waves."""

    powers: tuple[tuple[Angles, int, int], ...] = ()
    waves: tuple[Wave, ...] = ()


Terms = dict[Trig, Any]


def in_waves(terms: Terms, group: tuple[Angles, ...], scale: float) -> Terms | None:
    """The same with waves of a group of angles in place of their powers; None if some are divided by."""
    result: Terms = {}
    for term, x in terms.items():
        own = tuple(power for power in term.powers if power[0] in group)
        if not own:
            result[term] = result.get(term, 0) + x
            continue
        if any(s < 0 or c < 0 for _, s, c in own):
            return None
        rest = tuple(power for power in term.powers if power[0] not in group)
        for wave, factor in _waves(own):
            key = Trig(rest, tuple(sorted((*term.waves, wave))) if wave.angles else term.waves)
            result[key] = result.get(key, 0) + x * (float(factor) if type(x) is float else factor)
    return kept(result, scale)


@lru_cache(4096)
def _waves(powers: tuple[tuple[Angles, int, int], ...]) -> tuple[tuple[Wave, Fraction], ...]:
    """A product of powers of sines and cosines as a sum of waves."""
    waves: dict[Wave, int] = {Wave((), False): 1}
    for angles, s, c in powers:
        for is_sine in (True,) * s + (False,) * c:
            waves = _twice_times(waves, Wave(angles, is_sine))
    twice = sum(s + c for _, s, c in powers)
    return tuple((wave, Fraction(x, 2**twice)) for wave, x in waves.items() if x)


def _twice_times(waves: dict[Wave, int], by: Wave) -> dict[Wave, int]:
    """(1)"""
    result: dict[Wave, int] = {}
    for wave, x in waves.items():
        for sign in (1, -1):
            factor = x
            if by.is_sine:
                factor = -sign * x if wave.is_sine else sign * x
            angles, turned = sum_of(wave.angles, by.angles, sign)
            is_sine = wave.is_sine != by.is_sine
            if turned and is_sine:
                factor = -factor
            if angles or not is_sine:
                key = Wave(angles, is_sine)
                result[key] = result.get(key, 0) + factor
    return result


def sum_of(x: Angles, y: Angles, sign: int) -> tuple[Angles, bool]:
    """x + y or x - y, and whether it was turned about to make its first number positive."""
    numbers = dict(x)
    for angle, n in y:
        numbers[angle] = numbers.get(angle, 0) + sign * n
    angles = tuple(sorted((angle, n) for angle, n in numbers.items() if n))
    if angles and angles[0][1] < 0:
        return tuple((angle, -n) for angle, n in angles), True
    return angles, False


def replaced(terms: Terms, old: Angles, by: Angles, sign: int, scale: float) -> Terms | None:
    """The same with powers of old + by, or of old - by, in place of those of old (2).

    None if some are divided by, or where the new angle is there already.
    """
    new, turned = sum_of(old, by, sign)
    result: Terms = {}
    for term, x in terms.items():
        powers = {angles: (s, c) for angles, s, c in term.powers}
        s_old, c_old = powers.pop(old, (0, 0))
        s_by, c_by = powers.pop(by, (0, 0))
        if new in powers or min(s_old, c_old, s_by, c_by) < 0 or s_old + c_old > 6:
            return None
        if not s_old and not c_old:
            result[term] = result.get(term, 0) + x
            continue
        for (s_new, c_new, s, c), factor in _expanded(s_old, c_old, s_by, c_by, sign):
            own = [(new, s_new, c_new), (by, s, c)]
            parts = [*((angles, *power) for angles, power in powers.items()), *own]
            key = Trig(tuple(sorted(part for part in parts if part[1] or part[2])), term.waves)
            result[key] = result.get(key, 0) + (-factor if turned and s_new % 2 else factor) * x
    return kept(result, scale)


@lru_cache(4096)
def _expanded(s_old: int, c_old: int, s_by: int, c_by: int, sign: int) -> tuple[Any, ...]:
    """Powers of sine and cosine of old and by, in those of t = old + sign by and by, sines at most once; (2)."""
    sine = {(1, 0, 0, 1): 1, (0, 1, 1, 0): -sign}
    cosine = {(0, 1, 0, 1): 1, (1, 0, 1, 0): sign}
    total = {(0, 0, s_by, c_by): 1}
    for factor in (*(sine,) * s_old, *(cosine,) * c_old):
        product: dict[Any, int] = {}
        for x, a in total.items():
            for y, b in factor.items():
                key = tuple(m + n for m, n in zip(x, y, strict=True))
                product[key] = product.get(key, 0) + a * b
        total = product
    for place in (0, 2):
        total = _with_few_sines(total, place)
    return tuple((key, factor) for key, factor in total.items() if factor)


def _with_few_sines(terms: dict[Any, int], place: int) -> dict[Any, int]:
    """s^2 = 1 - c^2, for the powers at two places."""
    result: dict[Any, int] = {}
    stack = list(terms.items())
    while stack:
        key, x = stack.pop()
        if key[place] < 2:
            result[key] = result.get(key, 0) + x
        else:
            less = (*key[:place], key[place] - 2, *key[place + 1 :])
            more = (*less[: place + 1], less[place + 1] + 2, *less[place + 2 :])
            stack += [(less, x), (more, -x)]
    return result


def kept(terms: dict[Any, Any], scale: float) -> dict[Any, Any]:
    """Terms without zeros and rounding."""
    return {key: lowered(x) for key, x in terms.items() if not is_noise(x, scale)}
