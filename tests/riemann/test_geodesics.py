"""Geodesics: where they are known (spheres, planes, tops, throws), and what holds for all of them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.random_trees import random_link
from support.screw_robots import mixed
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.riemann.geodesics import (
    distance,
    energy,
    exponential_map,
    minimum_energy_path,
    parallel_transport,
    path_energy,
    shooting,
    two_point,
)
from chasles.riemann.geodesics.flow import flow

MASS, LENGTH = 2.0, 0.7


def at(x: float, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def point(mass: float, *where: float) -> ch.Link:
    return ch.Link(mass, where, [0.0, 0.0, 0.0])


def sphere() -> ch.Robot:
    """A point mass on a massless rod with crossed axes: (azimuth, elevation); M = m l^2 diag(cos(q2)^2, 1)."""
    screws = [ch.screw([0, 0, 1]), ch.screw([0, -1, 0])]
    links = [point(0.0, 0, 0, 0), point(MASS, LENGTH, 0, 0)]
    with pytest.warns(ch.ModelWarning, match="link 'link1': its mass is zero"):
        return ch.Robot.from_screws(screws, [np.eye(4)] * 2, links, tool=at(LENGTH), name="sphere")


def plane(second: float = 0.8) -> ch.Robot:
    """A planar arm of lengths 1 and `second` with all its mass at the tip: the metric is flat, where it is regular."""
    screws = [ch.screw([0, 0, 1]), ch.screw([0, 0, 1], [1, 0, 0])]
    links = [point(0.0, 0, 0, 0), point(MASS, second, 0, 0)]
    options: dict[str, Any] = {"tool": at(1 + second), "gravity": [0, -9.81, 0], "name": "plane"}
    with pytest.warns(ch.ModelWarning, match="link 'link1': its mass is zero"):
        return ch.Robot.from_screws(screws, [at(0), at(1)], links, **options)


def body(kind: str, inertia: Any = (0.3, 0.5, 0.7), com: Any = (0.0, 0.0, 0.0)) -> ch.Robot:
    link = ch.Link(1.5, com, inertia)
    return ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [link], kinds=[kind], tool=np.eye(4), name=kind)


def tip(robot: ch.Robot, q: Any) -> np.ndarray:
    return robot.forward_kinematics(q)[..., :3, 3]


def tip_velocity(robot: ch.Robot, q: Any, v: Any) -> np.ndarray:
    return robot.velocity(q, v, expressed="mixed")[..., 3:]


def inner(robot: ch.Robot, q: Any, a: Any, b: Any) -> np.ndarray:
    return np.einsum("...i,...ij,...j->...", a, robot.mass_matrix(q), b)


# known geodesics


def test_on_a_sphere_they_are_great_circles() -> None:
    robot, q, v = sphere(), np.array([0.3, -0.4]), np.array([1.1, 0.9])
    path = exponential_map(robot, q, v, 1.3)
    p, u = tip(robot, q), tip_velocity(robot, q, v)
    rate = np.linalg.norm(u) / LENGTH
    expected = p * np.cos(rate * path.t)[:, None] + u / rate * np.sin(rate * path.t)[:, None]
    assert close(tip(robot, path.q), expected, 1e-9)
    assert close(path.length, np.sqrt(MASS) * LENGTH * rate * 1.3)
    assert path.converged and path.error < 1e-9 and path.drift < 1e-11 * path.energy


def test_distance_on_a_sphere_is_the_arc() -> None:
    robot, rng = sphere(), np.random.default_rng(0)
    q0, q1 = rng.uniform(-0.9, 0.9, (2, 12, 2))
    angle = np.arccos(np.einsum("ij,ij->i", tip(robot, q0), tip(robot, q1)) / LENGTH**2)
    assert close(distance(robot, q0, q1), np.sqrt(MASS) * LENGTH * angle, 1e-8)


def test_a_tip_mass_moves_on_straight_lines() -> None:
    robot, q, v = plane(), np.array([0.2, 1.3]), np.array([-0.4, 0.5])
    path = exponential_map(robot, q, v)
    p, u = tip(robot, q), tip_velocity(robot, q, v)
    assert close(tip(robot, path.q), p + path.t[:, None] * u, 1e-9)
    assert close(path.length, np.sqrt(MASS) * np.linalg.norm(u))
    goal = np.array([0.9, 0.8])
    assert close(distance(robot, q, goal), np.sqrt(MASS) * np.linalg.norm(tip(robot, goal) - p), 1e-8)


def test_a_thrown_tip_mass_is_a_parabola() -> None:
    robot, q, v = plane(), np.array([0.2, 1.3]), np.array([-0.4, 0.5])
    path = exponential_map(robot, q, v, 0.3, gravity=True)
    fall = 0.5 * robot.gravity * path.t[:, None] ** 2
    assert close(tip(robot, path.q), tip(robot, q) + path.t[:, None] * tip_velocity(robot, q, v) + fall, 1e-9)
    assert path.drift < 1e-9 * abs(path.energy)


def test_a_symmetric_top_precesses() -> None:
    a, c = 0.4, 0.7
    robot, w = body("spherical", (a, a, c)), np.array([0.8, -0.5, 1.7])
    path = exponential_map(robot, robot.neutral(), w, 2.0)
    turn = (c - a) / a * w[2] * path.t
    expected = [w[0] * np.cos(turn) - w[1] * np.sin(turn), w[0] * np.sin(turn) + w[1] * np.cos(turn), w[2] + 0 * turn]
    assert close(path.qd, np.transpose(expected), 1e-9)
    R = robot.forward_kinematics(path.q)[:, :3, :3]
    momentum = R @ (path.qd * [a, a, c])[..., None]
    assert close(momentum, np.broadcast_to(momentum[0], momentum.shape), 1e-9)


@pytest.mark.parametrize("com", [(0.0, 0.0, 0.0), (0.3, -0.2, 0.1)])
def test_a_free_body_keeps_its_momentum(com: Any) -> None:
    robot, rng = body("free", com=com), np.random.default_rng(1)
    q, v = robot.random(rng), rng.normal(size=6)
    path = exponential_map(robot, q, v, 2.0)
    momentum = np.einsum("tij,tj->ti", robot.centroidal_momentum_matrix(path.q), path.qd)
    assert close(momentum, np.broadcast_to(momentum[0], momentum.shape), 1e-9)
    centre = robot.centre_of_mass(path.q)
    assert close(centre, centre[0] + path.t[:, None] * momentum[0, 3:] / 1.5, 1e-9)
    assert close(path.length, 2.0 * np.sqrt(2.0 * path.energy))


def test_a_free_body_is_thrown_to_its_target() -> None:
    robot, rng = body("free"), np.random.default_rng(2)
    q0, q1 = robot.neutral(), robot.random(rng)
    path = two_point(robot, q0, q1, 0.6, gravity=True)
    assert path.converged and path.residual <= 1e-9
    assert close(path.qd[0, 3:], (q1[:3] - q0[:3]) / 0.6 - 0.5 * robot.gravity * 0.6, 1e-8)


# what holds for all


@pytest.mark.parametrize("make", [lambda: ch.load("panda"), mixed], ids=["panda", "mixed"])
def test_homogeneity_and_reversal(make: Any) -> None:
    robot, rng = make(), np.random.default_rng(4)
    q, v = robot.random(rng), 0.5 * rng.normal(size=robot.n)
    path = exponential_map(robot, q, v, 0.8)
    assert path.converged and path.drift < 1e-10 * path.energy
    fast = exponential_map(robot, q, 0.8 * v)
    assert close(fast.q[-1], path.q[-1], 1e-9)
    assert close(fast.qd[-1], 0.8 * path.qd[-1], 1e-9)
    assert close(fast.length, path.length)
    back = exponential_map(robot, path.q[-1], path.qd[-1], -0.8)
    other = exponential_map(robot, path.q[-1], -path.qd[-1], 0.8)
    for way in (back, other):
        assert close(robot.difference(q, way.q[-1]), np.zeros(robot.n), 1e-9, scale=1.0)
    assert close(back.qd[-1], v, 1e-9)


@pytest.mark.parametrize("make", [lambda: ch.load("panda"), mixed], ids=["panda", "mixed"])
def test_two_point_round_trip(make: Any) -> None:
    robot, rng = make(), np.random.default_rng(5)
    q, v = robot.random(rng), 0.3 * rng.normal(size=robot.n)
    for gravity, duration in ((True, 0.1), (False, 0.5)):  # natural motions between two points soon are several
        there = exponential_map(robot, q, v, duration, gravity=gravity)
        path = two_point(robot, q, there.q[-1], duration, gravity=gravity)
        assert path.converged and path.residual <= 1e-9 and path.error <= 1e-9
        assert close(path.qd[0], v, 1e-6)
        assert close(path.length, there.length, 1e-7)
    assert close(distance(robot, there.q[-1], q), distance(robot, q, there.q[-1]), 1e-7)


def test_distance_is_a_distance() -> None:
    robot, rng = ch.load("panda"), np.random.default_rng(6)
    q = robot.random(rng) + 0.3 * rng.normal(size=(3, 7))
    d = distance(robot, q[:, None], q[None])
    assert d.shape == (3, 3)
    assert close(d, d.T, 1e-7)
    assert close(np.diag(d), np.zeros(3), 1e-9, scale=1.0)
    assert all(d[i, k] <= d[i, j] + d[j, k] for i in range(3) for j in range(3) for k in range(3))
    near = q[0] + 1e-5 * rng.normal(size=7)
    assert close(distance(robot, q[0], near), np.sqrt(inner(robot, q[0], near - q[0], near - q[0])), 1e-4)


def test_batches_are_loops() -> None:
    robot, rng = mixed(), np.random.default_rng(7)
    q = np.array([robot.random(rng) for _ in range(2)])
    v = 0.4 * rng.normal(size=(2, 1, robot.n))
    path = exponential_map(robot, q, v, steps=5)
    assert path.t.shape == (6,) and path.q.shape == (2, 2, 6, robot.nq) and path.qd.shape == (2, 2, 6, robot.n)
    assert path.length.shape == path.energy.shape == path.drift.shape == path.converged.shape == (2, 2)
    ends = two_point(robot, q, path.q[..., -1, :])
    assert ends.converged.shape == (2, 2) and ends.converged.all()
    for i in range(2):
        for j in range(2):
            one = exponential_map(robot, q[j], v[i, 0], steps=5)
            assert close(robot.difference(one.q, path.q[i, j]), np.zeros((6, robot.n)), 1e-9, scale=1.0)
            assert close(one.qd, path.qd[i, j], 1e-9)
            assert close(one.length, path.length[i, j], 1e-9)
            assert close(ends.qd[i, j, 0], v[i, 0], 1e-6)
    w = rng.normal(size=robot.n)
    carried = parallel_transport(robot, path, w)
    assert close(carried[1, 1], parallel_transport(robot, exponential_map(robot, q[1], v[1, 0], steps=5), w), 1e-8)
    J, gradient = path_energy(robot, path.q)
    assert J.shape == (2, 2) and gradient.shape == (2, 2, 6, robot.n)
    assert close(J[1, 1], path_energy(robot, path.q[1, 1]).energy)
    nothing = exponential_map(robot, np.empty((0, robot.nq)), np.empty((0, robot.n)))
    assert nothing.q.shape[0] == 0 and two_point(robot, nothing.q[:, 0], nothing.q[:, 0]).length.shape == (0,)


def test_sixth_order() -> None:
    robot, rng = mixed(), np.random.default_rng(8)
    q, v = robot.random(rng), rng.normal(size=robot.n)
    end = exponential_map(robot, q, v, tolerance=1e-12).q[-1]
    errors = [np.abs(robot.difference(flow(robot, q, v, 1.0, count, 0.0)[0][-1], end)).max() for count in (16, 32)]
    assert 5.0 < np.log2(errors[0] / errors[1]) < 7.5


def test_friction_and_gravity_are_left_out() -> None:
    robot, rng = ch.load("panda"), np.random.default_rng(9)
    rough = ch.Robot(replace(robot.mechanism, damping=np.ones(7), friction=np.ones(7))).with_friction()
    q, v = robot.random(rng), rng.normal(size=7)
    free = exponential_map(robot.with_gravity([0, 0, 0]), q, v, steps=4)
    assert close(exponential_map(rough, q, v, steps=4).q, free.q, 1e-9)
    h = 1e-4
    ahead, behind = (exponential_map(rough, q, v, s * h, gravity=True).qd[-1] for s in (1, -1))
    assert close((ahead - behind) / (2 * h), robot.forward_dynamics(q, v, np.zeros(7)), FINITE_DIFFERENCE)


# transport


def test_connection_is_torsion_free() -> None:
    """C(v) w - C(w) v = M [v, w], by the bracket of the second derivatives of motions along w then v."""
    from chasles.riemann.structure_constants import adjoint

    robot, rng = mixed(), np.random.default_rng(10)
    q, (v, w) = robot.random(rng), rng.normal(size=(2, robot.n))
    torsion = robot.coriolis_matrix(q, v) @ w - robot.coriolis_matrix(q, w) @ v
    assert close(torsion, robot.mass_matrix(q) @ adjoint(robot, v) @ w)


@pytest.mark.parametrize("make", [lambda: ch.load("panda"), mixed], ids=["panda", "mixed"])
def test_transport_keeps_products_and_tangents(make: Any) -> None:
    robot, rng = make(), np.random.default_rng(11)
    q, v = robot.random(rng), 0.5 * rng.normal(size=robot.n)
    path = exponential_map(robot, q, v, steps=6)
    assert close(parallel_transport(robot, path, v), path.qd, 1e-9)
    a, b = parallel_transport(robot, path, rng.normal(size=(2, robot.n))[:, None])[:, 0]
    assert close(inner(robot, path.q, a, b), np.full(7, inner(robot, q, a[0], b[0])), 1e-9)
    curve = np.array([q, robot.integrate(q, 0.4 * rng.normal(size=robot.n)), q])
    a, b = (parallel_transport(robot, curve, w) for w in rng.normal(size=(2, robot.n)))
    assert close(inner(robot, curve, a, b), np.full(3, inner(robot, q, a[0], b[0])), 1e-9)
    assert close(a[-1], a[0], 1e-9)  # there and back again
    assert np.abs(a[1] - a[0]).max() > 1e-3
    dense = exponential_map(robot, q, v, steps=64).q
    assert close(parallel_transport(robot, dense, v)[-1], path.qd[-1], 1e-3)


def test_a_spherical_triangle_turns_by_its_area() -> None:
    robot = sphere()
    corners = np.array([[0.1, -0.3], [0.9, -0.1], [0.4, 0.7]])
    w = start = np.array([0.3, -1.2])
    for k in range(3):
        w = parallel_transport(robot, two_point(robot, corners[k], corners[(k + 1) % 3]), w)[-1]
    a, b, c = tip(robot, corners) / LENGTH
    area = 2.0 * np.arctan2(a @ np.cross(b, c), 1.0 + a @ b + b @ c + c @ a)  # a solid angle [van Oosterom 1983]
    x, y = tip_velocity(robot, corners[0], start), tip_velocity(robot, corners[0], w)
    assert area > 0.1
    assert close(np.arctan2(a @ np.cross(x, y), x @ y), area, 1e-8)  # towards the side it went round


def test_a_parallel_of_latitude() -> None:
    """Carried once round at latitude q2, a vector turns by 2 pi sin(q2) against the meridian."""
    robot, latitude = sphere(), 0.6
    circle = np.stack([np.linspace(0.0, 2 * np.pi, 5), np.full(5, latitude)], axis=-1)
    w = parallel_transport(robot, circle, [0.0, 1.0])[-1]
    east, north = np.cos(latitude) * w[0], w[1]
    turn = 2 * np.pi * np.sin(latitude)
    assert close([north, east], [np.cos(turn), np.sin(turn)], 1e-8)


# energies of paths


def test_gradient_of_the_energy_is_opt_1() -> None:
    """[OPT-1], by the derivative of M, on the midpoints of a random path."""
    robot, rng = ch.load("panda"), np.random.default_rng(12)
    q = robot.random(rng) + 0.2 * rng.normal(size=(2, 6, 7)).cumsum(axis=1)
    h = 0.7 / 5
    J, gradient = path_energy(robot, q, 0.7)
    middle, v = (q[:, 1:] + q[:, :-1]) / 2, (q[:, 1:] - q[:, :-1]) / h
    M, dM = robot.mass_matrix(middle), robot.kernel("mass_matrix").jacobian("q")(middle)
    Mv = np.einsum("bkij,bkj->bki", M, v)
    assert close(J, h * np.einsum("bki,bki->b", v, Mv))
    force = h * np.einsum("bki,bkijl,bkj->bkl", v, dM, v)
    expected = np.zeros_like(q)
    expected[:, 1:] += force / 2 + 2 * Mv
    expected[:, :-1] += force / 2 - 2 * Mv
    assert close(gradient, expected)


@pytest.mark.parametrize("gravity", [False, True])
def test_gradient_of_the_energy_by_differences(gravity: bool) -> None:
    robot, rng = mixed(), np.random.default_rng(13)
    q = exponential_map(robot, robot.random(rng), 0.5 * rng.normal(size=robot.n), steps=4).q
    x, h = rng.normal(size=(5, robot.n)), 1e-6
    ahead, behind = (path_energy(robot, robot.integrate(q, s * x), 0.5, gravity=gravity).energy for s in (h, -h))
    gradient = path_energy(robot, q, 0.5, gravity=gravity).gradient
    assert close(
        np.sum(gradient * x), (ahead - behind) / (2 * h), FINITE_DIFFERENCE, scale=float(np.abs(gradient).max())
    )


@pytest.mark.parametrize("gravity", [False, True])
def test_geodesics_are_stationary(gravity: bool) -> None:
    """The gradient of the energy along them, per length, vanishes with the square of the distance of samples."""
    robot, rng = mixed(), np.random.default_rng(14)
    q, v = robot.random(rng), 0.3 * rng.normal(size=robot.n)
    sizes = []
    for steps in (16, 32):
        path = exponential_map(robot, q, v, 0.8, steps=steps, gravity=gravity)
        sizes.append(np.abs(path_energy(robot, path.q, 0.8, gravity=gravity).gradient[1:-1]).max() * steps)
    assert sizes[1] < 0.3 * sizes[0]
    if not gravity:
        assert close(path_energy(robot, path.q, 0.8).energy, path.length**2 / 0.8, 1e-3)


def test_on_a_constant_metric_lines_are_straight() -> None:
    """[OPT-2], on a gantry."""
    rng = np.random.default_rng(15)
    axes = [ch.prismatic(x) for x in np.eye(3)]
    robot = ch.Robot.from_screws(axes, [np.eye(4)] * 3, [random_link(rng) for _ in range(3)], name="gantry")
    q0, q1 = rng.normal(size=(2, 3))
    line = q0 + np.linspace(0, 1, 9)[:, None] * (q1 - q0)
    J, gradient = path_energy(robot, line, 2.0)
    assert close(gradient[1:-1], np.zeros((7, 3)), 1e-12, scale=float(np.abs(gradient).max()))
    assert close(J, inner(robot, q0, q1 - q0, q1 - q0) / 2.0)
    path = minimum_energy_path(robot, q0, q1, 2.0)
    assert close(path.q, q0 + path.t[:, None] / 2.0 * (q1 - q0))
    assert close(path.length**2 / 2.0, J)


@pytest.mark.parametrize("gravity", [False, True])
def test_relaxation_finds_the_geodesic(gravity: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where shooting fails, as it is made to here: the path is sewn, and if that fails too, as relaxed."""
    robot, q0, q1 = ch.load("planar_2r"), np.array([0.1, 0.9]), np.array([1.0, -0.6])
    sure = minimum_energy_path(robot, q0, q1, 0.4, gravity=gravity)
    assert sure.converged and sure.residual <= 1e-9
    shoot, sew = shooting.two_point, shooting.sewn
    no = np.asarray(False)
    monkeypatch.setattr(energy, "two_point", lambda *x, **y: replace(shoot(*x, **y), converged=no))
    again = minimum_energy_path(robot, q0, q1, 0.4, gravity=gravity)
    assert again.converged and again.residual <= 1e-9 and again.error <= 1e-9 and again.drift < 1e-8 * sure.energy
    assert close(again.q, sure.q, 1e-8) and close(again.qd, sure.qd, 1e-7) and close(again.length, sure.length, 1e-8)
    monkeypatch.setattr(energy, "sewn", lambda *x, **y: replace(sew(*x, **y), converged=no))
    errors = []
    for points in (17, 33):
        rough = minimum_energy_path(robot, q0, q1, 0.4, gravity=gravity, points=points)
        assert rough.converged and np.isnan(rough.error) and rough.q.shape == (points, 2)
        exact = exponential_map(robot, q0, sure.qd[0], 0.4, steps=points - 1, gravity=gravity)
        errors.append(np.abs(rough.q - exact.q).max())
    assert errors[1] < 0.3 * errors[0] < 0.01
    assert close(rough.length, sure.length, 1e-2)


@pytest.mark.slow
def test_a_path_that_shooting_alone_does_not_find() -> None:
    robot, rng = ch.load("panda"), np.random.default_rng(0)
    ends = [robot.random(rng) for _ in range(23)]
    path = minimum_energy_path(robot, ends[2], ends[22])
    assert path.converged and path.residual <= 1e-9 and path.error <= 1e-9
    assert path.drift < 1e-9 * path.energy
    assert close(path.length, np.sqrt(2.0 * path.energy), 1e-8)
    assert close(robot.difference(path.q[[0, -1]], [ends[2], ends[22]]), np.zeros((2, 7)), 1e-9, scale=1.0)


def test_mimic_joints() -> None:
    """A joint that mimics another, before one that is a group: its velocities are not where the tree has them."""
    y, z = ch.screw([0, 1, 0]), ch.screw([0, 0, 1])
    robot = ch.Robot.from_screws(
        [z, y, y, np.zeros(6), z],
        [np.eye(4)] * 5,
        [ch.Link(1.0, [0.1, 0, 0.2], [1, 1.5, 2])] * 5,
        kinds=["screw", "screw", "screw", "spherical", "screw"],
        mimics={"joint2": ("joint1", -0.5, 0.2)},
    )
    rng = np.random.default_rng(16)
    q, v = robot.random(rng), rng.normal(size=6)
    path = exponential_map(robot, q, v)
    assert path.converged and path.drift < 1e-10 * path.energy
    assert close(parallel_transport(robot, path, v), path.qd, 1e-9)
    assert two_point(robot, q, path.q[-1]).converged


@pytest.mark.parametrize("gravity", [False, True])
def test_a_bad_guess_is_mended_by_continuation(gravity: bool) -> None:
    robot, q0, q1 = ch.load("planar_2r"), np.array([0.1, 0.9]), np.array([1.0, -0.6])
    wild = np.array([300.0, -200.0])
    with np.errstate(all="ignore"):
        v, off = shooting._continuation(robot, q0, q1, wild, 0.4, gravity, 1e-10)
    assert off <= 1e-9
    assert close(v, two_point(robot, q0, q1, 0.4, gravity=gravity).qd[0], 1e-6)
    path = two_point(robot, q0, q1, 0.4, gravity=gravity, guess=wild)
    assert path.converged and path.residual <= 1e-9


# what cannot be


def test_no_way_is_a_result() -> None:
    robot = plane(0.5)  # a straight line from side to side would cross the hole that the tip cannot enter
    path = two_point(robot, [0.0, 1.2], [3.0, 1.2])
    assert not path.converged and path.residual > 1e-3 and path.q.shape[-1] == 2
    assert np.isnan(distance(robot, [0.0, 1.2], [3.0, 1.2]))
    both = two_point(robot, [0.0, 1.2], [[3.0, 1.2], [0.2, 1.0]])
    assert list(both.converged) == [False, True]
    lost = two_point(ch.load("panda"), np.zeros(7), np.full(7, np.nan))
    assert not lost.converged and np.isnan(lost.residual)


def test_mistakes_are_named() -> None:
    robot = sphere()
    q, v = np.zeros(2), np.ones(2)
    shapes = [
        (
            lambda: exponential_map(robot, np.zeros(3), v),
            r"geodesic: q must have shape \(\.\.\., 2\), got \(3,\)",
        ),
        (lambda: exponential_map(robot, q, 1.0), "geodesic: v must have shape"),
        (lambda: exponential_map(robot, q, "fast"), "geodesic: v must be real numbers"),
        (lambda: exponential_map(robot, np.zeros((3, 2)), np.zeros((2, 2))), "do not broadcast: q"),
        (lambda: two_point(robot, q, np.zeros(1)), "geodesic_between: q1 must"),
        (lambda: two_point(robot, q, v, guess=np.zeros(3)), "geodesic_between: guess must"),
        (lambda: two_point(robot, q, v, guess=np.zeros((3, 2))), "geodesic_between: guess must"),
        (lambda: parallel_transport(robot, q, v), r"parallel_transport: q must have shape \(\.\.\., T, 2\)"),
        (lambda: parallel_transport(robot, [q, v], [1.0]), "parallel_transport: w must"),
        (lambda: path_energy(robot, [q]), "path_energy: q must have at least 2 samples"),
        (lambda: minimum_energy_path(robot, [q, q], v), "minimum_energy_path: q0 and q1"),
    ]
    for call, message in shapes:
        with pytest.raises(ch.ShapeError, match=message):
            call()
    fixed = ch.load("planar_2r").with_locked({"joint1": 0.0, "joint2": 0.0})
    fixed = ch.Robot(replace(fixed.mechanism, name="fixed"))
    numbers = [
        (lambda: exponential_map(fixed, [], []), "geodesic: robot 'fixed' has no joints"),
        (lambda: path_energy(fixed, [[], []]), "path_energy: robot 'fixed' has no joints"),
        (lambda: exponential_map(robot, q, v, np.nan), "duration must be a finite number"),
        (lambda: exponential_map(robot, q, v, steps=0), "steps must be a positive integer"),
        (lambda: exponential_map(robot, q, v, tolerance=0.0), "tolerance must be a positive number"),
        (lambda: two_point(robot, q, v, -1.0), "duration must be a positive number"),
        (lambda: minimum_energy_path(robot, q, v, points=2), "points must be an integer above 3"),
    ]
    for call, message in numbers:
        with pytest.raises(ch.ModelError, match=message):
            call()


@pytest.mark.parametrize("gravity", [False, True])
def test_a_negative_duration_goes_backwards(gravity: bool) -> None:
    """Where it came from: with the velocity there, forwards, it is back; without gravity it is that of -v."""
    robot = mixed()
    rng = np.random.default_rng(8)
    q, v = robot.random(rng), 0.3 * rng.normal(size=robot.n)
    back = exponential_map(robot, q, v, -0.4, steps=8, gravity=gravity)
    assert close(back.t, np.linspace(0.0, -0.4, 9), FLOAT64) and back.converged
    again = exponential_map(robot, back.q[-1], back.qd[-1], 0.4, steps=8, gravity=gravity)
    assert close(robot.difference(again.q[-1], q), np.zeros(robot.n), 1e-8, scale=1.0)
    assert close(again.qd[-1], v, 1e-8) and close(again.length, back.length, 1e-8) and back.length > 0.0
    assert close(again.energy, back.energy, 1e-8)
    if not gravity:
        other = exponential_map(robot, q, -v, 0.4, steps=8)
        assert close(other.q, back.q, 1e-9) and close(other.qd, -back.qd, 1e-8)
        assert exponential_map(ch.load("planar_2r"), [0.1, 0.5], [9.0, 8.0], -0.4).converged  # fast, all one way


def test_rows_without_an_answer_are_nan() -> None:
    robot = sphere()
    path = exponential_map(robot, [[0.0, 0.1], [0.0, np.nan]], [0.5, 0.2])
    assert list(path.converged) == [True, False]
    assert close(path.length[0], exponential_map(robot, [0.0, 0.1], [0.5, 0.2]).length, FLOAT64)
    assert np.isnan(path.length[1]) and np.isnan(path.error[1])
    carried = parallel_transport(robot, path, [1.0, 0.0])
    assert np.isfinite(carried[0]).all() and np.isnan(carried[1, 1:]).all()


def test_transport_along_a_natural_motion_follows_it() -> None:
    """Between its few samples too: as along very many of them."""
    robot = ch.load("planar_2r")
    q, v, w = np.array([0.3, 0.8]), np.array([1.0, -2.0]), np.array([0.5, 1.0])
    few, many = (exponential_map(robot, q, v, 0.6, steps=steps, gravity=True) for steps in (2, 128))
    carried = parallel_transport(robot, few, w)[-1]
    assert close(carried, parallel_transport(robot, many.q, w)[-1], 1e-4)
    M = [robot.mass_matrix(x) for x in (q, few.q[-1])]
    assert close(carried @ M[1] @ carried, w @ M[0] @ w, 1e-8)


def test_the_tolerance_of_transport_is_relative() -> None:
    robot, w = ch.load("planar_2r"), np.array([0.5, 1.0])
    path = exponential_map(robot, [0.3, 0.8], [1.0, -2.0], 0.6, steps=4)
    carried = parallel_transport(robot, path, w)
    for size in (1e-12, 1e12):
        assert close(parallel_transport(robot, path, size * w), size * carried, 1e-13)
