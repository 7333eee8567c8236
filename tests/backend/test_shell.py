"""The door for single calls looks at all of its arguments: type, axes, sizes, strides and order."""

import gc
import pickle
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

import chasles as ch
from chasles.backend import host
from chasles.backend.host import ufunc
from chasles.backend.host.ufunc import FewOrMany

A = np.arange(1.0, 10.0).reshape(3, 3)
V = np.array([0.5, -1.5, 2.5])


def compiled(codes):
    """Short programs have one code, long ones two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(host, "LONG_PROGRAM", 0 if codes == 2 else host.LONG_PROGRAM)
        made = ch.compile(lambda A, v: {"y": A @ v, "t": A.T + v, "s": v[0] * 2.0}, A=(3, 3), v=3)
        assert isinstance(made._functions._ufunc, FewOrMany) == (codes == 2)
    return made


@pytest.fixture(scope="module", params=[1, 2])
def either(request):
    return compiled(request.param)


@pytest.fixture(scope="module")
def kernel():
    return compiled(2)


def check(kernel, A, v):
    """Any arrays against plain copies of them."""
    B, w = np.array(A, float, order="C"), np.array(v, float, order="C")
    for f in (kernel.fast, kernel):
        y, t, s = f(A, v)
        np.testing.assert_array_equal(y, (B @ w[..., None])[..., 0])
        np.testing.assert_array_equal(t, B.swapaxes(-1, -2) + w[..., None, :])
        np.testing.assert_array_equal(s, 2.0 * w[..., 0])


def strided(x, times=2):
    """The same numbers, each axis with gaps."""
    wide = np.full([times * n for n in x.shape], np.nan)
    wide[tuple(slice(None, None, times) for _ in x.shape)] = x
    return wide[tuple(slice(None, None, times) for _ in x.shape)]


def test_one_row_of_any_layout(either):
    for a in (A, A.T, A[::-1], A[:, ::-1], np.asfortranarray(A), strided(A), strided(A, 3)):
        for v in (V, V[::-1], strided(V)):
            check(either, a, v)


@pytest.mark.parametrize("rows", [1, 2, 64, 65, 150])
def test_batches_with_gaps_in_one_axis(either, rows):
    """Rows that are contiguous but apart, lines that are apart in their rows, elements apart in their lines."""
    A = np.arange(9.0 * rows).reshape(rows, 3, 3)
    v = np.arange(3.0 * rows).reshape(rows, 3)
    padded = np.full((rows, 4, 5), np.nan)
    for part in ((slice(None), slice(0, 3), slice(0, 3)), (slice(None), slice(1, 4), slice(2, 5))):
        padded[part] = A
        check(either, padded[part], v)
    rows_apart = np.full((2 * rows, 3, 3), np.nan)
    rows_apart[::2] = A
    check(either, rows_apart[::2], v[::-1])
    check(either, A.swapaxes(-1, -2), strided(v))


def test_what_is_not_a_row(kernel):
    for a, v in ((np.zeros((3, 4)), V), (np.zeros((4, 3)), V), (A, np.zeros(4)), (A, np.zeros(2)), (A[:2], V)):
        with pytest.raises(ch.ShapeError, match="must have shape"):
            kernel.fast(a, v)
    with pytest.raises(TypeError, match=r"takes 2 arguments \(A, v\), got 1"):
        kernel.fast(A)


def test_other_types(kernel):
    for dtype in (np.float32, np.int64, np.int8, bool, np.float16):
        check(kernel, A.astype(dtype), V.astype(dtype))
    for order in ("<f8", ">f8"):
        check(kernel, A.astype(order), V.astype(order))
    unaligned = np.frombuffer(b"x" + V.tobytes(), np.float64, offset=1)
    assert not unaligned.flags.aligned
    check(kernel, A, unaligned)
    check(kernel, A, V.tolist())
    with pytest.raises(ch.ShapeError, match="v must be real numbers"):
        kernel.fast(A, V.astype(complex))


def test_masked_arrays_are_refused(kernel):
    """A kernel would read what the mask hides."""
    for f in (kernel.fast, kernel, kernel.call):
        for given in ((np.ma.masked_array(A, A > 5.0), V), (A, np.ma.masked_array(V))):
            with pytest.raises(ch.ShapeError, match=r"a masked array is not taken.*filled"):
                f(*given)


class Sums(NamedTuple):
    y: Any
    t: Any
    s: Any


def refuse(call):
    """In the place of NumPy and Python: the door needs neither."""

    def refused(*arguments, **options):
        raise AssertionError("not by the door alone")

    return refused


def door_alone(kernel):
    kernel(A, V), kernel(np.array([A] * 9), V)  # of two codes both are there then
    return kernel._door(Sums, None, refuse)


@pytest.fixture(scope="module")
def alone(kernel):
    return door_alone(kernel)


@pytest.mark.parametrize("lead", [(), (1,), (5,), (2, 3), (1, 1, 1), (17,)])
def test_few_rows_of_the_door_are_those_of_the_ufunc(either, lead):
    rng, alone = np.random.default_rng(1), door_alone(either)
    batch = rng.normal(size=(*lead, 3, 3)), rng.normal(size=(*lead, 3))
    for given in (batch, (batch[0], V), (A, batch[1])):
        for x, y in zip(alone(*given), either.ufunc(*given), strict=True):
            assert type(x) is type(y) and np.array_equal(x, y)


def test_two_codes(monkeypatch):
    """A row has the same bits by either; that for many rows is made only when they come, whatever few rows are."""
    monkeypatch.setattr(host, "LONG_PROGRAM", 0)
    for dtype in ("float64", "float32"):
        kernel = ch.compile(lambda x: [np.sin(x[0]) / x[1], np.exp(x[0]) * x[1] + x[0]], dtype=dtype, x=2)
        x = np.random.default_rng(3).normal(size=(40, 2)).astype(dtype)
        few = [kernel(x[:4]), kernel(x[4:8][:, ::-1][:, ::-1]), kernel(x[8:12].tolist()), kernel(x[12].tolist())]
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            kernel(np.array([1.0, 0.0], dtype))
        made = vars(kernel._functions._ufunc)
        assert "few" in made and "many" not in made
        many = kernel(x)
        assert "many" in made and np.array_equal(many[:13], np.concatenate([*few[:3], few[3][None]]))
        assert all(np.array_equal(kernel(row), y) for row, y in zip(x, many, strict=True))
        assert np.array_equal(kernel(x[:20]), many[:20])
        batches = ch.compile(lambda x: x * x[0] + 1.0, dtype=dtype, x=2)
        assert batches(x).shape == (40, 2) and "few" not in vars(batches._functions._ufunc)


@pytest.mark.parametrize("rows", [(), (20,)])
def test_an_interrupt_while_code_is_made_leaves_none_that_is_freed(monkeypatch, rows):
    monkeypatch.setattr(host, "LONG_PROGRAM", 0)
    kernel, x = ch.compile(lambda x: x * 0.625 + len(rows), x=2), np.ones((*rows, 2))

    def put(words, place, code):
        monkeypatch.setattr(host, "put", ufunc.put)
        ufunc.put(words, place, code)
        raise KeyboardInterrupt

    monkeypatch.setattr(host, "put", put)
    before = set(host._alive)
    with pytest.raises(KeyboardInterrupt):
        kernel(x)
    gc.collect()
    assert len(set(host._alive) - before) == 1  # the words point to it
    assert np.array_equal(kernel(x), 0.625 * x + len(rows))


def test_what_the_door_leaves_to_numpy(kernel, alone):
    """Axes that broadcast, gaps, no rows at all, and so many that they may be for threads."""
    wide = np.arange(18.0).reshape(2, 1, 3, 3)
    for a, v in (
        (wide, np.ones((5, 3))),
        (A[None], np.ones((2, 3))),
        (A.T, V),
        (A, strided(V)),
        (np.ones((0, 3, 3)), V),
        (A, np.ones((20_000, 3))),
        (A.reshape((1,) * 31 + (3, 3)), V),
    ):
        with pytest.raises(AssertionError, match="alone"):
            alone(a, v)
        if a.ndim < 32:
            for x, y in zip(kernel.fast(a, v), kernel.ufunc(a, v), strict=True):
                assert np.array_equal(x, y)


def test_lists_and_none(kernel, alone):
    expected = kernel.ufunc(A, V)
    for given in ((A.tolist(), V), (A, tuple(V.tolist())), (A, None, V), (None, A, V, None), (A.tolist(), V.tolist())):
        for x, y in zip(alone(*given), expected, strict=True):
            assert np.array_equal(x, y)
    number = ch.compile(lambda x, v: v * x, x=(), v=3)
    assert np.array_equal(number._door(tuple, None, refuse)(2.0, V), 2.0 * V)
    for given in ([1, 2, 3], [True, False, True], [1.0, 2.0], [1.0, [2.0]], ["1.0", "2.0", "3.0"], None, "abc"):
        with pytest.raises(AssertionError, match="alone"):
            alone(A, given)
    with pytest.raises(ch.ShapeError, match="v must be real numbers"):
        kernel(A, ["1.0", "2.0", "3.0"])
    for f in (kernel, kernel.fast):
        with pytest.raises(TypeError, match=r"takes 2 arguments \(A, v\), got 3"):
            f(A, V, None)
    with pytest.raises(ch.ShapeError, match="A must be real numbers"):
        kernel._door()(None, V, None)  # the last is left out


@pytest.mark.parametrize("lead", [(), (4,)])
def test_out(kernel, alone, lead):
    a, v = np.broadcast_to(A, (*lead, 3, 3)).copy(), np.broadcast_to(V, (*lead, 3)).copy()
    expected = kernel.ufunc(a, v)
    out = tuple(np.full_like(np.asarray(x), np.nan) for x in expected)
    found = alone(a, v, out=out)
    assert type(found) is Sums and all(x is y for x, y in zip(found, out, strict=True))
    assert all(np.array_equal(x, y) for x, y in zip(out, expected, strict=True))
    inside = (v, out[1], out[2])  # where an input is, which must not be written too early
    shared = (out[0], out[1], out[0].reshape(-1)[: len(v)] if lead else out[0][0:1].reshape(()))
    fixed = out[1].copy()
    fixed.flags.writeable = False
    for others in (inside, shared, (out[0], fixed, out[2]), (out[0], strided(out[1]), out[2]), out[:2], None, out[0]):
        with pytest.raises(AssertionError, match="alone"):
            alone(a, v, out=others)
    assert np.array_equal(kernel(a, v, out=inside).t, expected[1]) and np.array_equal(v, expected[0])
    with pytest.raises(ch.ShapeError, match="out for t is read-only"):
        kernel(a, v, out=(out[0], fixed, out[2]))
    with pytest.raises(ch.ShapeError, match="out for t must have shape"):
        kernel(a, v, out=(out[0], out[0], out[2]))
    for x in (v, strided(v)):  # by the door, by NumPy
        with pytest.raises(TypeError, match="no keyword casting here: inputs in order, and out="):
            kernel.fast(a, x, casting="unsafe")


def test_several_results_are_of_the_kind_asked_for(kernel):
    door = kernel._door(Sums)
    for v in (V, V[None], V.tolist(), strided(V), np.ones((2, 3), np.float32)):  # by the door, by NumPy, by Python
        found = door(A, v)
        assert type(found) is Sums and found._fields == ("y", "t", "s") and len(found) == 3
        assert gc.is_tracked(found) and pickle.loads(pickle.dumps(found)).t.shape == found.t.shape
        with pytest.raises(TypeError, match="unhashable"):
            hash(found)
        assert type(kernel.fast(A, v)) is tuple
    traced = ch.compile(lambda v: door(A, v).t, v=3)
    assert np.array_equal(traced(V), door(A, V).t)


def test_the_last_result_is_left_out_above_its_bound():
    for dtype in ("float64", "float32"):
        near = ch.compile(lambda v: (v, v[0]), dtype=dtype, v=3)._door(tuple, 0.25)
        v = np.array([0.5, 1.0, 2.0], dtype)
        rows = np.array([v, 2.0 * v, 3.0 * v])
        for x in (v, rows, rows[:1]):
            assert np.array_equal(near(x), x)
        for bad in (0.25, 0.0, np.nan):
            rows[1, 0] = v[0] = bad
            for x in (v, rows):
                found, margin = near(x)
                assert np.array_equal(found, x, equal_nan=True) and np.array_equal(margin, x[..., 0], equal_nan=True)


def refused(call, *arguments):
    with pytest.raises((ch.ShapeError, TypeError)):
        call(*arguments)


def test_nothing_is_lost_or_let_go_of_too_often(kernel, alone):
    """Each way through the door many times: counts of references stay, and so does what is allocated."""
    nothing, door = [1.0, 2.0], kernel._door(Sums)
    out = tuple(np.asarray(x) for x in alone(A, V))
    lists = A.tolist(), V.tolist()
    ways = (
        lambda: alone(A, V),
        lambda: alone(A[None], V),
        lambda: alone(A, None, V),
        lambda: alone(*lists),
        lambda: alone(A, V, out=out),
        lambda: door(A.T, V),
        lambda: door(A, V, out=(*out[:2], out[0][:1].reshape(()))),
        lambda: refused(door, lists[0], nothing),
        lambda: refused(door, A, None),
        lambda: refused(door, A),
    )
    held = (A, V, None, nothing, lists, *lists, out, *out, Sums, np.dtype(float), kernel.ufunc)
    for way in ways:
        way()
        gc.collect()
        before, blocks = [sys.getrefcount(x) for x in held], sys.getallocatedblocks()
        for _ in range(300):
            way()
        gc.collect()
        assert sys.getallocatedblocks() - blocks < 100
        for x, count in zip(held, before, strict=True):
            assert abs(sys.getrefcount(x) - count) < 20, x
