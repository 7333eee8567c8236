"""Momenta of a discrete step: derivatives of the kinetic energy of chords, which is written here by points alone."""

from functools import cache

import numpy as np
import pytest
from support.every_joint import KINDS, coupled, every_joint, state, tree
from support.loops import planar
from support.sweeps import sweep
from support.tolerances import close, small

import chasles as ch
from chasles.catalogue import Traceable, discrete
from chasles.dynamics.discrete_newton_euler import end_momenta, increments, start_momenta

NAMES = [*KINDS, "coupled"]
each = pytest.mark.parametrize("name", sweep([*NAMES, "tree"], ["coupled", "tree"]))  # the tree has all kinds
few = pytest.mark.parametrize("name", sweep(NAMES, ["spherical", "coupled"]))


@cache
def made(name):
    """A joint of that kind which carries a revolute one, or another robot."""
    return {"coupled": coupled, "tree": every_joint}[name]() if name not in KINDS else tree([name, "revolute"])


def pseudo_inertia(link):
    """int (r, 1) (r, 1)^T dm."""
    I = np.asarray(link.inertia) + link.mass * (link.com @ link.com * np.eye(3) - np.outer(link.com, link.com))
    P = np.empty((4, 4))
    P[:3, :3], P[:3, 3], P[3, :3], P[3, 3] = np.trace(I) / 2 * np.eye(3) - I, link.mass * link.com, 0.0, link.mass
    P[3, :3] = P[:3, 3]
    return P


def lagrangian(robot, q0, q1):
    """The energy of points that move on chords in unit time, and that of rotors."""
    chords = robot.link_poses(q1) - robot.link_poses(q0)
    points = sum(np.trace(D @ pseudo_inertia(link) @ D.T) for D, link in zip(chords, robot.links, strict=True)) / 2
    v = robot.difference(q0, q1)
    turns = np.array(robot.mechanism.coupling.velocities(list(v)))
    rotors = np.concatenate([np.resize(b.armature or 0.0, b.joint.nv) for b in robot.mechanism.tree.bodies])
    return points + rotors @ turns**2 / 2


def slopes(f, robot, q, h=1e-5):
    """(n,) derivatives of f along the velocities at q, of fourth order."""
    found = []
    for e in np.eye(robot.n):
        near, far = (f(robot.integrate(q, k * h * e)) - f(robot.integrate(q, -k * h * e)) for k in (1, 2))
        found.append((8 * near - far) / (12 * h))
    return np.array(found)


@each
def test_momenta_are_derivatives_of_the_discrete_lagrangian(name, rng):
    robot = made(name)
    q0, v = state(robot, rng, 0.3)
    q1 = robot.integrate(q0, v)
    start, end = robot.kernel("discrete_momenta")(q0, v)
    assert close(start, -slopes(lambda q: lagrangian(robot, q, q1), robot, q0), 1e-8)
    assert close(end, slopes(lambda q: lagrangian(robot, q0, q), robot, q1), 1e-8)


@few
def test_short_steps_are_those_of_the_mass_matrix(name, rng):
    """To second order p_0 is M v + C v / 2, and its derivative (M + C) (1 - ad / 2)."""
    robot = made(name)
    q, v = state(robot, rng)
    M, errors = robot.mass_matrix(q), []
    for s in (1e-2, 1e-3):
        start, _ = robot.kernel("discrete_momenta")(q, s * v)
        errors.append(np.abs(start / s - M @ v - robot.coriolis_matrix(q, s * v) @ v / 2).max() / np.abs(M @ v).max())
    assert errors[1] < 2e-2 * errors[0] + 1e-12


@few
def test_a_step_seen_from_its_end_is_the_step_back(name, rng):
    robot = made(name)
    q, v = state(robot, rng, 0.3)
    start, end = robot.kernel("discrete_momenta")(q, v)
    back = robot.kernel("discrete_momenta")(robot.integrate(q, v), -v)
    assert close(back.start, -end, 1e-12, scale=np.abs(start).max())
    assert close(back.end, -start, 1e-12)


def test_inertias_may_be_regrouped(rng):
    """What lies on a joint's axis belongs to either link: L_d does not care."""
    robot = every_joint()
    q, v = state(robot, rng, 0.3)
    seen = Traceable(robot.mechanism)
    q1, found = robot.integrate(q, v), []
    for one in (seen.true, seen.cheap):
        before, after = (one.motions(list(x)) for x in (q, q1))
        W = increments(one, before, list(v))
        found.append([*start_momenta(one, before, W, list(v)), *end_momenta(one, after, W, list(v))])
    assert close(found[0], found[1], 1e-13)


@few
def test_the_step_that_begins_with_given_momenta(name, rng):
    robot = made(name)
    q, v = state(robot, rng, 0.05)
    start, end = robot.kernel("discrete_momenta")(q, v)
    near, lag = 0.9 * v, np.zeros(robot.n)
    found = robot.kernel("discrete_step")(q, near, lag, start)
    assert close(found.moved, v, 1e-12)
    assert close(found.q1, robot.integrate(q, v), 1e-13)
    assert close(found.gained, end - start, 1e-12, scale=np.abs(start).max())
    again = robot.kernel("discrete_step")(q, near, found.lag, start)
    assert close(again.moved, v, 1e-12)


LONG = pytest.param(20, discrete.DEEP, 2.1, marks=pytest.mark.slow)


@pytest.mark.parametrize(("n", "deep", "most"), [(4, 0, 2.7), LONG])  # by the mass matrix it is 3.6 of 4
def test_long_chains_cost_as_many_operations_as_they_have_links(n, deep, most, rng, monkeypatch):
    """By articulated bodies, here of short chains too; the step is the same."""
    monkeypatch.setattr(discrete, "DEEP", deep)
    robot, longer = (planar([(0.0, 0.0)], [(0.11,) * k], [(0.2,) * k]) for k in (n, 2 * n))
    counts = [int(x.kernel("discrete_step").operations) for x in (robot, longer)]
    assert counts[1] < most * counts[0]
    q, v = state(robot, rng, 0.02)
    start, end = robot.kernel("discrete_momenta")(q, v)
    found = robot.kernel("discrete_step")(q, v, 0.0 * v, start)
    assert close(found.moved, v, 1e-9)  # M is nearly singular
    assert close(found.gained, end - start, 1e-12, scale=np.abs(start).max())


def test_no_step_is_nan_and_disturbs_no_other(rng):
    robot = ch.load("planar_2r")
    q, v = np.zeros((3, 2)), np.array([[0.1, 0.2], [30.0, -50.0], [0.0, 0.0]])
    p = np.einsum("bij,bj->bi", robot.mass_matrix(q), v)
    found = robot.kernel("discrete_step")(q, np.zeros((3, 2)), np.zeros((3, 2)), p)
    assert np.isnan(found.gained[1]).all() and np.isfinite(found.gained[[0, 2]]).all()
    alone = robot.kernel("discrete_step")(q[0], np.zeros(2), np.zeros(2), p[0])
    assert (alone.gained == found.gained[0]).all() and small(found.moved[2], 0.0)


def test_far_from_zero_no_momentum_is_lost(rng):
    """After a hundred thousand turns of a joint the rounding of its q is a part of the step, and the base feels it."""
    robot = tree(["free", "revolute"])
    q, v = state(robot, rng, 1e-3)
    q[7] = 6e5
    p = robot.mass_matrix(q) @ v
    found = robot.kernel("discrete_step")(q, v, 0.0 * v, p)
    assert found.q1[7] - q[7] != found.moved[6]

    def momentum(q, p):
        return robot.centroidal_momentum_matrix(q) @ np.linalg.solve(robot.mass_matrix(q), p)

    assert close(momentum(found.q1, p + found.gained), momentum(q, p), 1e-14)


@pytest.mark.parametrize("name", sweep(["planar_2r", "panda"], 1))
def test_what_a_joint_on_the_base_carries_is_kept_exactly(name, rng):
    robot = ch.load(name)
    q, v = state(robot, rng, 0.01)
    found = robot.kernel("discrete_step")(q, v, 0.0 * v, robot.mass_matrix(q) @ v)
    assert found.gained[0] == 0.0 and np.abs(found.gained[1:]).min() > 1e-9
