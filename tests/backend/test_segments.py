"""Long programs are cut into segments: the same results as uncut, whatever crosses the cuts."""

import numpy as np
import pytest
from support.kernels import build, everything_kernel, same, states
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.backend import schedule
from chasles.backend.host import WORK_PER_THREAD
from chasles.backend.llvm.module import module
from chasles.backend.llvm.target import X86_64, X86_64_V3, host
from chasles.backend.schedule import fusions, plan

PROGRAMS = {
    "everything": everything_kernel,
    "ur5": lambda: ch.load("ur5").kernel(["mass_matrix", "bias_forces", "jacobian"]),
    "conditions": lambda: ch.compile(conditions, x=6, y=(3, 7)),
}


def conditions(x, y):
    """Conditions made early and used late, across whatever is cut between."""
    early = [x[k] < x[k + 1] for k in range(5)] + [(x[0] < x[2]) & (x[1] < x[3]), ~(x[4] <= x[5])]
    z = x
    for k in range(7):
        z = np.sin(z + y[k % 3, :6]) * (1.0 + 0.5 * np.cos(2.0 * z)) + x
    return {
        "late": [ch.where(c, z[k % 6], -z[(k + 1) % 6]) for k, c in enumerate(early)],
        "passed": y,
        "mixed": [ch.where(early[0] | early[5], x[0], z[5]), 1.5, x[3], z[0]],
    }


def build_cut(monkeypatch, program, limit, *options):
    """The ufunc of a program cut at `limit` operations."""
    monkeypatch.setattr(schedule, "WHOLE", 0)
    monkeypatch.setattr(schedule, "SEGMENT", limit)
    return build(program, *options)


UNCUT = 10**9


@pytest.fixture(autouse=True)
def threads():
    count = ch.get_num_threads()
    yield
    ch.set_num_threads(count)


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("limit", sweep([3, 20, 50, 200], [20]))
def test_cut_or_not_it_is_the_same(monkeypatch, name, dtype, limit):
    kernel = PROGRAMS[name]()
    x = [a.astype(dtype) for a in states(kernel, 45)]
    expected = as_tuple(build_cut(monkeypatch, kernel.program, UNCUT, None, dtype)(*x))
    pieces = build_cut(monkeypatch, kernel.program, limit, None, dtype)
    for rows in (1, 2, 8, 9, 17, 33, 45):
        assert same(as_tuple(pieces(*[a[:rows] for a in x])), tuple(y[:rows] for y in expected))
    assert same(as_tuple(pieces(*[a[::-1] for a in x])), tuple(y[::-1] for y in expected))
    assert same(as_tuple(pieces(*[np.asfortranarray(a) for a in x])), expected)


@pytest.mark.skipif(not host().is_x86, reason="runs x86 code")
@pytest.mark.parametrize("target", [pytest.param(X86_64, marks=pytest.mark.sweep), X86_64_V3], ids=["sse2", "avx2"])
def test_cut_or_not_in_narrow_vectors(monkeypatch, target):
    kernel = PROGRAMS["conditions"]()
    x = states(kernel, 21)
    expected = as_tuple(build_cut(monkeypatch, kernel.program, UNCUT, target)(*x))
    assert same(as_tuple(build_cut(monkeypatch, kernel.program, 30, target)(*x)), expected)


def test_programs_are_cut(monkeypatch):
    program = PROGRAMS["conditions"]().program
    monkeypatch.setattr(schedule, "SEGMENT", 50)
    for whole, pieces in ((program.operations.total, 1), (50, -(-program.operations.total // 50))):
        monkeypatch.setattr(schedule, "WHOLE", whole)
        ir = module(program, host(), "float64")
        assert sum(line.startswith("define internal void @segment") for line in ir.splitlines()) == pieces


def test_threads_have_their_own_scratch(monkeypatch):
    kernel = PROGRAMS["conditions"]()
    pieces = build_cut(monkeypatch, kernel.program, 40)
    x = states(kernel, 211)
    expected = as_tuple(pieces(*x))
    index = np.arange(8 * max(64, WORK_PER_THREAD // kernel.operations.total) + 5) % 211
    for count in (1, 2, 4):
        ch.set_num_threads(count)
        assert same(as_tuple(pieces(*[a[index] for a in x])), tuple(y[index] for y in expected))


def test_flags_and_special_rows_cross_segments(monkeypatch):
    kernel = PROGRAMS["conditions"]()
    pieces = build_cut(monkeypatch, kernel.program, 20)
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
            assert not {*segment.slots_in.values()} & {*segment.slots_out.values()}  # read late, written early
            for node, slot in segment.slots_out.items():
                assert 0 <= slot < cuts.slots
                slots[slot] = node
        home = {k: s for s, segment in enumerate(cuts.segments) for k in segment.nodes}
        assert all(home[product] == home[total] for product, total in fusions(program).items())
        nodes = [k for segment in cuts.segments for k in segment.nodes]
        assert sorted(nodes) == list(range(len(program.nodes)))


@pytest.mark.slow
def test_a_program_that_is_cut_without_being_told():
    """Above the limit as it is, compiled and interpreted."""
    robot = ch.load("panda")
    kernel = robot.kernel("forward_dynamics").jacobian("q")
    assert kernel.operations.total > schedule.WHOLE
    x = states(kernel, 9)
    h = 1e-6
    f = robot.kernel("forward_dynamics")
    columns = [(f(x[0] + h * e, *x[1:]) - f(x[0] - h * e, *x[1:])) / (2 * h) for e in np.eye(7)]
    assert close(kernel(*x), np.stack(columns, axis=-1), 1e-6)
