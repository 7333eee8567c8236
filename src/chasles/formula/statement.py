"""Statements: equations that people hold, with the quantities that they name, in every way they print.

print(M)            Unicode text           M.latex()     LaTeX, for amsmath
M.sympy()           SymPy's expressions    M.mathml()    for pages without a network
M in a notebook     typeset mathematics
"""

from __future__ import annotations

from dataclasses import dataclass

from chasles.formula.tree import Equation


@dataclass(frozen=True)
class Statement:
    """Equations, and `where`: those of the quantities that they name, each after those that it needs itself.

    title: "mass matrix". about: a line on frames, units or the order of indices; "" for none.
    """

    title: str
    equations: tuple[Equation, ...]
    where: tuple[Equation, ...] = ()
    about: str = ""
