"""Numbers, counts and flags."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from chasles.arguments.leaves import shown
from chasles.errors import ModelError

_NUMBER = (int, float, np.integer, np.floating)
_FLAG = (bool, np.bool_)
_LARGEST_COUNT = 2**31


def is_number(x: Any) -> bool:
    """Whether x is a real number within the range of floats; nan and infinities are, True and arrays are not."""
    if not isinstance(x, _NUMBER) or isinstance(x, (bool, np.timedelta64)):
        return False
    try:
        float(x)
    except OverflowError:
        return False
    return True


def is_whole(x: Any) -> bool:
    """Whether x is an integer; True is none."""
    return isinstance(x, (int, np.integer)) and not isinstance(x, (bool, np.timedelta64))


def number(x: Any, what: str, unit: str = "") -> float:
    """A finite number. unit: what it counts, for the message: "of seconds"."""
    return _bounded(x, what, f"a finite number{_of(unit)}", -math.inf, math.inf, open_ends=True)


def positive(x: Any, what: str, unit: str = "") -> float:
    """A finite number above zero."""
    return _bounded(x, what, f"a positive number{_of(unit)}", 0.0, math.inf, open_ends=True)


def not_negative(x: Any, what: str, unit: str = "") -> float:
    """A finite number, zero or above."""
    value = _bounded(x, what, f"a number{_of(unit)} that is not negative", -math.inf, math.inf, open_ends=True)
    return value if value >= 0.0 else _refuse(x, what, f"a number{_of(unit)} that is not negative")


def between(x: Any, what: str, low: float, high: float, *, open_ends: bool = False) -> float:
    """A number from low to high, or between them with open ends."""
    form = f"a number between {low:g} and {high:g}" if open_ends else f"a number from {low:g} to {high:g}"
    return _bounded(x, what, form, low, high, open_ends=open_ends)


def count(x: Any, what: str, least: int = 1) -> int:
    """A whole number, not below the least; beyond 2**31 nothing that is counted would come to an end."""
    if not is_whole(x) or x < least:
        forms = {0: "an integer, not negative", 1: "a positive integer"}
        _refuse(x, what, forms.get(least, f"an integer above {least - 1}"))
    if x >= _LARGEST_COUNT:
        _refuse(x, what, "a positive integer below 2**31")
    return int(x)


def steps(duration: float, dt: float) -> int:
    """How many steps of dt are nearest to a duration, both positive numbers."""
    found = duration / dt
    if not found < _LARGEST_COUNT:
        raise ModelError(f"dt = {dt:g} is too short for duration = {duration:g}: it takes 2**31 steps or more")
    return round(found)


def refuse_beyond_memory(size: float, what: str, advice: str) -> None:
    """Raise ModelError where so many bytes are more than the machine has."""
    try:
        there = float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # it does not say
        return
    if size > there:
        raise ModelError(f"{what} are {size:.3g} bytes, and this machine has {there:.3g}: {advice}")


def index(x: Any, what: str, size: int) -> int:
    """A whole number from 0 to size - 1."""
    if not is_whole(x) or not 0 <= x < size:
        _refuse(x, what, f"an index from 0 to {size - 1}")
    return int(x)


def flag(x: Any, what: str) -> bool:
    """True or False: neither 0 nor 1, nor text, which counts as true whatever it says."""
    if not isinstance(x, _FLAG):
        _refuse(x, what, "True or False")
    return bool(x)


def _bounded(x: Any, what: str, form: str, low: float, high: float, *, open_ends: bool) -> float:
    if is_number(x):
        value = float(x)
        if low < value < high or (not open_ends and low <= value <= high):
            return value
    return _refuse(x, what, form)


def _refuse(x: Any, what: str, form: str) -> Any:
    raise ModelError(f"{what} must be {form}, got {shown(x)}")


def _of(unit: str) -> str:
    return f" {unit}" if unit else ""
