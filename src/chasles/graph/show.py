"""Expressions of symbols as a person writes them: m1*l1**2/12."""

import heapq
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from chasles.graph.node import Expr

_LONGEST = 240  # characters, beyond which the middle is left out
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)
_BETWEEN = {"less": "<", "less_equal": "<=", "and": "&", "or": "|"}


def text(node: Expr) -> str:
    """The expression, shortened where it is long."""
    memo: dict[int, tuple[str, int]] = {}
    parts, stack = {node.id: node}, [node]
    while stack:
        for x in _parts(stack.pop()):
            if type(x) is Expr and x.id not in parts:
                parts[x.id] = x
                stack.append(x)
    for k in sorted(parts):  # from the bottom: however deep, without recursion
        memo[k] = _node(parts[k], memo)
    out = memo[node.id][0]
    return out if len(out) <= _LONGEST else f"{out[: _LONGEST // 2]} ... {out[-_LONGEST // 2 :]}"


def _parts(x: Expr) -> Iterable[Any]:
    """What a node's text is put together from."""
    return (y for y, _ in _powers(x)[1]) if x.op in ("mul", "div") else x.args


def _write(x: Any, memo: dict[int, tuple[str, int]]) -> tuple[str, int]:
    """Text and how tightly it binds."""
    return memo[x.id] if type(x) is Expr else (_number(x), _SIGN if x < 0.0 else _ATOM)


def _number(x: float) -> str:
    return str(int(x)) if math.isfinite(x) and x == int(x) and abs(x) < 1e15 else repr(x)


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
        case "loop":
            return f"loop({', '.join(_in(y, _SUM, memo) for y in a[1:])})", _ATOM
        case "item":
            return f"{_in(a[0], _ATOM, memo)}[{a[1]}]", _ATOM
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


def _powers(x: Expr) -> tuple[float, list[tuple[Expr, int]]]:
    """The number in a product of powers, and its factors with how often each is in it, those below the line less than
    none. Products in it that are shared are looked at once."""
    number, counts, nodes = 1.0, {x.id: 1}, {x.id: x}
    heap, factors = [-x.id], list[tuple[Expr, int]]()
    while heap:  # what uses a product is younger than it
        y = nodes[-heapq.heappop(heap)]
        k = counts[y.id]
        if y.op not in ("mul", "div"):
            factors.append((y, k))
            continue
        for z, sign in zip(y.args, (1, 1 if y.op == "mul" else -1), strict=True):
            if type(z) is not Expr:
                number *= _power(z, sign * k)
            elif z.id in counts:
                counts[z.id] += sign * k
            else:
                counts[z.id], nodes[z.id] = sign * k, z
                heapq.heappush(heap, -z.id)
    return number, factors[::-1]


def _power(x: float, k: int) -> float:
    if k == -1:
        return 1.0 / x if x else math.inf
    try:
        return x**k
    except (OverflowError, ZeroDivisionError):
        return math.inf


def _product(x: Expr, memo: dict[int, tuple[str, int]]) -> tuple[str, int]:
    """A product of powers over one: factors that are the same are counted."""
    factor, powers = _powers(x)
    above, under = _constant(abs(factor))
    for y, k in powers:
        if k:
            one = _in(y, _ATOM if abs(k) > 1 else _SIGN, memo)
            (above if k > 0 else under).append(one if abs(k) == 1 else f"{one}**{abs(k)}")
    out = "*".join(above) or "1"
    if under:
        out += f"/{under[0]}" if len(under) == 1 else f"/({'*'.join(under)})"
    return ("-" + out, _SIGN) if factor < 0.0 else (out, _PRODUCT)


def _constant(factor: float) -> tuple[list[str], list[str]]:
    """A number as what stands above and below the line."""
    if not math.isfinite(factor):
        return [_number(factor)], []
    fraction = Fraction(factor).limit_denominator(1000)
    if fraction and fraction.numerator / fraction.denominator == factor:
        over, below = fraction.numerator, fraction.denominator
        return [str(over)] if over != 1 else [], [str(below)] if below != 1 else []
    return [_number(factor)], []
