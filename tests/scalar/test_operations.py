"""The table of operations: each row says the same of floats, arrays, programs and machine code, and its slopes hold."""

import math
import re
import warnings
from functools import cache
from itertools import product
from pathlib import Path

import mpmath
import numpy as np
import pytest
from support.fifty_digits import mpmath as _registered  # noqa: F401  (makes mpmath numbers leaves)
from support.tolerances import EXACT, close

import chasles as ch
from chasles.graph.diff import jacobian_forward
from chasles.graph.interpret import interpret
from chasles.graph.node import Graph
from chasles.graph.program import Operand, Program, Ref, flatten
from chasles.scalar import ops
from chasles.scalar.dual import Dual
from chasles.scalar.operations import OPERATIONS

ROWS = list(OPERATIONS.values())
TRACED = [row for row in ROWS if row.traced]
NUMBERS = [row for row in ROWS if row.gives == "number" and "condition" not in row.takes]
SMOOTH = [row for row in NUMBERS if row.name not in ("floor", "random", "normal")]
EPS = 2.0**-52
NAMED = {"ids": lambda row: row.name}

INSIDE = (-0.9, -0.31, 0.2, 0.77)  # where every function of one argument is defined, but for
POSITIVE = ("log", "sqrt", "pow")
EDGES = (-math.inf, -1e300, -2.5, -1.0, -0.0, 0.0, 5e-324, 1.0, 2.0, 1e300, math.inf, math.nan)


def points(row, values=INSIDE):
    """Arguments of a row: numbers, and for conditions truths."""
    if row.name in POSITIVE and values is INSIDE:
        values = [abs(v) for v in values]
    return list(product(*((False, True) if kind == "condition" else values for kind in row.takes)))


@cache
def as_program(row) -> Program:
    """The row alone: inputs x of numbers, a condition read as 0 < x, a condition given as 1 or 0."""
    nodes = [("input", (0, i)) for i in range(row.arity)]
    args = []
    for i, kind in enumerate(row.takes):
        if kind == "condition":
            nodes.append(("less", (0.0, Ref(i))))
        args.append(Ref(len(nodes) - 1 if kind == "condition" else i))
    nodes.append((row.name, tuple(args)))
    if row.gives == "condition":
        nodes.append(("where", (Ref(len(nodes) - 1), 1.0, 0.0)))
    program = Program((Operand("x", (row.arity,)),), (Operand("y", ()),), tuple(nodes), ((Ref(len(nodes) - 1),),))
    program.check()
    return program


def on_nodes(row, *x):
    """The row on traced values, a condition read as 0 < x, a condition given as 1 or 0."""
    args = [ops.less(0.0, v) if kind == "condition" else v for v, kind in zip(x, row.takes, strict=True)]
    y = row.operator(*args) if row.operator else ops.apply(row.name, *args)
    return ops.where(y, 1.0, 0.0) if row.gives == "condition" else y


def numpy_of(row, case):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return float(row.numpy(*(np.bool_(v) if isinstance(v, bool) else np.float64(v) for v in case)))


def agree(actual, expected, tol=4 * EPS):
    """Equal to some roundings, infinities and nans included."""
    for x, y in zip(actual, expected, strict=True):
        assert (math.isnan(x) and math.isnan(y)) or x == y or abs(x - y) <= tol * abs(y), (x, y)


@pytest.mark.parametrize("values", [INSIDE, EDGES], ids=["inside", "edges"])
@pytest.mark.parametrize("row", ROWS, **NAMED)
def test_floats_arrays_and_the_interpreter_agree(row, values):
    cases = points(row, values)
    floats = [float(row.value(*case)) for case in cases]
    agree(floats, [numpy_of(row, case) for case in cases])
    assert all(isinstance(row.value(*case), bool if row.gives == "condition" else float) for case in cases)
    if row.traced:
        agree([interpret(as_program(row), [list(map(float, case))])[0][0] for case in cases], floats, 0.0)


@pytest.mark.parametrize("row", TRACED, **NAMED)
def test_machine_code_covers_every_row(row):
    values = sorted({*INSIDE, *EDGES})
    cases = points(row, values)
    kernel = ch.compile(lambda x: on_nodes(row, *x), x=row.arity)
    with np.errstate(all="ignore"):
        agree(kernel(np.array(cases, float)), [float(row.value(*case)) for case in cases], 4 * EPS)


@pytest.mark.parametrize("row", ROWS, **NAMED)
def test_only_traced_rows_are_traced(row):
    graph = Graph()
    y = on_nodes(row, *(graph.input(0, i) for i in range(row.arity)))
    program = flatten((Operand("x", (row.arity,)),), (Operand("y", ()),), [[y]])
    assert (row.name in program.operations.by_kind) == row.traced


@pytest.mark.parametrize("row", SMOOTH, **NAMED)
def test_slopes(row):
    """Against central differences of 50 digits; by the table, by duals and by the graph."""
    graph = Graph()
    x = [graph.input(0, i) for i in range(row.arity)]
    traced = jacobian_forward([on_nodes(row, *x)], x)[0]
    by_graph = flatten((Operand("x", (row.arity,)),), (Operand("d", (row.arity,)),), [traced])
    h = mpmath.mpf(10) ** -15
    for case in points(row):
        expected, duals = [], []
        for k in range(row.arity):
            ahead, behind = ([mpmath.mpf(v) + s * h * (i == k) for i, v in enumerate(case)] for s in (1, -1))
            expected.append(float((digits(row, *ahead) - digits(row, *behind)) / (2 * h)))
            seeded = [Dual(v, 1.0) if i == k else v for i, v in enumerate(case)]
            duals.append((row.operator or (lambda *a: ops.apply(row.name, *a)))(*seeded).derivative)
        assert close(row.slopes(row.value(*case), *case), expected, EXACT)
        assert close(duals, expected, EXACT)
        assert close(interpret(by_graph, [list(case)])[0], expected, EXACT)


def digits(row, *x):
    return row.operator(*x) if row.operator else ops.apply(row.name, *x)


@pytest.mark.parametrize("row", [row for row in ROWS if row.slopes and row not in SMOOTH], **NAMED)
def test_what_steps_has_no_slope(row):
    assert row.slopes(0.0, *(0.5,) * row.arity) == (0.0,) * row.arity


@pytest.mark.parametrize("row", [row for row in NUMBERS if row.arity == 1], **NAMED)
def test_parity(row):
    values = [0.25, 0.7, *([2.0, 1e300] if row.name not in ("asin", "acos") else [])]
    pairs = [(row.value(-x), row.value(x)) for x in values]
    assert all(a == -b for a, b in pairs) == (row.parity == "odd")
    assert all(a == b for a, b in pairs) == (row.parity == "even")


@pytest.mark.parametrize("row", [row for row in NUMBERS if row.parity and row.operator is None], **NAMED)
def test_tracing_pulls_signs_out(row):
    x = Graph().input(0, 0)
    y = ops.apply(row.name, x)
    assert ops.apply(row.name, -x) is (-y if row.parity == "odd" else y)


def test_powers_of_duals():
    assert (Dual(-2.0, 1.0) ** 3.0).derivative == 12.0  # the exponent is plain: no logarithm of the base
    assert close((2.0 ** Dual(3.0, 1.0)).derivative, 8.0 * math.log(2.0), EXACT)
    assert close((Dual(2.0, 1.0) ** Dual(3.0, 1.0)).derivative, 12.0 + 8.0 * math.log(2.0), EXACT)


def test_signs_of_what_overflows():
    assert ops.apply("sinh", -1000.0) == -math.inf and ops.apply("pow", -10.0, 401.0) == -math.inf


def test_costs_order_the_operations():
    assert all(row.cost > 0.0 for row in ROWS)
    assert OPERATIONS["add"].cost == OPERATIONS["mul"].cost == 1.0
    assert OPERATIONS["mul"].cost < OPERATIONS["div"].cost < OPERATIONS["sin"].cost < OPERATIONS["pow"].cost


def test_names_stand_in_the_table_alone():
    """Lists of operations would have to be kept in step by hand."""
    source = Path(ch.__file__).parent
    for path in source.rglob("*.py"):
        if path.name != "operations.py":
            text = path.read_text()
            assert '"sinh"' not in text and "np.sinh" not in text, path
            assert not re.search(r'"less",\s*"less_equal",\s*"and"', text), path
