"""Accelerations inside kernels: a call that says what it solves, so that its derivatives are those of inverse dynamics.

    F(a, (q, v, tau)) = inverse_dynamics(q, v, a) - tau = 0,   F_a = M(q)        (1)

In reverse, one impulse response and one inverse dynamics are all that a stage of a step costs (graph/equation.py), and
its code is compiled once, however many stages there are.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from chasles.function.kernel import Kernel
from chasles.graph.interpret import interpret
from chasles.graph.program import Equation, Loop, Operand, Program
from chasles.graph.trace import trace
from chasles.robot import Robot

_made: WeakKeyDictionary[Any, Kernel] = WeakKeyDictionary()


def acceleration(robot: Robot, q: Any, v: Any, tau: Any) -> Any:
    """(n,) forward dynamics of traced values, as one node."""
    forward = robot.kernel("forward_dynamics")
    known = getattr(forward, "kernel", forward)  # without the values of symbols
    if known not in _made:
        others = (robot.kernel(name).program for name in ("inverse_dynamics", "impulse_response"))
        _made[known] = Kernel(_call(forward.program, *others), "acceleration")
    values = getattr(robot, "_values", None) or ()
    return _made[known](np.zeros(robot.n), q, v, tau, *values)


def _call(forward: Program, inverse_dynamics: Program, impulse_response: Program) -> Program:
    """The program of nothing but the call."""
    (out,) = forward.outputs
    a = Operand("acceleration", out.shape)
    inputs = (a, *forward.inputs)

    def solved(a: Any, q: Any, v: Any, tau: Any, *values: Any) -> Any:
        return interpret(forward, [q, v, tau, *values])[0]

    def residual(a: Any, q: Any, v: Any, tau: Any, *values: Any) -> Any:
        needed = interpret(inverse_dynamics, [q, v, a, *values])[0]
        return [x - y for x, y in zip(needed, tau, strict=True)]  # (1)

    def responding(a: Any, q: Any, v: Any, tau: Any, *values: Any) -> Any:
        return interpret(impulse_response, [q, a, *values])[0]

    def program(function: Any) -> Program:
        return trace(inputs, lambda *rows: [(a, function(*rows))], arrange=lambda leaves, _: list(leaves))

    equation = Equation(program(residual), program(responding))
    given = tuple(o.name for o in forward.inputs)
    return Loop(program(solved), (a.name,), 1, given, rule="fixed_point", equation=equation).program
