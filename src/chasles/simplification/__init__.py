"""Programs as formulas that people read.

    simplified(program, leaves, ...)    every element of every output as a formula of the leaves, and what it names

The program is interpreted on polynomials of its inputs and of the sines and cosines of angles, in normal form, so
that what is equal is equal, and what is zero vanishes; then each entry is written in the fewest words: c_{12} or
s_1^2, coefficients collected, factored and named. What grows beyond a page is named on the way.
"""
