"""Floating-point flags: np.errstate is honoured by every door, and nothing is raised that no row did."""

import ctypes

import numpy as np
import pytest
from support.kernels import everything_kernel, states
from support.sweeps import sweep

import chasles as ch

LARGE = 120_000  # rows that several threads share, of the kernels below
DTYPES = ("float64", "float32")


def work(x):
    """Enough of it for LARGE rows to be worth threads, raising nothing."""
    for _ in range(10):
        x = np.tanh(0.5 + 0.25 * np.sin(x) * np.cos(x + 1.0))
    return x


KERNELS = {
    "divide": (lambda x: [1.0 / x[0], x[1], work(x[1])], 0.0, "divide by zero"),
    "invalid": (lambda x: [np.sqrt(x[0]), x[1], work(x[1])], -1.0, "invalid value"),
    "overflow": (lambda x: [x[0] * x[0], x[1], work(x[1])], 1e30, "overflow"),
    "log": (lambda x: [np.log(x[0]), x[1], work(x[1])], 0.0, "divide by zero"),
    "arcsin": (lambda x: [np.arcsin(x[0]), x[1], work(x[1])], 2.0, "invalid value"),
    "zero over zero": (
        lambda x: [(x[0] - x[0] * 1.0 + 0.0 * x[1] + x[0]) / (x[0] * x[1]), x[1], work(x[1])],
        0.0,
        "invalid",
    ),
}
SHAPES = {"one": (), "remainder": (3,), "batch": (50,), "threads": (LARGE,), "strided": (50,)}


@pytest.fixture(autouse=True)
def threads():
    count = ch.get_num_threads()
    ch.set_num_threads(4)
    yield
    ch.set_num_threads(count)


@pytest.fixture(scope="module")
def kernels():
    return {(name, dtype): ch.compile(f, dtype=dtype, x=2) for name, (f, _, _) in KERNELS.items() for dtype in DTYPES}


def argument(shape, bad, dtype, place=-1):
    x = np.full((*SHAPES[shape], 2), 0.5)
    if bad is not None:
        x.reshape(-1, 2)[place, 0] = bad
    x = x.astype(dtype) if bad != 1e30 or dtype == "float32" else np.where(x == 1e30, 1e200, x)
    return np.asfortranarray(x) if shape == "strided" else x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", sweep(SHAPES, 2))
@pytest.mark.parametrize("name", KERNELS)
def test_errstate(kernels, name, shape, dtype):
    kernel, (_, bad, message) = kernels[name, dtype], KERNELS[name]
    good, x = argument(shape, None, dtype), argument(shape, bad, dtype)
    with np.errstate(all="raise"):
        expected = kernel(good)
        with pytest.raises(FloatingPointError, match=message):
            kernel(x)
    with np.errstate(all="warn"), pytest.warns(RuntimeWarning, match=message):
        found = kernel(x)
    with np.errstate(all="ignore"):
        silent = kernel(x)
    np.testing.assert_array_equal(found, silent)
    rows, good_rows = found.reshape(-1, found.shape[-1]), expected.reshape(-1, expected.shape[-1])
    np.testing.assert_array_equal(rows[:-1], good_rows[:-1])
    assert not np.isfinite(rows[-1, 0]) and (rows[-1, 1:] == good_rows[-1, 1:]).all()
    calls = []
    with np.errstate(all="call", call=lambda kind, flag: calls.append(kind)):
        kernel(x)
        kernel(good)
    assert len(calls) == 1 and message.split()[0] in calls[0]


@pytest.mark.parametrize("place", [0, LARGE // 4 + 5, LARGE // 2 + 1, LARGE - 1])
def test_flags_of_every_thread_arrive(kernels, place):
    x = argument("threads", 0.0, "float64", place)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        kernels["divide", "float64"](x)


def test_a_bad_row_is_inf_or_nan_and_the_others_are_right(kernels):
    x = np.array([[0.0, 2.0], [4.0, 3.0]])
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        y = kernels["divide", "float64"](x)
    assert y[0, 0] == np.inf and y[1, 0] == 0.25 and (y[:, 1] == x[:, 1]).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sweep(["ur5", "scara", "stanford", "everything"], ["scara", "everything"]))
def test_ordinary_inputs_raise_nothing(name, dtype):
    if name == "everything":
        kernels = [everything_kernel(dtype)]
    else:
        robot = ch.load(name)
        names = ["inverse_dynamics", ["forward_dynamics", "mass_matrix", "jacobian"]]
        kernels = [robot.kernel(n, dtype=dtype) for n in names]
    for kernel in kernels:
        x = states(kernel, 40)
        with np.errstate(all="raise", under="raise" if dtype == "float64" else "ignore"):
            for rows in range(1, 18):
                kernel(*[a[:rows] for a in x])
                kernel(*[np.asfortranarray(a[:rows]) for a in x])
            kernel(*x)
            kernel(*[a[0] for a in x])
            kernel(*[np.zeros_like(a[0]) for a in x])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", [1, 3, 8, 40])
def test_nans_are_silent(dtype, rows):
    """Through arithmetic, functions, comparisons and choices."""
    kernel = everything_kernel(dtype)
    x = [np.full_like(a, np.nan) for a in states(kernel, rows)]
    with np.errstate(all="raise"):
        result = kernel(*x)
        single = kernel(*[np.array(a[0]) for a in x])
    assert np.isnan(result.many[:, :10]).all() and np.isnan(single.matrix).all()
    choose = ch.compile(
        lambda x: [
            ch.where(x < 1.0, 1.0, 2.0),
            ch.where(x <= x, 1.0, 2.0),
            ch.where(~(x > 0.0), 1.0, 2.0),
            ch.where(x == x, 1.0, 2.0),
        ],
        dtype=dtype,
        x=(),
    )
    with np.errstate(all="raise"):
        assert (choose(np.full(rows, np.nan)) == [2.0, 2.0, 1.0, 2.0]).all()


@pytest.mark.parametrize("name", ["ur5", "scara"])
def test_a_nan_stays_in_its_row(name):
    kernel = ch.load(name).kernel("inverse_dynamics")
    x = states(kernel, 20)
    expected = kernel(*x)
    x[1][7, 1] = np.nan
    with np.errstate(all="raise"):
        found = kernel(*x)
    assert np.isnan(found[7]).any() and (np.delete(found, 7, 0) == np.delete(expected, 7, 0)).all()


def test_stale_flags_do_not_warn():
    """Flags that other code left behind are not ours."""
    libm = ctypes.CDLL("libm.so.6", use_errno=True)
    kernel = ch.compile(lambda x: x * 2.0 + 1.0, x=3)
    for x in (np.ones(3), np.ones((5, 3)), np.asfortranarray(np.ones((5, 3)))):
        kernel(x)
        libm.feraiseexcept(1 | 4 | 8 | 16)
        with np.errstate(all="raise"):
            kernel(x)


def test_isolated_singularities_are_rows():
    """A robot's forward dynamics where it has none: inf or nan there, the numbers beside it."""
    f = ch.compile(lambda q: np.stack([1.0 / np.sin(q[0]), np.cos(q[0]) / np.sin(q[0])]), q=1)
    q = np.array([[0.0], [1.0], [0.5]])
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        y = f(q)
    assert np.isinf(y[0]).all() and np.allclose(y[1:, 0], 1.0 / np.sin(q[1:, 0]))
