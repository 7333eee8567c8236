"""Symbols: expressions of numbers that are given later, their names, texts and order."""

import copy
import gc
import inspect
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from support.symbolic import one_joint
from support.tolerances import close

import chasles as ch
from chasles.catalogue.entry import INPUTS
from chasles.graph.symbol import SYMBOLS
from chasles.robot.symbolic import FORWARDED
from chasles.symbol import OPTIONS


def test_symbols_are_the_same_by_name_and_fold():
    m1, l1 = ch.symbols("m1, l1")
    assert ch.symbols("m1") is m1
    assert m1 * l1 is l1 * m1
    assert m1 - m1 == 0.0 and m1 * 0.0 == 0.0 and m1 * 1.0 is m1
    assert ch.symbols(["m1"]) is m1
    assert np.cos(-m1) is np.cos(m1)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda m, l: m * l**2 / 12, "m1*l1**2/12"),
        (lambda m, l: l / m - 3 * m, "l1/m1 - 3*m1"),
        (lambda m, l: (m + 1) * (l - 2), "(m1 + 1)*(l1 - 2)"),
        (lambda m, l: -(m + l), "-(m1 + l1)"),
        (lambda m, l: 1 / m, "1/m1"),
        (lambda m, l: np.sin(m * l) + np.sqrt(l), "sin(m1*l1) + sqrt(l1)"),
        (lambda m, l: 0.3 * m**3, "3*m1**3/10"),
        (lambda m, l: m / (l * (m + l)), "m1/(l1*(m1 + l1))"),
        (lambda m, l: m - (l - 1.5), "m1 - (l1 - 1.5)"),
        (lambda m, l: np.pi * m, "3.141592653589793*m1"),
    ],
)
def test_they_print_as_they_are_written(make, text):
    found = make(*ch.symbols("m1 l1"))
    assert repr(found) == text


def test_arrays_of_symbols():
    p = ch.symbols("p", shape=(2, 3))
    assert p.shape == (2, 3)
    assert repr(p[1, 2] * 2) == "2*p[1, 2]"
    assert ch.symbols("p", shape=10)[3] is ch.symbols("p", shape=(10,))[3]


def test_long_expressions_print_shortened():
    m = ch.symbols("m1")
    for k in range(3000):
        m = np.sin(m) + float(k)
    assert len(repr(m)) < 1000


def test_they_pickle_and_copy():
    m1, l1 = ch.symbols("m1 l1")
    for x in (m1, m1 * l1**2 / 12, np.sin(m1) / (l1 - 2.5), np.where):
        assert pickle.loads(pickle.dumps(x)) is x
        assert copy.deepcopy(x) is x and copy.copy(x) is x
    p = ch.symbols("p", shape=(3,))
    assert all(a is b for a, b in zip(pickle.loads(pickle.dumps(p)), p, strict=True))


def test_expressions_that_nobody_keeps_are_gone():
    m1, l1 = ch.symbols("m1 l1")
    for k in range(100):
        m1 * float(k + 2) + l1
    gc.collect()
    before = len(SYMBOLS.table)
    for k in range(10_000):
        m1 * float(k + 2) + l1
    gc.collect()
    assert len(SYMBOLS.table) <= before


@pytest.mark.parametrize("name", ["q", "qd", "tau", "tool_wrench", "frame", "parameters", "1a", "a-b", "lambda", ""])
def test_names_that_cannot_be_given_by_keyword_are_refused(name):
    with pytest.raises(ch.ModelError, match=f"{name!r}" if name else "at least one"):
        ch.symbols(name)


def test_reserved_names_are_those_of_all_methods():
    for name in FORWARDED:
        assert set(inspect.signature(getattr(ch.Robot, name)).parameters) <= {*INPUTS, *OPTIONS}, name


def test_bits_do_not_tell_what_else_is_alive():
    a, b, c, d = ch.symbols("ha hb hc hd")
    rng = np.random.default_rng(0)
    values = dict(zip(("ha", "hb", "hc", "hd"), rng.uniform(0.5, 2.0, (4, 1000)), strict=True))
    first = one_joint(a * b + c * d).kernel("mass_matrix")
    gc.collect()
    keep = c * d, d * c + b
    again = one_joint(c * d + b * a).kernel("mass_matrix")
    assert keep and again.program == first.program
    assert np.array_equal(again([0.0], **values), first([0.0], **values))


_ELSEWHERE = """
import pickle, sys
import numpy as np
import chasles as ch
keep = ch.symbols("pd pc pb pa")
more = keep[0] * keep[1]
robot, program, values, expected = pickle.load(sys.stdin.buffer)
assert robot.symbols == ("pa", "pb", "pc", "pd"), robot.symbols
kernel = robot.kernel("mass_matrix")
assert kernel.program == program
assert np.array_equal(kernel([0.0], *values), expected)
"""


def test_the_order_of_symbols_is_the_same_in_other_processes():
    a, b, c, d = ch.symbols("pa pb pc pd")
    robot = one_joint(a * b + c * d)
    assert robot.symbols == ("pa", "pb", "pc", "pd")
    values = list(np.random.default_rng(1).uniform(0.5, 2.0, (4, 100)))
    kernel = robot.kernel("mass_matrix")
    sent = pickle.dumps((robot, kernel.program, values, kernel([0.0], *values)))
    done = subprocess.run([sys.executable, "-c", _ELSEWHERE], input=sent, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


_FORKS = """
import os, signal, threading, time
import chasles as ch
stop, s = threading.Event(), ch.symbols("s")
ch.symbols("t")
def make():
    while not stop.is_set():
        y = s
        for _ in range(50):
            y = y * s + 1.0
for _ in range(3):
    threading.Thread(target=make, daemon=True).start()
for _ in range(60):
    pid = os.fork()
    if not pid:
        ch.symbols("t") * 3.0
        os._exit(0)
    end = time.monotonic() + 20.0
    while not os.waitpid(pid, os.WNOHANG)[0]:
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            raise SystemExit("a child hangs")
        time.sleep(0.001)
stop.set()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forks_while_symbols_are_made():
    done = subprocess.run([sys.executable, "-c", _FORKS], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_loops_of_symbols():
    s = ch.symbols("s")
    root = ch.loop(lambda x: (x + s / x) / 2, 1.0, count=6)
    assert repr(root) == "loop(1, s)[0]" and "loop" in repr(root * 2 + s)
    assert pickle.loads(pickle.dumps(root)) is root
    robot = one_joint(root, (1.0, 1.0, 1.0))
    assert robot.symbols == ("s",)
    assert close(robot.mass_matrix([0.0], s=[4.0, 9.0])[:, 0, 0], [3.0, 4.0], 1e-4)
    assert close(robot.with_values(s=4.0).mass_matrix([0.0]), [[3.0]], 1e-4)


def test_texts_of_what_is_not_finite_and_of_large_powers():
    a, b = ch.symbols("a b")
    assert repr(a * np.inf) == "inf*a" and repr(a + np.nan) == "a + nan" and repr(a - np.inf) == "a - inf"
    assert repr(ch.where(a < b, a, np.inf)) == "where((a < b), a, inf)"
    x = a + b
    for _ in range(60):
        x = x * x
    assert repr(x) == f"(a + b)**{2**60}" and repr(1 / x) == f"1/(a + b)**{2**60}"
    assert "a" in repr((3.0 * a) ** 60 * x)
