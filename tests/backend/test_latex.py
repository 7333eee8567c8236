"""LaTeX: equations of kernels have their values, their symbols are told apart, and loops are refused by name."""

import functools
import itertools
import re

import numpy as np
import pytest
from support.formula_values import value, with_names
from support.kernels import states
from support.node import interpreted
from support.tolerances import FLOAT64, close

import chasles as ch
from chasles.backend.calls import written_out
from chasles.backend.latex import written
from chasles.formula.tree import Matrix, Symbol
from chasles.function.kernel import Kernel
from chasles.graph.program import Operand, Program, Ref


@functools.cache
def arm():
    return ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])


def values(kernel, given):
    """What the equations give for one row, flat, output by output."""
    found = written(kernel.program, kernel.name)
    symbols = itertools.chain.from_iterable(found.inputs)
    known = {x.name: float(v) for x, v in zip(symbols, np.concatenate([np.ravel(x) for x in given]), strict=True)}
    known = with_names(found.statement.where, known)
    sides = [equation.right for equation in found.statement.equations]
    flat = [x for side in sides for row in (side.rows if isinstance(side, Matrix) else [[side]]) for x in row]
    return [value(x, known) for x in flat]


def shaped(x, A, q1, dt):
    return {
        "x": x + dt * np.sin(q1) * x[::-1],
        "A": A @ A.T,
        "far": ch.where(q1 < x[0], 0.25, q1 / (2.0 + np.cos(x[1]))),
    }


def test_the_equations_have_the_values_of_the_kernel():
    for kernel in (arm().kernel("inverse_dynamics"), ch.compile(shaped, x=2, A=(2, 3), q1=(), dt=())):
        given = [x[0] for x in states(kernel, 1)]
        expected = interpreted(kernel, *(x[None] for x in given))
        assert close(values(kernel, given), np.concatenate([np.ravel(y) for y in expected]), FLOAT64)


def test_what_the_text_is():
    text = arm().kernel("mass_matrix").to("latex")
    assert text == arm().kernel("mass_matrix").to("latex")
    assert text.splitlines() == [
        "% Numbers that are not exact are rounded to 5 digits.",
        r"\begin{align*}",
        r"\mathbf{M} &= \begin{bmatrix} 2.8233 + 1.2 c_2 & 0.3208 + 0.6 c_2 \\ "
        r"0.3208 + 0.6 c_2 & 0.3208 \end{bmatrix} \\",
        r"\text{with} \quad & c_2 = \cos q_2",
        r"\end{align*}",
    ]


def test_entries_of_many_axes_that_are_not_zero():
    text = arm().kernel("christoffel_symbols").to("latex")
    assert "% Entries that are zero, or that symmetry" in text
    assert r"\Gamma_{211} &= 0.6 s_2" in text and not re.search(r"_\{1(11|21)\}", text)


def test_no_two_symbols_are_read_alike():
    """x, which is an input and an output; q1, which is read as the first of q is."""
    kernel = ch.compile(lambda q, q1, x, out: {"x": x + q[0] * q1 + out}, q=2, q1=(), x=(), out=())
    found = written(kernel.program, kernel.name)
    symbols = [*itertools.chain.from_iterable(found.inputs), *found.outputs]
    assert len({(x.letter, x.index, x.dots) for x in symbols}) == len({x.name for x in symbols}) == 6
    assert [x.name for x in found.outputs] == ["x_out"]
    array = ch.compile(lambda x: {"x": 2.0 * x}, x=2)
    assert [x.name for x in written(array.program, "f").outputs] == ["x_out"]
    text = kernel.to("latex")
    assert r"x_{\text{out}} &=" in text or r"x_{\mathrm{out}} &=" in text


def halves(x, y, k):
    """A function that is called twice, the second time on what the first gave."""

    def half(x):
        return np.sin(x) / 2.0 + k

    once = ch.loop(half, x, count=1)
    return {"sum": once + ch.loop(half, once * y, count=1)}


def test_what_calls_take_and_give_is_named():
    kernel = ch.compile(halves, x=2, y=2, k=())
    program = kernel.program
    assert isinstance(program, Program) and len(written_out(program).loops) == 1
    found = written(program, kernel.name).statement
    lefts = [x.left for x in found.where]
    assert [x.name for x in lefts if isinstance(x, Symbol)] == ["f1_1", "f1_2", "z2_1", "z2_2", "f2_1", "f2_2"]
    given = [np.array([0.3, 0.5]), np.array([2.0, 3.0]), 0.1]
    expected = interpreted(kernel, *(np.array([x]) for x in given))
    assert close(values(kernel, given), np.ravel(expected), FLOAT64)


def test_rates_of_coordinates_have_dots():
    kernel = ch.compile(lambda q, qd: {"q_after": q + qd, "qd_after": qd - q, "qdd": q}, q=2, qd=2)
    found = written(kernel.program, kernel.name)
    assert [(x.letter, x.index, x.dots) for x in found.outputs] == [("q", "after", 0), ("q", "after", 1), ("q", "", 2)]


@pytest.mark.parametrize(
    "many, repeated, words",
    [
        (600, 1, '600 results of 1 operations are more than anybody reads .* "c"'),
        (1, 6000, "1 results of 6000 operations are more than anybody reads"),
    ],
)
def test_what_nobody_reads_is_refused(many, repeated, words):
    nodes = [("input", (0, 0)), *(("sin", (Ref(k),)) for k in range(repeated))]
    body = Program((Operand("x", ()),), (Operand("y", (many,)),), tuple(nodes), ((Ref(repeated),) * many,))
    with pytest.raises(ch.CompileError, match=words):
        Kernel(body, "long").to("latex")


def test_loops_are_refused_by_name():
    kernel = ch.compile(lambda x: ch.loop(lambda y: y * y, x, count=3), x=())
    with pytest.raises(ch.CompileError, match=r'function: a loop is no formula: print the function .* "c"'):
        Kernel(kernel.program, "function").to("latex")
    program = kernel.program
    assert isinstance(program, Program)
    with pytest.raises(ch.CompileError, match="powers: a loop is no formula"):
        Kernel(program.loops[0], "powers").to("latex")
