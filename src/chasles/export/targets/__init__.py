"""Targets of export: one module or package each, with

    files(function: Exported) -> dict[str, str | bytes]     names of files, folders in them with /, and what they hold
    ABOUT                                                   a line: what is written, and what compiles or runs it

The text of the function itself is that of the printer of the same name (backend/). Files are the same bytes each time.
A self-test makes the calls of `references`, and fails where a number is off by more than `allowed(reference)` says.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from chasles.arguments import shown
from chasles.errors import ModelError
from chasles.hints import did_you_mean

CALLED = {
    "c": "c++ cpp cxx cc h c99 c11 gcc clang ansi arm cortex cortex-m arduino embedded firmware",
    "cuda": "cu gpu nvcc nvrtc ptx nvidia",
    "matlab": "m octave simulink",
    "python": "py numpy python3",
    "rust": "rs cargo",
    "js": "ts javascript typescript node mjs es6 web wasm",
    "casadi": "ca casadi.function",
    "latex": "tex pdf math",
}
"""Ours, and what others call it."""
SINGLE = ("c", "cuda", "matlab", "rust")
"""Those that compute in float32 too."""


@cache
def names() -> tuple[str, ...]:
    """The targets that there are."""
    return tuple(sorted(module.name for module in iter_modules(__path__)))


def find(name: Any) -> Any:
    """The module of that name."""
    if not isinstance(name, str) or name not in names():
        hint = did_you_mean(name, names(), CALLED)
        raise ModelError(f"to must be one of {', '.join(names())}, got {shown(name)}{hint}")
    return import_module(f"{__name__}.{name}")


def refuse_dtype(name: str, dtype: str) -> None:
    """Raise ModelError of a target whose numbers are all float64."""
    if dtype == "float32" and name in CALLED and name not in SINGLE:
        others = ", ".join(SINGLE[:-1]) + f" or {SINGLE[-1]}"
        raise ModelError(f"dtype: {name} has float64 alone: export it in float64, the default, or to {others}")
