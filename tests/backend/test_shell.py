"""The door for single calls looks at all of its arguments: type, axes, sizes, strides and order."""

import numpy as np
import pytest

import chasles as ch

A = np.arange(1.0, 10.0).reshape(3, 3)
V = np.array([0.5, -1.5, 2.5])


@pytest.fixture(scope="module")
def kernel():
    return ch.compile(lambda A, v: {"y": A @ v, "t": A.T + v, "s": v[0] * 2.0}, A=(3, 3), v=3)


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


def test_one_row_of_any_layout(kernel):
    for a in (A, A.T, A[::-1], A[:, ::-1], np.asfortranarray(A), strided(A), strided(A, 3)):
        for v in (V, V[::-1], strided(V)):
            check(kernel, a, v)


@pytest.mark.parametrize("rows", [1, 2, 64, 65, 150])
def test_batches_with_gaps_in_one_axis(kernel, rows):
    """Rows that are contiguous but apart, lines that are apart in their rows, elements apart in their lines."""
    A = np.arange(9.0 * rows).reshape(rows, 3, 3)
    v = np.arange(3.0 * rows).reshape(rows, 3)
    padded = np.full((rows, 4, 5), np.nan)
    for part in ((slice(None), slice(0, 3), slice(0, 3)), (slice(None), slice(1, 4), slice(2, 5))):
        padded[part] = A
        check(kernel, padded[part], v)
    rows_apart = np.full((2 * rows, 3, 3), np.nan)
    rows_apart[::2] = A
    check(kernel, rows_apart[::2], v[::-1])
    check(kernel, A.swapaxes(-1, -2), strided(v))


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
