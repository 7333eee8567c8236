"""What is known of functions before they are traced: a warm start neither traces nor emits, and never takes another's
code."""

import importlib
import os
import subprocess
import sys

import llvmlite
import llvmlite.binding
import numpy as np
import pytest

import chasles as ch
from chasles.backend import host, llvm
from chasles.backend.host import cache, jit, records
from chasles.graph.deferred import Deferred
from chasles.graph.program import Program
from chasles.ik import levenberg_marquardt

tracing = importlib.import_module("chasles.catalogue.trace")  # the package has a function of that name


@pytest.fixture
def place(tmp_path, monkeypatch):
    host.shell()
    host.driver()
    monkeypatch.setenv("CHASLES_CACHE_DIR", str(tmp_path / "kernels"))
    return tmp_path / "kernels"


@pytest.fixture
def work(monkeypatch):
    """What was done: names of steps, in order."""
    done = []

    def counted(module, function, what):
        before = getattr(module, function)
        monkeypatch.setattr(module, function, lambda *x: done.append(what) or before(*x))

    counted(tracing, "compute", "traced")
    counted(llvm, "render", "emitted")
    counted(jit, "compile_object", "compiled")
    return done


def anew(monkeypatch, robot="scara"):
    """A robot as a new process has it."""
    monkeypatch.setattr(host, "_alive", {})
    return ch.Robot(ch.load(robot).mechanism)


def test_a_warm_start_neither_traces_nor_emits(place, work, monkeypatch, rng):
    x = rng.normal(size=(3, 5, 4))
    before = anew(monkeypatch).inverse_dynamics(*x)
    assert work == ["traced", "emitted", "compiled"]
    after = anew(monkeypatch).inverse_dynamics(*x)
    assert len(work) == 3 and np.array_equal(before, after)


def test_a_program_that_was_not_traced_is_when_it_is_asked_for(place, work, monkeypatch):
    anew(monkeypatch).mass_matrix(np.zeros(4))
    kernel = anew(monkeypatch).kernel("mass_matrix")
    assert type(kernel.program) is Deferred and [o.shape for o in kernel.outputs] == [(4, 4)]
    kernel(np.zeros(4))
    assert len(work) == 3
    assert int(kernel.operations) > 10 and work[3:] == ["traced"] and type(kernel.program) is Program
    assert kernel.program == tracing.trace(ch.load("scara").mechanism, ("mass_matrix",), tracing.Options())
    jacobian = anew(monkeypatch).kernel("mass_matrix").jacobian("q")(np.ones(4))
    assert jacobian.shape == (4, 4, 4) and np.isfinite(jacobian).all()


def test_traced_values_are_answered_by_the_program(place, work, monkeypatch, rng):
    q = rng.normal(size=4)
    expected = anew(monkeypatch).gravity_forces(q)
    robot = anew(monkeypatch)
    assert type(robot.kernel("gravity_forces").program) is Deferred
    np.testing.assert_array_equal(ch.compile(lambda q: 2.0 * robot.gravity_forces(q), q=4)(q), 2.0 * expected)


def test_a_search_is_not_traced_again(place, work, monkeypatch, rng):
    robot = anew(monkeypatch, "planar_2r")
    T = robot.forward_kinematics(rng.normal(size=2))
    steps = []
    before = levenberg_marquardt.step
    monkeypatch.setattr(levenberg_marquardt, "step", lambda *x: steps.append(1) or before(*x))
    found = robot.inverse_kinematics(T, rows="tx ty")
    del work[:]
    again = anew(monkeypatch, "planar_2r").inverse_kinematics(T, rows="tx ty")
    assert steps == [1] and not work and np.array_equal(found.q, again.q)


def test_the_users_own_functions_are_traced_but_not_emitted(place, work, monkeypatch):
    for _ in range(2):
        monkeypatch.setattr(host, "_alive", {})
        assert ch.compile(lambda x: x * 2.5, x=2)([1.0, 2.0]).tolist() == [2.5, 5.0]
    assert work == ["emitted", "compiled"]


def test_equal_programs_of_unequal_robots_share_their_code(place, work, monkeypatch):
    """The mass matrix does not depend on gravity: it is traced, to know that, and no more."""
    robot = anew(monkeypatch)
    robot.mass_matrix(np.zeros(4))
    robot.with_gravity([0.0, 0.0, -1.62]).mass_matrix(np.zeros(4))
    assert work == ["traced", "emitted", "compiled", "traced"]


def changed(monkeypatch, what):
    if what == "llvmlite":
        monkeypatch.setattr(llvmlite, "__version__", "0.0.1")
    elif what == "LLVM":
        monkeypatch.setattr(llvmlite.binding, "llvm_version_info", (0, 0, 1))
    elif what == "the processor":
        features = f"{host.host().features},"
        other = host.host()._replace(features=features)
        monkeypatch.setattr(records, "host", lambda: other)
    elif what == "the effort":
        monkeypatch.setattr(jit, "EFFORT", 0)


@pytest.mark.parametrize("what", ["llvmlite", "LLVM", "the processor", "the effort"])
def test_code_of_other_makers_is_not_taken(place, work, monkeypatch, what):
    anew(monkeypatch).mass_matrix(np.zeros(4))
    changed(monkeypatch, what)
    anew(monkeypatch).mass_matrix(np.zeros(4))
    assert work == ["traced", "emitted", "compiled"] * 2


@pytest.mark.parametrize("what", ["sources", "Python", "NumPy"])
def test_what_may_change_a_program_is_in_the_name_of_its_record(place, work, monkeypatch, what):
    """The program is traced again; as it is the same, so is the code."""
    anew(monkeypatch).mass_matrix(np.zeros(4))
    if what == "sources":
        monkeypatch.setattr(records, "sources", lambda: "others")
    elif what == "Python":
        monkeypatch.setattr(sys, "version", "3.0")
    else:
        monkeypatch.setattr(np, "__version__", "3.0")
    anew(monkeypatch).mass_matrix(np.zeros(4))
    assert work == ["traced", "emitted", "compiled", "traced", "emitted"]


def test_the_digest_is_of_every_module(tmp_path, monkeypatch):
    assert os.path.dirname(ch.__file__) == records._ROOT
    for name in ("a.py", "b/c.py", "b/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")
        os.utime(tmp_path / name, (0, 0))
    monkeypatch.setattr(records, "_ROOT", str(tmp_path))
    digest, seen = records.sources.__wrapped__, []
    seen.append(digest())
    for name in ("a.py", "b/c.py", "b/d.txt"):
        (tmp_path / name).write_text("2")
        os.utime(tmp_path / name, (0, 0))
        seen.append(digest())
    assert None not in seen and seen[2] == seen[3] and len({*seen}) == 3
    os.utime(tmp_path / "a.py", (2e10, 2e10))  # written after this process imported it
    assert digest() is None


def test_sources_that_changed_since_they_were_imported_name_nothing(place, work, monkeypatch):
    monkeypatch.setattr(ch, "_imported", 0.0)
    for _ in range(2):
        anew(monkeypatch).mass_matrix(np.zeros(4))
    assert work == ["traced", "emitted", "compiled", "traced", "emitted"]
    assert not [*place.glob("*.known")]


def test_a_record_whose_code_is_gone(place, work, monkeypatch):
    anew(monkeypatch).mass_matrix(np.zeros(4))
    for path in place.glob("*.o"):
        path.unlink()
    anew(monkeypatch).mass_matrix(np.zeros(4))
    assert work == ["traced", "emitted", "compiled"] * 2


def test_functions_from_elsewhere_are_traced(place, work, monkeypatch):
    """What a function computes that is not in this package is in no recipe."""
    from chasles.catalogue.entry import CATALOGUE, declare

    def doubled(robot, options, q):
        return [2.0 * x for x in q]

    doubled.__module__ = "elsewhere"
    declare("q", ("nq",))(doubled)
    try:
        for _ in range(2):
            anew(monkeypatch).kernel("doubled")(np.ones(4))
    finally:
        del CATALOGUE["doubled"]
    assert work == ["traced", "emitted", "compiled", "traced"]


COUNTED = """
import sys
import numpy as np
import chasles as ch
robot = ch.load("scara")
robot.forward_dynamics(*np.zeros((3, 4)))
print("chasles.backend.llvm.emit" in sys.modules)
"""


@pytest.mark.slow
def test_a_new_process_does_not_even_import_the_emitter(place):
    outputs = [subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, text=True) for _ in range(2)]
    assert [x.returncode for x in outputs] == [0, 0], outputs[0].stderr
    assert [x.stdout.strip() for x in outputs] == ["True", "False"]


def test_mechanisms_that_differ_have_other_recipes():
    robot = ch.load("scara")
    others = [robot, robot.with_gravity([0.0, 0.0, -1.0]), robot.with_tool(np.eye(4)), ch.load("planar_3r")]
    assert len({tracing.recipe(x.mechanism, "mass_matrix") for x in others}) == 4
    assert cache.key("a", "b") != cache.key("ab", "")
