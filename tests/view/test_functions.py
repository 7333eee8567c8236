"""The functions of the page, as it runs them, are those of the library."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.floating import floating
from support.four_bar import four_bar, state
from support.node import computed
from support.tolerances import close

import chasles as ch
from chasles.recorded_motion.interpolation import between
from chasles.simulation.stops import TIME_CONSTANT, Stops
from chasles.view.falling import SHORTEST, STABLE, STEP, steps
from chasles.view.functions import functions

NAMES = ("scara", "free", "four-bar")
H, STILL = np.array(STEP), np.array(0.0)


@cache
def of(name: str) -> Any:
    """A system, its robot, and its kernels."""
    if name == "four-bar":
        return four_bar(), four_bar().system, functions(four_bar())
    robot = floating() if name == "free" else ch.load(name)
    return robot, robot, functions(robot)


def states(name, rng, count=3):
    """Rows of q and v; on the constraints, where there are some."""
    system, robot, _ = of(name)
    if name == "four-bar":
        q, v = state()
        return np.stack([q] * count), np.stack([k * v for k in range(1, count + 1)])
    return np.stack([robot.random(rng) for _ in range(count)]), rng.normal(size=(count, system.n))


@pytest.mark.parametrize("name", NAMES)
def test_poses_energies_and_coordinates(rng, name):
    _, robot, known = of(name)
    q, v = states(name, rng)
    assert set(known) >= {"look", "energies", "integrate", "difference", "step", "between", "torques"}
    look = dict(zip([o.name for o in known["look"].outputs], computed(known["look"], q), strict=True))
    assert close(look["links"], robot.link_poses(q), 1e-12) and close(look["com"], robot.centre_of_mass(q), 1e-12)
    assert close(look["tool"], robot.forward_kinematics(q), 1e-12)
    kinetic, potential = computed(known["energies"], q, v)
    assert close(kinetic, robot.kinetic_energy(q, v), 1e-12) and close(potential, robot.potential_energy(q), 1e-12)
    (moved,) = computed(known["integrate"], q, v)
    assert close(moved, robot.integrate(q, v), 1e-12)
    assert close(computed(known["difference"], q, moved)[0], robot.difference(q, moved), 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_step_is_that_of_the_library(rng, name):
    system, _, known = of(name)
    q, v = states(name, rng)
    tau = rng.normal(size=v.shape)
    rows = [np.full(len(q), x) for x in (STILL, H)]
    there, speed = computed(known["step"], q, v, tau, *rows)
    for k in range(len(q)):
        wanted = system.step(q[k], v[k], tau[k], dt=STEP)
        assert close(there[k], wanted[0], 1e-12) and close(speed[k], wanted[1], 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_between_two_samples_as_a_trajectory_has_it(rng, name):
    system, _, known = of(name)
    q, v = states(name, rng)
    later, faster = computed(known["step"], q, v, 0 * v, np.zeros(len(q)), np.full(len(q), 0.01))
    share = np.linspace(0.0, 1.0, len(q))
    h = np.full(len(q), 0.01)
    there, speed = computed(known["between"], q, v, later, faster, h, share)
    wanted = between(system, q, v, later, faster, h[:, None], share[:, None])
    assert close(there, wanted[0], 1e-12) and close(speed, wanted[1], 1e-12)
    assert close(there[0], q[0], 1e-12) and close(there[-1], later[-1], 1e-12)


@pytest.mark.parametrize("name", ["scara", "free"])
def test_the_forces_of_a_robot(rng, name):
    _, robot, known = of(name)
    q, v = states(name, rng)
    a = rng.normal(size=v.shape)
    assert close(computed(known["torques"], q, v, a)[0], robot.inverse_dynamics(q, v, a), 1e-12)


def test_the_forces_that_hold_a_loop_are_the_least_and_its_multipliers_the_librarys(rng):
    system, _, known = of("four-bar")
    q, v = states("four-bar", rng)
    still = 0.0 * v
    (tau,) = computed(known["torques"], q, still, still)
    assert np.abs(system.forward_dynamics(q, still, tau).qdd).max() < 1e-9
    A = system.constraint_matrix(q)
    assert np.abs(np.einsum("...ki,...i->...k", A, tau)).max() < 1e-9  # no part of them is a multiplier's: the least
    (multipliers,) = computed(known["reactions"], q, v, tau)
    assert close(multipliers, system.forward_dynamics(q, v, tau).multipliers, 1e-11)


def test_stops_are_those_of_simulate():
    _, robot, known = of("scara")
    q, v = robot.limits["upper"][None] + 0.01, np.ones((1, robot.n))
    stop = Stops(robot, TIME_CONSTANT, STEP)
    there, speed = computed(known["step"], q, v, 0 * v, np.ones(1), np.full(1, STEP))
    free = computed(known["step"], q, v, 0 * v, np.zeros(1), np.full(1, STEP))
    wanted = robot.simulate(q[0], v[0], duration=STEP, dt=STEP, stops=True)
    assert np.abs(stop.forces(q, v)).min() > 0.0
    assert close(there[0], wanted.q[-1], 1e-12) and close(speed[0], wanted.qd[-1], 1e-12)
    assert np.abs(free[1] - speed).max() > 1e-3


@pytest.mark.parametrize("held", [0, 1, 2])
def test_a_loop_follows_the_joint_that_moves(held):
    system, _, known = of("four-bar")
    q, _ = state()
    moved = q + 0.03 * np.eye(3)[held]
    found, off = computed(known["settle"], moved[None], (1.0 - np.eye(3)[held])[None])
    assert off[0] < 1e-12 and np.abs(system.residual(found[0])).max() < 1e-12
    assert found[0, held] == moved[held] and np.abs(found[0] - moved).max() < 0.2
    (any_way, off) = computed(known["settle"], moved[None], np.ones((1, 3)))
    assert off[0] < 1e-12 and np.abs(any_way[0] - moved).max() < 0.03


def test_marks_are_where_the_loop_closes():
    _, _, known = of("four-bar")
    q, _ = state()
    look = dict(zip([o.name for o in known["look"].outputs], computed(known["look"], q[None]), strict=True))
    assert close(look["marks"][0], [[0.45, 0.0, 0.0]], 1e-12)


def small(damping):
    """A finger: a light link with a damped joint."""
    link = ch.Link(0.01, (0.01, 0.0, 0.0), (1e-6, 1e-6, 1e-6))
    made = ch.Robot.from_screws([[0, 0, 1, 0, 0, 0]], [np.eye(4)], [link], damping=[damping], gravity=(0, -9.81, 0))
    return made.with_friction()


@pytest.mark.parametrize(
    "damping, method, finest", [(0.0, "rk4", STEP), (1e-2, "rk4", SHORTEST), (10.0, "sdirk3", STEP)]
)
def test_steps_are_short_or_implicit_where_damping_is_stiff(damping, method, finest):
    """What is chosen stays finite; a millisecond of the usual method does not."""
    robot = small(damping)
    chosen = steps(robot)
    assert chosen.method == method and finest <= chosen.length <= STEP
    q, v = np.array([0.3]), np.array([5.0])
    for _ in range(100):
        q, v = robot.step(q, v, dt=chosen.length, method=chosen.method)
    assert np.isfinite(q).all() and abs(v[0]) < 100.0
    if damping:
        with np.errstate(all="ignore"):
            for _ in range(100):
                q, v = robot.step(q, v + 1e-3, dt=STEP)
        assert not np.isfinite(v).all() or abs(v[0]) > 1e3


def test_steps_are_as_many_to_a_millisecond_as_damping_needs():
    """Rates of 2,500 a second, damping over the inertia about the joint: two steps, as one would not do."""
    damping, inertia = 5e-3, 1e-6 + 0.01 * 0.01**2
    chosen = steps(small(damping))
    assert chosen == ("rk4", STEP / 2) and chosen.length * damping / inertia <= STABLE


def test_an_implicit_step_is_that_of_the_library():
    robot = small(10.0)
    q, v = np.array([[0.3]]), np.array([[5.0]])
    step = functions(robot, "sdirk3")["step"]
    there, speed = computed(step, q, v, 0 * v, np.zeros(1), np.full(1, STEP))
    wanted = robot.step(q[0], v[0], dt=STEP, method="sdirk3")
    assert close(there[0], wanted[0], 1e-12) and close(speed[0], wanted[1], 1e-12, scale=5.0)
