"""Operands of every size and kind: tiles of columns, constants, inputs passed on, casts."""

import numpy as np
import pytest
from support.kernels import everything_kernel, same, states
from support.tolerances import FLOAT32, close

import chasles as ch
from chasles.backend.llvm.target import host

DTYPES = ("float64", "float32")


def sizes(dtype):
    W = host().lanes(dtype)
    return sorted({1, 2, 3, W - 1, W, W + 1, 2 * W - 1, 2 * W, 3 * W + 2})


@pytest.mark.parametrize("dtype", DTYPES)
def test_columns(dtype):
    """Inputs and outputs of sizes about the vector's width, each column to its place."""
    rng = np.random.default_rng(0)
    for n in sizes(dtype):
        kernel = ch.compile(lambda x, y: (x[::-1] * 2.0, x + y, y[:1]), dtype=dtype, x=n, y=n)
        for rows in (1, 2, 9, 35):
            x, y = rng.normal(size=(2, rows, n)).astype(dtype)
            a, b, c = kernel(x, y)
            assert same(a, x[:, ::-1] * 2) and same(b, x + y) and same(c, y[:, :1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_some_columns_of_many(dtype):
    W = host().lanes(dtype)
    n = 3 * W + 2
    rng = np.random.default_rng(1)
    x = rng.normal(size=(21, n)).astype(dtype)
    for k in (0, W - 1, W, 2 * W + 1, n - 1):
        assert same(ch.compile(lambda x, k=k: x[k] + x[k], dtype=dtype, x=n)(x), 2 * x[:, k])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", [1, 2, 17, 300])
def test_programs_without_operations(dtype, rows):
    x = np.random.default_rng(2).normal(size=(rows, 4)).astype(dtype)
    kernel = ch.compile(
        lambda x: {
            "constants": [1.0, -0.0, 0.1, 1e300, 5e-324],
            "inputs": [x[3], x[3], x[0]],
            "both": [x[1], 2.0],
            "one": 3.0,
            "itself": x,
        },
        dtype=dtype,
        x=4,
    )
    assert kernel.operations.total == 0
    with np.errstate(over="ignore", under="ignore"):
        constants = np.array([1.0, -0.0, 0.1, 1e300, 5e-324]).astype(dtype)
    result = kernel(x)
    assert same(result.constants, np.tile(constants, (rows, 1)))
    assert same(result.inputs, x[:, [3, 3, 0]])
    assert same(result.both, np.stack([x[:, 1], np.full(rows, 2.0, dtype)], axis=1))
    assert same(result.one, np.full(rows, 3.0, dtype)) and same(result.itself, x)
    single = kernel(x[0].copy())
    assert same(tuple(single), tuple(y[0] for y in result))


def test_duplicated_outputs():
    kernel = ch.compile(lambda x: (np.sin(x), np.sin(x), [np.sin(x[0])] * 9), x=3)
    assert kernel.operations.by_kind == {"sin": 3}
    a, b, c = kernel(np.random.default_rng(3).normal(size=(11, 3)))
    assert same(a, b) and all(same(c[:, k], a[:, 0]) for k in range(9))


def test_special_constants():
    kernel = ch.compile(lambda x: [x[0] * 0.0 + np.inf, x[0] * 0.0 - np.inf, x[0] * 0.0 + np.nan], x=1)
    np.testing.assert_array_equal(kernel([1.0]), [np.inf, -np.inf, np.nan])
    with np.errstate(over="ignore"):
        assert ch.compile(lambda x: x + 1e200, x=1, dtype="float32")([1.0])[0] == np.inf


def test_numbers_of_operands():
    many = ch.compile(
        lambda **x: {f"y{k}": v * 2.0 for k, v in enumerate(x.values())}, **{f"x{k}": 2 for k in range(20)}
    )
    x = np.arange(40.0).reshape(20, 2)
    assert same(np.stack(many(*x)), 2 * x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_casts(dtype):
    kernel = ch.compile(lambda x, y: x * 3.0 + y, dtype=dtype, x=3, y=())
    x = np.array([[1, 2, 3], [4, 5, 6]])
    expected = (3 * x + 1).astype(dtype)
    for given in (
        x,
        x.tolist(),
        x.astype("i1"),
        x.astype("u2"),
        x.astype("f2"),
        x.astype("f4"),
        x.astype(">i4"),
        tuple(map(tuple, x)),
    ):
        assert same(kernel(given, 1), expected)
        assert same(kernel(given, np.float32(1)), expected) and same(kernel(given, np.array(1)), expected)
    assert same(kernel([True, False, True], True), np.array([4, 1, 4], dtype))
    assert same(kernel([1, 2, 3], 1), expected[0])


def test_float32_takes_float64_and_says_so_when_it_overflows():
    kernel = ch.compile(lambda x: x * 1.0, dtype="float32", x=2)
    x = np.array([0.1, 1 / 3])
    assert same(kernel(x), x.astype("f4"))
    with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
        assert kernel([1e300, 1.0])[0] == np.inf


def test_out_may_be_of_another_type():
    kernel = ch.compile(lambda x: x * 0.5, x=3)
    out = np.zeros((4, 3), "f4")
    assert kernel(np.ones((4, 3)), out=out) is out and (out == 0.5).all()
    with pytest.raises(ch.ShapeError, match="out for output must be an array of float64, got one of int64"):
        kernel(np.ones(3), out=np.zeros(3, int))
    with pytest.raises(ch.ShapeError, match=r"out for output must have shape \(3,\), got \(4,\)"):
        kernel(np.ones(3), out=np.zeros(4))


def test_scalars_come_out_as_scalars():
    kernel = ch.compile(lambda x: (x @ x, x), x=2)
    for given in (np.ones(2), [1.0, 1.0]):
        assert type(kernel(given)[0]) is np.float64 and type(kernel(given)[1]) is np.ndarray
    assert kernel(np.ones((3, 2)))[0].shape == (3,)
    single = ch.compile(lambda x: x @ x, x=2, dtype="float32")
    assert type(single(np.ones(2, "f4"))) is np.float32


@pytest.mark.parametrize("empty", [(0,), (0, 4), (4, 0)])
def test_empty_batches(empty):
    kernel = ch.compile(lambda x, y: (x * 2.0, x @ y), x=3, y=3)
    a, b = kernel(np.zeros((*empty, 3)), np.ones(3))
    assert a.shape == (*empty, 3) and b.shape == empty


def test_empty_operands():
    kernel = ch.compile(lambda x: (x[:0], x * 2.0), x=3)
    a, b = kernel(np.ones((5, 3)))
    assert a.shape == (5, 0) and same(b, np.full((5, 3), 2.0))
    out = (np.zeros((5, 0)), np.zeros((5, 3)))
    kernel(np.ones((5, 3)), out=out)
    assert (out[1] == 2.0).all()
    with pytest.raises(ch.ShapeError, match="x must have shape"):
        kernel(np.ones(4))


@pytest.mark.parametrize("name", ["ur5", "scara", "stanford"])
def test_float32_is_close_to_float64(name):
    robot = ch.load(name)
    for function in ("inverse_dynamics", "mass_matrix", "coriolis_matrix", "forward_kinematics", "gravity_forces"):
        double, single = robot.kernel(function), robot.kernel(function, dtype="float32")
        x = states(double, 50)
        assert single(*x).dtype == np.float32
        for found, wanted in zip(single(*x), double(*x), strict=True):
            assert close(found, wanted, FLOAT32, scale=1.0)


def test_everything_in_float32():
    double, single = everything_kernel(), everything_kernel("float32")
    x = states(single, 60)
    found, wanted = single(*x), double(*[a.astype(float) for a in x])
    for a, b, name in zip(found, wanted, found._fields, strict=True):
        jumps = np.abs(a - b) > 0.5 * np.abs(b) + 0.5  # a floor or a condition that rounding swaps
        assert jumps.mean() < 0.01 and close(np.where(jumps, b, a), b, 20 * FLOAT32), name
