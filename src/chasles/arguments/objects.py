"""Objects: functions, instances of our classes, lists and mappings of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from chasles.arguments.leaves import shown
from chasles.arguments.numbers import is_whole
from chasles.errors import ModelError


def function(f: Any, form: str, what: str) -> Callable[..., Any]:
    """What can be called with the arguments of `form`, such as "q" or "u, v"."""
    if not callable(f):
        raise ModelError(f"{what} must be a function of ({form}), got {type(f).__name__}")
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):  # it does not say what it takes
        return f
    try:
        signature.bind(*form.split(", "))
    except TypeError:
        raise ModelError(f"{what} must be a function of ({form}), got one of {signature}") from None
    return f


def generator(rng: Any) -> np.random.Generator:
    """A generator of random numbers, or that of a seed; None: another one every time."""
    kinds = (np.random.Generator, np.random.BitGenerator, np.random.SeedSequence)  # here: NumPy loads them when asked
    if not (rng is None or isinstance(rng, kinds) or (is_whole(rng) and rng >= 0)):
        raise ModelError(f"rng must be a numpy.random.Generator or a seed, not negative, got {shown(rng)}")
    return np.random.default_rng(rng)


def instance(x: Any, what: str, kind: type | tuple[type, ...], form: str = "") -> Any:
    """An object of a class. form: the class as people write it, by default chasles.NAME."""
    if not isinstance(x, kind):
        known = form or " or ".join(f"a chasles.{k.__name__}" for k in (kind if isinstance(kind, tuple) else (kind,)))
        raise ModelError(f"{what} must be {known}, got {type(x).__name__}")
    return x


def sequence(x: Any, what: str, of: str) -> list[Any]:
    """A list of things; text, an array without dimensions and a single thing are none. of: what they are."""
    try:
        if isinstance(x, Iterable) and not isinstance(x, (str, bytes, Mapping)):
            return list(x)
    except TypeError:
        pass
    raise ModelError(f"{what} must be a list of {of}, got {type(x).__name__}")


def mapping(x: Any, what: str, form: str) -> Mapping[Any, Any]:
    """A dict or its like. form: what leads to what, for the message: "joint -> position"."""
    if not isinstance(x, Mapping):
        raise ModelError(f"{what} must be a mapping, {form}, got {type(x).__name__}")
    return x
