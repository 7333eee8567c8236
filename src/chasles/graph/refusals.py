"""Refusals of what a traced function may not do: where in the files of its user, and what to write instead."""

import traceback
from pathlib import Path

import numpy as np

from chasles import errors
from chasles.errors import ChaslesError, TraceError

_LIBRARIES = (*(str(Path(module.__file__ or "?").parent) for module in (np, errors)), "<forward")
_LATER = "known only when the kernel runs"
_NUMPY = {  # words of NumPy's errors on an object array or a traced scalar
    "arrays used as indices must be": "an index or a mask",
    "only integers, slices": "an index",
    "expected a sequence of integers or a single integer": "the shape of an array",
}

NO_KEY = (
    "a traced value cannot be looked up in a set, a dict or a cache: its number is known only when the kernel "
    "runs. Choose by chasles.where(x == y, a, b)"
)
NO_TRUTH = (
    "a traced value has no truth yet: its number is known only when the kernel runs. "
    "Instead of `if x < y: a else: b` write chasles.where(x < y, a, b), instead of `while` chasles.loop"
)
NO_NUMBER = (
    "a traced value is not a number yet: compute with it by NumPy's functions (np.cos, and not math.cos), "
    "keep it an argument of the kernel, and make arrays that hold it by np.stack or np.zeros_like(it)"
)
NO_WHOLE_NUMBER = (
    "a traced value is not a whole number yet, and sizes, indices and counts are known before the kernel runs. "
    "Instead of `for k in range(int(n))` write chasles.loop(step, x, count=most), with a fixed count and "
    "`until`; instead of x[int(k)] choose by chasles.where"
)


def unknown_size(what: str) -> TraceError:
    """Of something whose result has as many elements as numbers say that are not there yet."""
    return TraceError(
        f"the size of {what} depends on traced values, {_LATER}: keep all elements, and choose by "
        "chasles.where(x > 0, x, 0.0); what ends by a condition is chasles.loop(step, x, count=most) with `until`"
    )


def unknown_place(what: str) -> TraceError:
    """Of an index, a mask or a choice of a place by numbers that are not there yet."""
    return TraceError(
        f"{what} is a traced value, {_LATER}: choose by chasles.where(condition, a, b), of all elements at once"
    )


def not_traceable(error: Exception) -> str:
    """What to say of an error of NumPy that comes of a traced value; "" of others."""
    said = str(error)
    for words, what in _NUMPY.items():
        if words in said and not isinstance(error, ChaslesError):
            return f"{what} must be known while tracing, and a traced value is {_LATER} ({said}). " + (
                "Choose by chasles.where(condition, a, b), of all elements at once, and keep sizes fixed"
            )
    return ""


def line(error: Exception) -> str:
    """Where in the user's own files it happened: ", at line 3 of law.py (return q[q > 0])", or ""."""
    own = [x for x in traceback.extract_tb(error.__traceback__) if not x.filename.startswith(_LIBRARIES) and x.line]
    return f", at line {own[-1].lineno} of {Path(own[-1].filename).name} ({own[-1].line})" if own else ""
