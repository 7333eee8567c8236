"""JavaScript: operations, loops and searches in Node, names, and what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.kernels import everything_kernel, same, states
from support.node import computed, interpreted, run
from support.printed import (
    FUNCTIONS,
    LOOPS,
    ROWS,
    SEARCHES,
    agrees_at_edges,
    alone,
    at_edges,
    backward,
    body_of,
    collatz,
    constants,
    loop_arguments,
    named,
    named_arguments,
    same_numbers,
    search,
    seeds,
)
from support.random_expressions import agrees_on, points, trees
from support.tolerances import close

import chasles as ch
from chasles.backend.javascript import JavaScript, exported_name, expression, prelude
from chasles.function.kernel import Kernel
from chasles.scalar.operations import OPERATIONS


def equal(kernel, *x, tol=0.0):
    """Whether Node and the interpreter agree: to the bit, or to a tolerance where all is finite."""
    for found, expected in zip(computed(kernel, *x), interpreted(kernel, *x), strict=True):
        if tol:
            assert close(found, expected, tol)
        else:
            assert same_numbers([found], [expected])
    return True


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_operation_at_its_edges(row):
    kernel, x = alone(row), at_edges(row)
    assert agrees_at_edges(row, computed(kernel, x), interpreted(kernel, x))


def test_random_numbers_are_the_same_bits(rng):
    x = seeds(rng)
    for name in ("random", "normal"):
        (found,) = computed(alone(OPERATIONS[name]), x)
        assert same(found, OPERATIONS[name].numpy(x[:, 0], x[:, 1]))


@pytest.mark.parametrize("longest", [1000, 7])
def test_all_operations_in_parts(monkeypatch, longest):
    """Numbers and conditions that outlive their part are kept for others."""
    monkeypatch.setattr(JavaScript, "longest", longest)
    kernel = everything_kernel()
    assert ("_part1(" in kernel.to("js")) == (longest == 7)
    assert equal(kernel, *states(kernel, 5), tol=1e-14)


def test_constants_are_exact():
    kernel = constants()
    assert equal(kernel, np.ones((1, kernel.inputs[0].size)))


@settings(max_examples=8)
@given(
    st.lists(trees(), min_size=4, max_size=4), st.lists(points(), min_size=1, max_size=5), st.sampled_from([3, 1000])
)
def test_random_expressions(expressions, rows, longest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JavaScript, "longest", longest)
        assert agrees_on(expressions, rows, computed)


# loops


@pytest.mark.parametrize("function", LOOPS, ids=lambda function: function.__name__)
def test_loops(function, rng, monkeypatch):
    kernel = ch.compile(function, **LOOPS[function])
    x = loop_arguments(kernel, rng)
    assert equal(kernel, *x)
    by_itself = Kernel(body_of(kernel).loops[-1], "by_itself")
    assert equal(by_itself, *loop_arguments(by_itself, rng))
    monkeypatch.setattr(JavaScript, "longest", 1)
    assert equal(kernel, *x)


def test_what_only_passes_through_is_not_named():
    """Arrays that go into a loop and out of it whole are handed on."""
    text = ch.compile(collatz, x=(), w=(25, 2)).to("js")
    (inside,) = re.findall(r"^function f_collatz\(.*?^}$", text, re.MULTILINE | re.DOTALL)
    assert "f_collatz_0(" in inside and len(inside.splitlines()) < 10


def test_rows_taken_backward(rng):
    kernel = ch.compile(backward, x=108).gradient("x")
    text = kernel.to("js")
    assert re.search(r"while \(r0 < 1[12]\)", text)
    assert equal(kernel, rng.normal(size=(3, 108)), tol=1e-13)


# searches


def test_searches():
    """Found, refused, none found: the least score; more attempts than there are, none, and a score of nan."""
    x, target, attempts = SEARCHES
    assert equal(Kernel(search(), "search"), x, target, attempts)
    found = computed(Kernel(search(), "search"), x, target, attempts)
    assert set(found[1]) == {0.0, 1.0, 2.0, 3.0} and np.isinf(found[2]).any()
    assert equal(Kernel(search().program, "search_in_a_program"), x, target, attempts)


# names and doors


@pytest.mark.parametrize("name", FUNCTIONS)
def test_names_that_are_none(name):
    """Operands and functions called by words of JavaScript, by no words, or by two that become one."""
    kernel, x = named(name), named_arguments()
    assert equal(kernel, *x)
    text = kernel.to("js")
    text.encode("ascii")
    keys = run(text, f"return Object.keys(module[{exported_name(name)!r}](...{[a.ravel().tolist() for a in x]}))")
    assert keys == [o.name for o in kernel.outputs]


@pytest.mark.parametrize("name", ["double", "delete", "take", "2 x", "energy (J)"])
def test_an_expression_is_the_function_of_the_module(name):
    program = ch.compile(lambda q: 2.0 * q + 1.0, q=2).program
    text = expression(program, name, "float64")
    assert run("", f"const f = {text}; return f([1, 3])").tolist() == [3.0, 7.0] and "export" not in text
    module = Kernel(program, name, "float64").to("js")
    assert run(module, f"return module[{exported_name(name)!r}]([1, 3])").tolist() == [3.0, 7.0]


def test_no_name_of_the_prelude_is_taken():
    assert {"take", "check", "power", "random", "normal", "number", "halves", "keys", "HIGH"} <= prelude.NAMES


@pytest.fixture(scope="module")
def double():
    def double(q, t):
        return {"twice": 2.0 * q + t, "time": t}

    return ch.compile(double, q=2, t=()).to("js")


CALLS = {
    "arrays of any kind, and a number": ("[[1, 2], 3]", [5.0, 7.0]),
    "typed": ("[new Float32Array([1, 2]), [3]]", [5.0, 7.0]),
    "outputs given": ("[[1, 2], 3, given]", [5.0, 7.0]),
}


@pytest.mark.parametrize("case", CALLS)
def test_ways_to_call(double, case):
    arguments, expected = CALLS[case]
    code = f"const {{ twice, time }} = module.double(...{arguments}); if (time[0] !== 3) throw 0; return twice"
    assert run(double, code, [0.0, 0.0]).tolist() == expected


def test_results_may_be_written_over_the_inputs(double):
    assert run(
        double, "module.double(given, 1, given); module.double(given, 1, given); return given", [1.0, 2.0]
    ).tolist() == [7.0, 11.0]


MISTAKES = {
    "one too few": ("[1], 0", "double: q must be 2 numbers, got 1"),
    "nested": ("[[1, 2]], 0", "double: q must be 2 numbers, got 1"),
    "a number for two": ("1, 0", "double: q must be 2 numbers, got 1"),
    "left out": ("[1, 2]", "double: t must be 1 numbers, got undefined"),
    "no number in it": ("[1, null], 0", "double: q[1] must be a number, got null"),
    "a text in it": ("['1', 2], 0", "double: q[0] must be a number, got 1"),
    "a hole": ("[, 2], 0", "double: q[0] must be a number, got undefined"),
    "null": ("null, 0", "double: q must be 2 numbers, got null"),
    "a small array for results": ("[1, 2], 0, [0]", "double: twice is written to 2 elements, got 1"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_named(double, case):
    arguments, message = MISTAKES[case]
    with pytest.raises(RuntimeError, match=re.escape(f"RangeError: {message}")):
        run(double, f"module.double({arguments})")


def test_what_cannot_be_printed_is_refused_by_name(monkeypatch):
    with pytest.raises(ch.CompileError, match=r"third: JavaScript computes in float64.*not of float32"):
        Kernel(ch.compile(lambda x: x / 3.0, x=()).program, "third", "float32").to("js")
    monkeypatch.setattr(JavaScript, "operations", {"mul": "{} * {}"})
    with pytest.raises(ch.CompileError, match="div: JavaScript has no text for this operation"):
        ch.compile(lambda x, y: x / y, x=(), y=()).to("js")
