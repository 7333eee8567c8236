"""Functions of leaves, by name: what the algorithms import.

No function here branches on the value of a leaf: `where` chooses.
"""

from chasles.scalar.leaf import Leaf, apply, register
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
    "normal",
    "random",
    "register",
    "sin",
    "sqrt",
    "where",
]


def sin(x: Leaf) -> Leaf:
    return apply("sin", x)


def cos(x: Leaf) -> Leaf:
    return apply("cos", x)


def sqrt(x: Leaf) -> Leaf:
    return apply("sqrt", x)


def atan2(y: Leaf, x: Leaf) -> Leaf:
    return apply("atan2", y, x)


def random(seed: Leaf, counter: Leaf) -> Leaf:
    """A number between 0 and 1, a function of the two (scalar/threefry.py)."""
    return apply("random", seed, counter)


def normal(seed: Leaf, counter: Leaf) -> Leaf:
    """A number of the standard normal distribution, a function of the two (scalar/normal.py)."""
    return apply("normal", seed, counter)


def less(x: Leaf, y: Leaf) -> Leaf:
    """x < y, as something `where` takes."""
    return apply("less", x, y)


def less_equal(x: Leaf, y: Leaf) -> Leaf:
    """x <= y, as something `where` takes."""
    return apply("less_equal", x, y)


def where(condition: Leaf, x: Leaf, y: Leaf) -> Leaf:
    """x where the condition holds, else y. Both are computed: guard a division by choosing its denominator."""
    return apply("where", condition, x, y)


def minimum(x: Leaf, y: Leaf) -> Leaf:
    return where(less(y, x), y, x)


def maximum(x: Leaf, y: Leaf) -> Leaf:
    return where(less(x, y), y, x)


def absolute(x: Leaf) -> Leaf:
    return where(less(x, 0.0), -x, x)


def is_constant(x: Leaf, value: float) -> bool:
    """Whether the leaf is the plain number `value`: structure, known before any configuration is."""
    return isinstance(x, (float, int)) and x == value
