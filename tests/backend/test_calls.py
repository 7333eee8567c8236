"""Calls, loops of one iteration: written out where they occur once, else functions that share what they take."""

import re
from dataclasses import replace

import numpy as np
import pytest
from support.tolerances import EXACT, close

import chasles as ch
from chasles.backend.calls import is_call, written_out
from chasles.function.kernel import Kernel
from chasles.graph.interpret import interpret
from chasles.graph.program import Loop, Operand, Program
from chasles.graph.trace import array, trace

X, Y = Operand("x", (2,)), Operand("y", (3,))


def call(function, *inner):
    """A call of a traced function of x (2,) and y (3,)."""
    program = trace((X, Y), lambda x, y: [(Operand("z", (2,)), list(function(x, y, *inner)))], array)
    return Loop(program, (), 1, ("x", "y"), record=("z",))


PLAIN = call(lambda x, y: [np.sin(x[0]) * y[0], x[1] * y[2] + 0.5])  # does not read y[1]
NESTED = call(lambda x, y: PLAIN.run([x[1], x[0], *y]))


def traced(function):
    return trace((X, Y), lambda x, y: [(Operand("w", (2,)), list(function(x, y)))], array)


def once(x, y):
    return NESTED.run([x[0] + 1.0, x[1], *y])


def thrice(x, y):
    for k in range(3):
        x = np.array(PLAIN.run([*x, y[0] * k, y[1], y[2]]))
    return x


def in_a_loop(x, y):
    return ch.loop(lambda x: np.array(thrice(x, y)) + NESTED.run([*x, *y]), x, count=4)


def between_others(x, y):
    """Each in the same region of memory."""
    first = PLAIN.run([*x, *y])
    middle = ch.loop(lambda z: z * 0.5 + y[0], np.array([3.0, *first, y[1], y[2]]), count=2)
    second = PLAIN.run([*x, y[0], *middle[3:]])
    other = call(lambda x, y: [x[0] - y[2], x[1]]).run([*second, *y])
    return np.array(PLAIN.run([*x, y[0], *middle[3:]])) * other + PLAIN.run([*x, 0.0, *middle[3:]])


@pytest.mark.parametrize("function", [once, thrice, in_a_loop, between_others])
def test_values(function, rng):
    program = traced(function)
    for rows in (1, 9):
        x, y = rng.normal(size=(rows, 2)), rng.normal(size=(rows, 3))
        expected = np.stack(interpret(program, [list(x.T), list(y.T)])[0], -1)
        assert close(Kernel(program, "f")(x, y), expected, EXACT)
        assert close(np.stack(interpret(written_out(program), [list(x.T), list(y.T)])[0], -1), expected, EXACT)


def test_what_occurs_once_is_written_out():
    program = written_out(traced(once))
    program.check()
    assert program.loops == () and program.operations.by_kind == {"add": 2, "sin": 1, "mul": 2}
    many = traced(thrice)
    assert written_out(many) is many
    assert "@loop" not in Kernel(traced(once), "f").source
    source = Kernel(many, "f").source
    assert len(re.findall(r"call void @loop0\(", source)) == 3 and source.count("@loop0_segment0(ptr noalias") == 1


def test_what_the_last_call_took_is_not_passed_again():
    """Of x, y[0] and y[2], which the step reads, y[2] is the same in all three calls."""
    (body,) = re.findall(r"define internal void @segment0.*?\n}", Kernel(traced(thrice), "f").source, re.S)
    stores = re.findall(r"store <", body.split("call void @loop0(")[1])
    assert len(stores) == 3


def test_loops_that_are_no_calls():
    assert is_call(PLAIN)
    assert not is_call(replace(PLAIN, count=2))
    other = Program(
        PLAIN.step.inputs, (*PLAIN.step.outputs, Operand("u", ())), PLAIN.step.nodes, (*PLAIN.step.results, (0.0,))
    )
    assert not is_call(replace(PLAIN, step=other)) and not is_call(replace(PLAIN, step=other, until="u"))
    assert not is_call(replace(PLAIN, given=("x",), each=("y",)))
