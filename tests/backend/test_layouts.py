"""Operands of a batch in rows, in columns, apart or mixed: the same bits, and nothing read or written beside them."""

import numpy as np
import pytest
from support.kernels import build, everything_kernel, same, states

import chasles as ch
from chasles.backend.host.layouts import MANY
from chasles.backend.llvm.target import host
from chasles.graph.derive import gradient_program

GUARD = 7.0  # between and behind the numbers


def placed(rng, shape, dtype):
    """A piece of memory and an array in it, whose axes lie in any order, in either direction, with gaps or without."""
    steps = rng.choice([-2, -1, 1, 2], len(shape), p=[0.1, 0.1, 0.6, 0.2])
    order = rng.permutation(len(shape)) if rng.random() < 0.5 else np.roll(np.arange(len(shape)), -rng.integers(2))
    sizes = [shape[axis] * abs(steps[axis]) + rng.integers(2) for axis in order]
    start = rng.integers(9)
    memory = np.full(int(np.prod(sizes)) + start + 40, GUARD, dtype)
    whole = memory[start : start + int(np.prod(sizes))].reshape(sizes).transpose(np.argsort(order))
    found = whole[tuple(slice(None, None, step) for step in steps)]
    return memory, found[tuple(slice(n) for n in shape)]


def check(rng, ufunc, given, expected):
    """A call on operands that lie anyhow, against what is expected."""
    inputs = [placed(rng, x.shape, x.dtype)[1] for x in given]
    for found, x in zip(inputs, given, strict=True):
        found[...] = x
    memories, outputs = zip(*(placed(rng, y.shape, y.dtype) for y in expected), strict=True)
    ufunc(*inputs, out=outputs)
    assert same(tuple(map(np.ascontiguousarray, outputs)), expected)
    for memory, output in zip(memories, outputs, strict=True):
        output[...] = GUARD
        assert (memory == GUARD).all()


KERNELS = {
    "float64": lambda: everything_kernel("float64"),
    "float32": lambda: everything_kernel("float32"),
    "axes": lambda: ch.compile(lambda x: (x * 2.0, x.T + 1.0), x=(2, 3, 2)),
}


@pytest.mark.parametrize("name", KERNELS)
def test_operands_that_lie_anyhow(name):
    kernel, rng = KERNELS[name](), np.random.default_rng(5)
    batch = states(kernel, MANY + 60)
    expected = tuple(kernel(*batch))
    lanes = host().lanes(kernel.dtype)
    for _ in range(100):
        rows = rng.choice(np.array([*range(1, 2 * lanes + 2), 70, MANY + 50]))
        first = rng.integers(MANY + 60 - rows)
        part = slice(first, first + rows)
        check(rng, kernel.ufunc, [x[part] for x in batch], tuple(y[part] for y in expected))


def settled(x, w):
    """A loop that takes columns in bulk, each row with its own end."""

    def step(y, w):
        return y + 0.1 * np.sin(w), {"until": y[0] > 1.0, "record": {"path": y}}

    y, how = ch.loop(step, x, each={"w": w}, count=20)
    return (y * how["record"]["path"]).sum()


def test_loops_and_programs_with_loops():
    """What is moved in bulk into a loop and out of it, forwards and backwards, and what a loop's driver is given."""
    program, rng = ch.compile(settled, x=2, w=(20, 2)).program, np.random.default_rng(6)
    assert isinstance(program, ch.Program)
    for body in (gradient_program(program, ["x", "w"], value=True), program.loops[0]):
        ufunc = build(body)
        given = [rng.uniform(-1.0, 1.0, (43, *o.shape)) for o in body.inputs]
        expected = ufunc(*given)
        for rows in (1, 8, 16, 43):
            for _ in range(5):
                check(rng, ufunc, [x[:rows] for x in given], tuple(y[:rows] for y in expected))


@pytest.mark.parametrize("rows", [5, 16, 45, MANY + 3])
def test_flags_of_columns(rows):
    """A row that raises one does, and what lies beside the rows raises none."""
    kernel = ch.compile(lambda x, y: [x[0] / x[1], y * x[2]], x=3, y=())
    memory = np.zeros((3, rows + 20))
    x, y = memory[:, 3 : rows + 3].T, np.full(rows + 9, 1e300)[4 : rows + 4]
    x[...] = 2.0
    with np.errstate(all="raise"):
        assert (kernel(x, y)[:, 0] == 1.0).all()
        x[-1, 1] = np.nan
        found = kernel(x, y)
        assert np.isnan(found[-1, 0]) and (found[:-1, 0] == 1.0).all() and (found[:, 1] == 2e300).all()
        x[-1, 1] = 0.0
        with pytest.raises(FloatingPointError, match="divide by zero"):
            kernel(x, y)
        x[-1, 1], x[0, 2] = 1.0, 1e300
        with pytest.raises(FloatingPointError, match="overflow"):
            kernel(x, y)


@pytest.mark.parametrize("layout", [np.asfortranarray, lambda x: np.repeat(x, 2, axis=-1)[..., ::2]])
def test_threads(layout):
    """Batches in columns and by way of copies are shared."""
    kernel = ch.load("planar_2r").kernel(["mass_matrix", "inverse_dynamics"])
    x = states(kernel, 300_001)
    count = ch.get_num_threads()
    try:
        ch.set_num_threads(1)
        expected = tuple(kernel(*x))
        ch.set_num_threads(3)
        assert same(tuple(kernel(*map(layout, x))), expected)
    finally:
        ch.set_num_threads(count)
