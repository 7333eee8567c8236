"""Contact: the relations of contact coordinates by moving two bodies, and robots that touch and roll."""

import functools

import numpy as np
import pytest
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.constraint import contact_coordinates
from chasles.surface.surface import Surface

PAIRS = {
    "spheres": (Surface.sphere(0.7), Surface.sphere(1.9)),
    "ball on ellipsoid": (Surface.sphere(0.2), Surface.ellipsoid(1.0, 2.0, 0.6)),
    "ellipsoids": (Surface.ellipsoid(0.4, 0.5, 0.3), Surface.ellipsoid(1.0, 2.0, 0.6)),
    "own": (
        Surface.of(
            lambda u, v: np.stack([u + 0.2 * v, v, -0.4 * u * u - 0.3 * v * v + 0.1 * u * v]), near=[(0, 0), (0.5, 0.5)]
        ),
        Surface.cylinder(1.1),
    ),
}
every, slow = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS), pytest.mark.slow
ETA, RATE = np.array([0.3, 0.5, -0.4, 0.9, 1.2]), np.array([0.7, -0.4, 0.9, 0.3, -1.1])
CLOUD = ch.Link(1.3, (0.03, -0.02, 0.05), (0.04, 0.06, 0.05))


def twist(T: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """The body twist (angular, linear) of a pose that changes."""
    W = np.linalg.inv(T) @ rate
    return np.array([W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]])


def adjoint(T: np.ndarray) -> np.ndarray:
    R, (x, y, z) = T[:3, :3], T[:3, 3]
    p = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[R, np.zeros((3, 3))], [p @ R, R]])


def moved(pair, eta: np.ndarray, rate: np.ndarray, step: float = 1e-6) -> tuple[np.ndarray, np.ndarray]:
    """The twist of f relative to o in f's frame, by differences of its pose, and g_f_lf."""
    pose = contact_coordinates.contact_pose(*pair)
    return twist(pose(eta), (pose(eta + step * rate) - pose(eta - step * rate)) / (2 * step)), pair[0].frame(eta[:2])


# the relations


@every
def test_the_bodies_touch(pair):
    T, f, o = contact_coordinates.contact_pose(*pair)(ETA), pair[0].frame(ETA[:2]), pair[1].frame(ETA[2:4])
    assert close(T[:3, :3].T @ T[:3, :3], np.eye(3), FLOAT64)
    assert np.linalg.det(T[:3, :3]) > 0.0
    seen = T @ f
    assert close(seen[:3, 3], o[:3, 3], FLOAT64)
    assert close(seen[:3, 2], -o[:3, 2], FLOAT64)
    c, s = np.cos(ETA[4]), np.sin(ETA[4])
    assert close(o[:3, :2].T @ seen[:3, :2], [[c, -s], [-s, -c]], FLOAT64)


@every
def test_the_twist_of_bodies_that_touch(pair):
    """[EX-9]"""
    V, g = moved(pair, ETA, RATE)
    local = contact_coordinates.contact_jacobian(*pair)(ETA) @ RATE
    assert close(local, np.linalg.inv(adjoint(g)) @ V, FINITE_DIFFERENCE)
    assert local[5] == 0.0
    assert close(contact_coordinates.body_jacobian(*pair)(ETA) @ RATE, V, FINITE_DIFFERENCE)
    assert close(contact_coordinates.normal_row(pair[0])(ETA[:2]) @ V, 0.0, FINITE_DIFFERENCE, 1.0)
    row = np.linalg.inv(adjoint(g))[5]
    assert close(contact_coordinates.normal_row(pair[0])(ETA[:2]), row, FLOAT64)


@every
def test_rolling_does_not_slip_or_spin(pair):
    """[EX-10]"""
    rate = contact_coordinates.rolling_rates(*pair)(ETA, RATE[:2])
    assert close(rate[:2], RATE[:2], FLOAT64)
    V, g = moved(pair, ETA, rate)
    local = np.linalg.inv(adjoint(g)) @ V
    assert close(local[2:], np.zeros(4), FINITE_DIFFERENCE, 1.0)
    assert np.abs(local[:2]).max() > 0.1
    assert close(contact_coordinates.rolling_jacobian(*pair)(ETA) @ RATE[:2], V, FINITE_DIFFERENCE)


def bracket(pair, eta: np.ndarray) -> float:
    """The part of [X_1, X_2] outside the span of the rolling fields X_1, X_2, relative to its two terms."""
    rates = contact_coordinates.rolling_rates(*pair)
    X = np.stack([rates(eta, e) for e in np.eye(2)], axis=1)
    slope = rates.jacobian("eta")
    D = [slope(eta, e) for e in np.eye(2)]
    terms = D[1] @ X[:, 0], D[0] @ X[:, 1]
    b = terms[0] - terms[1]
    return float(np.linalg.norm(b - X @ np.linalg.lstsq(X, b)[0]) / max(1.0, *map(np.linalg.norm, terms)))


@every
def test_rolling_is_not_involutive(pair):
    """[EX-10b]"""
    assert bracket(pair, ETA) > 0.05


def test_rolling_is_involutive_on_an_equal():
    """Bodies that roll are confined where their surfaces are isometric: equal spheres, a cylinder on a plane."""
    for pair in (
        (Surface.sphere(0.7), Surface.sphere(0.7)),
        (Surface.cylinder(0.7), Surface.plane()),
        (Surface.cylinder(0.7), Surface.cylinder(0.2)),
    ):
        assert bracket(pair, ETA) < 1e-12
        assert contact_coordinates.rolling_contact(*pair).is_holonomic(contact_coordinates.contact_system(CLOUD, *pair))
    pair = (Surface.sphere(0.7), Surface.sphere(0.71))
    assert not contact_coordinates.rolling_contact(*pair).is_holonomic(contact_coordinates.contact_system(CLOUD, *pair))


def test_the_projection_of_forces_in_the_contact_frame():
    """P_w = diag(1, 1, 0, 1, 1, 1), linear first, needs the centre of mass on the normal. [EX-9, EX-9b]"""
    ball = Surface.sphere(0.3)
    g = adjoint(ball.frame(ETA[:2]))
    for com, central in (((0.0, 0.0, 0.0), True), ((0.05, 0.0, 0.02), False)):
        G = np.array(contact_coordinates._inertia(ch.Link(1.5, com, (0.05, 0.05, 0.05))))
        M, A = g.T @ G @ g, np.linalg.inv(g)[5:] @ g  # of twists in the contact frame
        P = np.eye(6) - A.T @ np.linalg.inv(A @ np.linalg.solve(M, A.T)) @ A @ np.linalg.inv(M)
        error = np.abs(P - np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])).max()
        assert error < 1e-12 if central else error > 0.01


# a body in contact coordinates, and the same as a robot

FREE = ch.Robot.from_screws(
    np.zeros((1, 6)), [np.eye(4)], [CLOUD], kinds=["free"], tool=np.eye(4), gravity=(1.0, -2.0, -9.0)
)


def as_free(pair, eta: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities of a free body."""
    T = contact_coordinates.contact_pose(*pair)(eta)
    W = T[:3, :3]
    w, V = np.linalg.eigh(
        np.array(
            [
                [W[0, 0] - W[1, 1] - W[2, 2], 0.0, 0.0, 0.0],
                [W[0, 1] + W[1, 0], W[1, 1] - W[0, 0] - W[2, 2], 0.0, 0.0],
                [W[0, 2] + W[2, 0], W[1, 2] + W[2, 1], W[2, 2] - W[0, 0] - W[1, 1], 0.0],
                [W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1], np.trace(W)],
            ]
        )
    )
    return np.array([*T[:3, 3], *V[:, np.argmax(w)]]), contact_coordinates.body_jacobian(*pair)(eta) @ rate


@functools.cache
def in_contact(name: str) -> ch.LagrangianSystem:
    return contact_coordinates.contact_system(CLOUD, *PAIRS[name], gravity=FREE.gravity)


@pytest.mark.parametrize(
    "name",
    [
        "ball on ellipsoid",
        pytest.param("own", marks=pytest.mark.sweep),
        *(pytest.param(x, marks=slow) for x in ("spheres", "ellipsoids")),
    ],
)
@pytest.mark.parametrize("way", ["slides", "rolls", "rolls and spins"])
def test_a_free_body_in_contact_moves_as_in_contact_coordinates(name: str, way: str):
    """Five coordinates against six and a constraint: nothing shared but the surfaces. [EX-9, EX-10]"""
    pair = PAIRS[name]
    minimal = in_contact(name)
    J = contact_coordinates.body_jacobian(*pair)
    rate = RATE
    if way == "slides":
        qdd = minimal.forward_dynamics(ETA, rate, np.zeros(5))
        touch = ch.Constraint.point_contact("tool", *pair)
    else:
        spins = way == "rolls and spins"
        rate = contact_coordinates.rolling_rates(*pair)(ETA, RATE[:2]) + np.array([0.0, 0.0, 0.0, 0.0, 0.8 * spins])
        on = ch.ConstrainedSystem(minimal, contact_coordinates.rolling_contact(*pair, spin=spins))
        qdd = on.forward_dynamics(ETA, rate, np.zeros(5)).qdd
        touch = ch.Constraint.rolling("tool", *pair, spin=spins)
    q, v = as_free(pair, ETA, rate)
    full = ch.ConstrainedSystem(FREE, touch, start=q)
    assert np.abs(full.residual(q)).max() < 1e-12
    assert np.abs(full.constraint_matrix(q) @ v).max() < 1e-12
    expected = J(ETA) @ qdd + np.einsum("ijk,j,k->i", J.jacobian("eta")(ETA), rate, rate)
    assert close(full.forward_dynamics(q, v, np.zeros(6)).qdd, expected, 1e-9)


@pytest.mark.slow
def test_a_surface_given_by_parameters_alone_is_touched_and_rolled_on():
    """The same accelerations as with its implicit function, which neither knows of."""
    ball, known = PAIRS["ball on ellipsoid"]
    own = Surface.of(known.point, name="own", near=[(u, v) for u in (-0.7, 0.0, 0.7) for v in (0.0, 1.0, 2.0)])
    q, v = as_free((ball, known), ETA, contact_coordinates.rolling_rates(ball, known)(ETA, RATE[:2]))
    for touch in (
        lambda surface: ch.Constraint.point_contact("tool", ball, surface),
        lambda surface: ch.Constraint.rolling("tool", ball.radius, surface, spin=False),
    ):
        found, expected = (
            ch.ConstrainedSystem(FREE, touch(surface), start=q).forward_dynamics(q, v, np.zeros(6))
            for surface in (own, known)
        )
        assert close(found.qdd, expected.qdd, 1e-9)
        assert close(found.multipliers, expected.multipliers, 1e-9)


def test_a_ball_rolls_down_five_sevenths():
    angle, mass, r = 0.3, 2.0, 0.1
    ball = ch.Link(mass, inertia=(0.4 * mass * r * r,) * 3)
    robot = ch.Robot.from_screws(
        np.zeros((1, 6)),
        [np.eye(4)],
        [ball],
        kinds=["free"],
        tool=np.eye(4),
        gravity=(9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)),
    )
    cs = ch.ConstrainedSystem(robot, ch.Constraint.rolling("tool", r, Surface.plane()))
    q = np.array([0.3, 0.1, r, 0.0, 0.0, 0.0, 1.0])
    qdd, forces = cs.forward_dynamics(q, np.zeros(6), np.zeros(6))
    a = 5.0 / 7.0 * 9.81 * np.sin(angle)
    assert close(qdd, [0.0, a / r, 0.0, a, 0.0, 0.0], 1e-9)
    assert close(forces[0], mass * 9.81 * np.cos(angle), 1e-9)
    assert close(np.linalg.norm(forces[1:]), 2.0 / 7.0 * mass * 9.81 * np.sin(angle), 1e-9)


def test_rolling_in_a_bowl_keeps_energy():
    bowl, ball = Surface.sphere(1.0).inside(), Surface.sphere(0.2)
    cs = ch.ConstrainedSystem(FREE, ch.Constraint.rolling("tool", ball.radius, bowl))
    q, v = cs.consistent(np.array([-0.6, -0.2, -0.4, 0.0, 0.0, 0.0, 1.0]), np.array([1.0, 2.0, 0.5, 0.0, 0.3, 0.0]))
    motion = ch.simulate(cs, q, v, duration=1.0, dt=1e-3)
    assert close(motion.energy, np.full(len(motion.t), motion.energy[0]), 1e-8, 10.0)
    assert close(np.linalg.norm(motion.q[:, :3], axis=1), np.full(len(motion.t), 0.8), FLOAT64)
    assert np.ptp(motion.q[:, :3], axis=0).max() > 0.1


# a particle on a sphere [EX-8]


def test_a_particle_on_a_sphere():
    r, mu, nu = 1.4, 0.5, 0.9
    free = ch.LagrangianSystem(3, lambda q, qd: 0.5 * 2.0 * (qd @ qd))
    robot = ch.Robot.from_screws(
        [ch.prismatic(e) for e in np.eye(3)],
        [np.eye(4)] * 3,
        [ch.Link(1e-14), ch.Link(1e-14), ch.Link(2.0)],
        tool=np.eye(4),
        gravity=(0.0, 0.0, 0.0),
    )
    both = (
        ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: (q @ q - r * r) / 2.0)),
        ch.ConstrainedSystem(robot, ch.Constraint.point_on_surface("tool", Surface.sphere(r))),
    )
    q = r * np.array([np.cos(mu) * np.cos(nu), np.cos(mu) * np.sin(nu), np.sin(mu)])
    q_mu = r * np.array([-np.sin(mu) * np.cos(nu), -np.sin(mu) * np.sin(nu), np.cos(mu)])
    q_nu = r * np.cos(mu) * np.array([-np.sin(nu), np.cos(nu), 0.0])
    x, y, z = q
    expected = np.array(
        [[y * y + z * z, -x * y, -x * z], [-y * x, x * x + z * z, -y * z], [-z * x, -z * y, x * x + y * y]]
    )
    for cs in both:
        assert close(cs.projections(q).P_w, expected / r**2, FLOAT64)
        rates = 0.7, -1.3
        S = cs.second_fundamental_form(q, q_mu * rates[0] + q_nu * rates[1])
        assert close(S, -(rates[0] ** 2 + np.cos(mu) ** 2 * rates[1] ** 2) * q, FLOAT64)


# an arm


@pytest.mark.parametrize("rolls", [False, True])
def test_an_arm_polishes_and_rolls_on_a_sphere(rolls: bool):
    arm = ch.load("ur5")
    T = np.eye(4)
    T[:3, 3] = 0.5, 0.1, 0.3
    ball = Surface.sphere(0.2).at(T)
    touch = ch.Constraint.rolling("tool", 0.05, ball, spin=False) if rolls else None
    cs = ch.ConstrainedSystem(arm, touch or ch.Constraint.point_contact("tool", 0.05, ball))
    assert cs.degrees_of_freedom == (2 if rolls else 5)
    q, v = cs.consistent(cs.project(np.array([0.3, -1.2, 1.5, -0.4, 0.6, 0.2])), np.full(6, 0.5))
    assert close(np.linalg.norm(arm.forward_kinematics(q)[:3, 3] - T[:3, 3]), 0.25, FLOAT64)
    motion = ch.simulate(cs, q, v, duration=0.1, dt=1e-3)
    assert close(motion.energy, np.full(len(motion.t), motion.energy[0]), 1e-8, 10.0)
    assert np.abs(cs.residual(motion.q)).max() < 1e-11
    assert np.abs(np.einsum("tki,ti->tk", cs.constraint_matrix(motion.q), motion.qd)).max() < 1e-10
