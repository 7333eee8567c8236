"""The table of operations: all that a number can undergo, one row each.

Scalars, duals, tracing, differentiation, interpretation and every back end take what they need from here, so that an
operation is added by adding a row (and its line in each back end, which the tests ask for).

The slopes of f(x_1, x_2, ...) are written on leaves, from the result and the arguments,

    slopes(f, x_1, x_2, ...) = (df/dx_1, df/dx_2, ...)                          (1)

so the same text differentiates graphs and carries dual numbers. `where` has none: its derivative chooses as it does.
Outside its domain or range an operation is what NumPy says, nan or an infinity, and never an exception.
"""

import math
import operator
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from chasles.scalar.leaf import FLOAT, NUMPY, OPERATORS, Leaf, apply, register
from chasles.scalar.normal import normal, normal_float
from chasles.scalar.threefry import random, random_float

Kind = Literal["number", "condition"]
Function = Callable[..., Leaf]
Slopes = Callable[..., tuple[Leaf, ...]]


class Operation(NamedTuple):
    """One row.

    takes, gives: whether each argument, and the result, is a number or a condition.
    value: of floats, quietly. numpy: of arrays. operator: of leaves, where Python has an operator for it.
    slopes: (1); None where the derivative is no sum of slopes.
    steep: whether it is finite at a point where a slope is not, as sqrt at 0.
    parity: "odd" if f(-x) = -f(x), "even" if f(-x) = f(x).
    cost: about how many multiply-adds it takes the time of, on a processor.
    libm: the function of the C library that computes it.
    rewritten: what a traced one becomes, in terms of the others; it then never occurs in a program.
    meaning: in words of mathematics, of arguments x, y and a condition c (or two, a and b).
    """

    name: str
    takes: tuple[Kind, ...]
    gives: Kind
    value: Function
    numpy: Function
    meaning: str
    operator: Function | None = None
    slopes: Slopes | None = None
    steep: bool = False
    parity: Literal["odd", "even"] | None = None
    cost: float = 1.0
    libm: str | None = None
    rewritten: Function | None = None

    @property
    def arity(self) -> int:
        return len(self.takes)

    @property
    def traced(self) -> bool:
        """Whether it occurs in programs."""
        return self.rewritten is None


def _quiet(function: Callable[..., float], numpy: Function) -> Callable[..., float]:
    """A function of floats that answers what arrays give where it would raise."""

    def call(*x: float) -> float:
        try:
            return function(*x)
        except (ValueError, OverflowError, ZeroDivisionError):
            with np.errstate(all="ignore"):
                y = float(numpy(*x))
            return math.nan if y != y else y  # without a sign

    return call


_divide_floats = _quiet(operator.truediv, np.divide)
_power_floats = _quiet(math.pow, np.power)


def divide(x: Leaf, y: Leaf) -> Leaf:
    """x / y, quietly."""
    return _divide_floats(x, y) if isinstance(x, float) and isinstance(y, float) else x / y


def _power(x: Leaf, y: Leaf) -> Leaf:
    if isinstance(x, float) and isinstance(y, float):
        return _power_floats(x, y)
    if hasattr(x if isinstance(y, float) else y, "__pow__"):
        return x**y
    return apply("exp", y * apply("log", x))


def _not(x: Leaf) -> Leaf:
    return not x if isinstance(x, bool) else ~x


def _flat(f: Leaf, *x: Leaf) -> tuple[Leaf, ...]:
    return (0.0,) * len(x)


def _atan2_slopes(f: Leaf, y: Leaf, x: Leaf) -> tuple[Leaf, ...]:
    square = y * y + x * x
    return divide(x, square), -divide(y, square)


_N: Kind = "number"
_C: Kind = "condition"


def _arithmetic(name: str, symbol: str, rule: Function, numpy: Function, slopes: Slopes, **facts: Any) -> Operation:
    """x + y and its like."""
    value = facts.pop("value", rule)
    return Operation(name, (_N, _N), _N, value, numpy, f"x {symbol} y", operator=rule, slopes=slopes, **facts)


def _function(name: str, numpy: Function, slope: Any, cost: float, **facts: Any) -> Operation:
    """A function of one number, with its slope as a function of result and argument."""
    value = facts.pop("value", None) or _quiet(getattr(math, name), numpy)
    meaning = facts.pop("meaning", f"{name} x")
    slopes = facts.pop("slopes", lambda f, x: (slope(f, x),))
    return Operation(name, (_N,), _N, value, numpy, meaning, slopes=slopes, cost=cost, libm=name, **facts)


def _comparison(name: str, symbol: str, rule: Function, numpy: Function) -> Operation:
    return Operation(name, (_N, _N), _C, rule, numpy, f"x {symbol} y; false with a nan", slopes=_flat)


def _drawn(name: str, value: Function, numpy: Function, meaning: str, cost: float) -> Operation:
    return Operation(name, (_N, _N), _N, value, numpy, meaning, slopes=_flat, cost=cost)


def _connective(name: str, count: int, value: Function, numpy: Function, meaning: str) -> Operation:
    return Operation(name, (_C,) * count, _C, value, numpy, meaning, operator=value, slopes=_flat, cost=0.5)


_ROWS = (
    _arithmetic("add", "+", operator.add, np.add, lambda f, x, y: (1.0, 1.0)),
    _arithmetic("sub", "-", operator.sub, np.subtract, lambda f, x, y: (1.0, -1.0)),
    _arithmetic("mul", "*", operator.mul, np.multiply, lambda f, x, y: (y, x)),
    _arithmetic(
        "div", "/", divide, np.divide, lambda f, x, y: (divide(1.0, y), -divide(f, y)), value=_divide_floats, cost=5.0
    ),
    Operation(
        "neg",
        (_N,),
        _N,
        operator.neg,
        np.negative,
        "-x",
        operator=operator.neg,
        slopes=lambda f, x: (-1.0,),
        parity="odd",
        cost=0.5,
    ),
    _arithmetic(
        "pow",
        "^",
        _power,
        np.power,
        lambda f, x, y: (y * apply("pow", x, y - 1.0), f * apply("log", x)),
        value=_power_floats,
        steep=True,
        cost=60.0,
        libm="pow",
    ),
    _function("sin", np.sin, lambda f, x: apply("cos", x), 14.0, parity="odd"),
    _function("cos", np.cos, lambda f, x: -apply("sin", x), 14.0, parity="even"),
    _function(
        "tan",
        np.tan,
        lambda f, x: divide(1.0, apply("cos", x) * apply("cos", x)),
        33.0,
        parity="odd",
        rewritten=lambda x: apply("sin", x) / apply("cos", x),
    ),
    _function("asin", np.arcsin, lambda f, x: divide(1.0, apply("sqrt", 1.0 - x * x)), 40.0, parity="odd", steep=True),
    _function("acos", np.arccos, lambda f, x: divide(-1.0, apply("sqrt", 1.0 - x * x)), 40.0, steep=True),
    _function("atan", np.arctan, lambda f, x: 1.0 / (1.0 + x * x), 40.0, parity="odd"),
    _function("sinh", np.sinh, lambda f, x: apply("cosh", x), 60.0, parity="odd"),
    _function("cosh", np.cosh, lambda f, x: apply("sinh", x), 50.0, parity="even"),
    _function("tanh", np.tanh, lambda f, x: 1.0 - f * f, 60.0, parity="odd"),
    _function("exp", np.exp, lambda f, x: f, 25.0),
    _function("log", np.log, lambda f, x: divide(1.0, x), 25.0),
    _function("sqrt", np.sqrt, lambda f, x: divide(0.5, f), 6.0, steep=True),
    _function(
        "floor",
        np.floor,
        None,
        1.0,
        slopes=_flat,
        value=lambda x: float(np.floor(x)),
        meaning="the largest integer <= x",
    ),
    Operation(
        "atan2",
        (_N, _N),
        _N,
        _quiet(math.atan2, np.arctan2),
        np.arctan2,
        "the angle of the point (y, x): atan (x / y), in its quadrant",
        slopes=_atan2_slopes,
        steep=True,
        cost=60.0,
        libm="atan2",
    ),
    _drawn("random", random_float, random, "a number between 0 and 1, of the bits of seed x and counter y", 20.0),
    _drawn("normal", normal_float, normal, "the quantile of the standard normal distribution at random (x, y)", 50.0),
    _comparison("less", "<", operator.lt, np.less),
    _comparison("less_equal", "<=", operator.le, np.less_equal),
    _connective("and", 2, operator.and_, np.logical_and, "a and b"),
    _connective("or", 2, operator.or_, np.logical_or, "a or b"),
    _connective("not", 1, _not, np.logical_not, "not c"),
    Operation(
        "where",
        (_C, _N, _N),
        _N,
        lambda condition, x, y: x if condition else y,
        np.where,
        "x where c holds, else y",
    ),
)

OPERATIONS: dict[str, Operation] = {row.name: row for row in _ROWS}
CONDITIONS = frozenset(row.name for row in _ROWS if row.gives == "condition")
FLAT = frozenset(row.name for row in _ROWS if row.slopes is _flat)  # their derivative is 0
STEEP = frozenset(row.name for row in _ROWS if row.steep)
FUNCTIONS = tuple(row.name for row in _ROWS if row.operator is None and row.slopes is not None)  # by name, not operator
UNARY = tuple(name for name in FUNCTIONS if OPERATIONS[name].arity == 1)
BINARY = tuple(name for name in FUNCTIONS if OPERATIONS[name].arity == 2)

FLOAT.update({row.name: row.value for row in _ROWS})
NUMPY.update({row.name: row.numpy for row in _ROWS})
OPERATORS.update({row.name: row.operator for row in _ROWS if row.operator is not None})
for _type in (float, int, bool):
    register(_type, FLOAT)
for _type in (np.ndarray, np.float64, np.float32, np.int64, np.bool_):
    register(_type, NUMPY)
