"""Integrators: methods that carry a state over a step, each a file of methods/, found by its name.

A method is written on arrays, NumPy's or traced ones: `chasles.simulate` calls it, and rollouts compile it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from chasles.arguments import one_of

if TYPE_CHECKING:
    from chasles.integrators.method import Method


@cache
def names() -> tuple[str, ...]:
    """The names of all methods."""
    return tuple(sorted(path.stem for path in (Path(__file__).parent / "methods").glob("[!_]*.py")))


def find(name: str) -> Method:
    """The method of that name."""
    return import_module(f"chasles.integrators.methods.{one_of(name, 'method', names())}").METHOD
