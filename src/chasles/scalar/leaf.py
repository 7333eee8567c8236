"""Leaves, and the one dispatch point for functions of them.

A *leaf* is anything the algorithms can compute with: a float, a NumPy array (a whole batch in one leaf), an
expression-graph node, a dual number, an mpmath number. The arithmetic operators dispatch by themselves; `apply` looks
up the namespace of its first argument that is not a plain number. Other leaf types call `register`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from chasles.arguments import is_number

Leaf = Any  # in signatures: whatever has the operators, and a namespace below
Leaves = Sequence[Leaf]
Namespace = dict[str, Callable[..., Leaf]]

FLOAT: Namespace = {}  # these three are filled from the table of operations
NUMPY: Namespace = {}
OPERATORS: Namespace = {}

_NAMESPACES: dict[type, Namespace] = {}
_WRAPPERS: set[type] = set()


def register(leaf_type: type, namespace: Namespace, *, wraps: bool = False) -> None:
    """Make `leaf_type` a leaf: `namespace` holds a function for each name in `ops.UNARY` and `ops.BINARY`, and `where`.

    wraps: it holds other leaves, so that its functions come before theirs.
    """
    built_in = namespace is FLOAT or namespace is NUMPY
    _NAMESPACES[leaf_type] = namespace if built_in else {**OPERATORS, **namespace}
    if wraps:
        _WRAPPERS.add(leaf_type)


def is_leaf(x: Any) -> bool:
    """Whether algorithms compute with x: a number, an array of numbers, or what is registered."""
    kind = type(x)
    if kind in (float, int):
        return kind is float or is_number(x)
    if any(base in _NAMESPACES for base in kind.__mro__):
        dtype = getattr(x, "dtype", None)
        return dtype is None or dtype.kind in "biufO"
    return False


def _namespace(leaves: tuple[Leaf, ...]) -> Namespace:
    best = FLOAT
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
        if namespace is not FLOAT and best is not namespace:
            if best is not FLOAT and best is not NUMPY:
                continue
            best = namespace
    return best


def apply(name: str, *leaves: Leaf) -> Leaf:
    """The function `name` of the leaves, by the namespace of their type."""
    return _namespace(leaves)[name](*leaves)
