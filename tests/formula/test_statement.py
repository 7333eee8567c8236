"""Statements in every way they print, over every function that numbers have."""

import pickle

import pytest
from support.formulas import MASS, Q1, Q2, STATEMENTS, number

from chasles.errors import ModelError
from chasles.formula.latex import Latex
from chasles.formula.mathml import MathML
from chasles.formula.names import named
from chasles.formula.notation import FUNCTIONS, RELATIONS
from chasles.formula.plain import Plain
from chasles.formula.statement import Statement
from chasles.formula.sympy_form import expressed
from chasles.formula.tree import Call, Comparison, Equation, Formula, Matrix, Number, Power, Product, Quotient, Sum
from chasles.formula.words import words
from chasles.scalar.operations import OPERATIONS

PRINTERS = (Plain, Latex, MathML)
# operations that are nodes of their own, of their arguments
NODES = {
    "add": lambda x, y: Sum((x, y)),
    "sub": lambda x, y: Sum((x, Product((number(-1), y)))),
    "mul": lambda x, y: Product((x, y)),
    "div": Quotient,
    "neg": lambda x: Product((number(-1), x)),
    "pow": Power,
    "less": lambda x, y: Comparison("<", (x, y)),
    "less_equal": lambda x, y: Comparison("<=", (x, y)),
    "and": lambda x, y: Comparison("and", (x, y)),
    "or": lambda x, y: Comparison("or", (x, y)),
    "not": lambda x: Comparison("not", (x,)),
}
SWAPPED = Equation(named("Gamma_ijk"), named("Gamma_ikj"))
LEGEND = Statement("", (Equation(named("lambda1"), Q1),), (), (named("lambda1"), ": rolling_disk[0]; ", SWAPPED))
CONDITIONS = (Comparison("<", (Q1, Q2)), Comparison("<=", (Q2, Q1)))


def of(name):
    """The formula of an operation of the table, of q_1, q_2, q_1 < q_2, ..."""
    numbers, conditions = iter((Q1, Q2)), iter(CONDITIONS)
    arguments = tuple(next(conditions if kind == "condition" else numbers) for kind in OPERATIONS[name].takes)
    return NODES[name](*arguments) if name in NODES else Call(name, arguments)


def test_every_operation_has_its_notation():
    """A row that is added to the table has to be given a row here, or one of the notation."""
    assert set(OPERATIONS) | {"sign", "abs"} == set(NODES) | set(FUNCTIONS)


@pytest.mark.parametrize("kind", PRINTERS)
def test_every_operation_prints_as_nothing_else_does(kind):
    printed = {name: kind({}, 5, 60.0).whole(of(name)).text for name in OPERATIONS}
    assert all(printed.values()) and len(set(printed.values())) == len(printed)


def test_every_operation_is_one_of_sympy():
    assert len({expressed(of(name)) for name in OPERATIONS}) == len(OPERATIONS)
    assert set(RELATIONS) == {x.relation for x in map(of, OPERATIONS) if isinstance(x, Comparison)}


@pytest.mark.parametrize("kind", PRINTERS)
def test_every_kind_of_node_is_printed(kind):
    told = "\n".join(map(repr, (x.equations for x in STATEMENTS)))
    assert all(f"{node.__name__}(" in told for node in Formula.__subclasses__())
    for statement in STATEMENTS:
        for equation in statement.equations:
            assert kind({}, 5, 60.0).piece(equation).width > 3


@pytest.mark.parametrize("print_", [Statement.latex, Statement.text, Statement.mathml, Statement.sympy])
def test_unknown_functions_are_refused(print_):
    with pytest.raises(ModelError, match=r"no function 'sinc'; there are sin, cos"):
        print_(Statement("", (Equation(named("y"), Call("sinc", (Q1,))),)))


def test_reprs():
    assert repr(MASS) == "<Statement: mass matrix: M (2, 2), 3 named>"
    many = Statement("many", tuple(Equation(named(f"y{k}"), number(k)) for k in range(400)))
    assert len(repr(many)) < 280 and "\n" not in repr(many) and "and" in repr(many)
    assert str(MASS) == MASS.text()
    assert repr(Statement("\x1b[2J", ())).isprintable()


def test_notebooks_typeset_them():
    shown = MASS._repr_latex_()
    assert shown.startswith("$$\n\\begin{aligned}") and shown.endswith("\n$$\n\nkg m^2, by joints")
    assert not hasattr(MASS, "_repr_html_")  # which they would prefer
    assert Statement("", (), (), "$x$")._repr_latex_().endswith(r"\$x\$")
    assert LEGEND._repr_latex_().endswith("$$\n\n$\\lambda_1$: rolling_disk[0]; $\\Gamma_{ijk} = \\Gamma_{ikj}$")


def test_words_have_symbols_among_them():
    assert LEGEND.text() == "λ₁ = q₁\nλ₁: rolling_disk[0]; Γᵢⱼₖ = Γᵢₖⱼ"
    said = r"\lambda_1 \text{: rolling\_disk[0]; } \Gamma_{ijk} = \Gamma_{ikj}"
    assert LEGEND.latex().split("\n")[2] == f"& {said}"
    html = LEGEND.html()
    assert html.startswith("<math") and html.count("<math>") == 2 and "</math>: rolling_disk[0]; <math>" in html
    assert "<b>" not in Statement("", MASS.equations, (), "<b>").html()


def test_words_are_broken_at_spaces():
    long = Statement("", MASS.equations, (), words(" ".join(["word `q1`,"] * 30)))
    said = [line for line in long.text(width=40).split("\n") if "word" in line]
    assert max(map(len, said)) <= 40 and len(said) == 7 and " ".join(said) == " ".join(["word q₁,"] * 30)
    rows = [line for line in long.latex(width=68).split("\n") if "word" in line]
    assert len(rows) == 5 and all(line.startswith(r"& \text{word } q_1 \text{, word }") for line in rows)


def test_a_statement_of_nothing_says_so():
    nothing = Statement("", ())
    assert nothing.text() == "no equations" and "<mtext>no equations</mtext>" in nothing.mathml()
    assert nothing.latex().split("\n")[1] == r"& \text{no equations}"


@pytest.mark.parametrize(
    "name, meant",
    [("to_latex", "latex"), ("pretty", "text"), ("subs", "sympy")],
)
def test_other_names_are_known(name, meant):
    with pytest.raises(AttributeError, match=f"did you mean .*{meant}"):
        getattr(MASS, name)


def test_digits():
    third = Statement("", (Equation(named("y"), Number(1 / 3)),))
    assert third.text(digits=2) == "y = 0.33" and third.text() == "y = 0.33333"
    assert third.text(digits=99) == "y = 0.33333333333333331"
    assert "0.333</mn>" in third.mathml(digits=3) and "0.3333\n" in third.latex(digits=4)


def test_text_has_the_width_of_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    long = Statement("", (Equation(named("y"), Sum(tuple(named(f"m{k}") for k in range(20)))),))
    assert max(map(len, str(long).split("\n"))) <= 24
    monkeypatch.setenv("COLUMNS", "400")
    assert "\n" not in str(long)


def test_statements_are_values():
    again = Statement(MASS.title, MASS.equations, MASS.where, MASS.about)
    assert again == MASS == pickle.loads(pickle.dumps(MASS)) and hash(again) == hash(MASS)
    assert Matrix(((Q1,),)) != Matrix(((Q2,),))
