"""Long programs are cut into segments: the same results as uncut, whatever crosses the cuts."""

import numpy as np
import pytest
from kernels import build, everything_kernel, same, states
from tolerances import EXACT, close

import chasles as ch
from chasles.backend import module
from chasles.backend.plan import plan
from chasles.backend.target import X86_64, host

PROGRAMS = {
    "everything": everything_kernel,
    "ur5": lambda: ch.load("ur5").kernel(["mass_matrix", "bias_forces", "jacobian"]),
    "conditions": lambda: ch.compile(conditions, x=6, y=(3, 7)),
}


def conditions(x, y):
    """Conditions made early and used late, across whatever is cut between."""
    early = [x[k] < x[k + 1] for k in range(5)] + [(x[0] < x[2]) & (x[1] < x[3]), ~(x[4] <= x[5])]
    z = x
    for k in range(12):
        z = np.sin(z + y[k % 3, :6]) * (1.0 + 0.5 * np.cos(2.0 * z)) + x
    return {
        "late": [ch.where(c, z[k % 6], -z[(k + 1) % 6]) for k, c in enumerate(early)],
        "passed": y,
        "mixed": [ch.where(early[0] | early[5], x[0], z[5]), 1.5, x[3], z[0]],
    }


def cut(monkeypatch, limit, scratch=None):
    monkeypatch.setattr(module, "SEGMENT", limit)
    if scratch is not None:
        monkeypatch.setattr(module, "SCRATCH", scratch)


@pytest.fixture(autouse=True)
def threads():
    count = ch.get_num_threads()
    yield
    ch.set_num_threads(count)


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("limit", [1, 7, 50, 200, 1000])
def test_cut_or_not_it_is_the_same(monkeypatch, name, dtype, limit):
    """Bit by bit where no product is fused into a sum, as a cut may part the two; else within rounding."""
    kernel = PROGRAMS[name]()
    if limit == 1 and kernel.operations.total > 300:
        limit = 3
    x = [a.astype(dtype) for a in states(kernel, 45)]
    plain = X86_64 if host().is_x86 else host()
    cut(monkeypatch, 10**9)
    uncut, exact = build(kernel.program, None, dtype)(*x), build(kernel.program, plain, dtype)(*x)
    cut(monkeypatch, limit)
    parts = len(plan(kernel.program, host().lanes(dtype), limit).segments)
    assert parts == -(-kernel.operations.total // limit)
    pieces, unfused = build(kernel.program, None, dtype), build(kernel.program, plain, dtype)
    if not plain.fma:
        assert same(as_tuple(unfused(*x)), as_tuple(exact))
    found = as_tuple(pieces(*x))
    for a, b in zip(found, as_tuple(uncut), strict=True):
        jumps = (
            (np.abs(a - b) > 0.5) if name == "everything" else np.zeros(a.shape, bool)
        )  # a floor that rounding swaps
        assert jumps.mean() < 0.01 and close(
            np.where(jumps, b, a), b, EXACT if dtype == "float64" else 1e-5, scale=10.0
        )
    for rows in (1, 2, 8, 9, 17, 33):
        assert same(as_tuple(pieces(*[a[:rows] for a in x])), tuple(y[:rows] for y in found))
    assert same(as_tuple(pieces(*[a[::-1] for a in x])), tuple(y[::-1] for y in found))
    assert same(as_tuple(pieces(*[np.asfortranarray(a) for a in x])), found)


@pytest.mark.parametrize("scratch", [1, 1 << 12, 1 << 30])
def test_tiles_of_any_size(monkeypatch, scratch):
    """Scratch for one block, some, or all sixteen; batches that end anywhere in a tile."""
    kernel = PROGRAMS["conditions"]()
    x = states(kernel, 600)
    cut(monkeypatch, 40)
    expected = as_tuple(build(kernel.program)(*x))
    cut(monkeypatch, 40, scratch)
    pieces = build(kernel.program)
    for rows in (1, 7, 8, 63, 64, 65, 127, 128, 129, 255, 257, 600):
        assert same(as_tuple(pieces(*[a[:rows] for a in x])), tuple(y[:rows] for y in expected))


def test_threads_have_their_own_scratch(monkeypatch):
    kernel = PROGRAMS["conditions"]()
    cut(monkeypatch, 40)
    pieces = build(kernel.program)
    x = states(kernel, 211)
    expected = as_tuple(pieces(*x))
    index = np.arange(8 * max(64, 4_000_000 // kernel.operations.total) + 5) % 211
    for count in (1, 2, 4):
        ch.set_num_threads(count)
        assert same(as_tuple(pieces(*[a[index] for a in x])), tuple(y[index] for y in expected))


def test_flags_and_special_rows_cross_segments(monkeypatch):
    cut(monkeypatch, 20)
    kernel = PROGRAMS["conditions"]()
    pieces = build(kernel.program)
    x = states(kernel, 30)
    expected = as_tuple(pieces(*x))
    x[0][11, 2] = np.nan
    with np.errstate(all="raise"):
        found = as_tuple(pieces(*x))
    others = np.arange(30) != 11
    assert same(tuple(y[others] for y in found), tuple(y[others] for y in expected))
    x[0][11, 2] = np.inf
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="invalid"):
        pieces(*x)


def test_values_keep_their_slots_until_their_last_reader():
    """No two values that are alive together share a slot."""
    program = PROGRAMS["ur5"]().program
    for limit in (7, 50, 200):
        cuts = plan(program, 8, limit)
        slots: dict[int, int] = {}
        for segment in cuts.segments:
            for node, slot in segment.slots_in.items():
                assert slots[slot] == node
            for node, slot in segment.slots_out.items():
                assert 0 <= slot < cuts.slots
                slots[slot] = node
        nodes = [k for segment in cuts.segments for k in segment.nodes]
        assert sorted(nodes) == list(range(len(program.nodes)))


@pytest.mark.slow
def test_a_program_that_is_cut_without_being_told():
    """Above the limit as it is, compiled and interpreted."""
    robot = ch.load("panda")
    kernel = robot.kernel("forward_dynamics").jacobian("q")
    assert kernel.operations.total > module.SEGMENT
    x = states(kernel, 9)
    h = 1e-6
    f = robot.kernel("forward_dynamics")
    columns = [(f(x[0] + h * e, *x[1:]) - f(x[0] - h * e, *x[1:])) / (2 * h) for e in np.eye(7)]
    assert close(kernel(*x), np.stack(columns, axis=-1), 1e-6)
