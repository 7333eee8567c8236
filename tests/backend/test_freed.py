"""Kernels are freed with the last function that uses them, and not before: by whatever name it is held."""

import gc
import os
import pickle
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import chasles as ch
from chasles.backend import host as cpu
from chasles.backend.host import jit
from chasles.graph.array import traced
from chasles.graph.node import Graph

pytestmark = pytest.mark.usefixtures("little_effort")

TIMEOUT = 240.0


@pytest.fixture
def freed(monkeypatch):
    """A list that is told of all code that is freed."""
    ended, close = [], jit._Engine.__del__

    def watched(self, *rest):
        ended.append(id(self))
        close(self, *rest)

    monkeypatch.setattr(jit._Engine, "__del__", watched)
    return ended


@pytest.fixture
def without_gc():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def own(factor):
    """A kernel that no other test has."""
    return ch.compile(lambda x: np.sin(x) * (1000.0 + factor) + x[0], x=2)


def expected(factor, x):
    return np.sin(x) * (1000.0 + factor) + x[..., :1]


X = np.array([0.3, -0.8])
ROWS = np.linspace(-1.0, 1.0, 34).reshape(17, 2)


@pytest.mark.usefixtures("without_gc")
@pytest.mark.parametrize("use", ["call", "fast", "ufunc", "error", "traced", "list"])
def test_a_kernel_dies_with_its_name(freed, use):
    """No cycles: nothing waits for the garbage collector, whatever was done with it."""
    kernel = own(1.0)
    if use == "error":
        with pytest.raises(ch.ShapeError):
            kernel(np.zeros(5))
    elif use == "traced":
        kernel(X)
        kernel.fast(_traced())
    elif use == "list":
        kernel(X.tolist())
    else:
        {"call": kernel, "fast": kernel.fast, "ufunc": kernel.ufunc}[use](X)
    watched = weakref.ref(kernel)
    assert not freed
    del kernel
    assert watched() is None
    assert len(freed) == 1


def _traced():
    graph, x = Graph(), np.empty(2, object)
    x[:] = [graph.input(0, 0), graph.input(0, 1)]
    return traced(x)


@pytest.mark.usefixtures("without_gc")
@pytest.mark.parametrize("door", ["ufunc", "fast", "call", "bound"])
def test_any_door_alone_keeps_the_code(freed, door):
    kernel = own(2.0)
    held = {"ufunc": kernel.ufunc, "fast": kernel.fast, "call": kernel.call, "bound": kernel.__call__}[door]
    del kernel
    gc.collect()
    _churn()
    before = len(freed)
    np.testing.assert_allclose(held(X), expected(2.0, X), rtol=1e-14)
    np.testing.assert_allclose(held(ROWS), expected(2.0, ROWS), rtol=1e-14)
    np.testing.assert_allclose(held(X.tolist()), expected(2.0, X), rtol=1e-14)
    if door != "ufunc":
        with pytest.raises(ch.ShapeError, match="x must have shape"):
            held(np.zeros(5))
    del held
    assert len(freed) == before + 1


def _churn():
    """Others take the memory that was free."""
    for k in range(5):
        own(50.0 + k)(X)


@pytest.mark.usefixtures("without_gc")
def test_methods_of_a_robot_that_is_gone(freed):
    robot = ch.load("planar_2r")
    robot.mass_matrix(X)
    kernel, ufunc, fast = robot.kernel("mass_matrix"), robot.kernel("mass_matrix").ufunc, robot.mass_matrix
    M = kernel(X)
    watched = weakref.ref(robot)
    del robot, fast
    assert watched() is None
    _churn()
    assert np.array_equal(kernel(X), M) and np.array_equal(ufunc(ROWS)[0], ufunc(ROWS[0]))
    count = len(freed)
    del kernel
    assert len(freed) == count
    assert np.array_equal(ufunc(X), M)
    del ufunc
    assert len(freed) == count + 1


@pytest.mark.usefixtures("without_gc")
def test_symbolic_robots_searches_and_loops_are_freed(freed):
    robot = ch.load("planar_2r").with_gravity([0.0, -ch.symbols("g"), 0.0])
    robot.gravity_forces(X, g=9.81)
    robot.inverse_dynamics(X, X, X, g=np.array([9.81, 1.62]))
    robot.kernel("inverse_dynamics").jacobian("g")(X, X, X, 9.81)
    searched = ch.load("planar_2r")
    searched.inverse_kinematics(np.eye(4), rows="tx ty", attempts=2)
    looped = ch.compile(lambda a: ch.loop(lambda x: 0.5 * (x + a / x), 1.0, count=9), a=())
    looped.gradient("a")(2.0), looped(2.0)
    watched = [weakref.ref(x) for x in (robot, looped, searched)]
    count = len(freed)
    del robot, looped
    assert [w() for w in watched[:2]] == [None, None]
    assert len(freed) >= count + 3
    del searched
    gc.collect()  # a robot and the problems it remembers hold each other
    assert watched[2]() is None
    assert len(freed) >= count + 4


def test_equal_kernels_share_code(freed):
    one, two = own(3.0), own(3.0)
    one(X), two(ROWS)
    words = {id(code) for code in cpu._alive.values()}
    three = own(3.0)
    three(X)
    assert {id(code) for code in cpu._alive.values()} == words
    count = len(freed)
    del one, three
    assert len(freed) == count
    np.testing.assert_allclose(two(X), expected(3.0, X), rtol=1e-14)
    del two
    assert len(freed) == count + 1
    np.testing.assert_allclose(own(3.0)(X), expected(3.0, X), rtol=1e-14)  # and it is made anew


def test_errors_do_not_keep_them(freed):
    gc.collect()
    kernel = own(4.0)
    kernel(X)
    count = len(freed)
    with pytest.raises(ch.ShapeError) as caught:
        kernel(np.zeros((3, 7)))
    del kernel
    assert "x must have shape" in str(caught.value)
    del caught
    gc.collect()
    assert len(freed) == count + 1


def test_results_outlive_them():
    kernel = ch.load("planar_2r").kernel(["mass_matrix", "bias_forces"])
    single, batch = kernel(X, X), kernel(ROWS, ROWS)
    copies = [np.array(y) for y in (*single, *batch)]
    del kernel
    gc.collect()
    _churn()
    assert all(np.array_equal(a, b) for a, b in zip((*single, *batch), copies, strict=True))


def test_one_thread_calls_while_another_drops():
    stop, failures = threading.Event(), []
    shared = [own(5.0)]

    def call():
        while not stop.is_set():
            kernel = shared[0]
            for x in (X, ROWS):
                if not np.allclose(kernel(x), expected(5.0, x), rtol=1e-13):
                    failures.append("wrong")
            del kernel

    def drop():
        for k in range(25):
            shared[0] = own(5.0)
            own(60.0 + k % 3)(X)
            gc.collect(0)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for t in threads:
        t.start()
    drop()
    stop.set()
    for t in threads:
        t.join(TIMEOUT)
    assert not failures and not any(t.is_alive() for t in threads)


def test_the_last_name_goes_in_another_thread(freed):
    kernel = [own(6.0)]
    kernel[0](X)
    count = len(freed)
    thread = threading.Thread(target=kernel.clear)
    thread.start()
    thread.join(TIMEOUT)
    assert len(freed) == count + 1


def test_pickles_and_copies_live_on_their_own(freed):
    kernel = own(7.0)
    kernel(X)
    copy = pickle.loads(pickle.dumps(kernel))
    assert not copy.compiled
    del kernel
    np.testing.assert_allclose(copy(ROWS), expected(7.0, ROWS), rtol=1e-14)
    robot = pickle.loads(pickle.dumps(ch.load("planar_2r")))
    assert robot.mass_matrix(X).shape == (2, 2)


# Whole processes

FLAT = """
import gc, os, sys
import numpy as np
import chasles as ch
from support.loops import planar

def maps():
    with open("/proc/self/maps") as file:
        return sum(1 for _ in file)

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

count, q, g = int(sys.argv[1]), np.array([0.3]), ch.symbols("g")
for k in range(count):
    if k == count // 3:
        before = maps(), resident()
    robot = planar([(0.0, 0.0)], [(1.0 + 0.001 * k,)], [(1.0,)], gravity=(0.0, -g if k % 10 == 0 else -9.81, 0.0))
    given = {"g": 9.81} if robot.symbols else {}
    robot.inverse_dynamics(q, q, q, **given)
    robot.inverse_dynamics(np.ones((9, 1)), q, q, **given)
    if k % 5 == 0:
        ch.loop(lambda x: 0.5 * (x + 2.0 / x), 1.0, count=3)
        ch.compile(lambda a: ch.loop(lambda x: 0.5 * (x + (2.0 + k) / x), a, count=3), a=())(1.0)
after = maps(), resident()
print(*before, *after)
"""

ENDING = """
import sys, threading
import numpy as np
import chasles as ch

robot, kernel = ch.load("planar_2r"), ch.compile(lambda x: np.sin(x) * 1.25, x=2)
x = np.ones(2)
robot.inverse_dynamics(x, x, x), kernel(x)
held, ufunc, fast = [robot, kernel], kernel.ufunc, kernel.fast

class Late:
    def __del__(self, kernel=kernel, x=x):
        kernel(x), kernel.fast(x)

held.append(held)  # a cycle, freed last
held.append(Late())
sys.modules["keeps"] = held
late = Late()
if len(sys.argv) > 1:
    thread = threading.Thread(target=lambda: [kernel(x) for _ in range(10**9)], daemon=True)
    thread.start()
"""

FORK = """
import gc, os, sys
import numpy as np
import chasles as ch

x = np.ones(2)
kernel = ch.compile(lambda x: np.sin(x) * 1.25, x=2)
y, ufunc = kernel(x), kernel.ufunc
for trial in range(5):
    child = os.fork()
    if child == 0:
        del kernel  # freed here, alive there
        gc.collect()
        good = (ufunc(x) == y).all() and ch.compile(lambda x: np.cos(x) * trial, x=2)(x).shape == (2,)
        del ufunc
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (kernel(x) == y).all()
print("good")
"""


def script(text, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments],
        env=os.environ | {"CHASLES_CACHE_DIR": "", "PYTHONPATH": os.pathsep.join([*sys.path, str(TESTS)])},
        timeout=TIMEOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


TESTS = Path(__file__).parents[1]
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@on_linux
@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_robots_made_used_and_dropped(count):
    """Memory and maps stay flat."""
    maps, memory, maps_after, memory_after = map(int, script(FLAT, str(count)).split())
    assert maps_after <= maps + 4
    assert memory_after <= memory + 1_500_000 + 0.01 * memory


@pytest.mark.slow
def test_the_interpreter_ends_with_kernels_alive():
    for _ in range(3):
        script(ENDING)
    script(ENDING, "with a thread that calls")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_frees_its_own():
    assert script(FORK).strip() == "good"
