"""A compiler that knows no robots: programs and loops (graph/) become text, or functions that run.

A back end is a folder with a module that has one or both of

    render(body, name, dtype) -> str                            a Program or a Loop as text: `kernel.to(name)`
    run(body, name, dtype, doc, fallback) -> compiled          as functions: `robot.kernel(..., target=name)`

and a row in BACKENDS. One that runs programs may have known(recipe, dtype) too: whether it can run a program of that
recipe (graph/deferred.py) that is not traced. What is the same for all is beside this file: schedule.py cuts programs
into segments and fuses products into sums. `run` gives an object with `ufunc` (arrays that broadcast, and out=) and
`fast` (arrays, one call), and may have `door(kind, bound, around)`, which makes functions like it for methods of robots
(function/kernel.py); `fallback(ufunc)` is a function to call for arguments that are no plain arrays of numbers,
and where they do not fit: it traces, or names the culprit.
"""

from importlib import import_module
from typing import Any

from chasles.arguments import shown
from chasles.errors import ModelError

BACKENDS: dict[str, Any] = {  # name -> the module, or where it is
    "cpu": "chasles.backend.host",
    "llvm": "chasles.backend.llvm",
    "js": "chasles.backend.javascript",
    "c": "chasles.backend.c",
    "matlab": "chasles.backend.matlab",
    "python": "chasles.backend.python",
    "rust": "chasles.backend.rust",
    "cuda": "chasles.backend.cuda",
    "casadi": "chasles.backend.casadi",
    "latex": "chasles.backend.latex",
}


def register(name: str, backend: Any) -> None:
    """Make a back end known: a module, or any object with `render` or `run`, or the name of such a module."""
    able = isinstance(backend, str) or hasattr(backend, "render") or hasattr(backend, "run")
    if not isinstance(name, str) or not able:
        raise ModelError(f"back end {name!r} must have a name, and render or run, got {backend!r:.80}")
    BACKENDS[name] = backend


def find(name: str, does: str) -> Any:
    """The function `does` ("render" or "run") of the back end of that name."""
    backend = BACKENDS.get(name) if isinstance(name, str) else None
    if isinstance(backend, str):
        backend = BACKENDS[name] = import_module(backend)
    function = getattr(backend, does, None)
    if function is None:
        what = {"render": "text", "run": "a function that runs"}[does]
        there = ", ".join(repr(other) for other in names(does))
        raise ModelError(f"target must be one of {there}, got {shown(name)}: no back end of that name makes {what}")
    return function


def knows(name: str, recipe: str, dtype: str) -> bool:
    """Whether a back end can run the program of a recipe before it is traced."""
    find(name, "run")  # which imports it
    known = getattr(BACKENDS[name], "known", None)
    return known is not None and known(recipe, dtype)


def names(does: str) -> tuple[str, ...]:
    """The back ends that have the function `does`."""
    for name, backend in BACKENDS.items():
        if isinstance(backend, str):
            BACKENDS[name] = import_module(backend)
    return tuple(name for name, backend in BACKENDS.items() if hasattr(backend, does))
