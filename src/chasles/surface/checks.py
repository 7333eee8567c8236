"""Checks of what constraints and surfaces are given: each names the constraint or the surface, the argument, what was
expected and what was given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from chasles.errors import ModelError
from chasles.model.checks import array, rigid


def name_of(x: Any, what: str) -> str:
    """A name that is not empty."""
    if not isinstance(x, str) or not x:
        raise ModelError(f"{what} must be a string that is not empty, got {x!r}")
    return x


def frame_name(frame: Any, what: str) -> str:
    """A frame's name; whether the robot has it is found when the constraint meets the robot."""
    if not isinstance(frame, str):
        raise ModelError(f"{what} must be the name of a frame, got {frame!r}")
    return frame


def function(f: Any, form: str, what: str) -> Callable[..., Any]:
    """What can be called with the arguments of `form`, such as "q" or "u, v"."""
    if not callable(f):
        raise ModelError(f"{what} must be a function, got {type(f).__name__}")
    try:
        inspect.signature(f).bind(*form.split(", "))
    except TypeError:
        raise ModelError(f"{what} must be a function of ({form}), got one of {inspect.signature(f)}") from None
    except ValueError:  # it does not say what it takes
        pass
    return f


def number(x: Any, what: str) -> float:
    """A finite number."""
    if not _is_number(x) or not np.isfinite(x):
        raise ModelError(f"{what} must be a finite number, got {x!r}")
    return float(x)


def positive(x: Any, what: str, zero: bool = False) -> float:
    """A finite number above zero, or not below."""
    if not _is_number(x) or not 0.0 <= x < np.inf or (x == 0.0 and not zero):
        raise ModelError(f"{what} must be a number that is {'not negative' if zero else 'positive'}, got {x!r}")
    return float(x)


def count(x: Any, what: str, least: int = 1) -> int:
    """A whole number, not below the least."""
    if isinstance(x, bool) or not isinstance(x, (int, np.integer)) or x < least:
        raise ModelError(f"{what} must be {'a positive integer' if least else 'an integer, not negative'}, got {x!r}")
    return int(x)


def flag(x: Any, what: str) -> bool:
    """True or False."""
    if not isinstance(x, (bool, np.bool_)):
        raise ModelError(f"{what} must be True or False, got {x!r}")
    return bool(x)


def values(x: Any, what: str) -> np.ndarray:
    """Finite numbers, in whatever shape."""
    try:
        return array(x, np.shape(x), what)
    except (ModelError, ValueError):
        raise ModelError(f"{what} must be finite numbers, got {x!r}") from None


def vector(x: Any, what: str, size: int = 3) -> np.ndarray:
    """(size,) finite numbers."""
    try:
        return array(x, (size,), what)
    except (ModelError, ValueError):
        raise ModelError(f"{what} must be {size} finite numbers, got {x!r}") from None


def direction(x: Any, what: str) -> np.ndarray:
    """(3,) a unit vector."""
    v = vector(x, what)
    length = float(np.linalg.norm(v))
    if not length > 0.0:
        raise ModelError(f"{what} must be a direction, got {x!r}")
    return v / length


def pairs(x: Any, what: str) -> tuple[tuple[float, float], ...]:
    """Finite numbers in pairs, none or more."""
    if isinstance(x, str) or not isinstance(x, Iterable):
        raise ModelError(f"{what} must be a list of pairs (u, v), got {x!r}")
    given = [vector(pair, f"{what}[{k}]", 2) for k, pair in enumerate(x)]
    return tuple((float(u), float(v)) for u, v in given)


def placement(T: Any, what: str) -> np.ndarray:
    """(4, 4) a pose."""
    return rigid(array(T, (4, 4), what), what, [])


def chosen(rows: Any, names: Sequence[str], what: str) -> tuple[int, ...]:
    """Rows by name ("tx ty", or a list) or by index, in their order."""
    if not isinstance(rows, (str, int, np.integer, Iterable)):
        raise ModelError(f"{what}: rows must be some of {' '.join(names)}, or indices, got {rows!r}")
    given = rows.split() if isinstance(rows, str) else list(rows) if isinstance(rows, Iterable) else [rows]
    found = []
    for row in given:
        if isinstance(row, str) and row in names:
            found.append(names.index(row))
        elif isinstance(row, (int, np.integer)) and not isinstance(row, bool) and 0 <= row < len(names):
            found.append(int(row))
        else:
            raise ModelError(f"{what}: no row {row!r}; there are {' '.join(names)}, or 0 to {len(names) - 1}")
    if not found:
        raise ModelError(f"{what}: name at least one row of {' '.join(names)}")
    if len(set(found)) != len(found):
        raise ModelError(f"{what}: a row is named twice in {rows!r}")
    return tuple(sorted(found))


def _is_number(x: Any) -> bool:
    return not isinstance(x, bool) and isinstance(x, (int, float, np.integer, np.floating))
