"""Coefficients: whole numbers and fractions as long as they are exact, floats otherwise.

    0.5 -> 1/2,  0.3333333333333333 -> 1/3,  0.08333333333333333 -> 1/12,  9.81 stays 9.81

A float is taken for a fraction where it is within 4 units in its last place of one with a small denominator, and for a
decimal where it is written in few digits.
"""

from fractions import Fraction

Coefficient = int | Fraction | float

_LARGEST_DENOMINATOR = 1000
NOISE = 1e-13
"""What rounding leaves, of the largest numbers that went into a sum."""


def exact(x: float) -> Coefficient:
    """The number that a float of a program means: a whole number, a fraction, or the float itself."""
    x = float(x)
    if x != x or x in (float("inf"), float("-inf")):
        return x
    if x.is_integer() and abs(x) < 2**53:
        return int(x)
    if abs(x) > 1e6 or abs(x) < 1e-6:
        return x
    near = Fraction(x).limit_denominator(_LARGEST_DENOMINATOR)
    if abs(float(near) - x) > 4 * _ulp(x) or (_is_decimal(near) and not _is_dyadic(near)):
        return x
    return near if near.denominator > 1 else int(near)


def lowered(x: Coefficient) -> Coefficient:
    """A fraction that is whole as an int."""
    return int(x) if type(x) is Fraction and x.denominator == 1 else x


def is_noise(x: Coefficient, scale: float, noise: float = NOISE) -> bool:
    """Whether a coefficient is zero, or the rounding of sums of numbers as large as scale."""
    return not x or (type(x) is float and abs(x) < noise * scale)


def cleaned(x: Coefficient, scale: float) -> Coefficient:
    """A float without the digits that are rounding, of sums of numbers as large as scale."""
    if type(x) is not float or x != x or abs(x) > 1e15:
        return x
    short = float(f"{x:.12g}")
    x = short if abs(short - x) <= 4e-16 * max(scale, abs(x)) else x
    return int(x) if x.is_integer() else x


def _ulp(x: float) -> float:
    return abs(x) * 2.0**-52


def _is_dyadic(x: Fraction) -> bool:
    return x.denominator & (x.denominator - 1) == 0 and x.denominator <= 64


def _is_decimal(x: Fraction) -> bool:
    q = x.denominator
    for prime in (2, 5):
        while q % prime == 0:
            q //= prime
    return q == 1
