"""Formulas as text: letters with dots, indices and powers in Unicode, matrices over lines, no line too long."""

import pytest
from support.formula_trees import random_tree
from support.formulas import (
    BETA,
    COUPLED,
    EVERYTHING,
    FORCES,
    L1,
    M1,
    MASS,
    Q1,
    Q2,
    QD1,
    RECURSION,
    bold,
    cos,
    minus,
    number,
    plus,
    sin,
    squared,
    times,
)

from chasles.formula.names import coordinate, force, named
from chasles.formula.plain import Plain, width
from chasles.formula.statement import Statement
from chasles.formula.tree import Equation, Matrix, Power, Quotient, Sum, Symbol


def text(x, **options):
    return (
        Statement("", (Equation(named("y"), x),))
        .text(**{"width": 100, "compact": False, **options})
        .removeprefix("y = ")
    )


def test_a_mass_matrix():
    assert MASS.text(width=80).split("\n") == [
        "M = ⎡ φ + 2 β c₂   δ + β c₂ ⎤",
        "    ⎣  δ + β c₂       δ     ⎦",
        "with  β = m₂ l₁ l_c2,  δ = m₂ l₁²/12,  φ = I₁ + m₁ l₁² + δ,  c₂ = cos(q₂)",
        "kg m^2, by joints",
    ]
    assert FORCES.text(width=80, compact=False).split("\n") == [
        "τ₁ = -β sin(q₂) (2 q̇₁ q̇₂ + q̇₂²)",
        "τ₂ = β sin(q₂) q̇₁² + 9.81 m₂ l_c2 cos(q₁ + q₂)",
    ]


def test_the_recursion_and_every_node():
    assert RECURSION.text(width=80).split("\n") == [
        "V₂ = Ad(T₂₁) V₁ + S₂ q̇₂",
        " A = [S₂] q₂",
        "F₂ = -ad*(V₂) G₂ V₂ + Ad*(T₃₂⁻¹) F₃",
    ]
    assert EVERYTHING.text(width=80).split("\n") == [
        "      T = q̇ᵀ M q̇/2",
        "          ⎧ q₁/(m₁ + m₂)  if q₁ < 0 and not (q₂ ≤ q₁)",
        "      y = ⎨ 1/2           if q₂ < q₁ or q₂ < q₁",
        "          ⎩ 0.00025       otherwise",
        "Ad(T₂₁) = ⎡ √(q₁)   ⌊q₂⌋ ⎤",
        "          ⎣   0      1   ⎦",
    ]


@pytest.mark.parametrize(
    "x, expected",
    [
        (number(-7, 3), "-7/3"),
        (number(1.0), "1"),
        (number(-1.23456789e-7), "-1.2346e-7"),
        (number(1.0e-12), "1e-12"),
        (number(123456789.0), "1.2346e8"),
        (number(float("inf")), "∞"),
        (number(-float("inf")), "-∞"),
        (number(float("nan")), "nan"),
        (number(-0.0), "0"),
        (plus(Q1, number(-2)), "q₁ - 2"),
        (plus(minus(Q1), Q2), "-q₁ + q₂"),
        (minus(plus(Q1, Q2)), "-(q₁ + q₂)"),
        (plus(Q1, minus(plus(Q1, Q2))), "q₁ - (q₁ + q₂)"),
        (times(number(-1, 2), M1, squared(QD1)), "-m₁ q̇₁²/2"),
        (times(number(3), Power(number(2), Q1)), "3 · 2^(q₁)"),
        (times(M1, Power(L1, number(-2))), "m₁/l₁²"),
        (Quotient(M1, times(number(2), L1)), "m₁/(2 l₁)"),
        (Power(Quotient(M1, L1), number(2)), "(m₁/l₁)²"),
        (Power(squared(L1), number(12)), "(l₁²)¹²"),
        (squared(sin(Q1, minus(Q2))), "sin²(q₁ - q₂)"),
        (Matrix(((number(1), Q1),)), "[ 1   q₁ ]"),
        (Matrix(()), "[ ]"),
        (plus(Matrix(((Q1,), (Q2,))), bold("g", "g")), "⎡ q₁ ⎤ + g\n    ⎣ q₂ ⎦"),
        (coordinate(1, 6), "q''''''₁"),
        (Symbol("shoulderd", "shoulder", dots=1), "shoulder'"),
    ],
)
def test_good_taste(x, expected):
    assert text(x) == expected


@pytest.mark.parametrize(
    "angle, short",
    [
        ((Q1,), "c₁"),
        ((Q1, Q2), "c₁₂"),
        ((Q1, minus(Q2)), "c₁₋₂"),
        ((Q1, coordinate(12)), "c[1,12]"),
        ((coordinate(12),), "c₁₂"),
        ((named("theta1"), named("theta2")), "c₁₂"),
        ((named("theta"),), "cos(θ)"),
        ((named("alpha1"), named("beta2")), "cos(α₁ + β₂)"),
        ((minus(Q1), Q2), "cos(-q₁ + q₂)"),
        ((QD1,), "cos(q̇₁)"),
        ((named("s2"),), "cos(s₂)"),
        ((times(number(2), Q1),), "cos(2 q₁)"),
    ],
)
def test_cosines_in_short(angle, short):
    out = text(cos(*angle), compact=True)
    assert out.split("\n")[0] == short
    assert ("with" in out) == (not short.startswith("cos"))


def test_one_letter_is_in_short_and_not_where_it_is_something_else():
    assert text(plus(cos(Q1), cos(Q2), cos(named("theta1"))), compact=True).startswith("c₁ + c₂ + cos(θ₁)\n")
    assert text(plus(cos(Q1), sin(Q1), named("c2")), compact=True).startswith("cos(q₁) + s₁ + c₂\n")
    many = plus(*(f(coordinate(k), coordinate(k + 1)) for k in range(1, 4) for f in (cos, sin)))
    assert text(many, compact=True).split("\n")[1] == "with  c₁₂ = cos(q₁ + q₂),  s₁₂ = sin(q₁ + q₂)  etc."


def test_two_angles_never_share_an_abbreviation():
    twelve = plus(cos(coordinate(12)), cos(Q1, Q2))
    out = text(twelve, compact=True)
    first = out.split("\n")[0]
    assert len(set(first.split(" + "))) == 2, out


def test_long_sums_are_broken_at_signs_and_outside_of_brackets():
    terms = [times(number(k), M1, plus(Q1, Q2), QD1) for k in (2, -3, 4, -5, 6, -7)]
    assert text(Sum(tuple(terms)), width=46).split("\n") == [
        "2 m₁ (q₁ + q₂) q̇₁ - 3 m₁ (q₁ + q₂) q̇₁",
        "      + 4 m₁ (q₁ + q₂) q̇₁ - 5 m₁ (q₁ + q₂) q̇₁",
        "      + 6 m₁ (q₁ + q₂) q̇₁ - 7 m₁ (q₁ + q₂) q̇₁",
    ]
    inside = times(BETA, Sum(tuple(times(M1, L1, coordinate(k)) for k in range(1, 9))))
    assert all(width(line) <= 45 for line in text(inside, width=45).split("\n"))
    left = Statement("", (Equation(Sum(tuple(terms[:2])), Sum(tuple(terms[2:]))),)).text(width=50).split("\n")
    assert left[0] == "2 m₁ (q₁ + q₂) q̇₁ - 3 m₁ (q₁ + q₂) q̇₁" and left[1].startswith("  = 4 m₁")


def test_wide_matrices_are_told_by_their_entries():
    wide = plus(*(times(M1, cos(coordinate(k))) for k in range(1, 6)))
    zero = number(0)
    rows = ((wide, COUPLED, zero), (COUPLED, wide, zero), (zero, zero, force(1)))
    out = Statement("", (Equation(bold("M", "M"), Matrix(rows)),)).text(width=60).split("\n")
    assert out[:2] == [
        "M₁₁ = M₂₂ = m₁ c₁ + m₁ c₂ + m₁ c₃ + m₁ c₄ + m₁ c₅",
        "M₁₂ = δ + β c₂,  M₃₃ = τ₁,  Mⱼᵢ = Mᵢⱼ,  Mᵢⱼ = 0  otherwise",
    ]
    rows = ((wide, COUPLED, zero), (zero, wide, zero), (zero, zero, force(1)))
    out = Statement("", (Equation(bold("C", "C"), Matrix(rows)),)).text(width=60).split("\n")
    assert out[1] == "C₁₂ = δ + β c₂,  C₃₃ = τ₁,  Cᵢⱼ = 0  otherwise"
    column = Statement("", (Equation(bold("g", "g"), Matrix(((wide,), (minus(wide),)))),)).text(width=45).split("\n")
    assert [line[:2] for line in column[:2]] == ["g₁", "g₂"]


def test_entries_of_many_columns_have_commas_all_of_them():
    wide = plus(*(times(M1, cos(coordinate(k))) for k in range(1, 6)))
    matrix = Matrix((tuple(times(number(k), wide) for k in range(2, 12)), (number(0),) * 10))
    out = Statement("", (Equation(bold("Y", "Y"), matrix),)).text(width=60)
    assert "Y[1,1] = " in out and "Y[1,10] = " in out and "Y[i,j] = 0  otherwise" in out


def test_high_columns_are_told_by_their_entries():
    column = Equation(bold("pi", "pi"), Matrix(tuple((named(f"a{k}"),) for k in range(21))))
    out = Statement("", (column,)).text(width=60)
    assert out.count("\n") == 3 and "π₁ = a₀,  π₂ = a₁" in out and "π₂₁ = a₂₀" in out
    zeros = Equation(bold("g", "g"), Matrix(((number(0),),) * 13))
    assert Statement("", (zeros,)).text() == "gᵢ = 0"


def test_no_line_is_longer_than_it_has_to_be(rng):
    for _ in range(12):
        terms = tuple(random_tree(rng, 2) for _ in range(12))
        widest = max(Plain({}, 5, 200.0).whole(term).width for term in terms)
        for line in text(Sum(terms), width=60).split("\n"):
            assert width(line) <= max(60, widest + 12), line


def test_definitions_go_on_in_the_next_line():
    names = [named(f"a{k}") for k in range(6)]
    where = tuple(Equation(x, times(M1, L1, Q1)) for x in names[:-1])
    out = Statement("", (Equation(named("y"), times(*names)),), (*where, Equation(names[-1], Sum((M1,) * 15)))).text(
        width=50
    )
    assert out.split("\n")[1:] == [
        "with  a₀ = m₁ l₁ q₁,  a₁ = m₁ l₁ q₁,",
        "      a₂ = m₁ l₁ q₁,  a₃ = m₁ l₁ q₁,",
        "      a₄ = m₁ l₁ q₁,",
        "      a₅ = m₁ + m₁ + m₁ + m₁ + m₁ + m₁ + m₁ + m₁",
        "        + m₁ + m₁ + m₁ + m₁ + m₁ + m₁ + m₁",
    ]


def test_columns_of_a_terminal():
    assert [width(x) for x in ("q\u0307\u2081", "质量", "a\nbcd", "")] == [2, 4, 3, 0]
