"""A word to a person who waits."""

import io
import time
from types import SimpleNamespace

import numpy as np
import pytest

import chasles as ch
from chasles.backend import host, progress
from chasles.backend.host import jit


class Terminal(io.StringIO):
    """Stderr, as a person sees it."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=screen))  # pytest has its own
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    monkeypatch.setenv("CHASLES_CACHE_DIR", "")
    monkeypatch.setattr(host, "_alive", {})
    return screen


def slowly(monkeypatch, module, name):
    quick = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *x: time.sleep(0.15) or quick(*x))


def test_a_long_compile_is_named(terminal, monkeypatch):
    slowly(monkeypatch, jit, "compile_object")
    ch.load("planar_2r").mass_matrix(np.zeros(2))
    assert terminal.getvalue().startswith("chasles: compiling mass_matrix, ") and terminal.getvalue().count("\n") == 1


def test_a_long_trace_is_named(terminal, monkeypatch):
    from chasles.catalogue import Traceable

    slowly(monkeypatch, Traceable, "frame")
    ch.load("planar_2r").kernel("forward_kinematics")
    assert terminal.getvalue() == "chasles: tracing forward_kinematics ...\n"


def test_what_is_quick_is_not_named(terminal, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 30.0)
    slowly(monkeypatch, jit, "compile_object")
    ch.load("planar_2r").mass_matrix(np.zeros(2))
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("stderr", [io.StringIO(), None])
def test_nobody_looks_on(terminal, monkeypatch, stderr):
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stderr))
    slowly(monkeypatch, jit, "compile_object")
    ch.load("planar_2r").mass_matrix(np.zeros(2))
    assert stderr is None or stderr.getvalue() == ""


def test_a_terminal_that_is_gone_does_no_harm(terminal):
    with progress.named("something"):
        terminal.close()
        time.sleep(0.1)
    with progress.named("something"):
        pass
