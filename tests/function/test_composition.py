"""Functions compose as programs: what is traced compiles nothing, what is asked for numbers compiles what runs."""

import warnings

import numpy as np
import pytest
from support.implicit_pendulum import pendulum
from support.loops import four_bar, four_bar_angles, pinned
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.backend import host as cpu
from chasles.backend.host import jit
from chasles.robot.methods.forward import FORWARDED

pytestmark = pytest.mark.usefixtures("own_kernels")


@pytest.fixture
def compiled(monkeypatch):
    """The modules that are compiled from here on: the shell is there, nothing else is."""
    cpu.shell(), cpu.driver()
    monkeypatch.setenv("CHASLES_CACHE_DIR", "")
    monkeypatch.setattr(cpu, "_alive", {})
    made, compile_object = [], jit.compile_object

    def spy(ir, *rest):
        made.append(ir)
        return compile_object(ir, *rest)

    monkeypatch.setattr(jit, "compile_object", spy)
    return made


# What is asked for numbers


def test_a_four_bar(compiled):
    robot = four_bar()
    system = ch.ConstrainedSystem(robot, pinned(robot))
    q = four_bar_angles(np.array(0.7))
    motion = system.forward_dynamics(q, np.zeros(3), np.array([1.0, 0.0, 0.0]))
    assert np.isfinite(motion.qdd).all() and motion.qdd.any()
    assert 0 < len(compiled) <= 4


def test_the_energy_of_the_readme(compiled):
    robot = ch.load("panda")
    energy = ch.compile(lambda q, qd: qd @ robot.mass_matrix(q) @ qd / 2, q=7, qd=7)
    force = energy.gradient("q")
    assert not compiled
    q, qd = np.linspace(-1.0, 1.0, 7), np.linspace(0.3, 0.9, 7)
    found = force(q, qd)
    assert len(compiled) == 1
    h = 1e-6
    steps = [(energy(q + h * e, qd) - energy(q - h * e, qd)) / (2 * h) for e in np.eye(7)]
    assert close(found, steps, FINITE_DIFFERENCE)
    assert len(compiled) == 2 and not any(kernel.compiled for kernel in robot._kernels.values())


def test_a_lagrangian_system(compiled):
    def L(q, qd):
        c = np.cos(q[1])
        return qd[0] ** 2 + 0.5 * qd[1] ** 2 + c * qd[0] * qd[1] + 9.81 * (2.0 * np.cos(q[0]) + c)

    system = ch.LagrangianSystem(2, L)
    assert np.isfinite(system.forward_dynamics([0.1, 0.2], [0.3, 0.4], [0.0, 0.0])).all()
    assert len(compiled) == 1


def test_a_function_is_compiled_when_a_number_reaches_it(compiled):
    robot = ch.load("planar_2r")
    kernel = robot.kernel("mass_matrix")
    assert not kernel.compiled and not compiled
    for _ in range(3):
        robot.mass_matrix(np.zeros(2))
        robot.mass_matrix(np.zeros((5, 2)))
        robot.mass_matrix([0.0, 0.0])
        kernel(np.zeros(2))
    assert kernel.compiled and len(compiled) == 1
    ch.load("planar_2r").mass_matrix(np.ones(2))  # another robot with the same numbers
    assert len(compiled) == 1
    robot.kernel("mass_matrix", dtype="float32")(np.zeros(2))
    assert len(compiled) == 2


# What is traced


def test_tracing_through_a_robots_methods(compiled):
    """Each method, on traced arrays in place of all its inputs."""
    robot = ch.load("planar_2r")
    for name, made in FORWARDED.items():
        kernel = robot.kernel(next(iter(made.choice[1].values())) if made.choice else name)
        shapes = {o.name: o.shape for o in kernel.inputs}

        def method(name=name, **given):
            return getattr(robot, name)(**given)

        traced = ch.compile(method, **shapes)
        assert len(traced.outputs) == len(kernel.outputs), name
        assert not compiled, name


def test_tracing_through_everything_else(compiled):
    """The user's kernels, derivatives, fused kernels, float32, loops, systems, constraints."""
    robot = ch.load("planar_3r")
    energy = ch.compile(lambda q, qd: robot.kinetic_energy(q, qd) + robot.potential_energy(q), q=3, qd=3)
    both = robot.kernel(["mass_matrix", "bias_forces"], dtype="float32")
    rolled = ch.compile(lambda s: pendulum(s, 5), s=4)
    lagrangian = ch.LagrangianSystem(3, lambda q, qd: energy(q, qd) - 2.0 * robot.potential_energy(q))
    bound = ch.ConstrainedSystem(four_bar(), pinned(four_bar()))
    symbolic = robot.with_gravity([0.0, -ch.symbols("g"), 0.0])
    compiled.clear()  # a constraint was made: which rows are redundant, numbers tell

    def function(q, qd, s):
        M, bias = both(q, qd)
        A = bound.constraint_matrix(q)
        return {
            "a": np.linalg.norm(energy.gradient("q")(q, qd)) + energy.hessian("qd")(q, qd)[0, 1],
            "b": M @ qd + bias + both.jacobian("q")(q, qd)[0][0, 0],
            "c": rolled(s) + rolled.gradient("s")(s)[0],
            "d": lagrangian.mass_matrix(q) @ qd + lagrangian.bias_forces(q, qd),
            "e": lagrangian.forward_dynamics(q, qd, qd),
            "f": A @ qd + bound.constraint_drift(q, qd),
            "g": bound.mass_matrix(q) @ qd + bound.bias_forces(q, qd) + bound.coriolis_matrix(q, qd) @ qd,
            "i": bound.forward_dynamics(q, qd, qd).qdd,
            "h": symbolic.inverse_dynamics(q, qd, qd, g=s[0]),
        }

    kernel = ch.compile(function, q=3, qd=3, s=4)
    for made in (kernel, kernel.jacobian("q"), energy.hessian("q"), rolled.gradient("s"), rolled):
        assert made.operations.total > 0 and "define" in made.to("llvm") and made.source and made.inputs
        assert made.signature and repr(made)
        assert not made.compiled
    assert not compiled
    q = np.array([0.1, 0.4, -0.3])
    assert np.isfinite(kernel(q, q, np.array([0.7, 0.3, 1.2, 0.1])).c)
    assert len(compiled) == 1


def test_tracing_compiles_nothing_for_what_was_compiled(compiled):
    """A kernel that has run is written out all the same: by any of its names."""
    robot = ch.load("planar_2r")
    kernel = robot.kernel("mass_matrix")
    M = kernel(np.ones(2))
    count = len(compiled)
    doors = (kernel, kernel.call, kernel.fast, kernel.ufunc, robot.mass_matrix)
    programs = [ch.compile(lambda q, door=door: 2.0 * door(q), q=2) for door in doors]
    assert len(compiled) == count
    assert len({p.program for p in programs}) == 1
    assert np.array_equal(programs[0](np.ones(2)), 2.0 * M)


# A kernel is itself, whatever others share its code


def test_kernels_with_equal_code_have_their_own_operands():
    """The code of a constant does not know what it is a function of."""
    two, three = (ch.compile(lambda q: 1.0 + 0.0 * q[0], q=n) for n in (2, 3))
    assert two(np.zeros((4, 2))).shape == three(np.zeros((4, 3))).shape == (4,)
    with pytest.raises(ch.ShapeError, match=r"q must have shape \(..., 3\), got \(2,\)"):
        three(np.zeros(2))
    named, other = ch.compile(lambda q: np.sin(q), q=2), ch.compile(lambda angle: np.sin(angle), angle=2)
    assert np.array_equal(named(np.ones(2)), other(np.ones(2)))
    with pytest.raises(ch.ShapeError, match="angle must have shape"):
        other(np.ones(3))
    with pytest.raises(ch.ShapeError, match="q must have shape"):
        named(np.ones(3))


def test_kernels_with_equal_code_have_their_own_derivatives():
    """Two iterations with the same steps, one to be differentiated as what it solves."""

    def kernel(rule):
        return ch.compile(lambda a: ch.loop(lambda x: 0.5 * (x + a / x), 1.0, count=2, rule=rule), a=())

    steps, solved = kernel("steps"), kernel("fixed_point")
    assert steps(3.0) == solved(3.0) == 1.75  # and now both are compiled, to the same code
    x, a = 1.75, 3.0
    assert close(ch.compile(lambda a: steps(a), a=()).gradient("a")(a), 0.5 * (1.0 - a / 8.0), 1e-14)
    slope = (0.5 / x) / (1.0 - 0.5 * (1.0 - a / x**2))
    assert close(ch.compile(lambda a: solved(a), a=()).gradient("a")(a), slope, 1e-14)


def test_results_of_composition_are_those_of_the_parts():
    robot = ch.load("scara")
    q, qd, qdd = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 5, 4))
    power = ch.compile(lambda q, qd, qdd: qd @ robot.inverse_dynamics(q, qd, qdd), q=4, qd=4, qdd=4)
    assert close(power(q, qd, qdd), (qd * robot.inverse_dynamics(q, qd, qdd)).sum(-1), 1e-13)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inner = ch.compile(lambda q: power(q, q, q) + power(q, 2.0 * q, q), q=4)
        assert close(inner(q), power(q, q, q) + power(q, 2.0 * q, q), 1e-13)


def test_optional_inputs_that_are_not_given():
    """Of two the first is None, in what is traced as for numbers."""
    robot, q = ch.load("planar_2r"), np.array([0.3, -0.4])
    wrenches = np.arange(12.0).reshape(2, 6)
    traced = ch.compile(lambda q, w: robot.inverse_dynamics(q, q, q, None, w), q=2, w=(2, 6))
    expected = robot.inverse_dynamics(q, q, q, link_wrenches=wrenches)
    assert close(traced(q, wrenches), expected, FLOAT64) and not np.allclose(expected, robot.inverse_dynamics(q, q, q))
