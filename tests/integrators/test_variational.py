"""The variational integrator: order, symmetry in time, symplecticity, momenta, forces, rows that have no step."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from support.every_joint import coupled, every_joint, state, tree
from support.loops import four_bar, four_bar_angles, pinned
from support.marching import March
from support.sweeps import sweep
from support.tolerances import close, small

import chasles as ch
from chasles import integrators
from chasles.integrators.equations import equations
from chasles.simulation.rollout_kernels import rollout_kernel


def drive(t, q, v):
    """Joint forces of time and velocity."""
    return np.sin(5.0 * t) - 0.4 * v


def shaken(q, qd, t):
    """A double pendulum with a magnet, whose gravity changes in time."""
    square = 2.0 * qd[0] ** 2 + qd[1] ** 2 + 2.0 * qd[0] * qd[1] * np.cos(q[0] - q[1])
    return square / 2 + (9.0 + np.sin(5.0 * t)) * (2.0 * np.cos(q[0]) + np.cos(q[1])) + qd[0] * np.sin(q[1])


def blade(q):
    return np.stack([np.stack([np.sin(q[2]), -np.cos(q[2]), 0.0 * q[0]])])


def skate():
    """A skate on a slope: a constraint on velocities alone."""
    free = ch.LagrangianSystem(
        3, lambda q, qd: (qd[0] ** 2 + qd[1] ** 2 + 0.2 * qd[2] ** 2) / 2 + 3.0 * q[0] - q[1] ** 2 / 2, name="skate"
    )
    return ch.ConstrainedSystem(free, ch.Constraint.pfaffian(blade, "blade"))


def bars():
    robot = four_bar()
    return ch.ConstrainedSystem(robot, pinned(robot))


def pendulum(length=1.4):
    """A particle on a sphere, in gravity."""
    free = ch.LagrangianSystem(3, lambda q, qd: qd @ qd / 2 - 9.81 * q[2], name="particle")
    return ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: (q @ q - length**2) / 2, "sphere"))


@cache
def case(name: str) -> Any:
    """A system, a start, joint forces, and the first of the steps at which orders are measured."""
    rng = np.random.default_rng(5)
    if name in ("coupled", "tree"):
        robot = coupled() if name == "coupled" else every_joint()
        return robot, *state(robot, rng), drive, 0.02
    if name == "lagrangian":
        rubbed = {"dissipation": lambda q, qd: 0.1 * (qd @ qd), "forces": lambda q, qd, t: np.cos(t) * q}
        return ch.LagrangianSystem(2, shaken, **rubbed), np.array([0.5, 1.0]), np.array([1.0, -1.0]), drive, 0.02
    system = {"skate": skate, "four-bar": bars, "particle": pendulum}[name]()
    start = {"skate": [0.0, 0.3, 0.3], "four-bar": four_bar_angles(0.7), "particle": [0.5, 0.8, -0.7]}[name]
    return system, *system.consistent(start, [1.0, 1.0, 2.0]), drive if name == "skate" else None, 0.01


@cache
def march(name, method):
    return March(case(name)[0], method, case(name)[3])


@cache
def left_alone(name):
    """The steps without joint forces."""
    return March(case(name)[0])


NAMES = ["coupled", "lagrangian", "skate", "four-bar", "particle", "tree"]


@pytest.mark.parametrize("method", ["variational", "variational4"])
@pytest.mark.parametrize("name", sweep(NAMES, ["coupled", "skate", "particle"]))
def test_order(name, method):
    """Joints of every kind and such that mimic, rotors, damping; forces of t and v; constraints of either sort."""
    system, q, v, _, h = case(name)
    many = round(0.32 / h)
    exact = march(name, "dormand_prince").last(q, v, h / 16, 16 * many)
    errors = []
    for k in (1, 2):
        x, u = march(name, method).last(q, v, h / k, k * many)
        errors.append(max(np.abs(system.difference(exact[0], x)).max(), np.abs(u - exact[1]).max()))
    order = integrators.find(method).order
    assert order - 0.3 < np.log2(errors[0] / errors[1]) < order + 0.6
    assert errors[0] < (0.02 if order == 2 else 1e-4)


@pytest.mark.parametrize("name", ["lagrangian", "skate"])
def test_a_law_in_python(name):
    """One that takes numbers alone, as simulate has them, gives the motion of one that is traced."""
    system, q, v, law, h = case(name)
    run = ch.simulate(
        system, q, v, lambda t, q, v: [float(x) for x in law(t, q, v)], duration=5 * h, dt=h, method="variational4"
    )
    x, u = march(name, "variational4").last(q, v, h, 5)
    assert close(run.q[-1], x) and close(run.qd[-1], u)


@pytest.mark.parametrize("name", ["ball", "lagrangian", "skate", pytest.param("four-bar", marks=pytest.mark.sweep)])
def test_a_step_and_one_back(name):
    if name == "ball":
        system = tree(["spherical", "revolute", "prismatic"])
        q, v = state(system, np.random.default_rng(5))
    elif name == "lagrangian":
        system, q, v = ch.LagrangianSystem(2, shaken), np.array([0.5, 1.0]), np.array([1.0, -1.0])
    else:
        system, q, v = case(name)[:3]
    run = left_alone(name) if name in ("four-bar", "skate") else March(system)
    there = run.last(q, v, 0.01, 1, t=0.3)
    back = run.last(*there, -0.01, 1, t=0.31)
    assert small(system.difference(q, back[0]), 1e-13)
    assert close(back[1], v, 1e-12)
    assert np.abs(there[1] - v).max() > 1e-3


@pytest.mark.parametrize("method", ["variational", "variational4"])
def test_it_is_symplectic(method):
    """The derivative J of the map of (q, p) satisfies J^T W J = W; that of rk4 does not."""
    robot = ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])
    W = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])

    def off(method):
        run = March(robot, method)

        def step(z):
            q, v = run.last(z[:2], np.linalg.solve(robot.mass_matrix(z[:2]), z[2:]), 0.05, 1)
            return np.r_[q, robot.mass_matrix(q) @ v]

        z, h = np.array([0.3, -0.8, 0.5, 0.2]), 1e-4
        near, far = (np.stack([step(z + k * e) - step(z - k * e) for e in np.eye(4)], -1) / k for k in (h, 2 * h))
        J = (4 * near - far) / 6
        return np.abs(J.T @ W @ J - W).max()

    assert off(method) < 1e-10 < 1e-8 < off("rk4")


def test_a_free_robot_keeps_its_momentum(rng):
    robot = tree(["free", "revolute"]).with_gravity([0.0, 0.0, 0.0])
    q, v = state(robot, rng, 2.0)
    q, v = March(robot).path(q, v, 0.01, 100)
    momentum = np.einsum("kij,kj->ki", robot.centroidal_momentum_matrix(q), v)
    assert close(momentum, np.broadcast_to(momentum[0], momentum.shape), 1e-13)
    energy = robot.kinetic_energy(q, v)
    assert 1e-6 < np.ptp(energy) / energy[0] < 0.05  # bounded, and not kept


def test_a_free_body_keeps_its_energy_too(rng):
    """Of one body the discrete Lagrangian is that of Moser and Veselov, which is integrable as the top itself is."""
    robot = tree(["free"]).with_gravity([0.0, 0.0, 0.0])
    q, v = state(robot, rng, 3.0)
    energy = robot.kinetic_energy(*March(robot).path(q, v, 0.01, 300))
    assert close(energy, np.full(301, energy[0]), 1e-12)


def test_a_skate_goes_where_it_points():
    """A constraint on velocities alone: kept at the end of every step, and the skate's energy in a band."""
    system, q, v = case("skate")[:3]
    q, v = left_alone("skate").path(q, v, 0.02, 500)
    assert small(np.einsum("kij,kj->ki", system.constraint_matrix(q), v), 1e-13)
    energy = system.kinetic_energy(q, v) + system.potential_energy(q)
    assert np.ptp(energy) < 1e-3 * np.ptp(system.kinetic_energy(q, v))
    assert close(v[:, 2], np.full(501, v[0, 2]), 1e-12)  # nothing turns it


def test_forces_that_are_held():
    """Torques that jump from step to step act from the beginning of a step to its end: order 2 all the same."""
    robot = ch.load("planar_2r")
    q, v, pieces = np.array([0.3, -0.5]), np.array([1.0, 0.5]), np.random.default_rng(0).normal(size=(5, 2)) * 4.0

    def end(method, k):
        kernel = rollout_kernel(robot, steps=5 * k, every=5 * k, method=method, torques=True)
        return kernel(q, v, 0.1 / k, 0.0, np.repeat(pieces, k, axis=0)).path[-1]

    exact = end("rk4", 32)
    errors = [np.abs(end("variational", k) - exact).max() for k in (4, 8)]
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.3


def test_damping_and_friction_slow_it_down():
    link = ch.Link(2.0, [0.0, 0.0, 0.0], (0.1, 0.1, 0.1))
    slider = ch.Robot.from_screws([[0, 0, 0, 1.0, 0, 0]], [np.eye(4)], [link], damping=[0.6], friction=[0.5])
    slider = slider.with_friction()
    t, d, f, m = 0.5, 0.6, 0.5, 2.0
    _, v = March(slider).last(np.zeros(1), np.ones(1), 0.01, 50)
    assert close(v, [(1.0 + f / d) * np.exp(-d / m * t) - f / d], 1e-5)


def test_rows_that_have_no_step_are_nan():
    """At steps of a second: the step is reported, and no other row is disturbed."""
    kernel = rollout_kernel(ch.load("planar_2r"), steps=5, method="variational")
    q = np.array([[0.0, 0.0], [0.3, 0.3]])
    fast, slow = 20.0 * np.ones(2), np.zeros(2)
    found = kernel(q, np.stack([fast, slow]), np.array([1.0, 1e-3]), 0.0)
    assert found.finite_steps.tolist() == [0.0, 5.0]
    assert np.isnan(found.velocities[0]).all() and np.isfinite(found.path[1]).all()
    alone = kernel(q[1], slow, 1e-3, 0.0)
    assert (alone.path == found.path[1]).all()


def test_on_arrays_it_is_what_kernels_do(rng):
    """Batches of NumPy, with a law that is only Python."""
    robot = coupled()
    q, v = (np.stack(x) for x in zip(*(state(robot, rng) for _ in range(3)), strict=True))
    laws, scheme = equations(robot, lambda t, q, v: np.sin(5.0 * t) - 0.4 * v), integrators.find("variational")
    now = scheme.begin(laws, 0.0, q, v)
    for k in range(4):
        now = scheme.step(laws, k * 0.01, now, 0.01)
    expected = march("coupled", "variational").last(q, v, 0.01, 4)
    for found, x in zip(scheme.end(laws, 0.04, now), expected, strict=True):
        assert close(found, x, 1e-13)


def test_symbols_are_inputs():
    m = ch.symbols("m")
    link = ch.Link(m, [0.0, 0.0, -0.5], (0.1, 0.1, 0.1))
    arm = ch.Robot.from_screws([ch.screw([1.0, 0.0, 0.0])], [np.eye(4)], [link], damping=[0.2 * m]).with_friction()
    kernel = rollout_kernel(arm, steps=10, method="variational")
    found = kernel([0.3], [1.0], 0.01, 0.0, np.array([1.0, 2.0])).path
    for row, value in zip(found, (1.0, 2.0), strict=True):
        number = rollout_kernel(arm.with_values(m=value), steps=10, method="variational")
        assert close(row, number([0.3], [1.0], 0.01, 0.0).path, 1e-13)


@pytest.mark.parametrize(
    "name", ["planar_2r", *(pytest.param(name, marks=pytest.mark.slow) for name in ("four-bar", "lagrangian"))]
)
def test_gradients(name):
    """Through the time loop and the iteration in it, against central differences."""
    robot = ch.load("planar_2r") if name == "planar_2r" else case(name)[0]
    q, v = (np.array([0.3, -0.5]), np.array([1.0, 0.5])) if name == "planar_2r" else case(name)[1:3]
    more = {"torques": True, "final_cost": lambda q, v: q @ q + v[0] * v[1]}
    kernel = rollout_kernel(robot, steps=6, method="variational", **more)
    tau = 0.3 * np.random.default_rng(0).normal(size=(6, robot.n))
    given = {"q": q, "qd": v, "dt": 0.02, "t0": 0.1, "tau": tau}
    names = ["tau"] if name == "four-bar" else ["tau", "q", "qd"]  # a start off the constraint has no motion
    h = 1e-5
    for by, found in zip(names, kernel.gradient(names, value=True)(*given.values())[1:], strict=True):
        for k in np.ndindex(given[by].shape):
            e = np.zeros(given[by].shape)
            e[k] = h
            ahead, behind = (kernel(*(given | {by: given[by] + s * e}).values()) for s in (1.0, -1.0))
            assert close(found[k], (ahead - behind) / (2 * h), 1e-6, scale=np.abs(found).max())
