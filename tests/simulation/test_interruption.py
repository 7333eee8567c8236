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


@pytest.mark.parametrize("control", [None, lambda t, q, v: 0.0])
def test_an_exception_of_what_is_recorded(control):
    def signal(t, q, v, tau):
        return [1.0][int(t > 0.055)]

    with pytest.raises(IndexError) as error:
        ch.simulate(slider(), [0.0], [1.0], control, duration=0.1, dt=0.01, record={"one": signal})
    run = error.value.trajectory
    assert "`trajectory`" in error.value.__notes__[0] and len(run) >= 1 and close(run.q[:, 0], run.t)


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
    assert "interrupted at t = 0.0" in str(error.value)
    run = error.value.trajectory
    assert len(run) == (6 if sample else 5) and close(run.q[:, 0], run.t)


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
