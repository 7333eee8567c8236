"""Accelerations inside kernels: a call that says what it solves, so that its derivatives are those of inverse dynamics.

    F(a, (q, v, tau)) = inverse_dynamics(q, v, a) - tau = 0,   F_a = M(q)        (1)

In reverse, one impulse response and one inverse dynamics are all that a stage of a step costs (graph/equation.py), and
its code is compiled once, however many stages there are. What depends on nothing but the values of symbols is computed
outside of the call, and so once for all steps of a loop.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np

from chasles.graph.array import plain, traced
from chasles.graph.interpret import interpret
from chasles.graph.node import Expr, Graph
from chasles.graph.program import Equation, Loop, Operand, Program, flatten, live, replaced
from chasles.robot import Robot
from chasles.scalar.leaf import Leaf


class Call(NamedTuple):
    """The loop of one iteration, and what it takes of symbols: a program of their values."""

    loop: Loop
    steady: Program


_made: WeakKeyDictionary[Any, Call] = WeakKeyDictionary()


def acceleration(robot: Robot, q: Any, v: Any, tau: Any) -> Any:
    """(n,) forward dynamics of traced values, as one node."""
    forward = robot.kernel("cheapest_forward_dynamics")
    known = getattr(forward, "kernel", forward)  # without the values of symbols
    if known not in _made:
        _made[known] = _call(robot)
    call = _made[known]
    symbols = [list(plain(x).reshape(-1)) for x in getattr(robot, "_values", None) or ()]
    (steady,) = interpret(call.steady, [*([[]] * 5), *symbols])
    given = [x for row in (q, v, tau) for x in plain(row)]
    return traced(np.array(call.loop.run([*([0.0] * robot.n), *given, *steady]), object))


def _call(robot: Robot) -> Call:
    functions = ("cheapest_forward_dynamics", "inverse_dynamics", "impulse_response")
    forward, inverse, response = (cast(Program, robot.kernel(name).program) for name in functions)
    a, symbols = Operand("acceleration", (robot.n,)), forward.inputs[3:]
    graph = Graph()
    rows = [[graph.input(k, i) for i in range(o.size)] for k, o in enumerate((a, *forward.inputs[:3]))]
    values = [[graph.input(k, i) for i in range(o.size)] for k, o in enumerate(symbols, 5)]
    A, q, v, tau = rows
    (solved,) = interpret(forward, [q, v, tau, *values])
    residual = [x - y for x, y in zip(interpret(inverse, [q, v, A, *values])[0], tau, strict=True)]  # (1)
    (solved_for,) = interpret(response, [q, A, *values])
    kept = _steady([*solved, *residual, *solved_for], rows)
    steady = Operand("steady", (len(kept),))
    inputs = (a, *forward.inputs[:3], *([steady] if kept else []))
    instead: dict[int, Leaf] = {x.id: graph.input(4, i) for i, x in enumerate(kept)}
    step, *equation = (flatten(inputs, (a,), [replaced(x, instead)]) for x in (solved, residual, solved_for))
    given = tuple(o.name for o in inputs[1:])
    loop = Loop(step, (a.name,), 1, given, rule="fixed_point", equation=Equation(*equation))
    return Call(loop, flatten((a, *forward.inputs[:3], steady, *symbols), (steady,), [list(kept)]))


def _steady(results: list[Leaf], varying: list[list[Expr]]) -> list[Expr]:
    """The nodes that depend on nothing that varies and are used by what does, or are results."""
    moving = {x.id for row in varying for x in row}
    found: dict[int, Expr] = {x.id: x for x in results if type(x) is Expr}
    order = live(results)
    for node in order:
        args = [x for x in node.args if type(x) is Expr]
        if any(x.id in moving for x in args):
            moving.add(node.id)
            found |= {x.id: x for x in args}
    return [x for key, x in found.items() if key not in moving]
