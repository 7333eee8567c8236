"""A row's result is the same bits whatever surrounds it: batch size, place, stride, order, threads, doors."""

import numpy as np
import pytest
from support.kernels import everything_kernel, same, states
from support.sweeps import sweep

import chasles as ch
from chasles.backend.host import WORK_PER_THREAD

KERNELS = {
    "everything": everything_kernel,
    "ur5": lambda dtype: ch.load("ur5").kernel("inverse_dynamics", dtype=dtype),
    "scara": lambda dtype: ch.load("scara").kernel(
        ["mass_matrix", "forward_dynamics", "potential_energy"], dtype=dtype
    ),
}


@pytest.fixture(
    scope="module", params=[(name, dtype) for name in KERNELS for dtype in ("float64", "float32")], ids="-".join
)
def kernel(request):
    name, dtype = request.param
    return KERNELS[name](dtype)


@pytest.fixture(scope="module")
def batch(kernel):
    return states(kernel, 41)


@pytest.fixture(scope="module")
def expected(kernel, batch):
    """Row by row, by the single-row function."""
    rows = [as_tuple(kernel.fast(*[np.array(x[i]) for x in batch])) for i in range(41)]
    return tuple(np.stack(column) for column in zip(*rows, strict=True))


@pytest.fixture(autouse=True)
def threads():
    count = ch.get_num_threads()
    yield
    ch.set_num_threads(count)


def as_tuple(x):
    return tuple(x) if isinstance(x, tuple) else (x,)


def call(kernel, *x, **options):
    return as_tuple(kernel.ufunc(*x, **options))


def test_single_rows_by_both_doors(kernel, batch, expected):
    for i in (0, 7, 40):
        row = [np.array(x[i]) for x in batch]
        assert same(call(kernel, *row), tuple(y[i] for y in expected))
        assert same(as_tuple(kernel(*row)), tuple(y[i] for y in expected))


def test_batch_sizes_and_places(kernel, batch, expected):
    for size in range(1, 41):
        for start in {0, 1, 41 - size}:
            part = [x[start : start + size] for x in batch]
            assert same(call(kernel, *part), tuple(y[start : start + size] for y in expected))


@pytest.mark.parametrize("step", [-1, 2, 3, -5])
def test_strided_rows(kernel, batch, expected, step):
    assert same(call(kernel, *[x[::step] for x in batch]), tuple(y[::step] for y in expected))


LAYOUTS = {
    "fortran": np.asfortranarray,
    "reversed columns": lambda x: np.flip(np.flip(x).copy()),
    "every other column": lambda x: np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim > 1 else x,
    "transposed core": lambda x: np.swapaxes(np.swapaxes(x, -1, -2).copy(), -1, -2) if x.ndim > 2 else x,
    "part of a record": lambda x: np.concatenate([x, x], axis=-1)[..., : x.shape[-1]] if x.ndim > 1 else x,
    "unaligned": lambda x: np.frombuffer(b"x" + x.tobytes(), x.dtype, offset=1).reshape(np.shape(x)),
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "read only": lambda x: np.broadcast_to(x, x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [1, 5, 41])
def test_layouts(kernel, batch, expected, layout, size):
    given = [LAYOUTS[layout](x[:size]) for x in batch]
    assert same(call(kernel, *given), tuple(y[:size] for y in expected))
    mixed = [LAYOUTS[layout](x[:size]) if k else x[:size] for k, x in enumerate(batch)]
    assert same(call(kernel, *mixed), tuple(y[:size] for y in expected))


@pytest.mark.parametrize("layout", ["single", "fortran", "byte order", "unaligned"])
def test_layouts_of_single_calls(kernel, batch, expected, layout):
    make = {
        "single": np.array,
        "fortran": lambda x: np.array(x, order="F"),
        "byte order": LAYOUTS["swapped"],
        "unaligned": LAYOUTS["unaligned"],
    }[layout]
    assert same(as_tuple(kernel.fast(*[make(x[3]) for x in batch])), tuple(y[3] for y in expected))


def test_broadcast_rows_with_stride_zero(kernel, batch, expected):
    x = [np.broadcast_to(a[3], (19, *a.shape[1:])) for a in batch]
    assert same(call(kernel, *x), tuple(np.broadcast_to(y[3], (19, *y.shape[1:])) for y in expected))
    # one operand varies, the others stand still
    row = [a[2] for a in batch[1:]]
    rows = call(kernel, batch[0], *row)
    for i in (0, 1, 40):
        assert same(
            tuple(y[i] for y in rows),
            as_tuple(kernel.fast(np.array(batch[0][i]), *[np.array(a) for a in row])),
        )


def test_leading_axes(kernel, batch, expected):
    x = [a[:40].reshape(2, 5, 4, *a.shape[1:]) for a in batch]
    assert same(call(kernel, *x), tuple(y[:40].reshape(2, 5, 4, *y.shape[1:]) for y in expected))
    x = [np.swapaxes(a, 0, 2) for a in x]
    assert same(call(kernel, *x), tuple(np.swapaxes(y[:40].reshape(2, 5, 4, *y.shape[1:]), 0, 2) for y in expected))


@pytest.mark.parametrize("size", [1, 7, 41])
def test_out(kernel, batch, expected, size):
    x = [a[:size] for a in batch]
    plain = tuple(np.full_like(y[:size], 9.0) for y in expected)
    assert all(a is b for a, b in zip(call(kernel, *x, out=plain), plain, strict=True))
    assert same(plain, tuple(y[:size] for y in expected))
    wide = tuple(np.full((2 * size, *y.shape[1:]), 9.0, y.dtype) for y in expected)
    call(kernel, *x, out=tuple(w[::-2] for w in wide))
    assert same(tuple(np.array(w[::-2]) for w in wide), tuple(y[:size] for y in expected))
    assert all((w[::-1][1::2] == 9.0).all() for w in wide)  # what lies between is untouched
    turned = tuple(np.asfortranarray(p) for p in plain)
    call(kernel, *x, out=turned)
    assert same(tuple(np.array(t) for t in turned), plain)


def test_out_beside_nothing_is_written(kernel, batch, expected):
    for size in (1, 3, 8, 13):
        guarded = tuple(np.full((size + 2, *y.shape[1:]), 7.0, y.dtype) for y in expected)
        call(kernel, *[a[:size] for a in batch], out=tuple(g[1:-1] for g in guarded))
        assert same(tuple(g[1:-1] for g in guarded), tuple(y[:size] for y in expected))
        assert all((g[[0, -1]] == 7.0).all() for g in guarded)


def test_out_may_overlap_the_input():
    robot = ch.load("ur5")
    f = robot.kernel("inverse_dynamics").ufunc
    q, qd, qdd = states(robot.kernel("inverse_dynamics"), 30)
    expected = f(q, qd, qdd)
    for target in (0, 1, 2):
        x = [q.copy(), qd.copy(), qdd.copy()]
        assert same(f(*x, out=x[target]), expected)
    both = np.concatenate([q, q[:3]])
    assert same(f(both[:30], qd, qdd, out=both[3:]), expected)
    both = np.concatenate([q[:3], q])
    assert same(f(both[3:], qd, qdd, out=both[:30]), expected)
    x = q.copy()
    assert same(np.ascontiguousarray(f(x, qd, qdd, out=x[::-1])), expected)


@pytest.mark.parametrize("count", sweep([1, 2, 3, 4], [1, 3]))
def test_threads(kernel, batch, expected, count):
    """A batch large enough for four threads to have work, whose rows repeat with a period that no tile has."""
    ch.set_num_threads(count)
    rows = 4 * max(64, WORK_PER_THREAD // kernel.operations.total) + 77
    index = np.arange(rows) % 41
    result = call(kernel, *[x[index] for x in batch])
    assert same(result, tuple(y[index] for y in expected))
    backwards = call(kernel, *[x[index][::-1] for x in batch])
    assert same(backwards, tuple(y[index][::-1] for y in expected))


def test_numbers_of_threads_are_checked():
    for count in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="positive integer"):
            ch.set_num_threads(count)
    ch.set_num_threads(3)
    assert ch.get_num_threads() == 3
