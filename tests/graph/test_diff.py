"""Derivatives of every operation, forward and in reverse, against dual numbers and 50-digit differences."""

import mpmath
import numpy as np
import pytest
from support import fifty_digits
from support.tolerances import EXACT, close

from chasles.graph.chain_rule import pull
from chasles.graph.derive import gradient_program, hessian_program, jacobian_program
from chasles.graph.diff import gradient_reverse, jacobian, jacobian_forward
from chasles.graph.interpret import interpret
from chasles.graph.node import Graph
from chasles.graph.program import Operand, flatten
from chasles.scalar import ops
from chasles.scalar.dual import Dual


def _unary(name):
    return lambda x, y: ops.apply(name, x)


def power(x, y):
    return x**y if not isinstance(x, Dual) and not isinstance(y, Dual) else ops.apply("exp", y * ops.apply("log", x))


FUNCTIONS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x, y: -x,
    "square": lambda x, y: x * x,
    "constant": lambda x, y: 2.0 + 0.0 * x,
    "atan2": ops.atan2,
    "pow": power,
    "pow 2.5": lambda x, y: power(x, 2.5),
    "2 pow": lambda x, y: power(2.0, y),
    "where": lambda x, y: ops.where(ops.less(x, y), x * x * y, y / x),
    "where else": lambda x, y: ops.where(ops.less(y, x), x * x * y, y / x),
    "less_equal": lambda x, y: ops.where(ops.less_equal(x, 0.5), x * y, y),
    "and": lambda x, y: ops.where(ops.less(x, y) & ops.less(0.0, x), x * y, y),
    "or": lambda x, y: ops.where(ops.less(y, x) | ops.less(x, 0.0), x, x * y),
    "maximum": lambda x, y: ops.maximum(x * y, y * y),
    "minimum": lambda x, y: ops.minimum(x * y, y * y),
    "absolute": lambda x, y: ops.absolute(x - y),
    "floor": lambda x, y: ops.apply("floor", 10.0 * x) * y,
    "chain": lambda x, y: ops.sin(x * ops.cos(y)) / (1.0 + ops.sqrt(x * x + y * y)) - x * ops.apply("exp", -y),
    **{name: _unary(name) for name in ops.UNARY if name != "floor"},
}
POINT = [0.37, 0.83]


def program(function):
    graph = Graph()
    x = [graph.input(0, i) for i in range(2)]
    return flatten((Operand("x", (2,)),), (Operand("y", ()),), [[function(*x)]])


def hessian_by_digits(p):
    """Central differences of central differences, in 50 digits."""
    h = mpmath.mpf(10) ** -12

    def f(dx, dy):
        return mpmath.mpf(interpret(p, [[POINT[0] + dx * h, POINT[1] + dy * h]])[0][0])

    xx = (f(1, 0) - 2 * f(0, 0) + f(-1, 0)) / h**2
    yy = (f(0, 1) - 2 * f(0, 0) + f(0, -1)) / h**2
    xy = (f(1, 1) - f(1, -1) - f(-1, 1) + f(-1, -1)) / (4 * h**2)
    return [float(v) for v in (xx, xy, xy, yy)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_duals_and_digits(name):
    p = program(FUNCTIONS[name])
    graph = Graph()
    x = [graph.input(0, i) for i in range(2)]
    ((result,),) = interpret(p, [x])
    forward, reverse = jacobian_forward([result], x)[0], gradient_reverse(result, x)
    ((*row,),) = interpret(flatten(p.inputs, (Operand("d", (4,)),), [[*forward, *reverse]]), [POINT])
    units = np.eye(2).tolist()
    digits = [fifty_digits.precise_slope(lambda v: interpret(p, [list(v)])[0], POINT, u)[0] for u in units]
    duals = [fifty_digits.slope(lambda v: interpret(p, [list(v)])[0], POINT, u)[0] for u in units]
    assert close(row, digits * 2, EXACT, scale=1.0)
    assert close(duals, digits, EXACT, scale=1.0)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives(name):
    p = program(FUNCTIONS[name])
    expected = hessian_by_digits(p)
    assert close(interpret(hessian_program(p, "x"), [POINT])[0], expected, 1e-12, scale=1.0)
    again = jacobian_program(jacobian_program(p, "x"), "x")
    assert again.outputs[0].shape == (2, 2)
    assert close(interpret(again, [POINT])[0], expected, 1e-12, scale=1.0)


def test_shapes_and_names():
    graph = Graph()
    a, b = [graph.input(0, i) for i in range(6)], [graph.input(1, i) for i in range(2)]
    results = [[a[0] * b[0], a[5], 3.0], [b[0] / b[1]]]
    p = flatten((Operand("a", (2, 3)), Operand("b", (2,))), (Operand("u", (3,)), Operand("v", ())), results)
    d = jacobian_program(p, "a")
    assert [(o.name, o.shape) for o in d.outputs] == [("du_da", (3, 2, 3)), ("dv_da", (2, 3))]
    du, dv = interpret(d, [[1.0] * 6, [5.0, 7.0]])
    assert du == [5.0, *[0.0] * 5, *[0.0] * 5, 1.0, *[0.0] * 6] and dv == [0.0] * 6
    du, dv = interpret(jacobian_program(p, "b"), [[2.0] * 6, [5.0, 8.0]])
    assert du == [2.0, 0.0, 0.0, 0.0, 0.0, 0.0] and close(dv, [1 / 8, -5 / 64], EXACT)


def test_a_constant_has_no_slope():
    graph = Graph()
    x = [graph.input(0, i) for i in range(2)]
    assert jacobian([1.5, x[0]], x) == [[0.0, 0.0], [1.0, 0.0]] and gradient_reverse(2.0, x) == [0.0, 0.0]
    assert jacobian([x[1]], x) == [[0.0, 1.0]]


def test_a_result_given_twice_counts_twice():
    graph = Graph()
    x = [graph.input(0, i) for i in range(2)]
    y = x[0] * x[1]
    found = pull([y, x[0], y], [2.0, 5.0, 3.0], x, lambda *loop: [])
    ((*row,),) = interpret(flatten((Operand("x", (2,)),), (Operand("d", (2,)),), [found]), [[7.0, 11.0]])
    assert row == [60.0, 35.0]


def test_unknown_inputs_and_shapes_are_named():
    p = program(FUNCTIONS["mul"])
    for derive in (jacobian_program, gradient_program, hessian_program):
        with pytest.raises(TypeError, match=r"no input 'z'.*\['x'\]"):
            derive(p, "z")
    wide = jacobian_program(p, "x")
    for derive in (gradient_program, hessian_program):
        with pytest.raises(TypeError, match=r"one scalar result.*\(2,\)"):
            derive(wide, "x")


def test_forward_skips_what_does_not_depend():
    """The derivative by one input costs no more than the part of the function that it moves."""
    graph = Graph()
    x = [graph.input(0, i) for i in range(2)]
    results = [ops.sin(x[0]) * x[1], ops.apply("exp", x[1])]
    rows = jacobian_forward(results, x[:1])
    p = flatten((Operand("x", (2,)),), (Operand("d", (2,)),), [[r[0] for r in rows]])
    assert p.operations.by_kind == {"cos": 1, "mul": 1} and rows[1][0] == 0.0


def test_the_branch_not_taken_is_silent():
    """sqrt at 0 has an infinite slope, which a choice that does not take it must not show."""
    graph = Graph()
    x = [graph.input(0, i) for i in range(2)]
    y = ops.where(ops.less(0.0, x[0]), ops.sqrt(x[0]), x[1] * x[0])
    rows = [*jacobian_forward([y, y], x)[0], *gradient_reverse(y, x)]
    p = flatten((Operand("x", (2,)),), (Operand("d", (4,)),), [rows])
    with np.errstate(all="ignore"):
        d = interpret(p, [[np.float64(0.0), np.float64(3.0)]])[0]
    assert [float(v) for v in d] == [3.0, 0.0, 3.0, 0.0]
