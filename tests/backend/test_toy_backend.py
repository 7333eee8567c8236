"""A back end is a folder and a name: the toy one (plain Python) is registered, found, and does all the CPU does."""

import re
import warnings
from functools import cache

import numpy as np
import pytest
from support import toy_backend
from support.kernels import everything, states
from support.random_trees import random_kinds, random_mechanism
from support.sweeps import sweep
from support.tolerances import EXACT, FLOAT32, FLOAT64, close

import chasles as ch
from chasles import backend
from chasles.catalogue import catalogue
from chasles.function.kernel import Kernel
from chasles.graph.program import Status
from chasles.scalar import ops
from chasles.scalar.operations import OPERATIONS

pytestmark = pytest.mark.usefixtures("little_effort")

CATALOGUE = catalogue()
ROBOTS = ("pendulum", "planar_2r", "scara", "ur5", "random1", "random3", "random11", "kinds11")
REFUSED = {("casadi", "random"), ("casadi", "normal")}  # by name: CasADi has no bits
EDGES = (-np.inf, -2.5, -1.0, -0.3, -0.0, 0.0, 0.7, 1.0, 2.0, 1e300, np.inf, np.nan)


@pytest.fixture(autouse=True)
def python(monkeypatch):
    """The toy back end, for the time of a test."""
    monkeypatch.setattr(backend, "BACKENDS", dict(backend.BACKENDS))
    backend.register("python", toy_backend)


@cache
def robot_of(name):
    if name.startswith("random"):
        return ch.Robot(random_mechanism(int(name[6:])))
    if name.startswith("kinds"):
        return ch.Robot(random_kinds(int(name[5:])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return ch.load(name)


def as_tuple(x):
    return tuple(x) if isinstance(x, tuple) else (x,)


def twin(kernel):
    """The same function, run by the toy back end."""
    return Kernel(kernel.program, kernel.name, kernel.dtype, kernel.doc, target="python")


def equal(kernel, *x, tol=FLOAT64):
    """Whether both back ends agree."""
    for a, b in zip(as_tuple(twin(kernel)(*x)), as_tuple(kernel(*x)), strict=True):
        assert close(a, b, tol, scale=1.0)
    return True


@pytest.mark.parametrize("name", sweep(ROBOTS, ["planar_2r", "kinds11"]))
def test_the_catalogue(name):
    """Every function: what the toy gives is what the processor gives. Of large robots those with short programs."""
    robot = robot_of(name)
    short = tuple(f for f, item in CATALOGUE.items() if not (item.task or item.large or len(item.outputs) > 1))
    rest = [f for f in CATALOGUE if f not in (*short, "discrete_step")] if robot.n <= 2 else []  # not everywhere
    for functions in (short, *rest):
        python, cpu = (robot.kernel(functions, target=target) for target in ("python", "cpu"))
        assert python.target == "python" and python.program == cpu.program
        x = [0.5 * a for a in states(cpu, 2)]
        for o, a, b in zip(cpu.outputs, as_tuple(python(*x)), as_tuple(cpu(*x)), strict=True):
            assert close(a, b, FLOAT64, scale=1e3), o.name  # of what cancels


def test_every_door():
    """Lists, batches, names, out=, float32, traced values, and errors that name the culprit."""
    robot = ch.load("planar_2r")
    python, cpu = (robot.kernel("inverse_dynamics", target=target) for target in ("python", "cpu"))
    q = np.linspace(-1.0, 1.0, 12).reshape(3, 2, 2)
    assert close(python(q, q[0], qdd=[0.1, 0.2]), cpu(q, q[0], [0.1, 0.2]), EXACT)
    out = np.empty((3, 2, 2))
    assert python(q, q, q, out=out) is out and close(out, cpu(q, q, q), EXACT)
    assert python._door()(q, None, q, q, None, out=out) is out and close(out, cpu(q, q, q), EXACT)  # optional inputs
    assert close(python.fast(q, q, q), out, EXACT) and close(python.ufunc(q, q, q), out, EXACT)
    single = robot.kernel("inverse_dynamics", "float32", "python")(q, q, q)
    assert single.dtype == np.float32 and close(single, out, FLOAT32)
    written = ch.compile(lambda q: python(q, q, q), q=2)
    assert written.program == ch.compile(lambda q: cpu(q, q, q), q=2).program
    with pytest.raises(ch.ShapeError, match=r"qd must have shape \(..., 2\), got \(3,\)"):
        python(q, np.zeros(3), q)


def test_derivatives_stay_with_their_back_end():
    energy = robot_of("planar_2r").kernel("kinetic_energy", target="python")
    cpu = robot_of("planar_2r").kernel("kinetic_energy")
    q, qd = np.array([[0.3, -0.8], [1.0, 0.2]]), np.array([0.5, 1.5])
    for what in ("gradient", "hessian", "jacobian"):
        derived = getattr(energy, what)("q")
        assert derived.target == "python"
        assert close(derived(q, qd), getattr(cpu, what)("q")(q, qd), EXACT)


def root(a):
    def step(x):
        new = 0.5 * (x + a / x)
        return new, {"until": abs(new - x) < 1e-13}

    return ch.loop(step, 1.0, count=30, rule="fixed_point")[0]


def nested(x):
    """A root by Newton's iteration, inside of a time loop that keeps what it met."""

    def step(y, push):
        return y + 0.1 * root(2.0 + y * y) * push, {"record": {"y": y}, "until": y > 2.0}

    y, extras = ch.loop(step, x[0], count=20, each={"push": np.linspace(0.5, 1.0, 20) * x[1]})
    return {"y": y, "until": extras["until"], "kept": extras["record"]["y"]}


def test_loops():
    x = np.array([[0.3, 1.0], [1.9, 2.0], [-1.0, 0.1], [0.2, -0.5]])
    kernel = ch.compile(nested, x=2)
    assert equal(kernel, x)
    assert set(twin(kernel)(x).until) == {0.0, 1.0}
    for name in ("gradient", "hessian"):
        assert equal(getattr(ch.compile(lambda x: nested(x)["y"], x=2), name)("x"), x)
    assert equal(kernel.jacobian("x"), x)


def test_a_loop_by_itself():
    """A kernel whose body is a Loop, with rows that stop one by one."""
    (loop,) = ch.compile(root, a=()).program.loops
    kernel = Kernel(loop, "newton")
    found = twin(kernel)(np.ones(5), np.array([[2.0], [9.0], [1e-4], [np.nan], [1.0]]))
    np.testing.assert_allclose(found.x, [2.0**0.5, 3.0, 0.01, np.nan, 1.0], rtol=1e-15)
    assert list(found.until) == [Status.FOUND, Status.FOUND, Status.FOUND, Status.ENDED, Status.FOUND]


@pytest.mark.parametrize("name", ["planar_2r", "scara"])
def test_the_search_of_inverse_kinematics(name):
    robot, plain = ch.load(name), ch.load(name)
    q = np.random.default_rng(3).uniform(0.0, 0.2, (4, robot.nq)) + 0.5 * (robot.nq == 2)
    rows = "tx ty" if name == "planar_2r" else "rz tx ty tz"
    T = robot.forward_kinematics(q)
    T[3, :3, 3] += 100.0  # out of reach
    expected = robot.inverse_kinematics(T, rows=rows, attempts=5)
    for key in robot._searches:
        plain._searches[key] = twin(robot._searches[key])
    found = plain.inverse_kinematics(T, rows=rows, attempts=5)
    assert list(found.found) == list(expected.found) == [True, True, True, False]
    assert close(found.q[:3], expected.q[:3], 1e-6, scale=1.0)
    assert close(found.residual, expected.residual, 1e-6, scale=1.0)
    assert {kernel.target for kernel in plain._searches.values()} == {"python"}


def test_the_text_runs_by_itself():
    for kernel in (ch.load("planar_2r").kernel("mass_matrix"), ch.compile(lambda x: nested(x)["y"], x=2)):
        text, module = kernel.to("python"), {}
        exec(compile(text, "kernel", "exec"), module)
        assert close(module[kernel.name]([0.3, -0.7]), np.ravel(kernel(np.array([0.3, -0.7]))), EXACT)
    assert "def mass_matrix(x):" in ch.load("planar_2r").kernel("mass_matrix").to("python")


def test_an_unknown_target_lists_what_there_is():
    robot = ch.load("planar_2r")
    with pytest.raises(ch.ModelError, match=r"target must be one of 'cpu', .*'python', got 'gpu'"):
        robot.kernel("mass_matrix", target="gpu")
    with pytest.raises(ch.ModelError, match=r"target must be one of 'cpu', .*'python', got 'llvm'.*runs"):
        robot.kernel("mass_matrix", target="llvm")
    with pytest.raises(ch.ModelError, match=r"target must be one of 'llvm', .*'python', .*got 'cpu'.*text"):
        robot.kernel("mass_matrix").to("cpu")
    with pytest.raises(ch.ModelError, match="got None"):
        robot.kernel("mass_matrix", target=None)


def test_a_back_end_may_be_a_name_or_lack_a_half():
    backend.register("by name", "support.toy_backend")
    backend.register("mute", type("Mute", (), {"run": staticmethod(toy_backend.run)}))
    kernel = ch.load("planar_2r").kernel("mass_matrix", target="mute")
    assert close(kernel(np.zeros(2)), ch.load("planar_2r").mass_matrix(np.zeros(2)), EXACT)
    assert kernel.to("by name") == kernel.to("python")
    with pytest.raises(ch.ModelError, match="got 'mute'"):
        kernel.to("mute")


@pytest.mark.parametrize("row", [row for row in OPERATIONS.values() if row.traced], ids=lambda row: row.name)
def test_every_back_end_covers_every_row(row):
    """Whatever is registered: it renders the row, and computes it, edges included."""

    def alone(x):
        given = [ops.less(0.0, v) if kind == "condition" else v for v, kind in zip(x, row.takes, strict=True)]
        y = row.operator(*given) if row.operator else ops.apply(row.name, *given)
        return ops.where(y, 1.0, 0.0) if row.gives == "condition" else y

    kernel = ch.compile(alone, x=row.arity)
    assert row.name in kernel.operations.by_kind
    for name in backend.names("render"):
        if (name, row.name) in REFUSED:
            with pytest.raises(ch.CompileError, match=f"{row.name} works on bits"):
                kernel.to(name)
        else:
            assert kernel.to(name)
    grid = np.stack(np.meshgrid(*[EDGES] * row.arity), axis=-1).reshape(-1, row.arity)
    cases = [
        [v > 0.0 if kind == "condition" else v for v, kind in zip(x, row.takes, strict=True)] for x in grid.tolist()
    ]
    expected = [float(row.value(*case)) for case in cases]
    for target in backend.names("run"):
        with np.errstate(all="ignore"):
            found = Kernel(kernel.program, "row", target=target)(grid)
        np.testing.assert_allclose(found, expected, rtol=1e-15, atol=0.0)


def test_all_operations_at_once():
    kernel = ch.compile(everything, q=5, v=(2, 3), t=())
    assert equal(kernel, *states(kernel, 3), tol=EXACT)
    assert len(re.findall(r"^    v\d+ = ", kernel.to("python"), re.MULTILINE)) == len(kernel.program.nodes)
