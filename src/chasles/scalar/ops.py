"""Functions of leaves, by name: what the algorithms import.

No function here branches on the value of a leaf: `where` chooses.
"""

from typing import Any

from chasles.scalar.leaf import apply, register
from chasles.scalar.operations import BINARY, UNARY

__all__ = [
    "BINARY",
    "UNARY",
    "absolute",
    "apply",
    "atan2",
    "cos",
    "is_constant",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "register",
    "sin",
    "sqrt",
    "where",
]


def sin(x: Any) -> Any:
    return apply("sin", x)


def cos(x: Any) -> Any:
    return apply("cos", x)


def sqrt(x: Any) -> Any:
    return apply("sqrt", x)


def atan2(y: Any, x: Any) -> Any:
    return apply("atan2", y, x)


def less(x: Any, y: Any) -> Any:
    """x < y, as something `where` takes."""
    return apply("less", x, y)


def less_equal(x: Any, y: Any) -> Any:
    """x <= y, as something `where` takes."""
    return apply("less_equal", x, y)


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y. Both are computed: guard a division by choosing its denominator."""
    return apply("where", condition, x, y)


def minimum(x: Any, y: Any) -> Any:
    return where(less(y, x), y, x)


def maximum(x: Any, y: Any) -> Any:
    return where(less(x, y), y, x)


def absolute(x: Any) -> Any:
    return where(less(x, 0.0), -x, x)


def is_constant(x: Any, value: float) -> bool:
    """Whether the leaf is the plain number `value`: structure, known before any configuration is."""
    return isinstance(x, (float, int)) and x == value
