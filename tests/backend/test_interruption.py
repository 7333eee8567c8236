"""Signals while compiled code runs: Ctrl-C ends it at once, a handler that returns changes nothing, and nothing is left
half done."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import chasles as ch
from chasles import Kernel, Loop, Program
from chasles.backend import host
from chasles.backend.host import jit, parts
from chasles.backend.host.watch import MAIN, STOPPED, watch
from chasles.backend.schedule import between_looks

SOON, AT_ONCE = 0.05, 0.6  # s: when the signal comes, and how much later its exception at most


class Alarm(Exception):
    """What the handler raises."""


@pytest.fixture(autouse=True)
def threads(monkeypatch):
    monkeypatch.setattr(jit, "EFFORT", 0)
    count = ch.get_num_threads()
    yield
    ch.set_num_threads(count)


@contextlib.contextmanager
def alarm(raises=True):
    """A signal SOON; a list of the times at which its handler ran."""
    times = []

    def handler(*_):
        times.append(time.monotonic())
        if raises:
            raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, SOON)
    try:
        yield times
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def called_off(compute):
    """Whether it was called off by the signal's exception, at once."""
    start = time.monotonic()
    with pytest.raises(Alarm), alarm() as times:
        compute()
    assert len(times) == 1 and times[0] - start >= 0.9 * SOON
    return time.monotonic() - start < SOON + AT_ONCE


def sines(x):
    """A row that takes a while."""
    for _ in range(20):
        x = np.sin(x)
    return x


MANY = 200_000_000  # rows: some seconds


@pytest.fixture(scope="module")
def kernel():
    return ch.compile(sines, x=())


@pytest.mark.parametrize("count", [1, 2])
def test_a_batch_is_called_off(kernel, count):
    ch.set_num_threads(count)
    kernel(np.ones(99))
    rows = np.broadcast_to(1.0, (MANY,))
    out = np.zeros(MANY)
    assert called_off(lambda: kernel(rows, out=out))
    assert out[0] == kernel(1.0) and out[-1] == 0.0
    assert (kernel(np.ones(100_000)) == out[0]).all()


def test_a_batch_of_strided_rows_is_called_off():
    pairs = ch.compile(lambda x: sines(x), x=2)
    pairs(np.ones(2))
    rows = np.broadcast_to(np.ones(4)[::2], (MANY // 2, 2))
    assert called_off(lambda: pairs(rows))


def test_a_batch_in_many_short_pieces_is_called_off():
    """NumPy hands over two rows at a time, none of which takes long; it cannot be kept from handing over the rest."""
    both = ch.compile(lambda x, y: sines(x) + y, x=2, y=2)
    both(np.ones(2), np.ones(2))
    x, y, out = np.broadcast_to(1.0, (4_000_000, 1, 2)), np.ones((1, 2, 2)), np.zeros((4_000_000, 2, 2))
    assert called_off(lambda: both(x, y, out=out)) and (out[-1] == 0.0).all()


FOREVER = 2**31 - 1


def test_a_loop_of_one_row_is_called_off():
    """One that a driver runs, and one that is part of a program."""
    program = ch.compile(lambda x: ch.loop(lambda x: np.sin(x) + 1.0, x, count=FOREVER) + 1.0, x=2)
    assert isinstance(program.program, Program)
    for compute in (program, Kernel(program.program.loops[0], "loop")):
        compute.fast  # noqa: B018  # compiled before
        assert called_off(lambda compute=compute: compute(np.ones(2)))


def test_a_loop_in_a_loop_is_called_off():
    def outer(x):
        return ch.loop(lambda x: ch.loop(lambda x: np.sin(x) + 1.0, x, count=50) * 0.5, x, count=FOREVER)

    kernel = ch.compile(outer, x=2)
    kernel.fast  # noqa: B018
    assert called_off(lambda: kernel(np.ones(2)))


@pytest.mark.parametrize("count", [1, 2])
def test_a_batch_of_loops_is_called_off(count):
    ch.set_num_threads(count)
    step = ch.compile(lambda x: {"x": np.sin(x) + 1.0}, x=2).program
    assert isinstance(step, Program)
    kernel = Kernel(Loop(step, ("x",), 1_000_000), "loop")
    kernel.fast  # noqa: B018
    assert called_off(lambda: kernel(np.ones((5_000, 2))))


def test_inverse_kinematics_is_called_off(rng):
    robot = ch.load("ur5")
    T = robot.forward_kinematics(rng.normal(size=6)) @ np.diag([1.0, 1.0, 1.0, 1.0])
    T[0, 3] += 5.0  # out of reach
    robot.inverse_kinematics(T, attempts=2)
    assert called_off(lambda: robot.inverse_kinematics(np.broadcast_to(T, (100_000, 4, 4)), attempts=100))


def test_a_handler_that_returns_changes_nothing(kernel):
    """It runs while the batch does, and the batch goes on."""
    rows = 1_000_000
    while True:
        start = time.monotonic()
        with alarm(raises=False) as times:
            y = kernel(np.broadcast_to(1.0, (rows,)))
            end = time.monotonic()
        if end - start > 0.3:
            break
        rows *= 3
    assert len(times) == 1 and times[0] < end - 0.1
    assert (y == y[0]).all() and y[0] == kernel(1.0)


def test_only_the_main_thread_is_called_off(kernel):
    """While the flag is set, between an exception and its raising, batches of other threads go on and are whole."""
    rows, step = np.ones(100_000), ch.compile(lambda x: {"x": np.sin(x) + 1.0}, x=2).program
    assert isinstance(step, Program)
    loop = Kernel(Loop(step, ("x",), 10_000), "loop")
    one, all_steps = kernel(1.0), loop(np.ones((3, 2)))
    found, out = [], [np.zeros(100_000), np.zeros((3, 2))]
    other = threading.Thread(target=lambda: found.extend([kernel(rows), loop(np.ones((3, 2)))]))
    watch[STOPPED] = 1
    try:
        other.start()
        other.join()
        kernel(rows, out=out[0])
        loop(np.ones((3, 2)), out=out[1])
    finally:
        watch[STOPPED] = 0
    assert (found[0] == one).all() and np.array_equal(found[1], all_steps)
    assert not out[0].any() and not out[1].any()


def test_flags_of_what_was_called_off_are_no_warning():
    """The rows that were done have raised them; nobody sees these rows."""
    roots = ch.compile(lambda x: np.sqrt(sines(x) - 2.0), x=())
    with np.errstate(invalid="raise"):
        with pytest.raises(FloatingPointError):
            roots(1.0)
        seen = []
        with pytest.raises(Alarm), alarm():
            try:
                roots(np.broadcast_to(1.0, (MANY,)))
            except FloatingPointError as error:
                seen.append(error)
    assert not seen


def test_steps_between_two_looks():
    assert [between_looks(cost) for cost in (0.0, 1.0, 100.0, 40_000.0, 1e9)] == [4096, 4096, 512, 2, 1]


def test_a_compile_is_left_and_ends_by_itself(tmp_path, monkeypatch):
    """At once; with its part the thread ends, nothing is stored, and the kernel can be made later."""
    monkeypatch.setenv("CHASLES_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(parts, "PART", 1000)
    kernel = ch.load("planar_2r").kernel("riemann_curvature")
    expected = kernel(np.ones(2))
    monkeypatch.setattr(host, "_alive", {})
    for path in tmp_path.iterdir():
        path.unlink()
    made, compile_part = [], jit._object

    def slow(*given):
        made.append(1)
        for _ in range(6):
            time.sleep(0.05)
        return compile_part(*given)

    monkeypatch.setattr(jit, "_object", slow)
    again = Kernel(kernel.program, "again")
    assert called_off(lambda: again(np.ones(2)))
    (left,) = [thread for thread in threading.enumerate() if thread.name == "chasles-compile"]
    left.join(5.0)
    assert len(made) == 1 and not left.is_alive() and not [*tmp_path.iterdir()]
    monkeypatch.setattr(jit, "_object", compile_part)
    assert np.array_equal(again(np.ones(2)), expected)


def test_parts_of_a_module_are_the_same_code(monkeypatch, rng):
    """In one object file or several; what is wrong with one is said."""
    robot = ch.load("planar_3r")
    q = rng.normal(size=(20, 3))
    expected = robot.riemann_curvature(q)
    monkeypatch.setenv("CHASLES_CACHE_DIR", "")
    monkeypatch.setattr(parts, "PART", 1000)
    monkeypatch.setattr(host, "_alive", {})
    ir = robot.kernel("riemann_curvature").source
    assert len(parts.split(ir)) > 1 and parts.unpack(parts.pack([b"a", b"", b"bc"])) == [b"a", b"", b"bc"]
    assert np.array_equal(Kernel(robot.kernel("riemann_curvature").program, "again")(q), expected)
    looped = ch.compile(lambda x: ch.loop(lambda x: ch.loop(lambda x: np.sin(x), x, count=3), x, count=5), x=2)
    assert len(parts.split(looped.source)) > 2
    assert np.array_equal(looped([0.1, 0.2]), [sines_of(0.1), sines_of(0.2)])
    with pytest.raises(ch.CompileError, match="not valid"):
        jit._left_behind(["define nonsense", "define nonsense"])


def sines_of(x):
    one = ch.compile(lambda x: np.sin(x), x=())
    for _ in range(15):
        x = one(x)
    return x


CTRL_C = """
import os, signal, sys, threading, time
import numpy as np
import chasles as ch
kernel = ch.compile(lambda x: ch.loop(lambda x: np.sin(x) + 1.0, x, count=2**31 - 1), x=2)
kernel.fast
print("ready", flush=True)
kernel(np.ones(2))
"""


@pytest.mark.slow
def test_ctrl_c_ends_a_script():
    process = subprocess.Popen(
        [sys.executable, "-c", CTRL_C], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, said = process.communicate(timeout=20)
    assert time.monotonic() - start < 1.0 and said.strip().endswith("KeyboardInterrupt")
    assert process.returncode in (1, 130, -signal.SIGINT)


def test_a_child_knows_its_main_thread():
    """Forked by another thread, that one is the child's main thread."""
    found = []

    def fork():
        child = os.fork()
        if child == 0:
            os._exit(watch[MAIN] == threading.get_ident())
        found.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    thread = threading.Thread(target=fork)
    thread.start()
    thread.join()
    assert found == [1] and watch[MAIN] == threading.main_thread().ident
