"""`chasles.symbols`: numbers of a robot that are given later (graph/symbol.py), by names that methods can take."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword
from typing import Any

from chasles.arguments import is_whole, shown
from chasles.catalogue.entry import INPUTS
from chasles.errors import ModelError
from chasles.graph.array import traced
from chasles.graph.symbol import symbol

OPTIONS = ("damping", "expressed", "frame", "gravity", "kind", "metric", "out", "order", "parameters", "rows", "self")


def symbols(names: str | Sequence[str], shape: int | tuple[int, ...] = ()) -> Any:
    """The symbols of some names, "m1 l1" or "m1, l1" or a list: one, or a tuple of several.

    A symbol stands for a number of a robot, in `Robot.from_screws`, `Link` and wherever one is described. Arithmetic
    and NumPy's functions make expressions of symbols, which stand for numbers too. It becomes an argument, by its name,
    of every function of that robot; `robot.with_values(m1=1.2)` puts a number in its place. Symbols of one name are the
    same. shape: makes each an array of that shape, one argument.
    """
    if not isinstance(names, (str, list, tuple)):
        raise ModelError(f'symbols takes names, as symbols("m1 l1"), got {shown(names)}')
    given = names.replace(",", " ").split() if isinstance(names, str) else list(names)
    if not given:
        raise ModelError('name at least one symbol: symbols("m1 l1")')
    for name in given:
        _check(name)
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not all(is_whole(s) and 0 < s < 2**31 for s in sizes):
        raise ModelError(f"the shape of symbols must be positive integers, got {shown(shape)}")
    made = tuple(traced(symbol(name, tuple(map(int, sizes)))) for name in given)
    return made[0] if len(made) == 1 else made


def _check(name: Any) -> None:
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        raise ModelError(f"the name of a symbol must be one that Python takes for an argument, got {shown(name)}")
    if name in INPUTS or name in OPTIONS:
        raise ModelError(f"a symbol cannot be called {name!r}: functions of robots have an argument of that name")
