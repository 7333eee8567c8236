"""Numbers of formulas: what a tree says, computed as it stands."""

from typing import Any

from chasles.formula.names import GREEK
from chasles.formula.statement import Statement
from chasles.formula.tree import Call, Comparison, Equation, Formula, Number, Power, Product, Quotient, Sum, Symbol
from chasles.graph.program import Program
from chasles.scalar.operations import OPERATIONS

_DOTS = {"q": ("q", 0), "qd": ("q", 1), "qdd": ("q", 2)}


def value(formula: Formula, values: dict[str, Any]) -> Any:
    """The number of a formula for numbers of its symbols by their names."""
    match formula:
        case Number(x):
            return float(x)
        case Symbol(name):
            return values[name]
        case Sum(terms):
            return sum(value(x, values) for x in terms)
        case Product(factors):
            result = 1.0
            for x in factors:
                result *= value(x, values)
            return result
        case Quotient(above, below):
            return value(above, values) / value(below, values)
        case Power(base, exponent):
            return value(base, values) ** value(exponent, values)
        case Call("abs", (x,)):
            return abs(value(x, values))
        case Call(function, arguments):
            return OPERATIONS[function].value(*(value(x, values) for x in arguments))
        case Comparison("and", sides):
            return all(value(x, values) for x in sides)
        case Comparison("or", sides):
            return any(value(x, values) for x in sides)
        case Comparison("not", (side,)):
            return not value(side, values)
        case Comparison(relation, (x, y)):
            return value(x, values) < value(y, values) if relation == "<" else value(x, values) <= value(y, values)
    raise AssertionError(f"no number: {formula}")


def with_names(where: tuple[Equation, ...], values: dict[str, Any]) -> dict[str, Any]:
    """Numbers of symbols, and of the quantities that equations define, each after those it needs."""
    values = dict(values)
    for equation in where:
        assert isinstance(equation.left, Symbol)
        assert equation.left.name not in values, f"{equation.left.name} is defined twice"
        values[equation.left.name] = value(equation.right, values)
    return values


def leaves_of(program: Program) -> list[list[Symbol]]:
    """Symbols for the inputs of a program: q_1, its derivatives with dots, and others by their names."""
    rows = []
    for operand in program.inputs:
        letter, dots = _DOTS.get(operand.name, (operand.name, 0))
        if operand.shape == ():
            rows.append([Symbol(operand.name, operand.name[0], operand.name[1:])])
        else:
            indices = [str(i + 1) for i in range(operand.size)]
            rows.append([Symbol(operand.name + i, letter, i, dots) for i in indices])
    return rows


def text(formula: Formula) -> str:
    """A formula in a line of plain text, Greek letters by their names, s_1 and c_1 for sines and cosines of angles."""
    statement = Statement("", (Equation(Symbol("y", "y"), formula),))
    line = statement.text(width=10_000).splitlines()[0].removeprefix("y = ")
    for name, letter in GREEK.items():
        line = line.replace(letter, name)
    return line
