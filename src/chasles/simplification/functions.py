"""Operations of the table on polynomials: what of them is arithmetic, what sines and cosines of sums are, and atoms.

sin(x + y) = sin x cos y + cos x sin y,     cos(x + y) = cos x cos y - sin x sin y              (1)
sin(x + k pi/2), cos(x + k pi/2) are sines and cosines of x again, by turns                     (2)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from chasles.scalar.operations import CONDITIONS, OPERATIONS
from chasles.simplification.coefficients import exact
from chasles.simplification.polynomial import Polynomial, reciprocal
from chasles.simplification.rational import cancelled, inverse, power
from chasles.simplification.table import ONE, Angle, Function, Table

_MOST_ANGLES = 5
_MOST_TURNS = 4
_MOST_POWERS = 12


class Condition(NamedTuple):
    """A condition of polynomials, or of conditions: an operation of the table that gives one."""

    operation: str
    sides: tuple[Any, ...]

    @property
    def key(self) -> Any:
        return (self.operation, tuple(side.key for side in self.sides))


def apply(table: Table, operation: str, arguments: list[Any]) -> Any:
    """The polynomial, or the condition, that an operation gives."""
    values: list[Any] = [x.value if isinstance(x, Polynomial) else None for x in arguments]
    if operation in ("add", "sub", "mul"):
        x, y = arguments
        return x + y if operation == "add" else x - y if operation == "sub" else x * y
    if operation == "neg":
        return -arguments[0]
    if all(value is not None for value in values) and operation not in ("random", "normal"):
        return _constant(table, operation, values)
    if operation == "div":
        return _quotient(*arguments)
    if operation == "pow" and _is_small_power(values[1]):
        return power(arguments[0], int(values[1]))
    if operation in CONDITIONS:
        return Condition(operation, tuple(arguments))
    if operation == "where":
        return _choice(table, arguments)
    if operation in ("sin", "cos"):
        found = _turned(table, arguments[0])
        if found is not None:
            return found[operation == "cos"]
    return _function(table, operation, arguments)


def _constant(table: Table, operation: str, values: list[Any]) -> Any:
    if operation == "div" and values[1] and not any(type(x) is float for x in values):
        return Polynomial.constant(table, values[0]).scaled(reciprocal(values[1]))
    if operation == "pow" and _is_small_power(values[1]) and values[0]:
        return power(Polynomial.constant(table, values[0]), int(values[1]))
    result = OPERATIONS[operation].value(*map(float, values))
    if isinstance(result, bool):
        return Condition("true" if result else "false", ())
    return Polynomial.constant(table, exact(result))


def _is_small_power(x: Any) -> bool:
    return x is not None and float(x).is_integer() and abs(x) <= _MOST_POWERS


def _quotient(x: Polynomial, y: Polynomial) -> Polynomial:
    if not y.terms:
        return _function(x.table, "div", [x, y])
    ratio = x.ratio(y)
    return Polynomial.constant(x.table, ratio) if ratio is not None else cancelled(x * inverse(y))


def _choice(table: Table, arguments: list[Any]) -> Polynomial:
    condition, x, y = arguments
    if x == y or condition.operation == "true":
        return x
    return y if condition.operation == "false" else _function(table, "where", arguments)


def _function(table: Table, operation: str, arguments: list[Any]) -> Polynomial:
    sign, parity = 1, OPERATIONS[operation].parity
    if parity and float(arguments[0].terms[min(arguments[0].terms)]) < 0:
        arguments, sign = [-arguments[0]], -1 if parity == "odd" else 1
    key = (operation, tuple(x.key for x in arguments))
    return Polynomial.of_atom(table, table.atom(Function(operation, tuple(arguments)), key)).scaled(sign)


def _turned(table: Table, angle: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """The sine and cosine of a sum of angles (1); None for what is no such sum."""
    parts = [(m, x) for m, x in angle.terms.items() if m != ONE]
    if len(parts) > _MOST_ANGLES:
        return None
    s, c = _of_number(table, angle.terms.get(ONE, 0))
    for monomial, x in parts:
        turns = round(x) if abs(x - round(x)) < 1e-13 and abs(x) < _MOST_TURNS + 0.5 else 0
        number = table.angle(Angle(monomial, 1 if turns else abs(x)))
        s_1, c_1 = table.in_sums.get(number) or sine_and_cosine(table, number)
        s_1 = s_1.scaled(1 if x > 0 else -1)
        for _ in range(abs(turns) or 1):
            s, c = s * c_1 + c * s_1, c * c_1 - s * s_1  # (1)
    return s, c


def sine_and_cosine(table: Table, angle: int) -> tuple[Polynomial, Polynomial]:
    """Those of an angle, as atoms."""
    return Polynomial.of_atom(table, table.sine(angle)), Polynomial.of_atom(table, table.cosine(angle))


def _of_number(table: Table, x: Any) -> tuple[Polynomial, Polynomial]:
    quarters = float(x) / (math.pi / 2)
    if abs(quarters - round(quarters)) < 1e-14 * max(1.0, abs(quarters)):  # (2)
        values = [(0, 1), (1, 0), (0, -1), (-1, 0)][round(quarters) % 4]
    else:
        values = exact(math.sin(x)), exact(math.cos(x))
    return Polynomial.constant(table, values[0]), Polynomial.constant(table, values[1])
