"""Random expressions for Hypothesis, their value on any leaf, and how far rounding may take it."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import chasles as ch
from chasles.scalar import ops

EPS = 2.0**-53
VARIABLES = 3

Tree = Any  # ("x", k) | float | (operation, *trees)

UNARY = ("neg", "sin", "cos", "tan", "atan", "tanh", "sqrt", "exp", "log", "square", "inverse", "absolute")
BINARY = ("add", "sub", "mul", "div", "atan2", "maximum", "minimum")


def constants() -> st.SearchStrategy[float]:
    return st.one_of(
        st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5]), st.floats(-4.0, 4.0).map(lambda x: round(x, 3))
    )


def variables() -> st.SearchStrategy[Tree]:
    return st.integers(0, VARIABLES - 1).map(lambda k: ("x", k))


def trees(leaves: int = 12) -> st.SearchStrategy[Tree]:
    def grow(part: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        condition = st.tuples(st.sampled_from(["less", "less_equal"]), part, part)
        condition = st.one_of(
            condition,
            condition.map(lambda c: ("not", c)),
            st.tuples(st.sampled_from(["and", "or"]), condition, condition),
        )
        return st.one_of(
            st.tuples(st.sampled_from(UNARY), part),
            st.tuples(st.sampled_from(BINARY), part, part),
            st.tuples(st.sampled_from(("add", "sub", "mul", "div")), part, part),
            st.tuples(st.just("where"), condition, part, part),
        )

    return st.recursive(st.one_of(variables(), variables(), constants()), grow, max_leaves=leaves)


def points() -> st.SearchStrategy[list[float]]:
    return st.lists(st.floats(-3.0, 3.0).filter(lambda x: abs(x) > 1e-3), min_size=VARIABLES, max_size=VARIABLES)


_RULES = {
    "neg": lambda x: -x,
    "square": lambda x: x * x,
    "inverse": lambda x: 1.0 / x,
    "absolute": ops.absolute,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "maximum": ops.maximum,
    "minimum": ops.minimum,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "not": lambda x: (not x) if isinstance(x, bool) else ~x,
}


def evaluate(tree: Tree, x: list[Any]) -> Any:
    """The value of a tree on leaves of any kind."""
    if isinstance(tree, float):
        return tree
    if tree[0] == "x":
        return x[tree[1]]
    if tree[0] == "constant":
        return Bounded(tree[1])
    arguments = [evaluate(part, x) for part in tree[1:]]
    rule = _RULES.get(tree[0])
    return rule(*arguments) if rule else ops.apply(tree[0], *arguments)


@dataclass(frozen=True)
class Bounded:
    """A float and a bound on how far any order of roundings can have taken it.

    Examples that overflow, leave a function's domain, or compare what rounding may swap are thrown away.
    """

    value: float
    error: float = 0.0

    def __post_init__(self) -> None:
        assume(math.isfinite(self.value) and (self.value == 0.0 or 1e-60 < abs(self.value) < 1e60))

    def __add__(self, other: Any) -> "Bounded":
        other = _bounded(other)
        value = self.value + other.value
        return Bounded(value, self.error + other.error + EPS * (abs(self.value) + abs(other.value)))

    def __neg__(self) -> "Bounded":
        return Bounded(-self.value, self.error)

    def __sub__(self, other: Any) -> "Bounded":
        return self + -_bounded(other)

    def __rsub__(self, other: Any) -> "Bounded":
        return _bounded(other) - self

    def __mul__(self, other: Any) -> "Bounded":
        other = _bounded(other)
        a, b, da, db = abs(self.value), abs(other.value), self.error, other.error
        return Bounded(self.value * other.value, a * db + b * da + da * db + 2 * EPS * a * b)

    def __truediv__(self, other: Any) -> "Bounded":
        other = _bounded(other)
        assume(abs(other.value) > 1e3 * other.error)
        value = self.value / other.value
        return Bounded(value, 1.01 * (self.error + abs(value) * other.error) / abs(other.value) + 3 * EPS * abs(value))

    def __rtruediv__(self, other: Any) -> "Bounded":
        return _bounded(other) / self

    __radd__, __rmul__ = __add__, __mul__


def _bounded(x: Any) -> Bounded:
    return x if isinstance(x, Bounded) else Bounded(float(x))


def _lift(function: Any, slope: Any, lowest: float = -math.inf) -> Any:
    """A function whose slope changes little within the error."""

    def apply(x: Bounded) -> Bounded:
        assume(x.value - 1e3 * x.error > lowest and x.value < 100.0 and x.error < 1e-4)
        value = function(x.value)
        return Bounded(value, 1.5 * abs(slope(x.value)) * x.error + x.error**2 + 4 * EPS * abs(value))

    return apply


def _tan(x: Bounded) -> Bounded:
    return _BOUNDED["sin"](x) / _BOUNDED["cos"](x)


def _atan2(y: Any, x: Any) -> Bounded:
    y, x = _bounded(y), _bounded(x)
    size = math.hypot(x.value, y.value)
    assume(size > 1e3 * (x.error + y.error) and (x.value > 0.0 or abs(y.value) > 1e3 * y.error) and size > 1e-6)
    value = math.atan2(y.value, x.value)
    return Bounded(value, 1.5 * (x.error + y.error) / size + 4 * EPS * abs(value))


def _compare(x: Any, y: Any) -> tuple[float, float]:
    x, y = _bounded(x), _bounded(y)
    assume(abs(x.value - y.value) > 10 * (x.error + y.error) or x.error + y.error == 0.0)
    return x.value, y.value


_BOUNDED = {
    "sin": _lift(math.sin, lambda x: 1.0),
    "cos": _lift(math.cos, lambda x: 1.0),
    "tan": _tan,
    "atan": _lift(math.atan, lambda x: 1.0),
    "tanh": _lift(math.tanh, lambda x: 1.0),
    "exp": _lift(math.exp, math.exp),
    "log": _lift(math.log, lambda x: 1.0 / x, 0.0),
    "sqrt": _lift(math.sqrt, lambda x: 0.5 / math.sqrt(x), 0.0),
    "atan2": _atan2,
    "less": lambda x, y: (lambda p: p[0] < p[1])(_compare(x, y)),
    "less_equal": lambda x, y: (lambda p: p[0] <= p[1])(_compare(x, y)),
    "where": lambda c, x, y: _bounded(x if c else y),
}
ops.register(Bounded, _BOUNDED)


def bounded(tree: Tree, x: list[float], error: float = 0.0) -> Bounded:
    """The value of a tree in floats, and how far rounding, and an error of the inputs, may take it."""
    try:
        return _bounded(evaluate(_lifted(tree), [Bounded(v, error) for v in x]))
    except (ZeroDivisionError, OverflowError, ValueError):
        assume(False)
        raise


def _lifted(tree: Tree) -> Tree:
    """The tree with its constants bounded, so that functions of constants are too."""
    if isinstance(tree, float):
        return ("constant", tree)
    return tree if tree[0] == "x" else (tree[0], *map(_lifted, tree[1:]))


def agrees_on(expressions: list[Tree], rows: list[list[float]], computed: Any) -> bool:
    """Whether computed(kernel, rows) has the values of expressions at rows, to rounding."""
    expected = [[bounded(tree, x) for tree in expressions] for x in rows]
    kernel = ch.compile(lambda x: np.stack([evaluate(tree, list(x)) + 0.0 * x[0] for tree in expressions]), x=VARIABLES)
    (found,) = computed(kernel, np.array(rows))
    return all(
        abs(x - y.value) <= 4 * y.error
        for row, wanted in zip(found, expected, strict=True)
        for x, y in zip(row, wanted, strict=True)
    )
