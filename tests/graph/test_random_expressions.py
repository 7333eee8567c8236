"""Random expressions: traced, folded and interpreted they have the value they have in plain floats."""

import mpmath
import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.fifty_digits import precise_slope
from support.random_expressions import VARIABLES, bounded, evaluate, points, trees

from chasles.function.kernel import Kernel
from chasles.graph.diff import gradient_reverse, jacobian_forward
from chasles.graph.interpret import interpret
from chasles.graph.node import Graph
from chasles.graph.program import Operand, Program, flatten


def trace(*expressions) -> Program:
    graph = Graph()
    x = [graph.input(0, i) for i in range(VARIABLES)]
    results = [evaluate(e, x) for e in expressions]
    return flatten((Operand("x", (VARIABLES,)),), (Operand("y", (len(results),)),), [results])


def within(actual, expected) -> bool:
    return abs(actual - expected.value) <= 4 * expected.error


@settings(max_examples=300)
@given(trees(), points())
def test_folding_changes_nothing_but_rounding(tree, x):
    expected = bounded(tree, x)
    (row,) = interpret(trace(tree), [x])
    assert within(row[0], expected)


@settings(max_examples=100)
@given(trees(), points())
def test_on_numpy_leaves_it_is_the_same(tree, x):
    expected = bounded(tree, x)
    columns = [np.array([v, v]) for v in x]
    with np.errstate(all="ignore"):  # the sides that `where` does not choose
        (row,) = interpret(trace(tree), [columns])
    assert all(within(v, expected) for v in np.broadcast_to(row[0], 2))


@settings(max_examples=25)
@given(st.lists(trees(), min_size=4, max_size=4), st.lists(points(), min_size=1, max_size=5))
def test_compiled_it_is_the_same(expressions, rows):
    expected = [[bounded(tree, x) for tree in expressions] for x in rows]
    with np.errstate(all="ignore"):
        y = Kernel(trace(*expressions), "random")(np.array(rows))
    for found, wanted in zip(y, expected, strict=True):
        assert all(within(a, b) for a, b in zip(found, wanted, strict=True)), (found, wanted)


@settings(max_examples=100)
@given(trees(8), points())
def test_both_modes_of_differentiation(tree, x):
    """Against 50-digit differences; only constants were rounded."""
    bound = bounded(tree, x, 1e-13)  # away from kinks
    program = trace(tree)
    assume(bound.error < 1e-6 * (1 + abs(bound.value)))
    graph = Graph()
    inputs = [graph.input(0, i) for i in range(VARIABLES)]
    ((result,),) = interpret(program, [inputs])
    (forward,) = jacobian_forward([result], inputs)
    reverse = gradient_reverse(result, inputs)
    slopes = flatten(program.inputs, (Operand("d", (2 * VARIABLES,)),), [[*forward, *reverse]])
    exact = [mpmath.mpf(v) for v in x]

    def function(leaves):
        return [mpmath.mpf(interpret(program, [leaves])[0][0])]

    try:
        (row,) = interpret(slopes, [exact])
        expected = [precise_slope(function, x, unit)[0] for unit in np.eye(VARIABLES).tolist()]
    except (ZeroDivisionError, TypeError, ValueError):  # on the side not chosen
        assume(False)
    row = [mpmath.mpmathify(v) for v in row]
    assume(all(mpmath.isfinite(v) and v.imag == 0 for v in row))
    for found, wanted in zip(row, expected * 2, strict=True):
        assert abs(found.real - wanted) <= 1e-6 * (1 + abs(wanted)), (row, expected)
