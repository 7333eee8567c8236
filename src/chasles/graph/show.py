"""Expressions of symbols as a person writes them: m1*l1**2/12."""

from fractions import Fraction
from typing import Any

from chasles.graph.node import Expr
from chasles.graph.symbol import below

_LONGEST = 400  # characters, beyond which the middle is left out
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)
_BETWEEN = {"less": "<", "less_equal": "<=", "and": "&", "or": "|"}


def text(node: Expr) -> str:
    """The expression, shortened where it is long."""
    memo: dict[int, tuple[str, int]] = {}
    for part in below([node]):  # from the bottom: however deep, without recursion
        _write(part, memo)
    out = memo[node.id][0]
    return out if len(out) <= _LONGEST else f"{out[: _LONGEST // 2]} ... {out[-_LONGEST // 2 :]}"


def _write(x: Any, memo: dict[int, tuple[str, int]]) -> tuple[str, int]:
    """Text and how tightly it binds."""
    if type(x) is not Expr:
        return _number(x), _ATOM if x >= 0.0 else _SIGN
    if x.id not in memo:
        memo[x.id] = _node(x, memo)
    return memo[x.id]


def _number(x: float) -> str:
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


def _in(x: Any, least: int, memo: dict[int, tuple[str, int]]) -> str:
    out, binds = _write(x, memo)
    out = out if len(out) <= 2 * _LONGEST else f"{out[:_LONGEST]}...{out[-_LONGEST:]}"
    return out if binds >= least else f"({out})"


def _node(x: Expr, memo: dict[int, tuple[str, int]]) -> tuple[str, int]:
    a = x.args
    match x.op:
        case "symbol":
            name, k, shape = a
            return (f"{name}[{_indices(k, shape)}]" if shape else name), _ATOM
        case "add":
            first, second = (a[1], a[0]) if type(a[0]) is float else a
            if type(second) is float and second < 0.0:
                return f"{_in(first, _SUM, memo)} - {_number(-second)}", _SUM
            return f"{_in(first, _SUM, memo)} + {_in(second, _SUM, memo)}", _SUM
        case "sub":
            return f"{_in(a[0], _SUM, memo)} - {_in(a[1], _PRODUCT, memo)}", _SUM
        case "neg":
            return f"-{_in(a[0], _PRODUCT, memo)}", _SIGN
        case "mul" | "div":
            return _product(x, memo)
        case "pow":
            return f"{_in(a[0], _ATOM, memo)}**{_in(a[1], _POWER, memo)}", _POWER
        case "not":
            return f"~{_in(a[0], _ATOM, memo)}", _SIGN
    if x.op in _BETWEEN:
        return f"({_in(a[0], _SUM, memo)} {_BETWEEN[x.op]} {_in(a[1], _SUM, memo)})", _ATOM
    return f"{x.op}({', '.join(_in(y, _SUM, memo) for y in a)})", _ATOM


def _indices(k: int, shape: tuple[int, ...]) -> str:
    out = []
    for size in reversed(shape):
        k, i = divmod(k, size)
        out.append(str(i))
    return ", ".join(reversed(out))


def _product(x: Expr, memo: dict[int, tuple[str, int]]) -> tuple[str, int]:
    """A product of powers over one: factors that are the same are counted."""
    factor, powers = 1.0, {}
    stack: list[tuple[Any, int]] = [(x, 1)]
    while stack:
        y, k = stack.pop()
        if type(y) is not Expr:
            factor = factor * y if k > 0 else factor / y
        elif y.op == "mul":
            stack += [(y.args[1], k), (y.args[0], k)]
        elif y.op == "div":
            stack += [(y.args[1], -k), (y.args[0], k)]
        else:
            powers[y.id] = (y, powers[y.id][1] + k if y.id in powers else k)
    above, under = _constant(abs(factor))
    for y, k in sorted(powers.values(), key=lambda item: item[0].id):
        if k:
            one = _in(y, _ATOM if abs(k) > 1 else _SIGN, memo)
            (above if k > 0 else under).append(one if abs(k) == 1 else f"{one}**{abs(k)}")
    out = "*".join(above) or "1"
    if under:
        out += f"/{under[0]}" if len(under) == 1 else f"/({'*'.join(under)})"
    return ("-" + out, _SIGN) if factor < 0.0 else (out, _PRODUCT)


def _constant(factor: float) -> tuple[list[str], list[str]]:
    """A number as what stands above and below the line."""
    fraction = Fraction(factor).limit_denominator(1000)
    if fraction and fraction.numerator / fraction.denominator == factor:
        over, below = fraction.numerator, fraction.denominator
        return [str(over)] if over != 1 else [], [str(below)] if below != 1 else []
    return [_number(factor)], []
