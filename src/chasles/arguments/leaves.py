"""Leaves of arrays that are no numbers: which are symbols, which are refused, and what a message says of them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from chasles.errors import ChaslesError, ShapeError

_LONGEST = 120  # characters of a value in a message
_SYMBOLS: set[type] = set()
_PLAIN = {np.ndarray, list, tuple, float, int}


def register(symbol: type) -> None:
    """Make a type one of symbols: arrays of numbers may hold it where a function says so."""
    _SYMBOLS.add(symbol)


def is_symbol(x: Any) -> bool:
    return type(x) in _SYMBOLS


def shown(x: Any) -> str:
    """A value as a message has it: on one line, and not longer than a reader takes in."""
    try:
        text = repr(x)
    except Exception:  # an integer of more digits than Python writes, or an object that fails at it
        return f"a {type(x).__name__}"
    if "\n" in text:
        text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def refuse_foreign(x: Any, what: str = "", error: type[ChaslesError] = ShapeError) -> None:
    """Refuse what NumPy takes for numbers and means something else: masked arrays, np.matrix, True and False."""
    if type(x) in _PLAIN:
        return
    masked = sys.modules.get("numpy.ma")
    start = f"{what}: " if what else ""
    if masked is not None and isinstance(x, masked.MaskedArray):
        raise error(f"{start}a masked array is not taken: choose the rows to compute, or fill it by .filled(value)")
    if isinstance(x, np.matrix):
        raise error(f"{start}np.matrix is not taken, its products are others than an array's: use np.asarray(x)")
    if isinstance(x, (bool, np.bool_)):
        raise error(f"{start}{x} is no number")


def described(x: Any, found: np.ndarray) -> str:
    """Why an array is not one of real numbers. x: as given."""
    kind = found.dtype.kind
    if kind in "US":
        return f"text ({shown(x)})"
    if kind != "O":
        return str(found.dtype)
    if x is None:
        return "None"
    for leaf in found.reshape(-1)[:1000].tolist():
        if is_symbol(leaf):
            return "symbols or traced values, which this does not take"
        if isinstance(leaf, int) and not isinstance(leaf, bool):
            try:
                float(leaf)
            except OverflowError:
                return "an integer beyond the range of floats"
        elif not isinstance(leaf, float):
            return f"{'None' if leaf is None else f'a {type(leaf).__name__}'}{' in it' * bool(found.ndim)}"
    return f"objects ({type(x).__name__})"
