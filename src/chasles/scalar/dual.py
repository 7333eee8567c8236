"""Dual numbers a + b eps with eps^2 = 0: the derivative along one direction, by any algorithm, eagerly."""

import math
from typing import Any

from chasles.scalar.ops import register


class Dual:
    """A value and its derivative along one direction; both parts are floats."""

    __slots__ = ("derivative", "value")

    def __init__(self, value: Any, derivative: Any = 0.0) -> None:
        self.value = value
        self.derivative = derivative

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.derivative!r})"

    def __add__(self, other: Any) -> "Dual":
        other = _dual(other)
        return Dual(self.value + other.value, self.derivative + other.derivative)

    __radd__ = __add__

    def __neg__(self) -> "Dual":
        return Dual(-self.value, -self.derivative)

    def __sub__(self, other: Any) -> "Dual":
        return self + (-_dual(other))

    def __rsub__(self, other: Any) -> "Dual":
        return _dual(other) - self

    def __mul__(self, other: Any) -> "Dual":
        other = _dual(other)
        return Dual(self.value * other.value, self.value * other.derivative + self.derivative * other.value)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Dual":
        other = _dual(other)
        quotient = self.value / other.value
        return Dual(quotient, (self.derivative - quotient * other.derivative) / other.value)

    def __rtruediv__(self, other: Any) -> "Dual":
        return _dual(other) / self


def _dual(x: Any) -> Dual:
    return x if isinstance(x, Dual) else Dual(float(x))


def _lift(function: Any, slope: Any) -> Any:
    return lambda x: Dual(function(x.value), slope(x.value) * x.derivative)


def _atan2(y: Any, x: Any) -> Dual:
    y, x = _dual(y), _dual(x)
    square = x.value * x.value + y.value * y.value
    return Dual(math.atan2(y.value, x.value), (x.value * y.derivative - y.value * x.derivative) / square)


def _where(condition: Any, x: Any, y: Any) -> Dual:
    return _dual(x if condition else y)


register(
    Dual,
    {
        "sin": _lift(math.sin, math.cos),
        "cos": _lift(math.cos, lambda x: -math.sin(x)),
        "tan": _lift(math.tan, lambda x: 1.0 / math.cos(x) ** 2),
        "asin": _lift(math.asin, lambda x: 1.0 / math.sqrt(1.0 - x * x)),
        "acos": _lift(math.acos, lambda x: -1.0 / math.sqrt(1.0 - x * x)),
        "atan": _lift(math.atan, lambda x: 1.0 / (1.0 + x * x)),
        "sinh": _lift(math.sinh, math.cosh),
        "cosh": _lift(math.cosh, math.sinh),
        "tanh": _lift(math.tanh, lambda x: 1.0 - math.tanh(x) ** 2),
        "exp": _lift(math.exp, math.exp),
        "log": _lift(math.log, lambda x: 1.0 / x),
        "sqrt": _lift(math.sqrt, lambda x: 0.5 / math.sqrt(x)),
        "floor": _lift(math.floor, lambda x: 0.0),
        "atan2": _atan2,
        "less": lambda x, y: _dual(x).value < _dual(y).value,
        "less_equal": lambda x, y: _dual(x).value <= _dual(y).value,
        "where": _where,
    },
)
