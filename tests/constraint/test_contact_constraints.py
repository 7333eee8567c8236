"""Contact constraints: rows beside differences, bodies that touch and roll beside minimal coordinates, refusals."""

import numpy as np
import pytest
from support.contact import CAP, DISH, EGG, FREE, PIPE, ROUND, TURN, placed
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.constraint.rows import ConstraintRows
from chasles.errors import ModelError
from chasles.surface.closest_points import closest_points
from chasles.surface.surface import Surface

PAIRS = {  # the tip, and what it touches
    "egg on cylinder": (EGG, PIPE),
    "egg on ellipsoid": (EGG.at(TURN), ROUND),
    "cap in a dish": (CAP, DISH),
    "egg in a bowl": (EGG, Surface.sphere(1.9).inside()),
}


def as_free(T: np.ndarray) -> np.ndarray:
    """(7,) the coordinates of a free body at a pose."""
    w = 0.5 * np.sqrt(1.0 + np.trace(T[:3, :3]))
    S = T[:3, :3] - T[:3, :3].T
    return np.array([*T[:3, 3], S[2, 1] / (4 * w), S[0, 2] / (4 * w), S[1, 0] / (4 * w), w])


def differences(system, f, q: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """The derivative of f(q) along every velocity, last, by central differences."""
    units = step * np.eye(system.n)
    return np.stack([(f(system.integrate(q, e)) - f(system.integrate(q, -e))) / (2 * step) for e in units], axis=-1)


def agrees(system, constraint: ch.Constraint, q: np.ndarray) -> bool:
    """The normal's row is the derivative of the gap, and the drift of all rows that of the rows."""
    rows, v = ConstraintRows(system, constraint.parts), np.random.default_rng(1).normal(size=system.n)
    slope = differences(system, rows.h, q)[0]
    assert np.abs(slope).max() > 0.01
    drift = np.einsum("kij,i,j->k", differences(system, rows.A, q), v, v)
    return close(rows.A(q)[0], slope, FINITE_DIFFERENCE) and close(rows.drift(q, v), drift, 10 * FINITE_DIFFERENCE)


@pytest.mark.parametrize("name", sweep(PAIRS, 1))
def test_rows_and_their_drift_are_derivatives_off_the_constraint_too(name: str):
    tip, surface = PAIRS[name]
    T, _, _ = placed(tip, surface, 1, seed=5, least=0.05)
    assert agrees(FREE, ch.Constraint.rolling("tool", tip, surface, spin=False), as_free(T[0]))


@pytest.mark.slow
def test_both_bodies_may_be_links():
    robot = ch.load("ur5")
    q = robot.random(np.random.default_rng(2))
    egg, arm = Surface.ellipsoid(0.05, 0.03, 0.04), Surface.cylinder(0.06)
    given = dict(point=(0.0, 0.01, 0.02), surface_frame="upper_arm_link")
    touch = ch.Constraint.rolling("tool", egg, arm, spin=False, **given)
    assert agrees(robot, touch, q)

    def at(frame: str, q: np.ndarray) -> np.ndarray:
        return robot.forward_kinematics(q, frame)

    T = np.linalg.inv(at("upper_arm_link", q)) @ at("tool", q)
    found = closest_points(arm, egg)(T[:3, :3], T[:3, 3] + T[:3, :3] @ given["point"])
    y = at("upper_arm_link", q) @ [*found.at_b, 1.0]
    normal = at("upper_arm_link", q)[:3, :3] @ found.normal
    v, step = np.random.default_rng(4).normal(size=6), 1e-6
    slip = sum(
        sign * (at(frame, q + step * v) - at(frame, q - step * v)) @ np.linalg.inv(at(frame, q)) @ y / (2 * step)
        for frame, sign in (("tool", 1.0), ("upper_arm_link", -1.0))
    )[:3]
    turn = (robot.jacobian(q, "tool", "mixed") - robot.jacobian(q, "upper_arm_link", "mixed"))[:3] @ v
    rates = ConstraintRows(robot, touch.parts).A(q) @ v
    assert close(rates[0], normal @ slip, FINITE_DIFFERENCE)
    assert close(np.linalg.norm(rates[1:3]), np.linalg.norm(slip - normal * (normal @ slip)), FINITE_DIFFERENCE)
    assert close(rates[3], normal @ turn, FLOAT64)


@pytest.mark.slow
def test_a_round_ellipsoid_is_a_ball():
    for surface in (Surface.plane(), PIPE):
        T, _, _ = placed(Surface.sphere(0.2), surface, 1)
        q, v = as_free(T[0]), np.arange(1.0, 7.0)
        ball, round_ = (
            ConstraintRows(FREE, ch.Constraint.rolling("tool", tip, surface, point=(0.1, 0.0, 0.0), spin=False).parts)
            for tip in (0.2, Surface.ellipsoid(0.2, 0.2, 0.2))
        )
        assert close(round_.h(q), ball.h(q), FLOAT64, 1.0)
        assert close(round_.A(q), ball.A(q), FLOAT64)
        assert close(round_.drift(q, v), ball.drift(q, v), 1e-9)


def test_an_ellipse_rolls_as_in_its_one_angle():
    """About y on a plane: its height is h(t), and the point of contact, h' ahead, is the centre of its motion."""
    a, c, mass, inertia, g = 0.5, 0.3, 2.0, 0.15, 9.81

    def height(t):
        return np.sqrt((a * np.sin(t)) ** 2 + (c * np.cos(t)) ** 2)

    h = ch.compile(lambda t: height(t[0]), t=1)
    slope = h.gradient("t")

    def lagrangian(t, rate):
        reach = h(t) ** 2 + slope(t)[0] ** 2
        return 0.5 * (mass * reach + inertia) * rate[0] ** 2 - mass * g * h(t)

    minimal = ch.LagrangianSystem(1, lagrangian)
    body = ch.Link(mass, inertia=(0.2, inertia, 0.12))
    robot = ch.Robot.from_screws(
        np.zeros((1, 6)), [np.eye(4)], [body], kinds=["free"], tool=np.eye(4), gravity=(0.0, 0.0, -g)
    )
    cs = ch.ConstrainedSystem(robot, ch.Constraint.rolling("tool", Surface.ellipsoid(a, 0.4, c), Surface.plane()))
    assert cs.row_names == ("contact.normal", "contact.tangent1", "contact.tangent2") and cs.row_units == ("N",) * 3
    t, rate = 0.4, 1.7
    q = np.array([0.2, 0.0, float(height(t)), 0.0, np.sin(t / 2), 0.0, np.cos(t / 2)])
    R = robot.forward_kinematics(q)[:3, :3]
    ahead = float(slope([t])[0])

    def velocity(w: float) -> np.ndarray:
        return np.array([0.0, w, 0.0, *(R.T @ [w * float(height(t)), 0.0, w * ahead])])

    v = velocity(rate)
    assert close(cs.constraint_matrix(q) @ v, np.zeros(3), FLOAT64, 1.0)
    qdd, forces = cs.forward_dynamics(q, v, np.zeros(6))
    expected = minimal.forward_dynamics([t], [rate], [0.0])[0]
    assert close(qdd[1], expected, 1e-9)
    assert forces[0] > 0.0  # the plane presses
    run = ch.simulate(cs, q, v, duration=1.0, dt=1e-3)
    one = ch.simulate(minimal, [t], [rate], duration=1.0, dt=1e-3)
    assert close(run.energy, np.full(len(run.t), run.energy[0]), 1e-8, 1.0)
    assert close(run.q[-1, 2], height(one.q[-1, 0]), 1e-7)


def test_only_the_last_steps_are_differentiated():
    rows = ConstraintRows(FREE, ch.Constraint.rolling("tool", EGG, ROUND).parts)
    assert rows.drift.operations.total < 1.6 * rows.A.operations.total


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


@pytest.mark.slow
def test_an_arm_rolls_an_egg_on_an_ellipsoid():
    arm, place = ch.load("ur5"), np.eye(4)
    place[:3, 3] = 0.5, 0.1, 0.3
    egg, hill = Surface.ellipsoid(0.05, 0.04, 0.03), Surface.ellipsoid(0.3, 0.2, 0.1).at(place)
    cs = ch.ConstrainedSystem(arm, ch.Constraint.rolling("tool", egg, hill))
    q, v = cs.consistent(cs.project(np.array([0.3, -1.2, 1.5, -0.4, 0.6, 0.2])), np.full(6, 0.5))
    run = ch.simulate(cs, q, v, duration=0.1, dt=1e-3)
    assert close(run.energy, np.full(len(run.t), run.energy[0]), 1e-8, 10.0)
    assert np.abs(cs.residual(run.q)).max() < 1e-11


@pytest.mark.parametrize("rolls", sweep([False, True], [True]))
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


def test_what_does_not_meet_in_a_point_is_refused():
    bare = Surface.of(lambda u, v: (u, v, u * v), name="bare")
    for tip, surface, words in (
        (PIPE, Surface.plane(), "'plane' and 'cylinder' touch along a line or a plane"),
        (EGG, bare, "'bare' has no implicit.p.: give .*near="),
        (bare, Surface.plane(), "'bare' has no implicit.p.: give .*near="),
        (0.1, bare, "'bare' has no implicit.p.: give .*near="),
        (EGG, Surface.sphere(0.15).inside(), "'inside of sphere' and 'ellipsoid' can touch in one point nowhere"),
        (0.2, Surface.sphere(0.15).inside(), "'inside of sphere' and 'ball' can touch in one point nowhere"),
        (PIPE, ROUND.inside(), "'inside of ellipsoid' and 'cylinder' can touch in one point nowhere"),
        (Surface.cylinder(0.1), PIPE.inside(), "'inside of cylinder' and 'cylinder' can touch in one point nowhere"),
        (EGG.inside(), Surface.plane(), "'plane' and 'inside of ellipsoid' can touch in one point nowhere"),
    ):
        with pytest.raises(ModelError, match=f"constraint 'contact': .*{words}"):
            ch.Constraint.point_contact("tool", tip, surface)
