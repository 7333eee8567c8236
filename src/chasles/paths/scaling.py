"""Time scalings: how far along a path is at a time, s(0) = 0, s(1) = 1.

linear    s = x                                 constant speed, which jumps at the ends      (1)
cubic     s = 3 x^2 - 2 x^3                     starts and ends at rest; least integral of s''^2     (2)
quintic   s = 10 x^3 - 15 x^4 + 6 x^5           and without acceleration; least integral of s'''^2   (3)
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from typing import Literal

import numpy as np

from chasles.arguments import one_of
from chasles.arguments.arrays import Array

Scaling = Literal["linear", "cubic", "quintic"]
COEFFICIENTS = {
    "linear": (0.0, 1.0),
    "cubic": (0.0, 0.0, 3.0, -2.0),
    "quintic": (0.0, 0.0, 0.0, 10.0, -15.0, 6.0),
}


def polynomials(scaling: str, duration: float) -> list[np.polynomial.Polynomial]:
    """s as a function of time, and its first three derivatives."""
    one_of(scaling, "scaling", tuple(COEFFICIENTS))
    coefficients = np.array(COEFFICIENTS[scaling])
    s = np.polynomial.Polynomial(coefficients / duration ** np.arange(len(coefficients)))
    return [s, s.deriv(1), s.deriv(2), s.deriv(3)]


def values(polynomial: list[np.polynomial.Polynomial], t: Array) -> list[Array]:
    return [s(t) for s in polynomial]
