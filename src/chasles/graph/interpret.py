"""The plain interpreter: what a program means, on any leaf.

A loop runs itself: `loop.run(leaves)` takes the flat elements of its inputs and gives those of its outputs.
"""

import math
import operator
from typing import Any

import numpy as np

from chasles.graph.program import Program, Ref
from chasles.scalar import ops


def _power(x: Any, y: Any) -> Any:
    if isinstance(x, float) and isinstance(y, float):
        try:
            return math.pow(x, y)
        except (ValueError, OverflowError):
            with np.errstate(all="ignore"):
                return float(np.power(x, y))
    if hasattr(x if isinstance(y, float) else y, "__pow__"):
        return x**y
    return ops.apply("exp", y * ops.apply("log", x))


_RULES: dict[str, Any] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "pow": _power,
    "and": operator.and_,
    "or": operator.or_,
    "not": lambda x: not x if isinstance(x, bool) else ~x,
}


def interpret(program: Program, arguments: list[list[Any]]) -> list[list[Any]]:
    """The results of a program for flat lists of leaves, one list per input."""
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
        rule = _RULES.get(op)
        values.append(rule(*x) if rule else ops.apply(op, *x))
    return [[values[r.index] if type(r) is Ref else r for r in row] for row in program.results]
