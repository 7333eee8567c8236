"""One program, every leaf: floats, batches, duals, 50 digits, and nodes again."""

import math

import mpmath
import numpy as np
import pytest
from support import fifty_digits
from support.tolerances import EXACT, close

from chasles.graph.interpret import interpret
from chasles.graph.node import Graph
from chasles.graph.program import Operand, flatten
from chasles.scalar import ops
from chasles.scalar.dual import Dual


def function(x, y, z):
    c = ops.less(x, y)
    both = c & ops.less_equal(z, x)
    return [
        ops.sin(x) * ops.cos(y) + ops.apply("tan", z),
        ops.where(both, x / y, y - z),
        ops.where(c | ops.less(z, 0.0), ops.sqrt(x * x + 1.0), ops.atan2(y, z)),
        ops.where(~c if not isinstance(c, bool) else not c, x, -y),
        ops.apply("exp", x) + ops.apply("log", y) - ops.apply("floor", 3.7 * z),
        ops.apply("sinh", x) - ops.apply("cosh", y) * ops.apply("tanh", z),
        ops.apply("asin", z) + ops.apply("acos", z) * ops.apply("atan", x),
    ]


def test_every_leaf():
    graph = Graph()
    x = [graph.input(0, i) for i in range(3)]
    y, z = x[1], x[2]
    results = [*function(*x), y**2.5, 3.0**z, y**z, y**-2]
    p = flatten((Operand("x", (3,)),), (Operand("y", (len(results),)),), [results])
    points = np.random.default_rng(0).uniform(0.1, 0.9, (20, 3))
    points[:, 0] *= 2.0
    floats = np.array([interpret(p, [row])[0] for row in points.tolist()])
    eager = [[*function(*r), r[1] ** 2.5, 3.0 ** r[2], r[1] ** r[2], r[1] ** -2] for r in points.tolist()]
    assert close(floats, eager, EXACT)

    batch = interpret(p, [[points[:, k].copy() for k in range(3)]])[0]
    assert close(np.stack(batch, axis=1), floats, EXACT)

    for row, expected in zip(points.tolist(), floats, strict=True):
        digits = interpret(p, [[mpmath.mpf(v) for v in row]])[0]
        assert close([float(v) for v in digits], expected, EXACT)
        duals = interpret(p, [[Dual(v, 1.0) for v in row]])[0]
        assert close([d.value for d in duals], expected, EXACT)
        slopes = fifty_digits.precise_slope(lambda v: interpret(p, [list(v)])[0], row, [1.0, 1.0, 1.0])
        assert close([d.derivative for d in duals], slopes, EXACT, scale=10.0)

    again = Graph()
    nodes = interpret(p, [[again.input(0, i) for i in range(3)]])[0]
    q = flatten(p.inputs, p.outputs, [nodes])
    assert q.operations.by_kind == p.operations.by_kind
    assert [interpret(q, [row])[0] for row in points.tolist()] == floats.tolist()


@pytest.mark.parametrize(("x", "y"), [(-2.0, 0.5), (0.0, -1.5), (10.0, 400.5), (-8.0, 1 / 3), (math.nan, 2.5)])
def test_powers_out_of_range_are_what_arrays_give(x, y):
    graph = Graph()
    p = flatten((Operand("x", (2,)),), (Operand("y", ()),), [[graph.input(0, 0) ** graph.input(0, 1)]])
    with np.errstate(all="ignore"):
        expected = np.power(x, y)
    np.testing.assert_equal(interpret(p, [[x, y]])[0][0], float(expected))


def test_strangers_are_refused():
    graph = Graph()
    p = flatten((Operand("x", (1,)),), (Operand("y", ()),), [[ops.sin(graph.input(0, 0))]])
    with pytest.raises(TypeError, match="not a leaf"):
        interpret(p, [["text"]])
