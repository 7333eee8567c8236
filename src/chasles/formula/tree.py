"""Formulas as trees: numbers, symbols, sums, products, powers, functions, matrices, equations.

A tree is data, which printers read (latex.py, plain.py, mathml.py, sympy_form.py); two trees that say the same in the
same words are equal. Nothing is simplified here: what a sum collects and a product factors is decided by those who make
them (simplification/). A tree holds what a person reads, and no notation: cos(q_1 + q_2) is `Call("cos", ...)`, which a
printer may write as c_{12}.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


class Formula:
    """What all trees are."""

    __slots__ = ()


@dataclass(frozen=True)
class Number(Formula):
    """A number: exact where it is a Fraction, a measured or rounded one where it is a float."""

    value: Fraction | float


@dataclass(frozen=True)
class Symbol(Formula):
    """A name: q_1, m_2, l_{c2}, with `dots` dots above it (a derivative by time).

    name: of the quantity in ASCII, as people type it and SymPy has it, another for every other symbol ("qd1").
    letter: what is read, one or several letters, Greek ones by their names ("alpha"); index: below it, "" for none.
    bold: a vector or a matrix of its own.
    """

    name: str
    letter: str = field(compare=False)
    index: str = field(default="", compare=False)
    dots: int = field(default=0, compare=False)
    bold: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Sum(Formula):
    """At least two terms; one that is subtracted is a product whose first factor is a negative number."""

    terms: tuple[Formula, ...]


@dataclass(frozen=True)
class Product(Formula):
    """At least two factors; a number only at the front."""

    factors: tuple[Formula, ...]


@dataclass(frozen=True)
class Quotient(Formula):
    above: Formula
    below: Formula


@dataclass(frozen=True)
class Power(Formula):
    base: Formula
    exponent: Formula


@dataclass(frozen=True)
class Call(Formula):
    """A function of the table of operations (scalar/operations.py) of numbers: "sin", "sqrt", "atan2", "where", ..."""

    function: str
    arguments: tuple[Formula, ...]


@dataclass(frozen=True)
class Comparison(Formula):
    """A condition: `relation` is "<" or "<=", and for conditions "and", "or", "not" (of one side)."""

    relation: str
    sides: tuple[Formula, ...]


@dataclass(frozen=True)
class Operator(Formula):
    """An operator on an argument: Ad_T V, ad_V^* F of Lie groups, `star` for its dual; or a sum over an index.

    name: "Ad", "ad" or "sum". index: the pose, twist or index below it. Without an argument it is the operator itself.
    """

    name: str
    index: Formula
    argument: Formula | None = None
    star: bool = False


@dataclass(frozen=True)
class Bracket(Formula):
    """[x], a vector as a matrix: that of the cross product of three numbers, the 4 x 4 one of a twist."""

    of: Formula


@dataclass(frozen=True)
class Transpose(Formula):
    of: Formula


@dataclass(frozen=True)
class Inverse(Formula):
    of: Formula


@dataclass(frozen=True)
class Matrix(Formula):
    """Rows of entries, all of one length; a column is a matrix of one column."""

    rows: tuple[tuple[Formula, ...], ...]


@dataclass(frozen=True)
class Equation(Formula):
    left: Formula
    right: Formula


ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))
