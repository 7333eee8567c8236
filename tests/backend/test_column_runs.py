"""Columns that go straight into loops, out of them or from one to another: moved in bulk, in order or last to first."""

import re

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.backend.schedule import ColumnRun, cut, runs_given, runs_passed, runs_taken
from chasles.function.kernel import Kernel
from chasles.graph.derive import gradient_program
from chasles.graph.interpret import interpret


def scan(count, width, recorded=True):
    """A sum over a loop of what comes each time and is carried, whose gradient takes the rows last to first."""

    def function(x, w):
        def step(x, w):
            new = x * (1.0 + 0.1 * np.cos(x * w))
            return (new, {"record": {"path": new}}) if recorded else new

        if not recorded:
            return (ch.loop(step, x, each={"w": w}, count=count) ** 2).sum()
        x, kept = ch.loop(step, x, each={"w": w}, count=count)
        return (kept["record"]["path"][-1] * x).sum()

    program = ch.compile(function, x=(width,), w=(count, width)).program
    assert isinstance(program, ch.Program)
    return program


@pytest.mark.parametrize(
    ("width", "dtype", "recorded"),
    [
        (1, "float64", True),
        (3, "float32", True),
        (3, "float64", False),
        pytest.param(9, "float64", False, marks=pytest.mark.sweep),
    ],
)
def test_rows_last_to_first(width, dtype, recorded, rng):
    program = gradient_program(scan(40, width, recorded), ["x", "w"], value=True)
    kernel = Kernel(program, "f", dtype)
    for rows in (1, 5, 16, 19):
        x, w = rng.uniform(0.5, 1.0, (rows, width)), rng.normal(size=(rows, 40, width))
        found = kernel(x, w)
        columns = [list(x.T), list(w.reshape(rows, -1).T)]
        for result, row in zip(found, interpret(program, columns), strict=True):
            expected = np.stack([np.broadcast_to(y, rows) for y in row], -1).reshape(result.shape)
            assert close(result, expected, 1e-12 if dtype == "float64" else 1e-4)


def test_what_is_moved_in_bulk():
    program = gradient_program(scan(40, 3), ["x", "w"])
    forward, back = (k for k, (op, _) in enumerate(program.nodes) if op == "loop")
    loops = program.loops
    slot = {o.name: sum(p.size for p in loops[1].inputs[:k]) for k, o in enumerate(loops[1].inputs)}
    assert runs_taken(program, 16) == [
        ColumnRun(forward, 3, 1, 0, 120),
        ColumnRun(back, slot["w"], 1, 0, 120, backward=3),
    ]
    states = sum(o.size for o in loops[0].outputs) - 120
    assert runs_passed(program, 16) == [ColumnRun(back, slot["state"], forward, states, 120, backward=3)]
    (given,) = runs_given(program, 16)
    assert given[2:] == (1, 0, 120, 3)
    plan = cut(program, 8)
    moved = {"input", "item"}
    listed = [k for segment in plan.segments for k in segment.nodes if program.nodes[k][0] in moved]
    assert plan.passes and len(listed) < 20  # all others stay where they are


def test_code_of_fixed_length():
    short, long = (gradient_program(scan(count, 3), ["x", "w"]) for count in (40, 400))
    short, long = (Kernel(program, "f").source for program in (short, long))
    assert len(re.findall("load <", long)) == len(re.findall("load <", short))
