"""Normal numbers as a function: the quantile of the standard normal distribution at a random number u (threefry.py).

x with Phi(x) = u, for u between 2^-53 and 1 - 2^-53, so that x reaches to 8.2 either way:

    w = 4 u (1 - u) = 2^-n (1 + f),   0 <= f < 1,   l = n - f G(f)                (1)
    x = (u - 1/2) P(l) / Q(l)                                                     (2)

l is -log2 w to 1.1e-9, and x is right to 3e-10 of itself: G, P and Q were fitted for the least of the largest errors,
the two of (2) for that relative to x. The coefficients of P and Q are positive, so that nothing cancels. n and f are
read from the bits of w. Products and sums are rounded one by one, in the same order on vectors: the same bits on all
machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.scalar.threefry import random

G = (
    1.442694860148316,
    -0.7213381070742675,
    0.4807274254175942,
    -0.35911738669875315,
    0.2802197610134402,
    -0.21195081743291738,
    0.13981394757562135,
    -0.07046951802358968,
    0.022917835826037083,
    -0.0034980018506413904,
)
P = (
    2.506628274843889,
    0.5790872156300829,
    0.08170047135001608,
    0.008072919802459876,
    0.0005625366462591132,
    2.751936866127779e-05,
    1.027531131658367e-06,
    4.990994587813471e-08,
    2.359207277749226e-10,
)
Q = (
    1.0,
    0.049556866482025196,
    0.01733963603230943,
    0.0006412529664892484,
    7.634914957327903e-05,
    1.5426095423681082e-06,
    1.3121346058911856e-07,
    1.9922977584637943e-09,
    2.134536793920487e-12,
)
EXPONENT_OF_1 = 1023
BITS_OF_1 = EXPONENT_OF_1 << 52
FRACTION_BITS = (1 << 52) - 1


def normal(x: Any, y: Any) -> Any:
    """Normal numbers of arrays x and y, in their own precision: (2) at what `random` draws in float64."""
    dtype = np.result_type(x, y, np.float32)
    return quantile(random(np.asarray(x, np.float64), y)).astype(dtype)[()]


def normal_float(x: float, y: float) -> float:
    """(2) of floats."""
    return float(normal(np.float64(x), np.float64(y)))


def quantile(u: Any) -> Any:
    """(2) of an array of float64."""
    bits = np.asarray(u * (1.0 - u) * 4.0).view(np.uint64)
    n = float(EXPONENT_OF_1) - (bits >> np.uint64(52)).astype(np.float64)
    f = (bits & np.uint64(FRACTION_BITS) | np.uint64(BITS_OF_1)).view(np.float64) - 1.0
    l = n - f * _polynomial(G, f)  # (1)
    return (u - 0.5) * (_polynomial(P, l) / _polynomial(Q, l))  # (2)


def _polynomial(coefficients: Sequence[Any], x: Any) -> Any:
    """By Estrin's scheme: neighbours first, c_0 + c_1 x, c_2 + c_3 x, ..., then these as coefficients of x^2."""
    while len(coefficients) > 1:
        pairs = [a + b * x for a, b in zip(coefficients[::2], coefficients[1::2], strict=False)]
        coefficients, x = [*pairs, *coefficients[len(pairs) * 2 :]], x * x
    return coefficients[0]
