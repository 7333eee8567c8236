"""Loops that say what they solve: derivatives of the equation, the loop itself never differentiated nor run again."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from chasles.errors import ProgramError, TraceError
from chasles.function.kernel import Kernel
from chasles.graph.derive import gradient_program, hessian_program, jacobian_program
from chasles.graph.interpret import interpret
from chasles.graph.program import Equation, Loop, Operand, Program
from chasles.graph.trace import array, trace
from chasles.graph.trace_loop import loop

X, G = Operand("x", (2,)), Operand("g", (3,))


def program(function):
    return trace((X, G), lambda x, g: [(X, list(function(x, g)))], array)


def matrix(g):
    """Symmetric."""
    return [[2.0 + g[0] * g[0], g[1]], [g[1], 3.0 + np.cos(g[2])]]


def solved(r, g):
    (a, b), (_, d) = matrix(g)
    return [(d * r[0] - b * r[1]) / (a * d - b * b), (a * r[1] - b * r[0]) / (a * d - b * b)]


def right(g):
    return [np.sin(g[0]), g[1] * g[2]]


def residual(x, g):
    return [row[0] * x[0] + row[1] * x[1] - y for row, y in zip(matrix(g), right(g), strict=True)]


EQUATION = Equation(program(residual), program(solved))
ROOT = Loop(program(lambda x, g: solved(right(g), g)), ("x",), 1, ("g",), rule="fixed_point", equation=EQUATION)
PLAIN = replace(ROOT, rule="steps", equation=None)
POINT = [0.3, -0.7, 0.4]


def of_root(root, function=lambda x: x[0] * x[0] + np.sin(x[1])):
    """A function of the solution, as a program of g."""
    return trace((G,), lambda g: [(Operand("y", ()), [function(root.run([0.0, 0.0, *g]))])], array)


@pytest.mark.parametrize("derive", [gradient_program, jacobian_program, hessian_program])
def test_derivatives_are_those_of_the_solution(derive):
    found, expected = (interpret(derive(of_root(root), "g"), [POINT])[0] for root in (ROOT, PLAIN))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_forward_mode():
    def both(root):
        outputs = (Operand("y", (2,)),)
        return trace((G,), lambda g: [(outputs[0], root.run([0.0, 0.0, *g]))], array)

    found, expected = (interpret(jacobian_program(both(root), "g"), [POINT])[0] for root in (ROOT, PLAIN))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_how_it_was_found_is_not_differentiated():
    """A solution in whole numbers has no slope, its equation does."""
    rounded = replace(ROOT, step=program(lambda x, g: [np.floor(y * 1e9) * 1e-9 for y in solved(right(g), g)]))
    found, expected = (interpret(gradient_program(of_root(root), "g"), [POINT])[0] for root in (rounded, ROOT))
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    plain = replace(rounded, rule="steps", equation=None)
    assert interpret(gradient_program(of_root(plain), "g"), [POINT]) == [[0.0, 0.0, 0.0]]


def in_time(root, count=7):
    """A loop in whose step the equation is solved twice."""

    def function(g):
        def step(x):
            first = root.run([0.0, 0.0, *(g + x[0])])
            second = root.run([0.0, 0.0, *(g * first[1])])
            return x + 0.1 * np.array(first) * second[0]

        x = loop(step, np.array([0.2, 0.1]), count=count)
        return [(Operand("y", ()), [x[0] * x[1]])]

    return trace((G,), function, array)


def test_solutions_are_kept_and_the_loop_runs_once():
    gradient = gradient_program(in_time(ROOT), "g")
    forward, back = gradient.loops
    assert [inner.rule for inner in forward.step.loops] == ["fixed_point"]
    assert forward.record == ("solution", "state") and forward.outputs[-2].shape == (7, 4)
    assert [inner.rule for inner in back.step.loops] == ["steps", "steps"]  # by other elements of g and x
    found = interpret(gradient, [POINT])[0]
    np.testing.assert_allclose(found, interpret(gradient_program(in_time(PLAIN), "g"), [POINT])[0], rtol=1e-12)


@pytest.mark.parametrize("count", [4, 7, 30])
def test_kept_in_blocks(count, monkeypatch):
    expected = interpret(gradient_program(in_time(PLAIN, count), "g"), [POINT])[0]
    monkeypatch.setattr("chasles.graph.loop_reverse.MOST_KEPT", 1)
    found = interpret(gradient_program(in_time(ROOT, count), "g"), [POINT])[0]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_rows_that_stop_raise_no_flag(rng):
    """Of what a row has not reached nothing is known: 1 / x is not taken there of a solution that was not found."""

    def function(g):
        def step(t):
            x = ROOT.run([0.0, 0.0, *(g + 0.01 * t)])
            return t + 1.0 / x[0], {"until": t > 1.0 + g[1]}

        return [(Operand("y", ()), [loop(step, g[0], count=9)[0]])]

    g = rng.uniform(0.2, 1.0, (11, 3))
    program = gradient_program(trace((G,), function, array), "g")
    expected = [interpret(program, [list(row)])[0] for row in g]
    np.testing.assert_allclose(Kernel(program, "f")(g), expected, rtol=1e-10)


def test_json_and_pickle():
    for made in (ROOT, of_root(ROOT)):
        read = type(made).from_json(made.to_json())
        assert read == made and pickle.loads(pickle.dumps(made)) == made
    assert Loop.from_json(ROOT.to_json()).equation == EQUATION
    assert "equation" not in PLAIN.to_json()
    with pytest.raises(ProgramError, match="equation is null or an object of residual and inverse"):
        Loop.from_dict(ROOT.to_dict() | {"equation": {"residual": None}})


def test_what_is_no_equation_is_named():
    other = trace((G, X), lambda g, x: [(X, list(x))], array)
    for changed, culprit in (
        ({"equation": 3}, "equation is an Equation or None, got 3"),
        ({"rule": "steps"}, 'only a loop with rule="fixed_point"'),
        ({"equation": Equation(other, EQUATION.inverse)}, "the residual must have the inputs of the step"),
        ({"equation": Equation(EQUATION.residual, other)}, "the inverse must have the inputs of the step"),
    ):
        with pytest.raises(TraceError, match=culprit):
            replace(ROOT, **changed)
    broken = Program((X, G), (X,), (("frobnicate", ()),), ((0.0, 0.0),))
    with pytest.raises(ProgramError, match="no such operation"):
        replace(ROOT, equation=Equation(broken, EQUATION.inverse)).check()
