"""Radau's method IIA: order 5, three stages solved together, L-stable. For what is stiff and has to be right.

It keeps much of its order where springs are stiff, as methods with stages one after the other do not.
[HairerWanner1996] IV.5
"""

from math import sqrt

from chasles.integrators.implicit import Implicit

R = sqrt(6.0)

METHOD = Implicit(
    order=5,
    a=[
        [(88 - 7 * R) / 360, (296 - 169 * R) / 1800, (-2 + 3 * R) / 225],
        [(296 + 169 * R) / 1800, (88 + 7 * R) / 360, (-2 - 3 * R) / 225],
        [(16 - R) / 36, (16 + R) / 36, 1 / 9],
    ],
)
