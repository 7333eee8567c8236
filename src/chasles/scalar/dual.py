"""Dual numbers a + b eps with eps^2 = 0: the derivative along one direction, by any algorithm, on any leaf."""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.scalar.leaf import Leaf, apply, register
from chasles.scalar.operations import OPERATIONS, UNARY, Operation, divide


class Dual:
    """A value and its derivative along one direction; both parts are leaves, of any kind."""

    __slots__ = ("derivative", "value")

    def __init__(self, value: Leaf, derivative: Leaf = 0.0) -> None:
        self.value = value
        self.derivative = derivative

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.derivative!r})"

    def __eq__(self, other: Any) -> Any:
        return self.value == _dual(other).value

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.value)

    def __add__(self, other: Leaf) -> "Dual":
        other = _dual(other)
        return Dual(self.value + other.value, self.derivative + other.derivative)

    __radd__ = __add__

    def __neg__(self) -> "Dual":
        return Dual(-self.value, -self.derivative)

    def __sub__(self, other: Leaf) -> "Dual":
        return self + (-_dual(other))

    def __rsub__(self, other: Leaf) -> "Dual":
        return _dual(other) - self

    def __mul__(self, other: Leaf) -> "Dual":
        other = _dual(other)
        return Dual(self.value * other.value, self.value * other.derivative + self.derivative * other.value)

    __rmul__ = __mul__

    def __truediv__(self, other: Leaf) -> "Dual":
        other = _dual(other)
        quotient = divide(self.value, other.value)
        return Dual(quotient, divide(self.derivative - quotient * other.derivative, other.value))

    def __rtruediv__(self, other: Leaf) -> "Dual":
        return _dual(other) / self

    def __pow__(self, other: Leaf) -> "Dual":
        return apply("pow", self, other)

    def __rpow__(self, other: Leaf) -> "Dual":
        return apply("pow", other, self)


def _dual(x: Leaf) -> Dual:
    return x if isinstance(x, Dual) else Dual(x)


def _unless_still(slope: Leaf, *derivatives: Leaf) -> Leaf:
    """The slope, and 0 where all derivatives are the number 0: what does not move has none, however steep f is."""
    still: Any = True
    for d in derivatives:
        if not isinstance(d, (float, np.ndarray)):
            return slope
        still = still & (d == 0.0)
    return np.where(still, 0.0, slope) if isinstance(still, np.ndarray) else 0.0 if still else slope


def _lift(row: Operation) -> Callable[[Dual], Dual]:
    """A function of one argument, by its slope."""
    name, slopes = row.name, row.slopes
    assert slopes is not None

    def function(x: Dual) -> Dual:
        f = apply(name, x.value)
        return Dual(f, _unless_still(slopes(f, x.value)[0] * x.derivative, x.derivative))

    return function


def _power(x: Leaf, y: Leaf) -> Dual:
    """x^y; a plain number has no derivative, so a negative x to a plain power keeps its own."""
    row = OPERATIONS["pow"]
    assert row.operator is not None and row.slopes is not None
    parts = [a.value if isinstance(a, Dual) else a for a in (x, y)]
    f = row.operator(*parts)
    slopes = zip((x, y), row.slopes(f, *parts), strict=True)
    first, *rest = (_unless_still(p * a.derivative, a.derivative) for a, p in slopes if isinstance(a, Dual))
    return Dual(f, sum(rest, first))


def _atan2(y: Leaf, x: Leaf) -> Dual:
    """Both slopes over one denominator."""
    y, x = _dual(y), _dual(x)
    square = x.value * x.value + y.value * y.value
    slope = divide(x.value * y.derivative - y.value * x.derivative, square)
    return Dual(apply("atan2", y.value, x.value), _unless_still(slope, y.derivative, x.derivative))


def _drawn(name: str) -> Callable[[Leaf, Leaf], Dual]:
    """A random number, whose derivative is 0."""
    return lambda x, y: Dual(apply(name, _dual(x).value, _dual(y).value))


def _where(condition: Leaf, x: Leaf, y: Leaf) -> Dual:
    x, y = _dual(x), _dual(y)
    return Dual(apply("where", condition, x.value, y.value), apply("where", condition, x.derivative, y.derivative))


register(
    Dual,
    {
        **{name: _lift(OPERATIONS[name]) for name in UNARY},
        "pow": _power,
        "atan2": _atan2,
        "random": _drawn("random"),
        "normal": _drawn("normal"),
        "less": lambda x, y: apply("less", _dual(x).value, _dual(y).value),
        "less_equal": lambda x, y: apply("less_equal", _dual(x).value, _dual(y).value),
        "where": _where,
    },
    wraps=True,
)
