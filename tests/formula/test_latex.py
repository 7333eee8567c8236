"""Formulas in LaTeX: as a textbook sets them, in no wider lines than asked for, without a command from a name."""

import re

import pytest
from support.formulas import (
    BETA,
    COUPLED,
    EVERYTHING,
    FORCES,
    HOSTILE,
    L1,
    M1,
    M2,
    MASS,
    Q1,
    Q2,
    QD1,
    RECURSION,
    STATEMENTS,
    bold,
    cos,
    minus,
    number,
    plus,
    sin,
    squared,
    times,
)

from chasles.errors import ChaslesError
from chasles.formula.latex import Latex
from chasles.formula.names import coordinate, named
from chasles.formula.statement import Statement
from chasles.formula.tree import Call, Equation, Matrix, Operator, Power, Quotient, Sum, Symbol


def latex(x):
    return Latex({}, 5, 60.0).whole(x).text


def test_a_mass_matrix():
    assert MASS.latex().split("\n") == [
        r"\begin{aligned}",
        r"\mathbf{M} &= \begin{bmatrix} \phi + 2 \beta c_2 & \delta + \beta c_2 \\"
        r" \delta + \beta c_2 & \delta \end{bmatrix} \\",
        r"\text{with} \quad & \beta = m_2 l_1 l_{c2}, \quad \delta = \frac{1}{12} m_2 l_1^2,"
        r" \quad \phi = I_1 + m_1 l_1^2 + \delta, \quad c_2 = \cos q_2 \\",
        r"& \text{kg m\textasciicircum{}2, by joints}",
        r"\end{aligned}",
    ]
    assert FORCES.latex(compact=False, environment="align*").split("\n") == [
        r"\begin{align*}",
        r"\tau_1 &= -\beta \sin (q_2) \, (2 \dot{q}_1 \dot{q}_2 + \dot{q}_2^2) \\",
        r"\tau_2 &= \beta \sin q_2 \, \dot{q}_1^2 + 9.81 m_2 l_{c2} \cos (q_1 + q_2)",
        r"\end{align*}",
    ]


def test_the_recursion_and_every_node():
    assert RECURSION.latex().split("\n")[1:-1] == [
        r"V_2 &= \operatorname{Ad}_{T_{21}} V_1 + \mathbf{S}_2 \dot{q}_2 \\",
        r"A &= [\mathbf{S}_2] q_2 \\",
        r"F_2 &= -\operatorname{ad}_{V_2}^{*} \mathbf{G}_2 V_2 + \operatorname{Ad}_{T_{32}^{-1}}^{*} F_3",
    ]
    assert EVERYTHING.latex().split("\n")[1:-1] == [
        r"T &= \frac{1}{2} \dot{\mathbf{q}}^{\mathsf{T}} \mathbf{M} \dot{\mathbf{q}} \\",
        r"y &= \begin{cases} \frac{q_1}{m_1 + m_2} & \text{if } q_1 < 0 \land \lnot (q_2 \le q_1) \\"
        r" \frac{1}{2} & \text{if } q_2 < q_1 \lor q_2 < q_1 \\ 0.00025 & \text{otherwise} \end{cases} \\",
        r"\operatorname{Ad}_{T_{21}} &= \begin{bmatrix} \sqrt{q_1} & \lfloor q_2 \rfloor \\ 0 & 1 \end{bmatrix}",
    ]


@pytest.mark.parametrize(
    "x, expected",
    [
        (number(-7, 3), r"-\frac{7}{3}"),
        (number(-1.23456789e-7), r"-1.2346 \cdot 10^{-7}"),
        (number(1e-12), "10^{-12}"),
        (number(-float("inf")), r"-\infty"),
        (number(float("nan")), r"\mathrm{nan}"),
        (times(number(1, 2), L1), r"\frac{l_1}{2}"),
        (times(number(1, 2), M1, squared(QD1)), r"\frac{1}{2} m_1 \dot{q}_1^2"),
        (times(number(1, 2), plus(M1, M2)), r"\frac{1}{2} (m_1 + m_2)"),
        (times(number(-1), plus(M1, M2), BETA), r"-(m_1 + m_2) \beta"),
        (Quotient(M1, times(number(2), L1)), r"\frac{m_1}{2 l_1}"),
        (times(plus(M1, Quotient(M1, M2)), BETA), r"\Bigl(m_1 + \frac{m_1}{m_2}\Bigr) \beta"),
        (Power(Quotient(M1, L1), number(2)), r"\left(\frac{m_1}{l_1}\right)^2"),
        (Power(M1, number(3, 2)), "m_1^{3/2}"),
        (Power(M1, number(-1, 2)), r"\frac{1}{\sqrt{m_1}}"),
        (squared(sin(Q1)), r"\sin^2 q_1"),
        (squared(Call("log", (Q1,))), r"(\log q_1)^2"),
        (times(sin(Q1), cos(Q1), M1), r"\sin q_1 \cos q_1 \, m_1"),
        (times(number(1.0), M1), "m_1"),
        (coordinate(1, 4), r"\ddddot{q}_1"),
        (squared(coordinate(1, 6)), r"(q_1^{(6)})^2"),
        (bold("tau", "tau"), r"\boldsymbol{\tau}"),
        (times(Operator("Ad", Q1, M1), M2), r"(\operatorname{Ad}_{q_1} m_1) \, m_2"),
        (Matrix(()), r"\begin{bmatrix}  \end{bmatrix}"),
        (Call("atan2", (Q1, minus(Q2))), r"\operatorname{atan2} (q_1, -q_2)"),
    ],
)
def test_good_taste(x, expected):
    assert latex(x) == expected


def test_wide_fractions_are_broken():
    terms = Sum(tuple(times(M1, coordinate(k), cos(coordinate(k))) for k in range(1, 12)))
    above = Statement("", (Equation(M2, Quotient(terms, L1)),)).latex()
    assert r"\frac{1}{l_1} (" in above and above.count(r"\\") >= 2
    below = Statement("", (Equation(M2, Quotient(L1, terms)),)).latex()
    assert r"l_1 / (" in below and below.count(r"\\") >= 2


def test_wide_matrices_are_told_by_their_entries():
    wide = Sum(tuple(times(M1, cos(coordinate(k))) for k in range(1, 9)))
    matrix = Matrix(((wide, COUPLED), (COUPLED, wide)))
    told = Statement("", (Equation(bold("M", "M"), matrix),), (Equation(named("N"), matrix),)).latex().split("\n")
    assert told[1].startswith("M_{11} &= M_{22} = m_1 c_1 + ") and told[3].startswith(r"M_{12} &= \delta")
    assert told[4].startswith(r"\text{with} \quad & N_{11} = N_{22} = ")
    assert "bmatrix" in Statement("", (Equation(Quotient(M1, M2), matrix),)).latex()  # without a name, as it is


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_is_a_command(name):
    """Of a symbol, without the commands that a printer writes and escaped characters, plain letters are left."""
    for x in (named(name), Symbol("x", name, name, 1, True), Symbol("x", "x", name)):
        text = latex(x)
        known = r"\\(?:textbackslash|textasciitilde|textasciicircum)\{\}|\\[{}$%&#_]|\$\\[a-z]+\$"
        left = re.sub(known, "", text)
        commands = re.findall(r"\\[A-Za-z]+|\\.", left)
        assert set(commands) <= {r"\mathrm", r"\text", r"\mathbf", r"\dot"}
        assert not re.search(r"[$%&#~\n\0]", left), text
        assert left.count("{") == left.count("}") and left.count("^") == 0
        assert text.isprintable()


def test_titles_and_options_are_checked():
    for wrong in ({"width": 3}, {"digits": 0}, {"compact": 1}, {"environment": "gather"}, {"width": "wide"}):
        with pytest.raises(ChaslesError, match=next(iter(wrong))):
            MASS.latex(**wrong)  # type: ignore[arg-type]


def test_brackets_and_environments_are_paired():
    for statement in STATEMENTS:
        for width in (20, 40, 75):
            text = statement.latex(width=width)
            for left, right in (("{", "}"), ("(", ")"), (r"\begin", r"\end"), (r"\left", r"\right")):
                assert text.count(left) == text.count(right)
            assert all(line.count("&") for line in text.split("\n")[1:-1])
