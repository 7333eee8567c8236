"""Dual numbers a + b eps with eps^2 = 0: the derivative along one direction, by any algorithm, on any leaf."""

from typing import Any

from chasles.scalar.ops import apply, register


class Dual:
    """A value and its derivative along one direction; both parts are leaves, of any kind."""

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
    return x if isinstance(x, Dual) else Dual(x)


def _lift(name: str, slope: Any) -> Any:
    return lambda x: Dual(apply(name, x.value), slope(x.value) * x.derivative)


def _atan2(y: Any, x: Any) -> Dual:
    y, x = _dual(y), _dual(x)
    square = x.value * x.value + y.value * y.value
    return Dual(apply("atan2", y.value, x.value), (x.value * y.derivative - y.value * x.derivative) / square)


def _where(condition: Any, x: Any, y: Any) -> Dual:
    x, y = _dual(x), _dual(y)
    return Dual(apply("where", condition, x.value, y.value), apply("where", condition, x.derivative, y.derivative))


_SLOPES = {
    "sin": lambda x: apply("cos", x),
    "cos": lambda x: -apply("sin", x),
    "tan": lambda x: 1.0 / (apply("cos", x) * apply("cos", x)),
    "asin": lambda x: 1.0 / apply("sqrt", 1.0 - x * x),
    "acos": lambda x: -1.0 / apply("sqrt", 1.0 - x * x),
    "atan": lambda x: 1.0 / (1.0 + x * x),
    "sinh": lambda x: apply("cosh", x),
    "cosh": lambda x: apply("sinh", x),
    "tanh": lambda x: 1.0 - apply("tanh", x) * apply("tanh", x),
    "exp": lambda x: apply("exp", x),
    "log": lambda x: 1.0 / x,
    "sqrt": lambda x: 0.5 / apply("sqrt", x),
    "floor": lambda x: 0.0,
}
register(
    Dual,
    {
        **{name: _lift(name, slope) for name, slope in _SLOPES.items()},
        "atan2": _atan2,
        "less": lambda x, y: apply("less", _dual(x).value, _dual(y).value),
        "less_equal": lambda x, y: apply("less_equal", _dual(x).value, _dual(y).value),
        "where": _where,
    },
    wraps=True,
)
