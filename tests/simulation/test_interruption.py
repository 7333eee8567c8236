"""Ctrl-C and exceptions of the user's own hand back what was computed; a bar is shown to who waits at a terminal."""

import os
import pty
import subprocess
import sys
import threading

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch


def slider():
    return ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2, name="slider")


@pytest.mark.parametrize("sample", [None, 0.02])
def test_an_exception_of_control(sample):
    """It keeps its type, and has a note with time and state, and the trajectory."""

    def control(t, q, v):
        return {}["gains"] if t > 0.05 else 0.0

    with pytest.raises(KeyError, match="gains") as error:
        ch.simulate(slider(), [0.0], [1.0], control, duration=0.1, dt=0.01, sample=sample, every=4)
    last = 0.06 if sample else 0.05
    note = error.value.__notes__[0]
    assert f"simulate: the motion ends at t = {last:g}, q = [{last:g}" in note and "`trajectory`" in note
    run = error.value.trajectory
    assert close(run.t, [0.0, 0.04, last]) and close(run.q[:, 0], run.t) and np.isnan(run.tau[-1]).all()


@pytest.mark.parametrize("problem", [IndexError, KeyboardInterrupt])
@pytest.mark.parametrize("every", [1, 5])
@pytest.mark.parametrize("control", [None, lambda t, q, v: 0.0])
def test_an_exception_of_what_is_recorded(control, every, problem):
    """All states before it are handed back, with their signals, and the one at which it was raised."""

    def signal(t, q, v, tau):
        if t > 0.095:
            raise problem
        return 2.0 * t

    how = {"duration": 0.3, "dt": 0.01, "every": every, "record": {"twice": signal}}
    with pytest.raises(problem) as error:
        ch.simulate(slider(), [0.0], [1.0], control, **how)
    run = error.value.trajectory
    assert close(run.t, np.arange(0, 11, every) / 100) and close(run.q[:, 0], run.t)
    assert close(run.signals["twice"][:-1], 2.0 * run.t[:-1]) and np.isnan(run.signals["twice"][-1])
    said = str(error.value) if problem is KeyboardInterrupt else error.value.__notes__[0]
    assert "at t = 0.1" in said and "`trajectory`" in said


@pytest.mark.parametrize("problem", [IndexError, KeyboardInterrupt])
@pytest.mark.parametrize("every", [1, 50])
@pytest.mark.parametrize("control", [None, lambda t, q, v: 0.0])
def test_an_exception_of_an_event(control, every, problem):
    """The state at the beginning of its step is the last."""

    def event(t, q, v):
        if t > 0.105:
            raise problem
        return 1.0

    with pytest.raises(problem) as error:
        ch.simulate(slider(), [0.0], [1.0], control, duration=0.3, dt=0.01, every=every, events=[event])
    run = error.value.trajectory
    assert close(run.t, np.arange(11) / 100 if every == 1 else [0.0, 0.1]) and close(run.q[:, 0], run.t)
    said = str(error.value) if problem is KeyboardInterrupt else error.value.__notes__[0]
    assert "at t = 0.1" in said


def test_an_exception_at_once():
    with pytest.raises(ZeroDivisionError) as error:
        ch.simulate(slider(), [0.0], [1.0], lambda t, q, v: 1 / 0, duration=0.1)
    assert len(error.value.trajectory) == 1 and "ends at t = 0," in error.value.__notes__[0]


@pytest.mark.parametrize("sample", [None, 0.01])
def test_interrupted(sample):
    """Both a KeyboardInterrupt, for those who know no other, and one that has the trajectory."""

    def control(t, q, v):
        if t > 0.055:
            raise KeyboardInterrupt
        return 0.0

    with pytest.raises(KeyboardInterrupt) as error:
        ch.simulate(slider(), [0.0], [1.0], control, duration=0.1, dt=0.01, sample=sample)
    assert isinstance(error.value, ch.SimulationInterrupted) and not isinstance(error.value, Exception)
    assert f"interrupted at t = {0.06 if sample else 0.05}" in str(error.value)
    run = error.value.trajectory
    assert len(run) == (7 if sample else 6) and close(run.q[:, 0], run.t)


@pytest.mark.parametrize("how", [{}, {"sample": 0.01}, {"method": "dormand_prince", "tolerance": 1e-12}], ids=str)
def test_interrupted_between_states_that_are_kept(how):
    """What was reached is kept too, as of another exception."""
    for problem in (KeyboardInterrupt, ValueError):

        def control(t, q, v, problem=problem):
            if t > 0.85:
                raise problem
            return 0.1 * np.cos(9.0 * t)

        with pytest.raises(problem) as error:
            ch.simulate(slider(), [0.0], [1.0], control, duration=2.0, dt=0.01, every=50, **how)
        run = error.value.trajectory
        assert len(run) == 3 and close(run.t[:2], [0.0, 0.5])
        assert close(run.q[:, 0], run.t + 0.1 * (1.0 - np.cos(9.0 * run.t)) / 81.0, 1e-3)
        assert run.t[2] < 0.85 if "tolerance" in how else close(run.t[2], 0.86 if how else 0.85)


WAITING = """
import os, signal, time
import chasles as ch
from chasles.simulation import progress
progress.PATIENCE = 0.1
began = time.perf_counter()
def slow(t, q, v):
    global began
    began = began if t > 0.006 else time.perf_counter()
    if time.perf_counter() > began + 0.5:
        os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.002)
    return 0.0 * q
try:
    ch.simulate(ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2), [0.0], [1.0], slow, duration=10.0, dt=1e-3)
except ch.SimulationInterrupted as error:
    print("computed", len(error.trajectory) > 5)
"""


def _waited(stderr):
    options = {"stdout": subprocess.PIPE, "stderr": stderr, "env": {**os.environ, "TERM": "xterm"}}
    return subprocess.Popen([sys.executable, "-c", WAITING], **options)


@pytest.mark.slow
def test_a_bar_at_a_terminal():
    """Ctrl-C by its signal, and a bar while it runs, which is taken away."""
    ours, theirs = pty.openpty()
    process = _waited(theirs)
    os.close(theirs)
    shown = []

    def read():
        try:
            while part := os.read(ours, 4096):
                shown.append(part)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    out = process.communicate(timeout=60)[0]
    reader.join(timeout=10)
    os.close(ours)
    assert b"computed True" in out and b"simulate" in b"".join(shown) and b"%" in b"".join(shown)


def test_no_bar_in_a_log():
    out, said = _waited(subprocess.PIPE).communicate(timeout=60)
    assert b"computed True" in out and said == b""
