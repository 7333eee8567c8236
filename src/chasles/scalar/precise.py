"""Numbers of forty digits, for constants that are computed once: what they are rounded to has no errors to add up.

Decimal arithmetic that floats mix with. nan and infinities are as those of floats are; division by zero raises.
"""

from __future__ import annotations

from decimal import Context, Decimal, DivisionByZero

_DIGITS = Context(prec=40, Emin=-99999, Emax=99999, traps=[DivisionByZero])


class Precise:
    """A number of forty digits; `float` rounds it."""

    __slots__ = ("_value",)

    def __init__(self, value: float) -> None:
        self._value = _DIGITS.create_decimal_from_float(value)

    def __float__(self) -> float:
        return float(self._value) + 0.0  # no negative zeros

    def __repr__(self) -> str:
        return f"Precise({self._value})"

    def __add__(self, other: Precise | float) -> Precise:
        return _made(_DIGITS.add(self._value, _decimal(other)))

    __radd__ = __add__

    def __sub__(self, other: Precise | float) -> Precise:
        return _made(_DIGITS.subtract(self._value, _decimal(other)))

    def __rsub__(self, other: Precise | float) -> Precise:
        return _made(_DIGITS.subtract(_decimal(other), self._value))

    def __mul__(self, other: Precise | float) -> Precise:
        return _made(_DIGITS.multiply(self._value, _decimal(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Precise | float) -> Precise:
        return _made(_DIGITS.divide(self._value, _decimal(other)))

    def __rtruediv__(self, other: Precise | float) -> Precise:
        return _made(_DIGITS.divide(_decimal(other), self._value))

    def __neg__(self) -> Precise:
        return _made(self._value.copy_negate())

    def __abs__(self) -> Precise:
        return _made(self._value.copy_abs())

    def sqrt(self) -> Precise:
        return _made(_DIGITS.sqrt(self._value))

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Precise, float, int)) and self._value == _decimal(other)

    def _compared(self, other: Precise | float) -> Decimal:
        """-1, 0 or 1; nan beside a nan."""
        return _DIGITS.compare(self._value, _decimal(other))

    def __lt__(self, other: Precise | float) -> bool:
        return self._compared(other) == -1

    def __le__(self, other: Precise | float) -> bool:
        return self._compared(other) in (-1, 0)

    def __gt__(self, other: Precise | float) -> bool:
        return self._compared(other) == 1

    def __ge__(self, other: Precise | float) -> bool:
        return self._compared(other) in (0, 1)

    def __hash__(self) -> int:
        return hash(self._value)


def _decimal(x: Precise | float) -> Decimal:
    return x._value if isinstance(x, Precise) else _DIGITS.create_decimal_from_float(x)


def _made(value: Decimal) -> Precise:
    out = object.__new__(Precise)
    out._value = value
    return out
