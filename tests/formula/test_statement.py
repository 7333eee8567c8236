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
CONDITIONS = (Comparison("<", (Q1, Q2)), Comparison("<=", (Q2, Q1)))


def of(name):
    """The formula of an operation of the table, of q_1, q_2, q_1 < q_2, ..."""
    numbers, conditions = iter((Q1, Q2)), iter(CONDITIONS)
    arguments = tuple(next(conditions if kind == "condition" else numbers) for kind in OPERATIONS[name].takes)
    return NODES[name](*arguments) if name in NODES else Call(name, arguments)


def test_every_operation_has_its_notation():
    """A row that is added to the table has to be given a row here, or one of the notation."""
    assert set(OPERATIONS) | {"sign"} == set(NODES) | set(FUNCTIONS)


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


@pytest.mark.parametrize(
    "name, meant",
    [("to_latex", "latex"), ("pretty", "text"), ("subs", "sympy"), ("html", "mathml")],
)
def test_other_names_are_known(name, meant):
    with pytest.raises(AttributeError, match=f"did you mean .*{meant}"):
        getattr(MASS, name)


def test_digits():
    third = Statement("", (Equation(named("y"), Number(1 / 3)),))
    assert third.text(digits=2) == "y = 0.33" and third.text() == "y = 0.33333"
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
