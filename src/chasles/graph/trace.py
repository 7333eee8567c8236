"""The one tracer: a function run on the nodes of a new graph becomes a program.

Catalogue functions, the user's own, derivatives, systems, constraints and searches are all traced here; what differs is
how the leaves of an operand are arranged for the function, and what it makes of them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from chasles.graph.array import traced
from chasles.graph.garbage import not_collected
from chasles.graph.node import Graph
from chasles.graph.program import Operand, Program, flatten
from chasles.scalar.leaf import Leaf

Results = Iterable[tuple[Operand, Sequence[Leaf]]]  # of each output its name and shape, and its leaves, flat


def nested(leaves: Sequence[Leaf], shape: tuple[int, ...]) -> list[Any]:
    """A flat list as nested lists of that shape; a scalar as a list of one."""
    if len(shape) <= 1:
        return list(leaves)
    step = len(leaves) // shape[0] if shape[0] else 0
    return [nested(leaves[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0])]


def array(leaves: Sequence[Leaf], shape: tuple[int, ...]) -> Any:
    """A flat list as an array that NumPy's functions take; a scalar as it is."""
    if not shape:
        return leaves[0]
    x = np.empty(len(leaves), object)
    x[:] = leaves
    return traced(x.reshape(shape))


def trace(
    inputs: Sequence[Operand],
    compute: Callable[..., Results],
    arrange: Callable[[Sequence[Leaf], tuple[int, ...]], Any] = nested,
    uniform: bool = False,
) -> Program:
    """The program of `compute`, which is given its inputs' leaves as `arrange` arranges them. uniform: see `Graph`."""
    with not_collected():
        graph = Graph(uniform)
        leaves = [[graph.input(k, i) for i in range(operand.size)] for k, operand in enumerate(inputs)]
        found = list(compute(*(arrange(x, operand.shape) for x, operand in zip(leaves, inputs, strict=True))))
        program = flatten(tuple(inputs), tuple(operand for operand, _ in found), [list(row) for _, row in found])
        graph.table.clear()  # the graph holds its nodes and they the graph: now they end with the last that uses them
        return program
