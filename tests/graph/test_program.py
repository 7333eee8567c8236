"""Programs: the live part of a trace, its operations, and what it refuses."""

import pytest

from chasles.errors import TraceError
from chasles.graph.interpret import interpret
from chasles.graph.node import Graph
from chasles.graph.program import Operand, Ref, flatten
from chasles.scalar import ops

X = (Operand("x", (3,)),)


def inputs():
    graph = Graph()
    return [graph.input(0, i) for i in range(3)]


def program(*results):
    return flatten(X, (Operand("y", (len(results),)),), [list(results)])


def test_only_what_is_used_counts():
    x, y, z = inputs()
    ops.sin(x) * ops.cos(y)  # dead
    p = program(x * y + z, x * y, 3.0, z)
    assert p.operations.by_kind == {"mul": 1, "add": 1}
    assert p.operations.total == int(p.operations) == 2
    assert interpret(p, [[2.0, 3.0, 4.0]]) == [[10.0, 6.0, 3.0, 4.0]]


def test_every_node_but_inputs_and_constants_counts_one():
    x, y, z = inputs()
    s = ops.sin(x)
    p = program(s + ops.cos(y), 2.0 * s, ops.where(x < y, -x, ops.sqrt(z) / y), ops.atan2(x, y), x**2.5)
    kinds = {
        "sin": 1,
        "cos": 1,
        "add": 1,
        "mul": 1,
        "where": 1,
        "less": 1,
        "neg": 1,
        "sqrt": 1,
        "div": 1,
        "atan2": 1,
        "pow": 1,
    }
    assert p.operations.by_kind == kinds
    assert "11 operations" in repr(p.operations)


def test_no_operations():
    x, _, z = inputs()
    p = program(z, 1.5, x, x)
    assert p.operations.total == 0 and interpret(p, [[1.0, 2.0, 3.0]]) == [[3.0, 1.5, 1.0, 1.0]]
    assert interpret(program(1.0, -0.0), [[0.0] * 3]) == [[1.0, -0.0]]


def test_arguments_come_first():
    x, y, z = inputs()
    p = program(ops.sin(x * y + z) / (x - z), y)
    for k, (op, args) in enumerate(p.nodes):
        assert op == "input" or all(a.index < k for a in args if hasattr(a, "index"))


def test_a_program_of_two_traces_is_refused():
    with pytest.raises(TraceError, match="another trace"):
        program(inputs()[0], inputs()[1])


@pytest.mark.parametrize(
    "use",
    [
        lambda c, x: c * x,
        lambda c, x: c + 1.0,
        lambda c, x: -c,
        lambda c, x: ops.sin(c),
        lambda c, x: ops.where(c, c, x),
    ],
)
def test_a_condition_is_not_a_number(use):
    x, y, _ = inputs()
    with pytest.raises(TraceError, match="condition is not a number"):
        program(use(x < y, x))


@pytest.mark.parametrize("use", [lambda x, y: ops.where(x, x, y), lambda x, y: ops.where(x & (x < y), 1.0, y)])
def test_a_number_is_not_a_condition(use):
    x, y, _ = inputs()
    with pytest.raises(TraceError, match="number is not a condition"):
        program(use(x, y))


class Twice:
    """Stands for a loop: two inputs, two outputs."""

    inputs = (Operand("a", (2,)),)
    outputs = (Operand("b", (2,)),)

    def run(self, x):
        return [2.0 * x[0], x[0] + x[1]]


def test_loops_are_nodes_and_their_items_numbers():
    x, y, z = inputs()
    loop = Twice()
    runs = [x.graph.make("loop", loop, *args) for args in [(x, y), (z, 3.0)]]
    p = program(*(x.graph.make("item", run, i) for run in runs for i in (0, 1)))
    assert p.loops == (loop,)
    runs = [node for node in p.nodes if node[0] == "loop"]
    assert runs == [("loop", (0, Ref(0), Ref(1))), ("loop", (0, Ref(2), 3.0))]
    assert p.operations.by_kind == {"loop": 2}
    assert interpret(p, [[1.0, 2.0, 4.0]]) == [[2.0, 3.0, 8.0, 7.0]]


def test_a_loop_is_not_a_number():
    x, y, _ = inputs()
    with pytest.raises(TraceError, match="loop is not a number"):
        program(x.graph.make("loop", Twice(), x, y) + 1.0)
