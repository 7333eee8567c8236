"""Numbers of a robot that may be symbols.

An array of numbers is an array of floats. Where one of them is a symbol, or an expression of symbols, it is an object
array of floats and nodes (graph/node.py); nothing else is an object array here, so that `dtype` tells.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.graph.node import Expr


def leaf(x: Any) -> Any:
    """A number as a float, a symbol as it is."""
    return x if type(x) is Expr else float(x)


def is_number(*leaves: Any) -> bool:
    """Whether no leaf is a symbol."""
    return not any(type(x) is Expr for x in leaves)


def is_symbolic(x: np.ndarray) -> bool:
    """Whether an array has symbols."""
    return x.dtype == object


def is_zero(*leaves: Any) -> bool:
    """Whether all are the number zero: a symbol is not, whatever its value is going to be."""
    return all(type(x) is not Expr and x == 0.0 for x in leaves)


def numbers(x: Any) -> np.ndarray:
    """A new array of floats, or of floats and symbols; text is not taken for numbers."""
    given = np.asarray(x)
    if given.dtype.kind in "USc":
        raise TypeError("text is no number" if given.dtype.kind in "US" else "a complex number is not real")
    if given.dtype == object and not is_number(*given.reshape(-1)):
        return mapped(leaf, given)
    return np.array(x, dtype=float)


def mapped(function: Callable[[Any], Any], x: np.ndarray) -> np.ndarray:
    """A function of the leaves of an array; floats, if no symbol is left."""
    out = np.empty(x.shape, object)
    out.reshape(-1)[:] = [function(y) for y in x.reshape(-1).tolist()]
    return out if not is_number(*out.reshape(-1)) else out.astype(float)


def known(x: np.ndarray) -> np.ndarray:
    """The numbers of an array, flat; all but its symbols."""
    return np.array([y for y in x.reshape(-1) if type(y) is not Expr], float) if is_symbolic(x) else x.reshape(-1)


def finite(x: Any) -> bool:
    """Whether all numbers among the leaves are."""
    return bool(np.isfinite(known(np.asarray(x))).all())
