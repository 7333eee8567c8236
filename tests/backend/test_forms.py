"""Long programs in pieces of few forms: the same bits as in one, and chains that are few forms, however long."""

import itertools

import numpy as np
import pytest
from backend.test_segments import PROGRAMS, as_tuple
from support.kernels import build, same, states
from support.sweeps import sweep

import chasles as ch
from chasles.backend import forms
from chasles.backend.schedule import fusions

WINDOWS = {"fine": ((4, 12),), "coarse": ((12, 40), (5, 15))}


def chain(n, seed=0):
    """Revolute joints about any lines, links of any inertia."""
    rng = np.random.default_rng(seed)
    links = [ch.Link(rng.uniform(0.5, 2.0), rng.normal(size=3), rng.uniform(2.0, 3.0, 3)) for _ in range(n)]
    screws = [ch.screw(rng.normal(size=3), rng.normal(size=3)) for _ in range(n)]
    return ch.Robot.from_screws(screws, [np.eye(4)] * n, links)


@pytest.fixture
def in_pieces(monkeypatch):
    """Programs of any length are taken to pieces."""

    def use(windows=forms.WINDOWS):
        monkeypatch.setattr(forms, "LEAST", 1)
        monkeypatch.setattr(forms, "SHARE", 1.0)
        monkeypatch.setattr(forms, "WINDOWS", windows)

    return use


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", sweep(["float64", "float32"], ["float64"]))
@pytest.mark.parametrize("windows", sweep(list(WINDOWS), ["coarse"]))
def test_in_pieces_or_in_one_it_is_the_same(in_pieces, name, dtype, windows):
    kernel = PROGRAMS[name]()
    x = [a.astype(dtype) for a in states(kernel, 45)]
    expected = as_tuple(build(kernel.program, None, dtype)(*x))
    in_pieces(WINDOWS[windows])
    found = build(kernel.program, None, dtype)
    for rows in (1, 8, 9, 45):
        assert same(as_tuple(found(*[a[:rows] for a in x])), tuple(y[:rows] for y in expected))
    assert same(as_tuple(found(*[np.asfortranarray(a) for a in x])), expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_operation_is_in_one_piece(in_pieces, name):
    in_pieces(WINDOWS["fine"])
    line = forms.Line(PROGRAMS[name]().program)
    stretches = sorted(stretch for group in line.forms() for stretch in group)
    assert stretches[0][0] == 0 and stretches[-1][1] == line.size
    assert all(b == a for (_, b), (a, _) in itertools.pairwise(stretches))
    ends = {b for _, b in stretches}
    place = {k: p for p, k in enumerate(line.row)}
    assert not ends & {place[total] for total in fusions(line.program).values()}  # a product stays with its sum


def test_the_links_of_a_long_chain_are_alike(in_pieces):
    """Twice the links are twice the pieces, and hardly more code."""
    in_pieces()
    found = [forms.tape(chain(n).kernel("inverse_dynamics").program) for n in (60, 120)]
    code = [sum(form.operations.total for form in tape.forms) for tape in found]
    pieces = [len(tape.pieces) for tape in found]
    assert max(code) < 2000  # of 20,000 operations
    assert pieces[1] > 1.8 * pieces[0]


def test_what_is_not_alike_stays_in_one():
    assert forms.tape(ch.load("panda").kernel("inverse_dynamics").program) is None
