"""Functions that are smooth at zero, of the *squared* angle.

The Stumpff functions

    c_k(x) = sum_j (-x)^j / (k + 2j)!                                           (1)

are entire, and closed under differentiation,

    c_k'(x) = (k c_{k+2}(x) - c_{k+1}(x)) / 2,                                  (2)
    c_{k+2}(x) = (1/k! - c_k(x)) / x,                                           (3)

so exp, log, the differential of exp and every derivative of them are smooth at zero. For x = theta^2:
c_0 = cos theta, c_1 = sin theta / theta, c_2 = (1 - cos theta) / theta^2, c_3 = (theta - sin theta) / theta^3.

Below x = 2 the series (1) is summed; above, the closed forms with (3). Both sides are computed and `where` chooses, so
the closed side divides by a guarded x and no derivative is ever 0/0.
"""

import functools
import math

from chasles.scalar.leaf import Leaf
from chasles.scalar.ops import atan2, cos, less, sin, sqrt, where

_LARGEST_OF_SERIES = 2.0
_SERIES_TERMS = 12


@functools.cache
def _coefficients(k: int) -> tuple[float, ...]:
    """1 / (k + 2j)!, the last first."""
    return tuple(1.0 / math.factorial(k + 2 * j) for j in range(_SERIES_TERMS, -1, -1))


def _series(k: int, x: Leaf) -> Leaf:
    total: Leaf = _coefficients(k)[0]
    for coefficient in _coefficients(k)[1:]:
        total = coefficient - x * total  # (1), by Horner
    return total


def stumpff(x: Leaf, highest: int) -> list[Leaf]:
    """[c_0(x), ..., c_highest(x)] for x >= 0 the squared angle."""
    small = less(x, _LARGEST_OF_SERIES)
    guarded = where(small, _LARGEST_OF_SERIES, x)
    theta = sqrt(guarded)
    closed = [cos(theta), sin(theta) / theta]
    for k in range(highest - 1):
        closed.append((1.0 / math.factorial(k) - closed[k]) / guarded)  # (3)
    return [where(small, _series(k, x), closed[k]) for k in range(highest + 1)]


_ARCSIN = [math.comb(2 * j, j) / (4**j * (2 * j + 1)) for j in range(16)]


def arc_over_chord(square: Leaf, cosine: Leaf) -> Leaf:
    """asin(s) / s for s^2 = `square`, with `cosine` = sqrt(1 - s^2) >= 0: the factor from the vector part of a unit
    quaternion to half a rotation vector, smooth at zero and right up to s = 1."""
    small = less(square, 0.05)
    series: Leaf = _ARCSIN[-1]
    for coefficient in reversed(_ARCSIN[:-1]):
        series = coefficient + where(small, square, 0.0) * series
    chord = sqrt(where(small, 1.0, square))
    return where(small, series, atan2(chord, cosine) / chord)
