"""Programs that equations are read from, by the names of functions: of robots, Lagrangian systems, constrained ones.

The functions a user wrote are traced on symbols (graph/symbol.py), so that their numbers may be symbols too: the
Lagrangian m l^2 qd^2 / 2 + m g l cos q of `m, l, g = chasles.symbols("m l g")` has these among its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from chasles.catalogue import Options, find, trace
from chasles.errors import ModelError
from chasles.function.symbolic_kernel import symbolic_kernel
from chasles.graph.array import plain, traced
from chasles.graph.operand import Operand, Ref
from chasles.graph.program import Program
from chasles.graph.symbol import operands, program, symbol
from chasles.lagrangian import INPUTS, LagrangianSystem
from chasles.robot import Robot


class Source(Protocol):
    """Gives the program of functions of a system, all in one."""

    def program(self, names: Sequence[str]) -> Program: ...


class RobotSource(NamedTuple):
    """The catalogue of a robot; `options`: the frame and how it is expressed."""

    robot: Robot
    options: Options

    def program(self, names: Sequence[str]) -> Program:
        for name in names:
            find(name)
        self.robot._refuse(tuple(names))
        return without_guards(trace(self.robot.mechanism, tuple(names), self.options))


class LagrangianSource:
    """The functions of a Lagrangian system, its symbols inputs after all others."""

    def __init__(self, system: LagrangianSystem) -> None:
        self.system = _OnSymbols(system)

    def program(self, names: Sequence[str]) -> Program:
        return of_expressions({name: self.system.computed(name) for name in names})


class _OnSymbols(LagrangianSystem):
    """A Lagrangian system whose functions are evaluated on symbols, those that they have among them."""

    def __init__(self, system: LagrangianSystem) -> None:
        found = {name: x for name, x in vars(system).items() if name not in ("_L", "_p", "_mass")}
        vars(self).update(found)

    def computed(self, name: str) -> Any:
        """A function of the system at symbols q, qd, qdd and t."""
        t = symbol("t") if self.depends_on_time else 0.0
        if name == "lagrangian":
            return self._L(elements("q", self.n), elements("qd", self.n), t)
        given = ("q", "qd") if name == "unforced_bias" else INPUTS[name]
        return getattr(self, f"_{name}")(*(elements(x, self.n) for x in given), t)

    def _scalar(self, key: str, function: Callable[..., Any], timed: bool) -> Any:
        def scalar(q: Any, qd: Any, t: Any) -> Any:
            value = plain(self._asked(key, function, (q, qd, t) if timed else (q, qd)))
            if value.size != 1:
                raise ModelError(f"{key} must return one number, got an array of shape {value.shape}")
            return value.reshape(())[()]

        made = symbolic_kernel(scalar, q=self.n, qd=self.n, t=())
        if any(x.name == "t" for x in made.symbols):
            raise ModelError(f"{key} of {self.name!r}: time is an argument of it, f(q, qd, t), no symbol")
        return made


def elements(name: str, size: int) -> Any:
    """The array (size,) of symbols of one name."""
    return traced(symbol(name, (size,)))


def of_expressions(results: Mapping[str, Any]) -> Program:
    """The program of arrays of expressions of symbols, an output each; inputs: the symbols in them, rates after q."""
    arrays = {name: plain(x) for name, x in results.items()}
    leaves = [x for array in arrays.values() for x in array.reshape(-1).tolist()]
    found = operands(leaves)
    inputs = sorted(found, key=lambda x: ORDER.index(x.name) if x.name in ORDER else len(ORDER))
    made = program(leaves, tuple(inputs))
    ends = np.cumsum([0, *(array.size for array in arrays.values())]).tolist()
    rows = tuple(made.results[0][a:b] for a, b in pairwise(ends))
    return replace(made, outputs=tuple(Operand(name, x.shape) for name, x in arrays.items()), results=rows)


def without_guards(made: Program) -> Program:
    """A program without the guards that make its results nan where rounding leaves nothing of them: the square root of
    1 or -1 (geometry/curvature.py) is 1, and of numbers or zeros above and below a line (geometry/gauss.py) the numbers
    count."""
    known: dict[int, Any] = {}
    nodes: list[Any] = []

    def now(x: Any) -> Any:
        return known.get(x.index, x) if type(x) is Ref else x

    for k, (op, given) in enumerate(made.nodes):
        arguments = given if op == "input" else tuple(map(now, given))
        inner = [nodes[x.index] if type(x) is Ref else ("", ()) for x in arguments] if op in ("sqrt", "div") else []
        match inner:
            case [("where", (_, 1.0, -1.0))]:
                known[k] = 1.0
            case [("where", (known_above, above, 0.0)), ("where", (known_below, below, 0.0))]:
                arguments = (above, below) if known_above == known_below else arguments
        nodes.append((op, arguments))
    results = tuple(tuple(map(now, row)) for row in made.results)
    return _live(replace(made, nodes=tuple(nodes), results=results))


def _live(made: Program) -> Program:
    """A program without the nodes that no result needs; one with loops as it is."""
    if any(op == "loop" for op, _ in made.nodes):
        return made
    needed = {x.index for row in made.results for x in row if type(x) is Ref}
    for k in reversed(range(len(made.nodes))):
        op, given = made.nodes[k]
        if k in needed and op != "input":
            needed |= {x.index for x in given if type(x) is Ref}
    place = {k: Ref(new) for new, k in enumerate(sorted(needed))}

    def moved(row: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(place[x.index] if type(x) is Ref else x for x in row)

    nodes = [(op, given if op == "input" else moved(given)) for op, given in (made.nodes[k] for k in place)]
    return replace(made, nodes=tuple(nodes), results=tuple(map(moved, made.results)))


def of_unit_quaternions(made: Program) -> Program:
    """A program whose quaternions have the length one: what divides by it (model/joint.py) divides by one."""
    scales: dict[int, float] = {}

    def known(x: Any) -> Any:
        return scales.get(x.index, x) if type(x) is Ref else x

    nodes = []
    for k, (op, given) in enumerate(made.nodes):
        arguments = given if op == "input" else tuple(map(known, given))
        if op == "where" and (scale := _scale(made, given)) is not None:
            scales[k] = scale
        nodes.append((op, arguments))
    results = tuple(tuple(map(known, row)) for row in made.results)
    return _live(replace(made, nodes=tuple(nodes), results=results)) if scales else made


def decisions(made: Program) -> int:
    """How many conditions its results depend on."""
    live = {x.index for row in made.results for x in row if type(x) is Ref}
    count = 0
    for k in reversed(range(len(made.nodes))):
        op, given = made.nodes[k]
        if k in live:
            count += op == "where"
            live |= {x.index for x in given if type(x) is Ref}
    return count


def _scale(made: Program, arguments: Sequence[Any]) -> float | None:
    """c of where(0 < c / x, c / x, x')."""
    condition, inverse, _ = arguments
    if (
        type(condition) is not Ref
        or made.nodes[condition.index] != ("less", (0.0, inverse))
        or type(inverse) is not Ref
    ):
        return None
    op, given = made.nodes[inverse.index]
    return given[0] if op == "div" and type(given[0]) is float else None


ORDER = ("q", "qd", "qdd", "tau", "multipliers", "t")
