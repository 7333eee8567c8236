"""A program: the live part of a graph, flat, ordered, and free of the trace that made it."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chasles.graph.node import Expr


@dataclass(frozen=True)
class Operand:
    """A named array of a program: its name and shape."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))


@dataclass(frozen=True)
class Ref:
    """An argument that is the result of node `index` of the same program."""

    index: int


@dataclass(frozen=True)
class Operations:
    """How many operations a program is: every node but inputs and constants counts one."""

    by_kind: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.by_kind.values())

    def __int__(self) -> int:
        return self.total

    def __repr__(self) -> str:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.by_kind.items(), key=lambda x: -x[1]))
        return f"{self.total} operations ({kinds})"


@dataclass(frozen=True)
class Program:
    """nodes[k] = (op, args); args are node indices, floats, or for 'input' the operand and flat element.

    results[o] holds, for each flat element of output o, a node index or a float.
    """

    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    nodes: tuple[tuple[str, tuple[Any, ...]], ...]
    results: tuple[tuple[Any, ...], ...]

    @cached_property
    def operations(self) -> Operations:
        return Operations(dict(Counter(op for op, _ in self.nodes if op != "input")))


def flatten(inputs: tuple[Operand, ...], outputs: tuple[Operand, ...], results: list[list[Any]]) -> Program:
    """The program that computes `results` (nodes and floats, flat, one list per output)."""
    live: dict[int, Expr] = {}
    stack = [x for row in results for x in row if type(x) is Expr]
    while stack:
        node = stack.pop()
        if node.id not in live:
            live[node.id] = node
            stack.extend(x for x in node.args if type(x) is Expr)
    order = [live[k] for k in sorted(live)]
    index = {node.id: k for k, node in enumerate(order)}

    def argument(x: Any) -> Any:
        return Ref(index[x.id]) if type(x) is Expr else x

    nodes = tuple((node.op, node.args if node.op == "input" else tuple(map(argument, node.args))) for node in order)
    return Program(inputs, outputs, nodes, tuple(tuple(map(argument, row)) for row in results))
