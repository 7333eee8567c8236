"""Formulas printed and read back have the value that their trees have: no bracket is missing, no sign is lost."""

from fractions import Fraction

import pytest
from support.formula_reader import Names, Reader, tokens
from support.formula_trees import VALUES, evaluated, random_tree, value_of

from chasles.formula.latex import Latex
from chasles.formula.mathml import MathML
from chasles.formula.names import coordinate, named
from chasles.formula.notation import abbreviations
from chasles.formula.plain import Plain
from chasles.formula.tree import Call, Comparison, Number, Power, Product, Quotient, Sum

Q1, Q2, M1 = coordinate(1), coordinate(2), named("m1")
TWO, MINUS = Number(Fraction(2)), Number(Fraction(-1))
EXAMPLES = (
    Product((Number(-0.5), Sum((Q1, M1)))),
    Product((Number(Fraction(1, 2)), Sum((Q1, M1)))),
    Product((Sum((Q1, M1)), Call("sin", (Q1,)), M1)),
    Quotient(Q1, Quotient(Q2, M1)),
    Power(Power(Q1, TWO), TWO),
    Sum((Q1, Product((MINUS, Sum((Q1, Product((MINUS, M1)))))))),
    Power(Call("log", (Sum((Q1, M1)),)), TWO),
    Product((Number(Fraction(1, 3)), Power(TWO, Q1))),
    Call("cos", (Sum((Q1, Q2)),)),
    Call("where", (Comparison("<", (Q2, Q1)), Call("where", (Comparison("<", (Q1, Q2)), Q1, Q2)), M1)),
    Call("where", (Comparison("<", (Q1, Q2)), Call("where", (Comparison("<", (Q2, Q1)), Q1, Q2)), M1)),
)


def check(kind, tree, compact):
    value = value_of(tree)
    if value is None:
        return False
    short = abbreviations([tree]) if compact else {}
    printer = kind(short, 17, 60.0)
    text = printer.joined(printer.piece(tree).spans).text
    names = Names(printer, VALUES | {symbol: evaluated(call) for call, symbol in short.items()})
    read = Reader(tokens(kind, text, names)).all()
    assert read == pytest.approx(value, rel=1e-6, abs=1e-9), f"{text}\n{tree}"
    return True


@pytest.mark.parametrize("kind", [Plain, Latex, MathML])
def test_what_is_printed_is_what_was_meant(kind, rng):
    assert all(check(kind, tree, compact) for tree in EXAMPLES for compact in (False, True))
    assert sum(check(kind, random_tree(rng, 3), bool(k % 2)) for k in range(60)) > 30


@pytest.mark.sweep
@pytest.mark.parametrize("kind", [Plain, Latex, MathML])
@pytest.mark.parametrize("depth", [2, 4, 5, 6])
def test_of_many(kind, depth, rng):
    assert sum(check(kind, random_tree(rng, depth), bool(k % 2)) for k in range(500)) > 100
