"""C of robots: on a thousand states, in float, in loops, searches and on constraints; gcc and clang with warnings."""

import subprocess
from functools import cache

import numpy as np
import pytest
from support.c_library import PROTOTYPES, WARNINGS, Compiled, compiled, computed
from support.kernels import states
from support.loops import four_bar, four_bar_angles, pinned
from support.node import interpreted
from support.printed_robots import REST, SHORT, found_two_of_three, robot_of, rollout, searched
from support.programs import needs
from support.random_trees import random_mechanism
from support.tolerances import close

import chasles as ch
from chasles import integrators
from chasles.backend.host import jit
from chasles.graph.interpret import interpret
from chasles.simulation.rollout_kernels import rollout_kernel

STATES = 1000
ROBOTS = ("planar_2r", "scara", "ur5", "panda", "every_joint")
FUNCTIONS = ("inverse_dynamics", "mass_matrix", "gravity_forces", "forward_dynamics")
LIMIT = {"float64": 1e-13, "float32": 3e-4}


@cache
def library() -> dict[tuple[str, str, str], Compiled]:
    """Functions of several robots in one library, of double and of float."""
    cases = [(robot, f, "float64") for robot in ROBOTS for f in FUNCTIONS[: 1 if robot == "every_joint" else None]]
    cases += [(robot, "inverse_dynamics", "float32") for robot in ROBOTS[:4]]
    kernels = [robot_of(robot).kernel(f, dtype=dtype) for robot, f, dtype in cases]
    return dict(zip(cases, compiled(kernels, "-O0"), strict=True))


def columns(kernel, x):
    """The outputs of a program for rows of its inputs, all at a time."""
    leaves = [list(a.reshape(len(a), -1).T.astype(float)) for a in x]
    found = interpret(kernel.program, leaves)
    rows = [np.stack([np.broadcast_to(y, len(x[0])) for y in row], -1) for row in found]
    return [row.reshape(len(x[0]), *o.shape) for row, o in zip(rows, kernel.outputs, strict=True)]


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_thousand_states(robot, rng):
    for (name, function, dtype), call in library().items():
        if name == robot:
            kernel = robot_of(robot).kernel(function)
            x = [rng.uniform(-1.5, 1.5, (STATES, *o.shape)).astype(dtype) for o in kernel.inputs]
            if robot == "every_joint":
                x[0] = np.array([robot_of(robot).random(rng) for _ in range(STATES)], dtype)
            for found, expected in zip(call(*x), columns(kernel, x), strict=True):
                assert close(found.astype(float), expected, LIMIT[dtype]), (function, dtype)


def test_it_is_what_the_library_computes(rng, monkeypatch):
    monkeypatch.setattr(jit, "EFFORT", 0)
    q, qd, qdd = rng.normal(size=(3, STATES, 6))
    (found,) = library()["ur5", "inverse_dynamics", "float64"](q, qd, qdd)
    assert close(found, ch.load("ur5").inverse_dynamics(q, qd, qdd), 1e-13)


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["planar_2r", "planar_3r", "scara", "ur5", "panda", "random3", "kinds11", "coupled"])
def test_the_whole_catalogue(name):
    robot = robot_of(name)
    for functions in (SHORT, *(REST if name.startswith("planar") else ())):
        kernel = robot.kernel(functions)
        x = [0.5 * a for a in states(kernel, 2)]
        for o, found, expected in zip(kernel.outputs, computed(kernel, *x), interpreted(kernel, *x), strict=True):
            assert close(found, expected, 1e-12, 1e3), o.name


# loops


def agrees(kernel, *x, tol=1e-12):
    return all(close(a, b, tol) for a, b in zip(computed(kernel, *x), interpreted(kernel, *x), strict=True))


def test_a_rollout(rng):
    kernel, x = rollout("rk4", rng)
    assert agrees(kernel, *x, tol=1e-11)


@pytest.mark.sweep
@pytest.mark.parametrize("method", integrators.names())
def test_rollouts(method, rng):
    kernel, x = rollout(method, rng)
    assert agrees(kernel, *x, tol=1e-11)


@pytest.mark.parametrize("name", ["planar_2r", pytest.param("ur5", marks=pytest.mark.sweep)])
def test_inverse_kinematics(name, rng):
    kernel, given = searched(name, rng)
    assert found_two_of_three(name, kernel, given, computed(kernel, *given))


def test_constraints():
    robot = four_bar()
    system = ch.ConstrainedSystem(robot, pinned(robot))
    given = {"q": four_bar_angles(np.array([0.4, 1.9])), "qd": np.ones((2, 3)), "tau": np.ones((2, 3))}
    kernels = (system.dynamics, system.projector)
    for function in compiled(kernels):
        x = [given[o.name] for o in function.kernel.inputs]
        for found, expected in zip(function(*x), interpreted(function.kernel, *x), strict=True):
            assert close(found, expected, 1e-12)


# other compilers


def complaints(command, folder, *files):
    done = subprocess.run([*command, *WARNINGS, "-Werror", *files], cwd=folder, capture_output=True, text=True)
    return "" if not done.returncode else done.stderr[:3000]


@pytest.mark.system
@needs("gcc", "g++", "clang", "clang++")
@pytest.mark.parametrize(
    "compiler",
    [
        "gcc -std=c99",
        "clang -std=c99",
        *(pytest.param(f"{x} -x c++", marks=pytest.mark.sweep) for x in ("g++", "clang++")),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_no_warning_in_the_whole_catalogue(compiler, dtype, tmp_path, rng):
    """Nor in loops and searches."""
    kernels = [robot_of(name).kernel(SHORT, dtype=dtype) for name in ("planar_2r", "ur5", "kinds11")]
    kernels += [robot_of("planar_2r").kernel(f, dtype=dtype) for f in REST]
    if dtype == "float64":
        kernels += [rollout("rk4", rng)[0], searched("planar_2r", rng)[0], rollout_kernel(robot_of("panda"), steps=9)]
    strict = PROTOTYPES if "++" not in compiler else []
    for kernel in kernels:
        (tmp_path / "f.c").write_text(kernel.to("c"), "ascii")
        assert not complaints([*compiler.split(), *strict, "-O1", "-c"], tmp_path, "f.c"), kernel.name


@pytest.mark.system
@needs("gcc", "clang")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_long_programs_take_seconds(compiler, tmp_path):
    """Ten thousand operations, in functions of at most 4,000: forward dynamics of 30 joints."""
    kernel = ch.Robot(random_mechanism(1, 30)).kernel("forward_dynamics")
    assert kernel.operations.total > 8000
    (tmp_path / "f.c").write_text(kernel.to("c"), "ascii")
    assert kernel.to("c").count("_part") >= 4
    subprocess.run([compiler, "-std=c99", "-O2", "-c", "f.c"], cwd=tmp_path, check=True, timeout=60)
