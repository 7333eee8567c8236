"""The loop of a search: a step is Newton's for a root of x^2 = c, the attempts begin at different places."""

import pickle

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.backend.host import jit
from chasles.backend.host.loop_driver import driver
from chasles.backend.llvm.target import AARCH64
from chasles.errors import TraceError
from chasles.function.kernel import Kernel
from chasles.graph.program import Loop, Operand, Restart
from chasles.graph.trace import trace
from chasles.scalar.ops import less, less_equal, where


def roots(wanted=0.0, steps=30.0):
    """x with x^2 = c. Attempt k begins at start + k; only attempts from number `wanted` on may find anything."""
    memory, place = Operand("memory", (1,)), Operand("x", (2,))
    inputs = (Operand("attempt", ()), memory, place, Operand("c", ()))

    def step(attempt, taken, x, c):
        (attempt,), (taken,), (x, spare), (c,) = attempt, taken, x, c
        x = where(less(taken, 0.5), x + attempt, x)
        off = x * x - c
        size = where(less(off, 0.0), -off, off)
        done = where(less_equal(size, 1e-12), where(less(attempt, wanted), 2.0, 1.0), 0.0)
        status = where(less(0.5, done), done, where(less(taken + 1.5, steps), 0.0, 2.0))
        status = where(less_equal(-1e300, c), status, 3.0)
        after = where(less(status, 0.5), x - off / (2.0 * x), x)
        return [
            (Operand("status", ()), [status]),
            (Operand("score", ()), [size]),
            (memory, [taken + 1.0]),
            (place, [after, where(less(attempt, 0.5), spare, attempt)]),
        ]

    restart = Restart("attempt", "score")
    return Loop(trace(inputs, step), ("memory", "x"), None, ("c",), until="status", restart=restart)


def kernel(**options):
    search = Kernel(roots(**options), "roots")
    return lambda c, start, attempts: search(np.zeros(1), start, c, attempts)


def test_every_row_is_found():
    c = np.linspace(0.1, 100.0, 777)
    _, x, status, score = kernel()(c, np.ones(2), 5.0)
    assert (status == 1.0).all()
    assert close(x[:, 0], np.sqrt(c))
    assert (x[:, 1] == 1.0).all()  # what the step does not touch
    assert (score <= 1e-12).all()


@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 64])
def test_the_first_attempt_that_finds_something_counts(rows):
    """Also where a later one, in another lane, is done before it: attempt 3 begins at the root, the first far away."""
    c = np.full(rows, 16.0)
    _, x, status, _ = kernel()(c, np.array([1e6, 0.0]), 100.0)
    assert (x[:, 1] == 0.0).all()
    _, x, status, _ = kernel(wanted=5.0)(c, np.array([1.0, 0.0]), 100.0)
    assert (x[:, 1] == 5.0).all()
    assert (status == 1.0).all()


def test_where_nothing_is_found_the_nearest_counts():
    _, x, status, score = kernel(wanted=1e9, steps=3.0)(np.full(5, 16.0), np.array([1.0, 0.0]), 4.0)
    assert (status == 2.0).all()
    assert close(x[:, 0], np.full(5, 4.0))
    assert (x[:, 1] == 3.0).all()  # of 1, 2, 3 and 4 the last begins at the root
    assert (score == 0.0).all()


def test_attempts_are_counted():
    """Attempt 6 is the first that may succeed: six attempts are one too few."""
    c = np.full(20, 9.0)
    for attempts, expected in ((6.0, 2.0), (7.0, 1.0)):
        assert (kernel(wanted=6.0)(c, np.array([1.0, 0.0]), attempts).status == expected).all()


def test_a_hopeless_row_ends_at_once_and_raises_no_flag():
    c = np.array([4.0, np.nan, 9.0, np.nan])
    with np.errstate(all="raise"):
        _, x, status, _ = kernel()(c, np.array([1.0, 0.0]), 1e6)
    assert list(status) == [1.0, 3.0, 1.0, 3.0]
    assert close(x[[0, 2], 0], [2.0, 3.0])


def test_rows_do_not_depend_on_their_neighbours_or_threads():
    c = np.random.default_rng(0).uniform(0.1, 1e4, 5000)
    start = np.array([3.0, 0.0])
    search = kernel(wanted=2.0)
    together = search(c, start, 9.0)
    threads = ch.get_num_threads()
    try:
        ch.set_num_threads(2)
        split = search(np.tile(c, 60), start, 9.0)
    finally:
        ch.set_num_threads(threads)
    for a, b in zip(together, split, strict=True):
        assert np.array_equal(np.concatenate([a] * 60), b)
    alone = [search(value, start, 9.0).x for value in c[:20]]
    assert np.array_equal(alone, together.x[:20])


def test_strided_and_broadcast_operands():
    c = np.linspace(1.0, 9.0, 40)
    starts = np.ones((40, 4))[:, ::2]
    x = kernel()(c[::-2], starts[:20], 3.0).x
    assert close(x[:, 0], np.sqrt(c[::-2]))
    x = kernel()(c[:, None], np.ones((3, 2)), np.array([1.0, 2.0, 3.0])).x
    assert x.shape == (40, 3, 2)


def test_it_pickles_is_not_traced_and_not_differentiated():
    search = pickle.loads(pickle.dumps(Kernel(roots(), "roots")))
    assert close(search(np.zeros(1), np.ones(2), 4.0, 1.0).x[0], 2.0)
    for ask in (search.jacobian, search.gradient, search.hessian):
        with pytest.raises(TraceError, match="not differentiated"):
            ask("c")
    with pytest.raises(TraceError, match="not traced"):
        ch.compile(lambda c: search(np.zeros(1), np.ones(2), c, 1.0).x, c=())
    with pytest.raises(ch.ShapeError, match="x must have shape"):
        search(np.zeros(1), np.ones(3), 1.0, 1.0)


def test_other_machines():
    code = jit.compile_object(driver(AARCH64), AARCH64, True)
    assert code[:4] == b"\x7fELF" and int.from_bytes(code[18:20], "little") == 183  # EM_AARCH64
