"""Numbers of a robot that may be symbols.

An array of numbers is an array of floats. Where one of them is a symbol, or an expression of symbols, it is an object
array of floats and nodes (graph/node.py); nothing else is an object array here, so that `dtype` tells.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles import arguments
from chasles.errors import ModelError
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


def numbers(x: Any, what: str = "an array of a robot", shape: tuple[Any, ...] | None = None) -> np.ndarray:
    """A new array of floats, or of floats and symbols. what, shape: as `arguments.array` has them."""
    if shape is None:
        found = arguments.real(x, what, symbols=True, error=ModelError)
    else:
        found = arguments.array(x, what, shape, symbols=True, error=ModelError)
    return mapped(leaf, np.asarray(found)) if found.dtype == object else np.array(found)


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
