"""The one dispatch point for functions of a leaf.

A *leaf* is anything the algorithms can compute with: a float, a NumPy array (a whole batch in one leaf), an
expression-graph node, a dual number, an mpmath number. The arithmetic operators dispatch by themselves; the functions
here look up the namespace of their first argument that is not a plain number. Other leaf types call `register`.

No function here branches on the value of a leaf: `where` chooses.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

UNARY = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor")
BINARY = ("atan2", "less", "less_equal")

_NAMESPACES: dict[type, dict[str, Callable[..., Any]]] = {}
_WRAPPERS: set[type] = set()


def register(leaf_type: type, namespace: dict[str, Callable[..., Any]], *, wraps: bool = False) -> None:
    """Make `leaf_type` a leaf: `namespace` holds a function for each name in `UNARY` and `BINARY`, and `where`.

    wraps: it holds other leaves, so that its functions come before theirs.
    """
    _NAMESPACES[leaf_type] = namespace
    if wraps:
        _WRAPPERS.add(leaf_type)


def _quiet(function: Callable[..., float]) -> Callable[..., float]:
    """A `math` function that answers nan outside its domain and inf past its range, as arrays do."""

    def call(*x: float) -> float:
        try:
            return function(*x)
        except ValueError:
            return -math.inf if function is math.log and x[0] == 0.0 else math.nan
        except OverflowError:
            return math.inf

    return call


_FLOAT: dict[str, Callable[..., Any]] = {name: _quiet(getattr(math, name)) for name in (*UNARY, "atan2")}
_FLOAT |= {
    "floor": lambda x: float(np.floor(x)),
    "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y,
    "where": lambda condition, x, y: x if condition else y,
}
_NUMPY: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name.replace("asin", "arcsin").replace("acos", "arccos")) for name in UNARY if name != "atan"},
    "atan": np.arctan,
    "atan2": np.arctan2,
    "less": np.less,
    "less_equal": np.less_equal,
    "where": np.where,
}
for _type in (float, int, bool):
    register(_type, _FLOAT)
for _type in (np.ndarray, np.float64, np.float32, np.int64, np.bool_):
    register(_type, _NUMPY)


def _namespace(leaves: tuple[Any, ...]) -> dict[str, Callable[..., Any]]:
    best = _FLOAT
    for x in leaves:
        kind = type(x)
        namespace = _NAMESPACES.get(kind)
        if kind in _WRAPPERS:
            return _NAMESPACES[kind]
        if namespace is None:
            namespace = next((_NAMESPACES[base] for base in kind.__mro__ if base in _NAMESPACES), None)
            if namespace is None:
                raise TypeError(
                    f"{kind.__module__}.{kind.__qualname__} is not a leaf chasles can compute with: "
                    "use floats, NumPy arrays or traced scalars, or scalar.ops.register the type"
                )
        if namespace is not _FLOAT and best is not namespace:
            if best is not _FLOAT and best is not _NUMPY:
                continue
            best = namespace
    return best


def apply(name: str, *leaves: Any) -> Any:
    """The function `name` of the leaves, by the namespace of their type."""
    return _namespace(leaves)[name](*leaves)


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
