"""The Stumpff functions and the arc over the chord, against 50 digits."""

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fifty_digits import precise_slope, slope
from support.tolerances import EPS, close

from chasles.scalar.dual import Dual
from chasles.scalar.series import arc_over_chord, stumpff

HIGHEST = 6
# c_{k+2} = (1/k! - c_k)/x loses digits twice on its way up from the cosine, and most where it begins, at x = 2
LOSS = (4, 4, 8, 8, 32, 64, 512)


def precise_stumpff(k, x):
    return mpmath.nsum(lambda j: (-mpmath.mpf(x)) ** int(j) / mpmath.factorial(k + 2 * int(j)), [0, 120], method="d")


AROUND = [2.0 * (1.0 + s * EPS * k) for s in (-1, 1) for k in (0, 1, 2, 1000)] + [1.9, 1.99, 2.01, 2.1]
SMALL = [0.0, 5e-324, 1e-300, 1e-30, 1e-16, 1e-8, 1e-4, 0.01, 0.1, 0.5, 1.0, 1.5]
LARGE = [3.0, math.pi**2 / 4, math.pi**2 - 1e-9, math.pi**2, 10.0, (2 * math.pi) ** 2, 50.0, 100.0, 200.0]


@pytest.mark.parametrize("x", SMALL + AROUND + LARGE)
def test_against_mpmath(x):
    for k, (c, loss) in enumerate(zip(stumpff(x, HIGHEST), LOSS, strict=True)):
        expected = float(precise_stumpff(k, x))
        # the functions cross zero where cos and sin do: scaled to their size around x
        assert close(c, expected, loss * EPS, scale=1.0 / (math.factorial(k) * (1.0 + x) ** (k / 2)))


@given(st.floats(0.0, 150.0))
def test_anywhere(x):
    for k, (c, loss) in enumerate(zip(stumpff(x, HIGHEST), LOSS, strict=True)):
        assert close(
            c, float(precise_stumpff(k, x)), 2 * loss * EPS, scale=1.0 / (math.factorial(k) * (1 + x) ** (k / 2))
        )


@pytest.mark.parametrize("x", [0.0, 1e-300, 1e-9, 0.3, 1.0, 1.999, 2.0, 2.001, 5.0, math.pi**2, 30.0])
def test_derivative_identity(x):
    """c_k' = (k c_{k+2} - c_{k+1}) / 2, by dual numbers: finite and right at zero."""
    c = stumpff(x, HIGHEST)
    d = [y.derivative for y in stumpff(Dual(x, 1.0), HIGHEST - 2)]
    for k in range(HIGHEST - 1):
        assert close(d[k], (k * c[k + 2] - c[k + 1]) / 2, 2000 * EPS, scale=1.0 / math.factorial(k + 2))


def test_names_of_the_first_four():
    x = 1.3
    c0, c1, c2, c3 = stumpff(x * x, 3)
    expected = [math.cos(x), math.sin(x) / x, (1 - math.cos(x)) / x**2, (x - math.sin(x)) / x**3]
    assert close([c0, c1, c2, c3], expected, 16 * EPS)


CHORDS = [
    0.0,
    1e-300,
    1e-20,
    1e-8,
    0.01,
    0.2,
    math.sqrt(0.05) - 1e-12,
    math.sqrt(0.05),
    0.3,
    0.5,
    0.9,
    0.999,
    1 - 1e-12,
    1.0,
]


@pytest.mark.parametrize("s", CHORDS)
def test_arc_over_chord(s):
    cosine = float(mpmath.sqrt(1 - mpmath.mpf(s) ** 2))
    expected = 1.0 if s == 0.0 else float(mpmath.asin(s) / mpmath.mpf(s))
    assert close(arc_over_chord(s * s, cosine), expected, 4 * EPS)


@pytest.mark.parametrize("s", [0.0, 1e-6, 0.1, 0.22, 0.23, 0.5, 0.9])
def test_derivative_of_arc_over_chord(s):
    def f(x):
        from chasles.scalar.ops import sqrt

        return [arc_over_chord(x[0], sqrt(1.0 - x[0]))]

    assert close(slope(f, [s * s], [1.0]), precise_slope(f, [s * s], [1.0]), 64 * EPS)
