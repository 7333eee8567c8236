"""JavaScript of robots: the catalogue, derivatives, rollouts, searches and constraints, in Node and in a browser."""

import base64
import json
from functools import cache

import numpy as np
import pytest
from support.every_joint import tree
from support.kernels import same, states
from support.loops import four_bar, four_bar_angles, pinned
from support.node import computed, interpreted, rows_code
from support.printed_robots import REST, SHORT, found_two_of_three, robot_of, rollout, searched
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles import integrators
from chasles.backend.host import jit
from chasles.simulation.rollout_kernels import rollout_kernel

SMALL = ("planar_2r", "planar_3r")
LARGE = ("scara", "ur5", "panda", "random3", "kinds11")
FEW = ("inverse_dynamics", "forward_dynamics")
TOLERANCE = 1e-12


def agrees(kernel, *x, tol=TOLERANCE, scale=1.0):
    """Whether Node computes what the interpreter does."""
    for o, found, expected in zip(kernel.outputs, computed(kernel, *x), interpreted(kernel, *x), strict=True):
        assert close(found, expected, tol, scale), o.name
    return True


@pytest.mark.parametrize("name", sweep(SMALL, 1))
def test_the_whole_catalogue(name):
    robot = robot_of(name)
    for functions in (SHORT, *REST):
        kernel = robot.kernel(functions)
        assert agrees(kernel, *(0.5 * a for a in states(kernel, 2)), scale=1e3), functions  # of what cancels


@pytest.mark.sweep
@pytest.mark.parametrize("name", LARGE)
def test_functions_of_larger_robots(name):
    kernel = robot_of(name).kernel(SHORT)
    assert agrees(kernel, *(0.5 * a for a in states(kernel, 2)), scale=1e3)


@pytest.mark.parametrize("name", ["panda", "every_joint", "coupled"])
def test_a_few_functions_of_larger_robots(name):
    """An arm, a tree with a free base and a ball joint, a joint that follows another."""
    kernel = robot_of(name).kernel(FEW)
    assert agrees(kernel, *(0.5 * a for a in states(kernel, 2)), scale=10.0)


def test_it_is_what_the_library_computes(rng, monkeypatch):
    monkeypatch.setattr(jit, "EFFORT", 0)
    robot = ch.load("ur5")
    q, qd, tau = rng.normal(size=(3, 20, 6))
    (found,) = computed(robot.kernel("inverse_dynamics"), q, qd, tau)
    assert close(found, robot.inverse_dynamics(q, qd, tau), TOLERANCE)


def test_derivatives(rng):
    energy = ch.load("planar_2r").kernel("kinetic_energy")
    q, qd = rng.normal(size=(2, 3, 2))
    for kernel in (energy.gradient("q"), energy.hessian("qd"), energy.jacobian("q")):
        assert agrees(kernel, q, qd)


# rollouts


@pytest.mark.parametrize("method", sweep(integrators.names(), ["rk4", "semi_implicit", "sdirk3", "variational"]))
def test_rollouts(method, rng):
    kernel, x = rollout(method, rng)
    assert agrees(kernel, *x, tol=1e-11)


def test_a_rollout_on_groups(rng):
    """A free base and a ball joint: configurations are no vectors."""
    robot = tree(["free", "spherical"])
    kernel = rollout_kernel(robot, steps=3, method="semi_implicit")
    q, qd = robot.random(rng)[None], rng.normal(size=(1, robot.n))
    assert agrees(kernel, q, qd, np.array([0.01]), np.zeros(1))


def test_the_gradient_of_a_rollout(rng):
    """A loop forward and one backward over what it kept."""

    def cost(t, q, qd, tau):
        return q @ q + 0.1 * tau @ tau

    kernel = rollout_kernel(ch.load("planar_2r"), steps=12, torques=True, cost=cost).gradient(["tau", "q"])
    shapes = {o.name: o.shape for o in kernel.inputs}
    given = {name: 0.3 * rng.normal(size=(1, *shape)) for name, shape in shapes.items()} | {"dt": np.array([0.02])}
    assert agrees(kernel, *(given[name] for name in shapes), tol=1e-11)


# constraints and searches


@cache
def closed_loop():
    robot = four_bar()
    return ch.ConstrainedSystem(robot, pinned(robot))


def test_constraints():
    """Dynamics, projections, corrections onto a closed loop, and a motion on it."""
    system = closed_loop()
    q = four_bar_angles(np.array([0.4, 1.9]))
    given = {"q": q, "qd": np.ones((2, 3)), "tau": np.ones((2, 3))}
    for kernel in (system.dynamics, system.projector, system.correction):
        assert agrees(kernel, *(given[o.name] for o in kernel.inputs))
    qd = np.einsum("bij,j->bi", computed(system.projector, q)[0], np.ones(3))
    motion = rollout_kernel(system, steps=5)
    assert agrees(motion, q, qd, np.full(2, 0.01), np.zeros(2), tol=1e-10)
    path = computed(motion, q, qd, np.full(2, 0.01), np.zeros(2))[0]
    assert np.abs(system.residual(path)).max() < 1e-8


@pytest.mark.parametrize("name", sweep(["planar_2r", "ur5"], 1))
def test_inverse_kinematics(name, rng):
    kernel, x = searched(name, rng)
    assert found_two_of_three(name, kernel, x, computed(kernel, *x))


# a browser

PAGE = """<!doctype html><meta charset="utf-8"><title>bits</title><script type="module">
import * as module from "data:text/javascript;base64,MODULE";
const given = new Float64Array(GIVEN);
window.found = Array.from((() => {CODE})());
</script>"""


def walk(x, seed):
    """A random walk: all that is no function of Math but sqrt is the same bits in all engines."""

    def step(x, k):
        y = x + ch.random.normal(seed, k) / np.sqrt(1.0 + x * x)
        return (y, k + 1.0), {"record": {"path": y}, "until": np.abs(y) > 9.0}

    return ch.loop(step, (x, 0.0), count=200)[1]["record"]["path"]


@pytest.mark.system
@pytest.mark.parametrize("case", ["bits", "robot"])
def test_a_browser_computes_the_same(browser, tmp_path, rng, case):
    """A module in a page from the disk. Numbers come back as their shortest decimals, which are exact."""
    if case == "bits":
        kernel, x = ch.compile(walk, x=(), seed=()), [rng.normal(size=3), np.arange(3.0)]
    else:
        kernel = rollout_kernel(ch.load("panda"), lambda t, q, qd: -qd, steps=20)
        x = [0.3 * rng.normal(size=(3, 7)), rng.normal(size=(3, 7)), np.full(3, 1e-3), np.zeros(3)]
    given = np.concatenate([a.reshape(3, -1) for a in x], axis=1).ravel().tolist()
    module = base64.b64encode(kernel.to("js").encode()).decode()
    text = PAGE.replace("MODULE", module).replace("GIVEN", json.dumps(given)).replace("CODE", rows_code(kernel, 3))
    path = tmp_path / "page.html"
    path.write_text(text, "utf-8")
    with browser.open(path) as page:
        page.wait_for_function("window.found")
        found = np.array(page.evaluate("window.found"), float).reshape(3, -1)
    expected = np.concatenate([a.reshape(3, -1) for a in computed(kernel, *x)], axis=1)
    assert same(found, expected) if case == "bits" else close(found, expected, TOLERANCE)
