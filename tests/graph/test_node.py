"""Nodes: made once, folded as they are made, and no numbers before the kernel runs."""

import math

import numpy as np
import pytest

import chasles as ch
from chasles.errors import TraceError
from chasles.graph import node
from chasles.graph.node import Expr, Graph
from chasles.scalar import ops


@pytest.fixture
def xyz():
    graph = Graph()
    return [graph.input(0, i) for i in range(3)]


def negated(x):
    return x.op == "neg" and x.args[0]


def test_equal_expressions_are_one_node(xyz):
    x, y, z = xyz
    assert x.graph.input(0, 0) is x
    assert x + y is y + x and x * y is y * x
    assert (x * y + z) * (x * y + z) is (z + y * x) * (y * x + z)
    assert ops.sin(x + y) is ops.sin(y + x) and ops.sin(x) is not ops.cos(x)
    assert x - y is not y - x and x / y is not y / x
    assert x + 1 is x + 1.0 and x * np.float64(2.0) is 2 * x and x + np.int64(3) is 3.0 + x
    assert (x < y) is (y > x) and (x <= y) is (y >= x) and (x < y) is not (x <= y)


def test_zero_and_one_vanish(xyz):
    x, y, _ = xyz
    for zero in (0.0, -0.0, 0, np.float64(0.0)):
        assert x + zero is x and zero + x is x and x - zero is x and negated(zero - x) is x
        assert x * zero == 0.0 and zero * x == 0.0 and zero / x == 0.0
        assert math.copysign(1.0, x * zero) == 1.0
    assert x * 1 is x and 1.0 * x is x and x / 1 is x and x**1 is x and x**0 == 1.0
    assert x - x == 0.0 and x / x == 1.0 and x * (1.0 / x) == 1.0 and (1.0 / x) * x == 1.0
    assert (x * y) / (x * y) == 1.0


def test_constants_gather(xyz):
    x, y, _ = xyz
    assert 2.0 * (3.0 * x) is 6.0 * x and (2.0 * x) * (3.0 * y) is 6.0 * (x * y)
    assert x / 4.0 is 0.25 * x and x + x is 2.0 * x
    assert ops.sin(0.0) == 0.0 and isinstance(ops.where(True, x, y), Expr)


def test_signs_are_pulled_out_of_products_and_absorbed_by_sums(xyz):
    x, y, z = xyz
    minus = -x
    assert -minus is x and negated(-x * y) is x * y and -x * -y is x * y
    assert x + -y is x - y and -x + y is y - x and x - -y is x + y and negated(-x - y) is x + y
    assert -(x - y) is y - x
    assert -1.0 * x is -x and x * -1 is -x and -(3.0 * x) is -3.0 * x
    assert x + -2.0 * y is x - 2.0 * y and x - -2.0 * y is x + 2.0 * y
    assert negated(-x / y) is x / y and negated(x / -y) is x / y and -x / -y is x / y
    assert negated(ops.sin(-x)) is ops.sin(x) and ops.cos(-x) is ops.cos(x)
    assert negated(ops.apply("tan", -x)) is ops.apply("tan", x) and ops.apply("cosh", -z) is ops.apply("cosh", z)
    for odd in ("asin", "atan", "sinh", "tanh"):
        assert negated(ops.apply(odd, -x)) is ops.apply(odd, x)


def test_choices_fold(xyz):
    x, y, _ = xyz
    c = x < y
    assert ops.where(c, x, x) is x and ops.where(c, 2.0, 2.0) == 2.0
    assert (x < x) is False and node.where(1, x, y) is x and node.where(0, x, y) is y
    assert (c & True) is c and (True & c) is c and (c & False) is False and (False & c) is False
    assert (c | False) is c and (False | c) is c and (c | True) is True and (True | c) is True
    assert (c & np.False_) is False
    assert (x <= x).op == "less_equal"  # false for a nan


def test_powers(xyz):
    x, _, _ = xyz
    assert x**2 is x * x and x**3 is x * (x * x) and x**0.5 is ops.sqrt(x)
    assert (x**-2).op == "div" and (x**-2).args[1] is x * x
    assert (x**2.5).op == (2.0**x).op == (x**100).op == (x**math.inf).op == "pow"


def test_division_by_constants(xyz):
    x, _, _ = xyz
    with pytest.raises(TraceError, match="constant zero"):
        x / 0.0
    assert (x / 5e-324).op == "div"  # whose reciprocal is infinite


@pytest.mark.parametrize("convert", [bool, float, int, math.sin, lambda x: [1, 2][x], lambda x: 1 if x == 0.0 else 2])
def test_a_traced_value_is_no_number(xyz, convert):
    with pytest.raises(TraceError, match="traced value"):
        convert(xyz[0])


@pytest.mark.parametrize("compare", [lambda x: x < 1, lambda x: x >= 1, lambda x: x == 1, lambda x: x != 1])
def test_a_condition_names_where(xyz, compare):
    with pytest.raises(TraceError, match=r"chasles\.where"):
        bool(compare(xyz[0]))


def test_equality_with_strangers_is_plain(xyz):
    assert (xyz[0] == None) is False and (xyz[0] != "q") is True  # noqa: E711


MIXED = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "less": lambda x, y: x < y,
    "equal": lambda x, y: x == y,
    "atan2": ops.atan2,
    "ops.less": ops.less,
    "where": lambda x, y: ops.where(x < 1.0, y, 2.0),
    "where 2": lambda x, y: ops.where(x < 1.0, 2.0, y),
    "and": lambda x, y: (x < 1.0) & (y < 1.0),
    "or": lambda x, y: (x < 1.0) | (y < 1.0),
}


@pytest.mark.parametrize("name", MIXED)
def test_two_traces_do_not_mix(name):
    with pytest.raises(TraceError, match="different traces"):
        MIXED[name](Graph().input(0, 0), Graph().input(0, 0))


def test_negative_zero_is_kept_out_of_nodes(xyz):
    """Keys compare -0.0 and 0.0 as equal, so whichever came first would stand for both."""
    x, y, _ = xyz
    for made in (ops.atan2(-0.0, x), ops.where(x < y, -0.0, x), ops.less(-0.0, x), -0.0 / y + x, x**2.5 + -0.0):
        for leaf in getattr(made, "args", ()):
            assert not (isinstance(leaf, float) and leaf == 0.0 and math.copysign(1.0, leaf) < 0.0)


def test_other_numbers_are_refused(xyz):
    for other in (1j, "2", None):
        with pytest.raises(TypeError):
            xyz[0] + other


def test_repr(xyz):
    assert repr(xyz[1]) == "x0[1]" and repr(xyz[0] + 1).startswith("<add")


def test_absolute_and_extremes(xyz):
    x, y, _ = xyz
    assert abs(x) is ops.absolute(x) and abs(x).op == "where"
    assert ops.maximum(x, y).op == "where" and ch.where(x < y, x, y).op == "where"


def test_a_uniform_graph_leaves_the_signs_of_constants_alone():
    """What differs in its constants has nodes that are alike; else a sum absorbs the sign."""

    def operations(uniform, c):
        x, y = (graph := Graph(uniform)).input(0, 0), graph.input(0, 1)
        return [node.op for node in (x + c * y, x - c * y)]

    assert operations(True, 2.0) == operations(True, -2.0) == ["add", "sub"]
    assert operations(False, -2.0) == ["sub", "add"]
