"""Programs as formulas that people read.

    simplified(program, leaves, ...)    every element of every output as a formula of the leaves, and what it names

The program is interpreted on polynomials of its inputs and of the sines and cosines of angles, in normal form, so
that what is equal is equal, and what is zero vanishes; then each entry is written in the fewest words: c_{12} or
s_1^2, coefficients collected, factored and named. What grows beyond a page is named on the way.

    names = Names()                     shared: the same coefficients have the same names in all formulas of a system
    M = simplified(mass_matrix, leaves, names=names)
    C = simplified(coriolis_matrix, leaves, names=names)
"""

from chasles.simplification.names import Names
from chasles.simplification.simplify import Simplified, simplified

__all__ = ["Names", "Simplified", "simplified"]
