"""The plain interpreter: what a program means, on any leaf.

A loop runs itself: `loop.run(leaves)` takes the flat elements of its inputs and gives those of its outputs.
"""

from typing import Any

from chasles.graph.operand import ProgramLike, Ref
from chasles.scalar import ops
from chasles.scalar.leaf import OPERATORS, Leaf


def interpret(program: ProgramLike, arguments: list[list[Leaf]]) -> list[list[Leaf]]:
    """The results of a program for flat lists of leaves, one list per input."""
    values = node_values(program, arguments)
    return [[values[r.index] if type(r) is Ref else r for r in row] for row in program.results]


def node_values(program: ProgramLike, arguments: list[list[Leaf]]) -> list[Any]:
    """The value of every node of a program; of a loop the list of its flat outputs."""
    values: list[Any] = []
    for op, args in program.nodes:
        if op == "input":
            values.append(arguments[args[0]][args[1]])
            continue
        if op == "item":
            values.append(values[args[0].index][args[1]])
            continue
        x = [values[a.index] if type(a) is Ref else a for a in args]
        if op == "loop":
            values.append(program.loops[x[0]].run(x[1:]))
            continue
        rule = OPERATORS.get(op)
        values.append(rule(*x) if rule else ops.apply(op, *x))
    return values
