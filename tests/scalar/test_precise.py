"""Numbers of forty digits: arithmetic of fractions, to 1e-38, with floats among them; rounded once."""

import math
import operator
from fractions import Fraction

import pytest

from chasles.scalar.precise import Precise

NUMBERS = [0.1, -2.5, 3.0, 1e-300, 7.3e250, -1.0 / 3.0, 2.0**-1074]


def exact(x: Precise) -> Fraction:
    return Fraction(str(x._value))


@pytest.mark.parametrize("rule", [operator.add, operator.sub, operator.mul, operator.truediv])
@pytest.mark.parametrize("x", NUMBERS)
def test_arithmetic(rule, x: float) -> None:
    for y in NUMBERS:
        expected = rule(Fraction(x), Fraction(y))
        for found in (rule(Precise(x), Precise(y)), rule(Precise(x), y), rule(x, Precise(y))):
            size = abs(Fraction(x)) + abs(Fraction(y)) if rule in (operator.add, operator.sub) else abs(expected)
            assert abs(exact(found) - expected) <= Fraction(1, 10**38) * size
    assert exact(-Precise(x)) == -exact(Precise(x)) and exact(abs(Precise(x))) == abs(exact(Precise(x)))


def test_roots_comparisons_and_rounding() -> None:
    root = exact(Precise(2.0).sqrt())
    assert abs(root * root - 2) < Fraction(1, 10**38)
    assert Precise(0.1) == 0.1 and Precise(0.1) != 0.2 and hash(Precise(2.0)) == hash(2)
    assert Precise(1.0) < 2.0 <= Precise(2.0) and Precise(3.0) > Precise(2.0) >= 2.0 and not Precise(0.0)
    assert all(float(Precise(x)) == x for x in NUMBERS)
    assert str(float(-Precise(0.0))) == "0.0"
    assert float(Precise(1.0) / 3.0) == 1.0 / 3.0
    nan = Precise(1e300) * math.inf - math.inf
    assert math.isnan(float(nan)) and not (nan < 1.0 or nan <= 1.0 or nan > 1.0 or nan >= 1.0 or nan == 1.0)
    assert float(Precise(1e300) * 1e300) == math.inf
    with pytest.raises(ArithmeticError):
        _ = Precise(1.0) / 0.0
