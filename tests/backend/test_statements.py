"""What a language has to say, and no more: plain Python as one, in which arrays hold nan until they are written."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.kernels import everything_kernel, states
from support.node import interpreted
from support.tolerances import close

import chasles as ch
from chasles.backend.statements import Language, write
from chasles.function.kernel import Kernel
from chasles.graph.program import Loop, Program, Restart
from chasles.scalar.operations import OPERATIONS


class Python(Language):
    """Inputs are tuples, so that writing to one fails."""

    title = "Python"
    indent = "    "
    operations = {name: f"{name}({', '.join(['{}'] * row.arity)})" for name, row in OPERATIONS.items()} | {
        "and": "{} and {}",
        "or": "{} or {}",
        "not": "not {}",
        "less": "{} < {}",
        "less_equal": "{} <= {}",
        "where": "{1} if {0} else {2}",
    }

    def number(self, x):
        return f"float('{x!r}')"

    def at(self, array, index):
        return f"{array}[{index}]"

    def let(self, name, value, kind):
        self.line(f"{name} = {value}")

    def set(self, place, value):
        self.line(f"{place} = {value}")

    def array(self, name, size):
        self.line(f"{name} = [nan] * {size}")

    def copy(self, to, first, source, source_first, size):
        self.line(f"{to}[{first} : {first} + {size}] = {source}[{source_first} : {source_first} + {size}]")

    def fill(self, to, size):
        self.line(f"{to}[:{size}] = [0.0] * {size}")

    def begin_function(self, name, inputs, outputs):
        self.line(f"def {name}({', '.join(x.name for x in (*inputs, *outputs))}):")
        self.depth += 1

    def begin_while(self, condition):
        self.line(f"while {condition}:")
        self.depth += 1

    def begin_if(self, condition):
        self.line(f"if {condition}:")
        self.depth += 1

    def end(self):
        self.line("pass")
        self.depth -= 1

    def call(self, function, inputs, outputs):
        self.line(f"{function}({', '.join([*(f'tuple({x})' for x in inputs), *outputs])})")


def run(kernel, *x):
    """The outputs of what is written, row by row; an element that is not written is nan."""
    language = Python()
    function = write(language, kernel.program, kernel.name)
    module: dict[str, Any] = {name: row.value for name, row in OPERATIONS.items()} | {"nan": math.nan}
    exec("\n".join(language.lines), module)
    rows = []
    for k in range(len(x[0])):
        outputs = [[math.nan] * o.size for o in kernel.outputs]
        module[function](*(tuple(np.ravel(a[k]).tolist()) for a in x), *outputs)
        rows.append(outputs)
    return [np.array([row[o] for row in rows]).reshape(len(rows), *p.shape) for o, p in enumerate(kernel.outputs)]


def agrees(kernel, *x):
    for found, expected in zip(run(kernel, *x), interpreted(kernel, *x), strict=True):
        assert close(found, expected, 1e-14)
    return True


@pytest.mark.parametrize("longest", [None, 5, 40])
def test_programs_whole_and_in_parts(monkeypatch, longest):
    monkeypatch.setattr(Python, "longest", longest)
    kernel = everything_kernel()
    assert agrees(kernel, *states(kernel, 3))


def rolled(x, push):
    """A loop that ends early and keeps what it met, around calls and a fixed point."""

    def root(a):
        step = lambda y: (0.5 * (y + a / y), {"until": abs(a - y * y) < 1e-9})  # noqa: E731
        return ch.loop(step, 1.0, count=30)[0]

    def twice(y):
        return ch.loop(lambda found, y: np.sin(y) + 2.0 * y, np.zeros(2), given={"y": y}, count=1)

    def step(x, push):
        new = twice(twice(x)) / root(9.0 + x[0] * x[0]) + push
        return new, {"record": {"seen": new * 3.0}, "until": new[1] > 2.0}

    x, how = ch.loop(step, x, each={"push": push}, count=12)
    return {"x": x, "until": how["until"], "seen": how["record"]["seen"], "last": how["record"]["seen"][-1]}


@cache
def rolled_kernel():
    return ch.compile(rolled, x=2, push=(12, 2))


@pytest.mark.parametrize("longest", [None, 2])
def test_loops(monkeypatch, rng, longest):
    monkeypatch.setattr(Python, "longest", longest)
    kernel = rolled_kernel()
    x, push = 0.1 * rng.normal(size=(4, 2)), 0.1 * rng.normal(size=(4, 12, 2))
    assert agrees(kernel, x, push)
    ended = run(kernel, x, push)[1]
    assert set(ended) == {0.0, 1.0}


def test_searches():
    def step(x, attempt):
        new = x + attempt + 1.0
        return {"x": new, "status": ch.where(abs(new - 7.0) < 0.5, 1.0, 0.0), "score": abs(new - 7.0)}

    program = ch.compile(step, x=(), attempt=()).program
    assert isinstance(program, Program)
    loop = Loop(program, ("x",), 3, until="status", restart=Restart("attempt", "score"))
    assert agrees(Kernel(loop, "search"), np.array([1.0, 0.5, -40.0]), np.array([4.0, 2.0, 3.0]))
