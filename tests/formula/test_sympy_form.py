"""Formulas as SymPy's expressions: the values of the trees, exact where they are, found again by their names."""

from fractions import Fraction

import pytest
import sympy
from support.formula_trees import VALUES, random_tree, value_of
from support.formulas import EVERYTHING, FORCES, MASS, RECURSION, number

from chasles.errors import ModelError
from chasles.formula.sympy_form import expressed
from chasles.formula.tree import Number


def test_a_mass_matrix():
    m1, m2, l1, lc2, I1, q2 = sympy.symbols("m1 m2 l1 lc2 I1 q2")
    M = MASS.sympy()
    coupled = m2 * l1**2 / 12 + m2 * l1 * lc2 * sympy.cos(q2)
    first = I1 + m1 * l1**2 + m2 * l1**2 / 12 + 2 * m2 * l1 * lc2 * sympy.cos(q2)
    assert sympy.simplify(M - sympy.Matrix([[first, coupled], [coupled, m2 * l1**2 / 12]])) == sympy.zeros(2, 2)
    assert M.subs({"m1": 2, "m2": 12, "l1": 1, "lc2": 3, "I1": 5, "q2": 0}) == sympy.Matrix([[80, 37], [37, 1]])


def test_names_may_stay():
    beta, delta, phi, q2 = map(sympy.Symbol, ("beta", "delta", "phi", "q2"))
    M, where = MASS.sympy(named=True)
    assert (
        sympy.Matrix(
            [[phi + 2 * beta * sympy.cos(q2), delta + beta * sympy.cos(q2)], [delta + beta * sympy.cos(q2), delta]]
        )
        == M
    )
    assert list(where) == [beta, delta, phi] and where[phi].has(delta)
    for symbol, value in reversed(where.items()):
        M = M.subs(symbol, value)
    assert sympy.simplify(M - MASS.sympy()) == sympy.zeros(2, 2)


def test_several_equations_are_several_expressions():
    first, second = FORCES.sympy()
    assert first.free_symbols == set(map(sympy.Symbol, ("beta", "q2", "qd1", "qd2")))
    assert second.subs({"q1": 0, "q2": 0, "m2": 1, "lc2": 1}) == sympy.Float(9.81)


def test_matrices_and_operators_keep_their_order():
    T, y, Ad = EVERYTHING.sympy()
    M, qd = (sympy.Symbol(name, commutative=False) for name in ("M", "qd"))
    assert sympy.transpose(qd) * M * qd / 2 == T
    assert y.subs({"q1": -1, "q2": 0, "m1": 1, "m2": 1}) == sympy.Rational(-1, 2)
    assert y.subs({"q1": 1, "q2": 0}) == sympy.Rational(1, 2)
    assert isinstance(Ad, sympy.Eq) and sympy.Matrix(Ad.rhs).shape == (2, 2)  # its left side is no symbol
    V2, A, F2 = RECURSION.sympy()
    assert sympy.Symbol("q2") * sympy.Function("bracket", commutative=False)(sympy.Symbol("S2", commutative=False)) == A
    assert {str(f.func) for f in V2.atoms(sympy.Function)} == {"Ad"}
    assert {str(f.func) for f in F2.atoms(sympy.Function)} == {"Ad_star", "ad_star"}


def test_numbers():
    assert expressed(Number(Fraction(1, 3))) == sympy.Rational(1, 3)
    assert expressed(Number(0.1)) == sympy.Float(0.1)
    assert expressed(number(float("inf"))) == sympy.oo
    assert expressed(number(float("nan"))) is sympy.nan


def check(tree):
    value = value_of(tree)
    if value is None:
        return False
    given = {sympy.Symbol(symbol.name): x for symbol, x in VALUES.items()}
    read = expressed(tree).subs(given)
    assert complex(read.evalf()) == pytest.approx(value, rel=1e-6, abs=1e-9), tree
    return True


def test_values(rng):
    assert sum(check(random_tree(rng, 2)) for _ in range(25)) > 12


@pytest.mark.sweep
@pytest.mark.parametrize("depth", [2, 3, 4])
def test_values_of_many(depth, rng):
    assert sum(check(random_tree(rng, depth)) for _ in range(200)) > 50


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sympy", None)
    with pytest.raises(ModelError, match=r'pip install "chasles\[sympy\]"'):
        MASS.sympy()
