"""Arrays with leading axes: a matrix that has no answer gives nan and stops no other, axes that do not fit are named.

NumPy raises LinAlgError for a whole stack if one of its matrices is singular, or not a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.errors import ShapeError


def rowwise(function: Callable[..., Any], *given: Any) -> Any:
    """function(*given) of matrices (..., a, b), over leading axes; nan where it fails, or where one is not finite."""
    lead = np.broadcast_shapes(*(np.shape(M)[:-2] for M in given))
    good = np.ones(lead, dtype=bool)
    for M in given:
        good &= np.isfinite(M).all(axis=(-2, -1))
    if good.all():
        try:
            return function(*given)
        except np.linalg.LinAlgError:  # of one of them
            pass
    stacks = [np.broadcast_to(M, (*lead, *np.shape(M)[-2:])) for M in given]
    harmless = [np.eye(*M.shape[-2:]) for M in stacks]
    try:
        found = function(*(np.where(good[..., None, None], M, one) for M, one in zip(stacks, harmless, strict=True)))
        return _each(lambda x: np.where(good.reshape(*lead, *(1,) * (x.ndim - len(lead))), x, np.nan), found)
    except np.linalg.LinAlgError:
        found = _each(lambda x: np.full((*lead, *np.shape(x)), np.nan), function(*harmless))
    for index in map(tuple, np.argwhere(good)):
        try:
            parts = function(*(M[index] for M in stacks))
        except np.linalg.LinAlgError:
            continue
        for out, part in zip(_several(found), _several(parts), strict=True):
            out[index] = part
    return found


def together(function: str, **vectors: Any) -> None:
    """Refuse vectors (..., k) whose leading axes do not broadcast."""
    shapes = {name: np.shape(x)[:-1] for name, x in vectors.items()}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        said = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(f"{function}: the leading axes do not broadcast: {said}") from None


def _several(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, tuple) else (x,)


def _each(change: Callable[[Any], Any], found: Any) -> Any:
    """change of an array, or of each of several."""
    return tuple(map(change, found)) if isinstance(found, tuple) else change(found)
