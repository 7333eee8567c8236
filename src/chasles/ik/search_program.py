"""Inverse kinematics as a program: (q0, T) -> q, found, residual, with limits and settings as constants of it.

It is the search of `robot.inverse_kinematics`, attempts and all, for code that leaves: a back end that runs programs
here runs the search by itself (ik/problem.py). Where nothing is found, q is the best of what the attempts reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.graph.program import Operand, Program
from chasles.graph.trace import trace
from chasles.ik.levenberg_marquardt import MEMORY_SIZE, REFUSED
from chasles.ik.problem import Problem
from chasles.ik.search_box import SearchBox
from chasles.scalar.leaf import apply
from chasles.scalar.ops import less, less_equal, maximum, minimum, where

_TURN = 2.0 * np.pi
_PER_TURN = 1.0 / _TURN


def search_program(problem: Problem) -> Program:
    """T: (4, 4), or (frames, 4, 4) for several; found: 1.0 or 0.0."""
    search: Any = problem.searches["inverse_kinematics", problem.task].program
    nq, frames = problem.robot.nq, len(problem.task)
    shape = (4, 4) if frames == 1 else (frames, 4, 4)
    inputs = Operand("q0", (nq,)), Operand("T", shape)
    outputs = Operand("q", (nq,)), Operand("found", ()), Operand("residual", ())
    tolerance = float(problem.settings.tolerance)
    constants = [
        float(x) for part in (*problem.given, *problem.ending, problem.settings.attempts) for x in np.ravel(part)
    ]

    def compute(q0: list[Any], T: list[Any]) -> Any:
        poses = [x for row in (T if frames == 1 else [r for one in T for r in one]) for x in row]
        flat = search.run([*[0.0] * MEMORY_SIZE, *q0, *poses, *constants])
        q, (status, residual) = flat[MEMORY_SIZE : MEMORY_SIZE + nq], flat[MEMORY_SIZE + nq :]
        reached = where(less_equal(residual, tolerance), 1.0, 0.0)
        found = where(less(status, REFUSED - 0.5), reached, 0.0)
        return zip(outputs, (_within(problem.box, q, q0), [found], [residual]), strict=True)

    return trace(inputs, compute)


def _within(box: SearchBox, q: Sequence[Any], to: Sequence[Any]) -> list[Any]:
    """q, by full turns the nearest to `to` that keeps the limits, where it does not keep them (search_box.py)."""
    beyond: Any = 0.0
    for x, low, high in zip(q, box.lower, box.upper, strict=True):
        beyond = where(less(x, float(low)), 1.0, where(less(float(high), x), 1.0, beyond))
    found = list(q)
    for a in map(int, box.going_round):
        low, high = float(box.lower[a]), float(box.upper[a])
        least, most = (low - q[a]) * _PER_TURN, (high - q[a]) * _PER_TURN
        moved = q[a] + _TURN * _turns((to[a] - q[a]) * _PER_TURN, least, most)
        found[a] = where(less(0.5, beyond), moved, q[a])
    return found


def _turns(wanted: Any, least: Any, most: Any) -> Any:
    """The whole number next to the one wanted and between both others; 0 where there is none between them."""
    low, high = -_floor(-least), _floor(most)
    chosen = minimum(maximum(_floor(wanted + 0.5), low), high)
    return where(less_equal(low, high), chosen, 0.0)


def _floor(x: Any) -> Any:
    return apply("floor", x)
