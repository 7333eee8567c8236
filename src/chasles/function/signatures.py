"""Signatures of the functions that people write: whether they take the time, and names for those that take anything."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from chasles.errors import ModelError

Function = Callable[..., Any]
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def with_time(function: Any, key: str) -> tuple[Function, bool]:
    """A function, and whether it takes t."""
    if not callable(function):
        raise ModelError(f"{key} must be a function of (q, qd) or (q, qd, t), got {type(function).__name__}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return function, False
    for given in (("q", "qd"), ("q", "qd", "t")):
        try:
            signature.bind(*given)
            return function, len(given) == 3
        except TypeError:
            pass
    needed = [p for p in signature.parameters.values() if p.default is p.empty and p.kind not in _VARIADIC]
    raise ModelError(
        f"{key} must be a function of (q, qd) or (q, qd, t), it takes {len(needed)} arguments: {signature}"
    )


def with_names(function: Function, names: tuple[str, ...]) -> Function:
    """A function of keywords, with a signature that names them."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    function.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    return function
