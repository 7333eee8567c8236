"""Kernels under threads, fork and spawn: the same bits, no deadlock, and the interpreter free meanwhile."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.kernels import everything_kernel, same, states
from support.sweeps import sweep

import chasles as ch
from chasles.backend import host

pytestmark = pytest.mark.usefixtures("little_effort")

TIMEOUT = 120.0

CASES = [
    (name, function, dtype)
    for name in ("planar_2r", "scara", "planar_3r")
    for function in ("inverse_dynamics", "mass_matrix", "forward_kinematics")
    for dtype in ("float64", "float32")
]


def compute(case, robot=None):
    name, function, dtype = case
    kernel = (robot or ch.load(name)).kernel(function, dtype=dtype)
    return kernel(*states(kernel, 33))


@pytest.mark.parametrize("shared", sweep([False, True], [True]), ids=["own robots", "shared robots"])
def test_eight_threads_compile_and_call_at_once(monkeypatch, shared):
    monkeypatch.setenv("CHASLES_CACHE_DIR", "")
    expected = [compute(case) for case in CASES]
    monkeypatch.setattr(host, "_alive", {})
    robots = {name: ch.load(name) for name in {case[0] for case in CASES}} if shared else {}
    barrier = threading.Barrier(8, timeout=TIMEOUT)

    def work(seed):
        barrier.wait()
        for k in np.random.default_rng(seed).permutation(len(CASES)):
            for _ in range(3):
                assert same(compute(CASES[k], robots.get(CASES[k][0])), expected[k])
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8), timeout=TIMEOUT))
    assert len(host._alive) == len(CASES)


def test_threads_call_one_kernel_at_once():
    """With batches that are split over threads, and single rows."""
    count = ch.get_num_threads()
    ch.set_num_threads(3)
    kernel = everything_kernel()
    x = states(kernel, 20_000)
    expected = tuple(kernel(*x))

    def work(k):
        for row in range(50):
            single = kernel(*[np.array(a[row * 8 + k]) for a in x])
            assert same(tuple(single), tuple(y[row * 8 + k] for y in expected))
        return same(tuple(kernel(*x)), expected)

    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(8), timeout=TIMEOUT))
    finally:
        ch.set_num_threads(count)


@pytest.mark.slow
def test_the_interpreter_is_free_while_a_batch_runs():
    count = ch.get_num_threads()
    ch.set_num_threads(1)

    def heavy(x):
        for _ in range(60):
            x = np.exp(np.sin(x) - np.cos(x + 1.0))
        return x

    kernel = ch.compile(heavy, x=4)
    x = np.random.default_rng(0).normal(size=(20_000, 4))
    kernel(x[:8])
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        start = time.perf_counter()
        kernel(x)
        end = time.perf_counter()
    finally:
        stop.set()
        thread.join()
        ch.set_num_threads(count)
    assert end - start > 0.02
    assert sum(start + 0.002 < t < end - 0.002 for t in ticks) >= 5


FORK = """
import os, signal, sys, threading, time, warnings
import numpy as np
import chasles as ch

warnings.simplefilter("ignore")  # of forking beside threads, which is the point
ch.set_num_threads(2)
X = np.linspace(-1.0, 1.0, 60).reshape(20, 3)

def make(k):
    y = ch.compile(lambda x: np.sin(x * k) + x[0] * np.sqrt(k + x @ x), x=3)(X)
    return np.abs(y - (np.sin(X * k) + X[:, :1] * np.sqrt(k + (X * X).sum(1))[:, None])).max() < 1e-12

assert make(1.0)  # and what is imported when first used is: Python's import locks do not survive a fork
robot = ch.load("planar_3r")
before = robot.inverse_dynamics(X, X, X)
large = np.tile(X, (50_000, 1))
after = robot.inverse_dynamics(large, large, large)
stop = threading.Event()

def busy(seed):
    n = 0
    while not stop.is_set():
        assert make(seed + n * 0.001)
        n += 1

threads = [threading.Thread(target=busy, args=(2.0 + k,), daemon=True) for k in range(3)]
for t in threads:
    t.start()
deadline = time.time() + 90.0
for trial in range(12):
    time.sleep(0.013 * trial)
    child = os.fork()
    if child == 0:
        good = make(100.0 + trial) and (robot.inverse_dynamics(X, X, X) == before).all()
        good = good and (robot.inverse_dynamics(large, large, large) == after).all()
        os._exit(0 if good else 1)
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.time() > deadline:
            os.kill(child, signal.SIGKILL)
            sys.exit(f"child {trial} hangs")
        time.sleep(0.002)
    if status:
        sys.exit(f"child {trial} ended with {status}")
stop.set()
for t in threads:
    t.join()
print("good")
"""

POOL = """
import multiprocessing, pickle, sys
import numpy as np
import chasles as ch

X = np.linspace(-1.0, 1.0, 60).reshape(20, 3)

def work(job):
    robot, kernel, k = job
    return robot.mass_matrix(X + k), kernel(X + k), ch.compile(lambda x: np.cos(x) * k, x=3)(X)

if __name__ == "__main__":
    robot = ch.load("planar_3r")
    kernel = ch.compile(lambda x: np.sin(x), x=3)
    jobs = [(robot, kernel, k) for k in range(6)]
    expected = [work(job) for job in jobs]
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        found = pool.map_async(work, jobs, 1).get(timeout=90)
    assert all((a == b).all() for f, e in zip(found, expected, strict=True) for a, b in zip(f, e, strict=True))
    print("good")
"""


def run(path, script, *arguments, **environment):
    path.write_text(script)
    done = subprocess.run(
        [sys.executable, str(path), *arguments],
        env={**os.environ, **environment},
        timeout=TIMEOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stdout.strip() == "good", done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_while_other_threads_compile(tmp_path):
    """A child can compile and call, whatever the parent's threads were doing."""
    run(tmp_path / "forking.py", FORK, CHASLES_CACHE_DIR="")


@pytest.mark.parametrize("method", sweep(["fork", "spawn", "forkserver"], ["fork"]))
def test_multiprocessing(tmp_path, method):
    run(tmp_path / "pool.py", POOL, method)
