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
from chasles.backend.tape import tape

PROGRAMS = {**PROGRAMS, "products": lambda: ch.compile(products, x=(4, 6), y=(6, 4))}
WAYS = {  # to take a short program to pieces
    "alike": {"WINDOWS": ((12, 40), (5, 15)), "SHARE": 1.0},
    "long": {"WINDOWS": ((12, 40),), "FINER": ((3, 12), (2, 8)), "WHOLE": 0},
    "interpreted": {"WINDOWS": ((4, 12),), "FINER": ((3, 8), (2, 6)), "WHOLE": 0, "CODE": 1},
}


def products(x, y):
    """Sums of many products, added and subtracted, of which one goes on with what is used elsewhere."""
    z = x @ y
    less = z[0, 0]
    for k in range(6):
        less = less - x[1, k] * x[2, k]
    return {"z": z, "less": [less, 2.0 * less + x[0, 0] * z[1, 1], z[2, 2] - x[0, 1]]}


def chain(n, seed=0):
    """Revolute joints about any lines, links of any inertia."""
    rng = np.random.default_rng(seed)
    links = [ch.Link(rng.uniform(0.5, 2.0), rng.normal(size=3), rng.uniform(2.0, 3.0, 3)) for _ in range(n)]
    screws = [ch.screw(rng.normal(size=3), rng.normal(size=3)) for _ in range(n)]
    return ch.Robot.from_screws(screws, [np.eye(4)] * n, links)


def in_pieces(monkeypatch, **settings):
    """Programs of any length are taken to pieces from now on."""
    for name, value in {"LEAST": 1, **settings}.items():
        monkeypatch.setattr(forms, name, value)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", sweep(["float64", "float32"], ["float64"]))
@pytest.mark.parametrize("way", sweep(list(WAYS), ["interpreted"]))
def test_in_pieces_or_in_one_it_is_the_same(monkeypatch, name, dtype, way):
    kernel = PROGRAMS[name]()
    x = [a.astype(dtype) for a in states(kernel, 45)]
    expected = as_tuple(build(kernel.program, None, dtype)(*x))
    in_pieces(monkeypatch, **WAYS[way])
    found = build(kernel.program, None, dtype)
    for rows in (1, 8, 9, 45):
        assert same(as_tuple(found(*[a[:rows] for a in x])), tuple(y[:rows] for y in expected))
    assert same(as_tuple(found(*[np.asfortranarray(a) for a in x])), expected)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("way", WAYS)
def test_every_operation_is_in_one_piece(monkeypatch, name, way):
    in_pieces(monkeypatch, **WAYS[way])
    line = forms.Line(PROGRAMS[name]().program)
    groups = {
        "alike": lambda: line.forms(forms.WINDOWS),
        "long": lambda: line.forms(forms.WINDOWS, line.products()),
        "interpreted": line.few_forms,
    }[way]()
    stretches = sorted(stretch for group in groups.values() for stretch in group)
    assert stretches[0][0] == 0 and stretches[-1][1] == line.size
    assert all(b == a for (_, b), (a, _) in itertools.pairwise(stretches))
    ends = {b for _, b in stretches}
    place = {k: p for p, k in enumerate(line.row)}
    assert not ends & {place[total] for total in fusions(line.program).values()}  # a product stays with its sum


def test_sums_of_products_are_one_form():
    """z is 16 sums of 6 products, 5 of them added to the first; one sum goes on with what is used elsewhere."""
    line = forms.Line(PROGRAMS["products"]().program)
    found = {form.minus: sorted({b - a for a, b in group}) for form, group in line.products().items()}
    assert found == {False: [10], True: [12]}
    assert sum(map(len, line.products().values())) == 17


def test_the_links_of_a_long_chain_are_alike(monkeypatch):
    """Twice the links are twice the pieces, and hardly more code."""
    in_pieces(monkeypatch)
    found = [tape(chain(n).kernel("inverse_dynamics").program) for n in (60, 120)]
    code = [sum(form.operations.total for form in made.forms) for made in found]
    pieces = [len(made.pieces) for made in found]
    assert max(code) < 2000  # of 20,000 operations
    assert pieces[1] > 1.8 * pieces[0]


def test_what_is_not_alike_stays_in_one():
    assert tape(ch.load("panda").kernel("inverse_dynamics").program) is None
