"""Where two surfaces come nearest: as placed, by differences, in either order, and bodies that touch and roll."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.constraint.contact_coordinates import contact_pose
from chasles.constraint.rows import Rows
from chasles.errors import ModelError
from chasles.surface.closest_points import nearest
from chasles.surface.surface import Surface

GRID = [(u, v) for u in (-0.4, 0.4) for v in (-0.4, 0.4)]
EGG, ROUND, PIPE = Surface.ellipsoid(0.4, 0.5, 0.3), Surface.ellipsoid(1.0, 2.0, 0.6), Surface.cylinder(1.1)
CAP = Surface.of(
    lambda u, v: np.stack([u + 0.2 * v, v, -0.4 * u * u - 0.3 * v * v + 0.1 * u * v]), name="cap", near=GRID
)
DISH = Surface.of(lambda u, v: np.stack([u, v, 0.1 * u * u + 0.05 * v * v]), name="dish", near=GRID)
SADDLE = Surface.of(lambda u, v: np.stack([u, v, 0.1 * u * v]), lambda p: p[2] - 0.1 * p[0] * p[1], name="saddle")
TURN = np.eye(4)
TURN[:3, :3], TURN[:3, 3] = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]], (0.3, -0.2, 0.5)

PAIRS = {  # the tip, and what it touches
    "egg on plane": (EGG, Surface.plane()),
    "plane on egg": (Surface.plane(), EGG),
    "egg on ball": (EGG, Surface.sphere(1.9)),
    "ball beside egg": (Surface.sphere(0.2).at(TURN), EGG.at(TURN)),
    "egg on cylinder": (EGG, PIPE),
    "cylinder on egg": (PIPE, EGG),
    "crossing cylinders": (Surface.cylinder(0.3), PIPE),
    "egg on ellipsoid": (EGG.at(TURN), ROUND),
    "egg in a bowl": (EGG, Surface.sphere(1.9).inside()),
    "egg in an egg": (EGG, Surface.ellipsoid(1.9, 1.5, 2.0).inside().at(TURN)),
    "egg in a dish": (EGG, DISH),
    "egg on saddle": (EGG, SADDLE),
    "cap on plane": (CAP, Surface.plane()),
    "cap on cylinder": (CAP, PIPE),
    "cap on ellipsoid": (CAP, ROUND),
    "cap in a dish": (CAP, DISH),
    "cap on saddle": (CAP, SADDLE),
}
every = pytest.mark.parametrize("name", PAIRS)
SOME = ["egg on cylinder", "egg on ellipsoid", "cap in a dish", "egg in a bowl"]


def placed(tip: Surface, surface: Surface, count: int, seed: int = 0, least: float = -0.02, most: float = 0.1):
    """Poses (B, 4, 4) of a tip, the gaps (B,) and the Gauss frames (B, 4, 4) of the surface, by contact coordinates."""
    rng = np.random.default_rng(seed)
    eta = np.concatenate([rng.uniform(-0.6, 0.6, (count, 4)), rng.uniform(-3.0, 3.0, (count, 1))], axis=1)
    T, frame, gap = contact_pose(tip, surface)(eta), surface.frame(eta[:, 2:4]), rng.uniform(least, most, count)
    T[:, :3, 3] += gap[:, None] * frame[:, :3, 2]
    return T, gap, frame


@every
def test_surfaces_are_found_as_they_are_placed(name: str):
    tip, surface = PAIRS[name]
    T, gap, frame = placed(tip, surface, 40)
    found = nearest(surface, tip)(T[:, :3, :3], T[:, :3, 3])
    assert close(found.gap, gap, FLOAT64, 1.0)
    assert close(found.normal, frame[:, :3, 2], FLOAT64)
    assert close(found.at_a, frame[:, :3, 3], FLOAT64)
    assert close(found.at_b, frame[:, :3, 3] + gap[:, None] * frame[:, :3, 2], FLOAT64)


@pytest.mark.parametrize("name", sweep(PAIRS, ["plane on egg", "cylinder on egg", "egg in a dish", "cap on ellipsoid"]))
def test_which_is_the_tip_does_not_matter(name: str):
    tip, surface = PAIRS[name]
    (T,), _, _ = placed(tip, surface, 1)
    R, p = T[:3, :3], T[:3, 3]
    one, other = nearest(surface, tip)(R, p), nearest(tip, surface)(R.T, -R.T @ p)
    assert close(one.gap, other.gap, FLOAT64, 1.0)
    assert close(one.normal, -R @ other.normal, FLOAT64)
    assert close(one.at_a, p + R @ other.at_b, FLOAT64)


def test_ellipsoids_are_found_wherever_they_are():
    rng = np.random.default_rng(3)
    for _ in range(3):
        a, b = ([1.0, rng.uniform(0.2, 1.0), 0.2] * rng.uniform(0.3, 1.5, 1) for _ in range(2))
        tip, surface = Surface.ellipsoid(*a), Surface.ellipsoid(*b)
        eta = np.stack([np.arcsin(rng.uniform(-1, 1, 300)), rng.uniform(-3, 3, 300)] * 2 + [rng.uniform(-3, 3, 300)], 1)
        T, frame = contact_pose(tip, surface)(eta), surface.frame(eta[:, 2:4])
        gap = rng.uniform(-0.1, 0.3, 300) * min(a.min(), b.min())
        found = nearest(surface, tip)(T[:, :3, :3], T[:, :3, 3] + gap[:, None] * frame[:, :3, 2])
        assert close(found.gap, gap, 1e-8, 1.0)
        assert close(found.at_a, frame[:, :3, 3], 1e-8)


def test_what_is_not_found_is_nan():
    """A cap and a dish that lie side by side: they have no points with opposite normals within reach."""
    R = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    with np.errstate(all="ignore"):
        found = nearest(DISH, CAP)(R, np.array([40.0, 0.0, -30.0]))
    assert all(np.isnan(x).all() for x in found)


def ring(u, v):
    """A torus of radii 0.3 and 0.1."""
    return np.stack([(0.3 + 0.1 * np.cos(v)) * np.cos(u), (0.3 + 0.1 * np.cos(v)) * np.sin(u), 0.1 * np.sin(v)])


TORUS = Surface.of(ring, lambda p: (np.sqrt(p[0] ** 2 + p[1] ** 2) - 0.3) ** 2 + p[2] ** 2 - 0.01, name="torus")


def test_what_is_found_of_tori_is_the_nearest_of_its_neighbourhood():
    """The steps also lead to saddles of the distance, and to its maxima: these are nan."""
    rng = np.random.default_rng(1)
    R = Rotation.random(200, random_state=0).as_matrix()
    p = rng.normal(size=(200, 3))
    p *= (rng.uniform(0.0, 0.85, 200) / np.linalg.norm(p, axis=1))[:, None]
    with np.errstate(all="ignore"):
        found = nearest(TORUS, TORUS)(R, p)
    apart = found.gap > 1e-3
    assert 20 < apart.sum() < 150

    def parameters(x: np.ndarray) -> np.ndarray:
        return np.array([np.arctan2(x[1], x[0]), np.arctan2(x[2], np.hypot(x[0], x[1]) - 0.3)])

    for k in np.flatnonzero(apart):

        def square(z: np.ndarray, k: int = k) -> float:
            return float(np.sum((ring(*z[:2]) - p[k] - R[k] @ ring(*z[2:])) ** 2))

        z = np.concatenate([parameters(found.at_a[k]), parameters(R[k].T @ (found.at_b[k] - p[k]))])
        assert close(np.sqrt(square(z)), found.gap[k], 1e-7, 1.0)
        e, at = 1e-4 * np.eye(4), square(z)
        H = [[square(z + x + y) - square(z + x - y) - square(z - x + y) + square(z - x - y) for x in e] for y in e]
        assert np.linalg.eigvalsh(np.array(H) / 4e-8)[0] > -1e-6 * at


def test_tori_are_found_where_they_are_apart():
    T, gap, frame = placed(TORUS, TORUS, 60, most=0.3)
    found = nearest(TORUS, TORUS)(T[:, :3, :3], T[:, :3, 3])
    assert close(found.gap, gap, 1e-9, 1.0)
    assert close(found.at_a, frame[:, :3, 3], 1e-7)


def test_a_ball_is_where_its_foot_is_the_nearest_or_nan():
    """Over a saddle, and from the middle of a bowl: stationary points of the distance that are none of its minima."""
    rng = np.random.default_rng(0)
    p = rng.uniform(-0.7, 0.7, (400, 3))
    saddle = Surface.of(implicit=lambda p: p[2] - 3.0 * p[0] * p[1], name="saddle")
    for surface, half in ((saddle, 1.0), (Surface.ellipsoid(0.5, 0.6, 0.9).inside(), 0.5)):
        start = half * p[np.asarray(surface.level(half * p)) > 0.0]
        with np.errstate(all="ignore"):
            found = nearest(surface, Surface.sphere(0.02))(np.eye(3), start)
        good = np.isfinite(found.gap)
        assert 0.6 < good.mean() < 1.0
        foot, off = found.at_a[good], start[good] - found.at_a[good]
        assert close(off, (found.gap[good] + 0.02)[:, None] * found.normal[good], 1e-4)
        for way in rng.normal(size=(20, *foot.shape)) * 1e-2:  # points of the surface around it are farther
            y = foot + np.cross(found.normal[good], way)
            for _ in range(4):
                g = surface.level.gradient("p")(y)
                y = y - (surface.level(y) / np.sum(g * g, axis=-1))[:, None] * g
            beside = np.linalg.norm(start[good] - y, axis=1)
            assert (beside > np.linalg.norm(off, axis=1) - 1e-5).all()


@pytest.mark.parametrize("name", sweep(["egg on cylinder", "cap in a dish"], 1))
def test_second_derivatives_are_right(name: str):
    """Through two steps: what linearising a motion in contact needs."""
    tip, surface = PAIRS[name]
    (T,), _, _ = placed(tip, surface, 1, seed=2, least=0.05)
    R, p, step = T[:3, :3], T[:3, 3], 1e-5
    normal = ch.compile(lambda p: nearest(surface, tip)(R, p).normal, p=3)
    slope = normal.jacobian("p")
    first = np.stack([(normal(p + e) - normal(p - e)) / (2 * step) for e in step * np.eye(3)], axis=-1)
    second = np.stack([(slope(p + e) - slope(p - e)) / (2 * step) for e in step * np.eye(3)], axis=-1)
    assert close(slope(p), first, FINITE_DIFFERENCE)
    assert close(slope.jacobian("p")(p), second, FINITE_DIFFERENCE)


# as constraints

CLOUD = ch.Link(1.3, (0.03, -0.02, 0.05), (0.04, 0.06, 0.05))
FREE = ch.Robot.from_screws(
    np.zeros((1, 6)), [np.eye(4)], [CLOUD], kinds=["free"], tool=np.eye(4), gravity=(1.0, -2.0, -9.0)
)


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
    rows, v = Rows(system, constraint), np.random.default_rng(1).normal(size=system.n)
    slope = differences(system, rows.h, q)[0]
    assert np.abs(slope).max() > 0.01
    drift = np.einsum("kij,i,j->k", differences(system, rows.A, q), v, v)
    return close(rows.A(q)[0], slope, FINITE_DIFFERENCE) and close(rows.drift(q, v), drift, 10 * FINITE_DIFFERENCE)


@pytest.mark.parametrize("name", sweep(SOME, 1))
def test_rows_and_their_drift_are_derivatives_off_the_constraint_too(name: str):
    tip, surface = PAIRS[name]
    T, _, _ = placed(tip, surface, 1, seed=5, least=0.05)
    assert agrees(FREE, ch.Constraint.rolling("tool", tip, surface, spin=False), as_free(T[0]))


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
    found = nearest(arm, egg)(T[:3, :3], T[:3, 3] + T[:3, :3] @ given["point"])
    y = at("upper_arm_link", q) @ [*found.at_b, 1.0]
    normal = at("upper_arm_link", q)[:3, :3] @ found.normal
    v, step = np.random.default_rng(4).normal(size=6), 1e-6
    slip = sum(
        sign * (at(frame, q + step * v) - at(frame, q - step * v)) @ np.linalg.inv(at(frame, q)) @ y / (2 * step)
        for frame, sign in (("tool", 1.0), ("upper_arm_link", -1.0))
    )[:3]
    turn = (robot.jacobian(q, "tool", "mixed") - robot.jacobian(q, "upper_arm_link", "mixed"))[:3] @ v
    rates = Rows(robot, touch).A(q) @ v
    assert close(rates[0], normal @ slip, FINITE_DIFFERENCE)
    assert close(np.linalg.norm(rates[1:3]), np.linalg.norm(slip - normal * (normal @ slip)), FINITE_DIFFERENCE)
    assert close(rates[3], normal @ turn, FLOAT64)


def test_a_round_ellipsoid_is_a_ball():
    for surface in (Surface.plane(), PIPE):
        T, _, _ = placed(Surface.sphere(0.2), surface, 1)
        q, v = as_free(T[0]), np.arange(1.0, 7.0)
        ball, round_ = (
            Rows(FREE, ch.Constraint.rolling("tool", tip, surface, point=(0.1, 0.0, 0.0), spin=False))
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
    assert cs.row_names == ("contact.normal", "contact.tangent1", "contact.tangent2")
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
    rows = Rows(FREE, ch.Constraint.rolling("tool", EGG, ROUND))
    assert rows.drift.operations.total < 1.6 * rows.A.operations.total


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
