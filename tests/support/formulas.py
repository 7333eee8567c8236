"""Formulas in few words, and statements that tests print: a planar arm, the recursion, every kind of node."""

from fractions import Fraction

from support.hostile_names import NAMES

from chasles.formula.names import coordinate, force, named
from chasles.formula.statement import Statement
from chasles.formula.tree import (
    Bracket,
    Call,
    Comparison,
    Equation,
    Inverse,
    Matrix,
    Number,
    Operator,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
    Transpose,
)

HOSTILE = (
    *NAMES,
    *(
        r"\input{x}",
        "$x$",
        "100%",
        "a_b^c~d",
        "{",
        "}",
        "#1&",
        r"\\",
        "x\ny",
        "\0",
        "\u202e",
        "m}_2",
        "^^41",
        "\ud800",
        "m\u0663",
    ),
)  # names that are commands of LaTeX or HTML, were they not escaped


def number(x, below=1):
    return Number(x if isinstance(x, float) else Fraction(x, below))


def times(*factors):
    return Product(factors)


def plus(*terms):
    return Sum(terms)


def minus(x):
    return times(number(-1), x)


def squared(x):
    return Power(x, number(2))


def cos(*angles):
    return Call("cos", (angles[0] if len(angles) == 1 else Sum(angles),))


def sin(*angles):
    return Call("sin", (angles[0] if len(angles) == 1 else Sum(angles),))


def bold(name, letter, index="", dots=0):
    return Symbol(name, letter, index, dots, bold=True)


Q1, Q2, QD1, QD2 = coordinate(1), coordinate(2), coordinate(1, 1), coordinate(2, 1)
M1, M2, L1, LC2, I1 = map(named, ("m1", "m2", "l1", "lc2", "I1"))
PHI, BETA, DELTA = map(named, ("phi", "beta", "delta"))
COUPLED = plus(DELTA, times(BETA, cos(Q2)))
MASS = Statement(
    "mass matrix",
    (Equation(bold("M", "M"), Matrix(((plus(PHI, times(number(2), BETA, cos(Q2))), COUPLED), (COUPLED, DELTA)))),),
    (
        Equation(BETA, times(M2, L1, LC2)),
        Equation(DELTA, times(number(1, 12), M2, squared(L1))),
        Equation(PHI, plus(I1, times(M1, squared(L1)), DELTA)),
    ),
    "kg m^2, by joints",
)
FORCES = Statement(
    "equations of motion",
    (
        Equation(force(1), times(number(-1), BETA, sin(Q2), plus(times(number(2), QD1, QD2), squared(QD2)))),
        Equation(force(2), plus(times(BETA, sin(Q2), squared(QD1)), times(number(9.81), M2, LC2, cos(Q1, Q2)))),
    ),
)
V1, V2, F2, F3 = (Symbol(f"{x[0]}{x[1]}", *x) for x in ("V1", "V2", "F2", "F3"))
T21, T32, S2, G2 = Symbol("T21", "T", "21"), Symbol("T32", "T", "32"), bold("S2", "S", "2"), bold("G2", "G", "2")
RECURSION = Statement(
    "recursion",
    (
        Equation(V2, plus(Operator("Ad", T21, V1), times(S2, QD2))),
        Equation(named("A"), times(Bracket(S2), Q2)),
        Equation(F2, plus(minus(Operator("ad", V2, times(G2, V2), True)), Operator("Ad", Inverse(T32), F3, True))),
    ),
)
EVERYTHING = Statement(
    "every node",
    (
        Equation(
            named("T"), times(number(1, 2), Transpose(bold("qd", "q", "", 1)), bold("M", "M"), bold("qd", "q", "", 1))
        ),
        Equation(
            named("y"),
            Call(
                "where",
                (
                    Comparison(
                        "and", (Comparison("<", (Q1, number(0))), Comparison("not", (Comparison("<=", (Q2, Q1)),)))
                    ),
                    Quotient(Q1, plus(M1, M2)),
                    Call("where", (Comparison("or", (Comparison("<", (Q2, Q1)),) * 2), number(1, 2), number(0.25e-3))),
                ),
            ),
        ),
        Equation(
            Operator("Ad", T21), Matrix(((Power(Q1, number(1, 2)), Call("floor", (Q2,))), (number(0), number(1))))
        ),
    ),
)
STATEMENTS = (MASS, FORCES, RECURSION, EVERYTHING)
