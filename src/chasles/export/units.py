"""Units of operands: products of kg, m, s and rad, multiplied, divided and written as people write them.

Angles count where they tell something: a stiffness is N m/rad, an inertia kg m^2. A unit that is not known is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

NAMES = ("kg", "m", "s", "rad")


class Unit(NamedTuple):
    """Exponents."""

    kg: Fraction = Fraction(0)
    m: Fraction = Fraction(0)
    s: Fraction = Fraction(0)
    rad: Fraction = Fraction(0)

    def times(self, other: Unit, power: int = 1) -> Unit:
        """This, times a power of the other."""
        return Unit(*(a + power * b for a, b in zip(self, other, strict=True)))

    def __str__(self) -> str:
        """Such as "N m/rad"; "1" for a plain number."""
        left = dict(zip(NAMES, self, strict=True))
        newton = left["kg"] == 1 and left["s"] <= -2
        if newton:
            left = {"N": Fraction(1), "m": left["m"] - 1, "s": left["s"] + 2, "rad": left["rad"]}
        elif left["kg"]:
            left["rad"] = Fraction(0)
        above = [_power(name, x) for name, x in left.items() if x > 0]
        below = [_power(name, -x) for name, x in left.items() if x < 0]
        if not below:
            return " ".join(above) or "1"
        divided = " ".join(below)
        return f"{' '.join(above) or '1'}/{divided if len(below) == 1 else f'({divided})'}"


def _power(name: str, exponent: Fraction) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"


KNOWN = {
    "1": Unit(),
    "kg": Unit(kg=Fraction(1)),
    "m": Unit(m=Fraction(1)),
    "s": Unit(s=Fraction(1)),
    "rad": Unit(rad=Fraction(1)),
    "N": Unit(Fraction(1), Fraction(1), Fraction(-2)),
    "J": Unit(Fraction(1), Fraction(2), Fraction(-2)),
    "W": Unit(Fraction(1), Fraction(2), Fraction(-3)),
}


def unit(text: str) -> Unit | None:
    """The unit that a text such as "kg m^2/s" says; None for an empty one, and where it says none that is known."""
    above, _, below = text.partition("/")
    found = Unit()
    for part, sign in ((above, 1), (below.strip("() "), -1)):
        for word in part.split():
            name, _, power = word.partition("^")
            if name not in KNOWN or not re.fullmatch(r"\d*", power):
                return None
            found = found.times(KNOWN[name], sign * int(power or 1))
    return found if text else None


def product(units: Iterable[tuple[Unit | None, int]]) -> Unit | None:
    """The product of units to their powers; None where one is not known."""
    found = Unit()
    for one, power in units:
        if one is None:
            return None
        found = found.times(one, power)
    return found
