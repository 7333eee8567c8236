"""Laws and costs in a kernel: functions of the user on traced values, called once while the kernel is made.

What such a function computes of traced t, q, qd and parameters becomes a part of the program. What it does besides, in
Python, is done once: so a branch on a value, a function of NumPy that is not traced, a law that keeps something from
one call to the next are refused by the function's name and the line; of laws `chasles.simulate` takes any.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from chasles.arguments import shown
from chasles.errors import ChaslesError, ModelError, ShapeError, TraceError
from chasles.graph.array import is_traced
from chasles.graph.refusals import line, not_traceable

SIMULATE = "chasles.simulate takes any law, and calls it in Python at every step"
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class TracedFunction:
    """A function of `form`, such as "t, q, qd", and of those of `names` that it takes, by keyword.

    names: of parameters, which a function of **others is given too; symbols: names that it is given if it says them.
    """

    def __init__(self, function: Any, what: str, form: str, names: Iterable[str], symbols: Iterable[str] = ()) -> None:
        if not callable(function):
            raise ModelError(f"{what} must be a function of ({form}), got {type(function).__name__}")
        self.function: Callable[..., Any] = function
        self.what = f"{what} {_called(function)}"
        self.otherwise = f". {SIMULATE}" if what == "law" else ""
        if callable(getattr(function, "begin", None)):
            raise TraceError(
                f"{self.what} cannot be compiled into a rollout: it has begin(), and keeps something from one call to "
                f"the next{self.otherwise}"
            )
        self.takes = self._taken(form.split(", "), [*names], [*symbols])

    def _taken(self, places: list[str], names: list[str], symbols: list[str]) -> tuple[str, ...]:
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):  # it does not say what it takes
            return tuple(names)
        own = list(signature.parameters.values())
        said = {p.name for p in own if p.kind in _NAMED}
        anything = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in own)
        taken = [x for x in names if anything or x in said] + [x for x in symbols if x in said]
        try:
            signature.bind(*places, **dict.fromkeys(taken))
        except TypeError as error:
            raise ModelError(
                f"{self.what} must be a function of ({', '.join([*places, *taken])}), got one of {signature}: {error}. "
                "Parameters of it are given by their names"
            ) from None
        return tuple(taken)

    def __call__(self, *arguments: Any, given: Mapping[str, Any]) -> Any:
        """What it returns, of traced arguments."""
        try:
            found = self.function(*arguments, **{name: given[name] for name in self.takes})
        except Exception as error:
            raise TraceError(
                f"{self.what} cannot be compiled into a rollout{line(error)}: {_reason(error)}{self.otherwise}"
            ) from error
        if found is None:
            raise ModelError(f"{self.what} returns None")
        return found

    def vector(self, size: int, *arguments: Any, given: Mapping[str, Any]) -> Any:
        """What it returns, as (size,)."""
        found = self(*arguments, given=given)
        told = f"{self.what} must return an array of shape ({size},), got"
        try:
            forces = np.zeros(size) + _array(found)
        except (TypeError, ValueError) as error:
            if isinstance(error, TraceError):
                raise
            raise ShapeError(f"{told} {np.shape(found)}") from None
        if forces.shape != (size,):
            raise ShapeError(f"{told} {np.shape(found)}")
        return forces

    def number(self, *arguments: Any, given: Mapping[str, Any]) -> Any:
        """What it returns, as one number."""
        found = self(*arguments, given=given)
        if np.shape(found) not in ((), (1,)):
            raise ShapeError(f"{self.what} must return one number, got an array of shape {np.shape(found)}")
        found = found[0] if np.shape(found) else found
        if not is_traced(found) and not np.issubdtype(np.asarray(found).dtype, np.number):
            raise ModelError(f"{self.what} must return one number, got {shown(found)}")
        return found


def _array(found: Any) -> Any:
    """A list of traced values as an array of them."""
    return np.stack(found) if isinstance(found, (list, tuple)) else found


def _called(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return name.rpartition("<locals>.")[2]


def _reason(error: Exception) -> str:
    said = str(error).rstrip(".")
    return said if isinstance(error, ChaslesError) else not_traceable(error) or f"{type(error).__name__}: {said}"
