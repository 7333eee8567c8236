"""Formulas as expressions of SymPy: exact numbers stay exact, symbols have their names and no assumptions, so that
`expression.subs({"m1": 2})` finds them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from chasles.errors import ModelError
from chasles.formula.notation import names_of
from chasles.formula.tree import (
    Bracket,
    Call,
    Comparison,
    Equation,
    Formula,
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


def expressed(x: Formula, known: dict[str, Any] | None = None) -> Any:
    """An expression, or a matrix. known: what stands in place of symbols, by their names."""
    sympy = _sympy()

    def of(y: Formula) -> Any:
        match y:
            case Number(value):
                exact = isinstance(value, Fraction)
                return sympy.Rational(value.numerator, value.denominator) if exact else sympy.Float(value)
            case Symbol(name, bold=bold):
                return (known or {}).get(name, sympy.Symbol(name, commutative=not bold))
            case Sum(terms):
                return _folded(sympy, sympy.Add, [of(term) for term in terms])
            case Product(factors):
                return _folded(sympy, sympy.Mul, [of(factor) for factor in factors])
            case Quotient(above, below):
                return of(above) / of(below)
            case Power(base, exponent):
                return of(base) ** of(exponent)
            case Call(function, arguments):
                return _call(sympy, function, [of(argument) for argument in arguments])
            case Comparison(relation, sides):
                return _relations(sympy)[relation](*(of(side) for side in sides))
            case Operator(name, index, argument, star):
                inner = [of(index)] + ([] if argument is None else [of(argument)])
                return sympy.Function(name + "_star" * star, commutative=False)(*inner)
            case Bracket(inner):
                return sympy.Function("bracket", commutative=False)(of(inner))
            case Transpose(inner):
                return sympy.transpose(of(inner))
            case Inverse(inner):
                return of(inner) ** -1
            case Matrix(rows):
                return sympy.Matrix([[of(entry) for entry in row] for row in rows])
            case Equation(left, right):
                return sympy.Eq(of(left), of(right), evaluate=False)
        raise TypeError(f"no formula: {type(y).__name__}")

    return of(x)


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise ModelError('expressions of SymPy need the package sympy: pip install "chasles[sympy]"') from None
    return sympy


def _folded(sympy: Any, flat: Any, values: Sequence[Any]) -> Any:
    """All at once, or matrices one after the other."""
    if any(isinstance(value, sympy.MatrixBase) for value in values):
        return reduce(lambda x, y: x + y if flat is sympy.Add else x * y, values)
    return flat(*values)


def _call(sympy: Any, function: str, arguments: Sequence[Any]) -> Any:
    name = names_of(function)[2]
    if function == "where":
        condition, value, otherwise = arguments
        return sympy.Piecewise((value, condition), (otherwise, True))
    return (getattr(sympy, name) if name else sympy.Function(function))(*arguments)


def _relations(sympy: Any) -> dict[str, Any]:
    return {"<": sympy.Lt, "<=": sympy.Le, "and": sympy.And, "or": sympy.Or, "not": sympy.Not}


def definitions_of(where: Sequence[Equation], named: bool) -> tuple[dict[Any, Any], dict[str, Any]]:
    """The definitions by symbol, and what is known by name: nothing if they stay named."""
    symbols: dict[Any, Any] = {}
    known: dict[str, Any] = {}
    for equation in where:
        value = expressed(equation.right, {} if named else known)
        symbols[expressed(equation.left)] = value
        if isinstance(equation.left, Symbol):
            known[equation.left.name] = value
    return symbols, {} if named else known
