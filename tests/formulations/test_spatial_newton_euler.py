"""The recursions in twists against those in classical accelerations, on random trees of every kind of joint."""

import numpy as np
import pytest
from support.random_trees import by_chunks, random_kinds, random_mechanism, random_twist, random_wrench
from support.tolerances import close

import chasles as ch
from chasles.dynamics.articulated_body import forward_dynamics
from chasles.dynamics.newton_euler import newton_euler
from chasles.formulations import spatial_newton_euler
from chasles.model.mechanism import Mechanism


def check(m: Mechanism, rng) -> None:
    tree = m.tree
    q, (qd, qdd, tau) = ch.Robot(m).random(rng), rng.normal(size=(3, m.n))
    wrenches = {i: random_wrench(rng) for i in range(m.bodies)}
    base = random_twist(rng), random_twist(rng)
    expected = newton_euler(tree, q, qd, qdd, wrenches, *base)
    found = spatial_newton_euler.newton_euler(tree, q, qd, qdd, wrenches, base)
    size = max(1.0, np.abs(np.array([[*F.m, *F.f] for F in expected.F], dtype=float)).max())
    assert close(found.tau, expected.tau, 1e-12, size)
    for F, G in zip(found.F, expected.F, strict=True):
        assert close([*F.m, *F.f], [*G.m, *G.f], 1e-12, size)
    found = spatial_newton_euler.articulated_bodies(tree, q, qd, tau, wrenches).found.qdd
    assert close(found, forward_dynamics(tree, q, qd, tau, wrenches), 1e-9)


@by_chunks([range(k, k + 5) for k in range(0, 200, 5)], range(20, 25))
def test_random_trees(seeds, rng):
    for seed in seeds:
        check(random_mechanism(seed), rng)
        check(random_kinds(seed), rng)


def test_the_robot_of_every_kind_of_joint(rng):
    m = random_kinds(3)
    robot = ch.Robot(m)
    q, (qd, qdd) = robot.random(rng), rng.normal(size=(2, robot.n))
    tau = spatial_newton_euler.inverse_dynamics(robot, q, qd, qdd)
    assert close(tau, robot.inverse_dynamics(q, qd, qdd))
    assert close(spatial_newton_euler.forward_dynamics(robot, q, qd, tau), qdd, 1e-9)


def test_accelerations_are_rates_of_velocities(rng):
    """A is dV/dt, and gravity that of the base: without it, by differences of V."""
    robot = ch.load("scara")
    tree = robot.with_gravity((0.0, 0.0, 0.0)).mechanism.tree
    q, qd, qdd = rng.normal(size=(3, robot.n))
    found = spatial_newton_euler.newton_euler(tree, q, qd, qdd)
    h = 1e-6

    def last(t: float) -> np.ndarray:
        V = spatial_newton_euler.newton_euler(tree, q + t * qd + t * t / 2 * qdd, qd + t * qdd, qdd).V[-1]
        return np.array([*V.w, *V.v])

    A = found.A[-1]
    assert [*A.w, *A.v] == pytest.approx((last(h) - last(-h)) / (2 * h), abs=1e-7)
