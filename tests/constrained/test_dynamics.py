"""Dynamics under constraints: the same mechanisms in minimal coordinates, identities on random systems, redundancy."""

import numpy as np
import pytest
from support.loops import (
    BARS,
    GROUND,
    HALF_TURN,
    MASSES,
    cut_four_bar,
    elbow,
    four_bar,
    four_bar_angles,
    pinned,
    planar,
    three_arms,
    three_arms_at,
    three_arms_tied,
    welded,
)
from support.random_trees import random_kinds, random_mechanism
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch

g = 9.81
AGREED = 1e-9  # with the same mechanism in minimal coordinates


# minimal coordinates


def particle(m=1.4, n=2):
    """A particle, y up."""
    return ch.LagrangianSystem(n, lambda q, qd: m * (qd @ qd) / 2 - m * g * q[1], name="particle")


def on_circle(l):
    return ch.Constraint.holonomic(lambda q: (q @ q - l**2) / 2, "circle")


@pytest.mark.parametrize("seed", range(3))
def test_pendulum(seed):
    """[EX-6]: a particle on a circle, beside m l^2 thdd = -m g l sin th; multiplier and tension."""
    m, l = 1.4, 0.6
    cs = ch.ConstrainedSystem(particle(m), on_circle(l))
    th, thd = np.random.default_rng(seed).uniform(-3.0, 3.0, 2)  # from hanging down
    thdd = -g / l * np.sin(th)
    radial, along = np.array([np.sin(th), -np.cos(th)]), np.array([np.cos(th), np.sin(th)])
    q, qd = l * radial, l * thd * along
    qdd, (multiplier,) = cs.forward_dynamics(q, qd, np.zeros(2))
    assert close(qdd, l * (thdd * along - thd**2 * radial), AGREED)
    assert close(multiplier, m / l**2 * (g * q[1] - qd @ qd), AGREED)
    assert close(-multiplier * l, m / l * (qd @ qd) - m * g / l * q[1], AGREED)  # the tension
    assert close(cs.constraint_matrix(q), [q])
    assert cs.degrees_of_freedom == 1 and cs.row_names == ("circle",)


def bodies(crank):
    """(9,) centres and angles of crank, coupler and rocker, of the crank's angle."""
    x, y = elbow(crank)
    bx, by = BARS[0] * np.cos(crank), BARS[0] * np.sin(crank)
    coupler, rocker = np.arctan2(y - by, x - bx), np.arctan2(-y, GROUND - x)
    return np.stack([bx / 2, by / 2, (bx + x) / 2, (by + y) / 2, (x + GROUND) / 2, y / 2, crank, coupler, rocker])


WEIGHTS = np.r_[np.repeat(MASSES, 2), np.multiply(MASSES, np.square(BARS)) / 12]


def minimal_four_bar():
    """The four-bar with the crank's angle as its one coordinate."""
    slope = ch.compile(lambda crank: bodies(crank), crank=()).jacobian("crank")

    def L(q, qd):
        v = slope(q[0]) * qd[0]
        return np.sum(WEIGHTS * v * v) / 2 - g * np.sum(np.array(MASSES) * bodies(q[0])[1:6:2])

    return ch.LagrangianSystem(1, L, name="minimal four-bar")


@pytest.fixture(scope="module")
def bars():
    robot = four_bar()
    return ch.ConstrainedSystem(robot, pinned(robot))


def four_bar_states():
    """Crank's angle, rate and torque, and q and qd of the chain."""
    rng = np.random.default_rng(0)
    crank, rate, torque = rng.uniform(-3.0, 3.0, 6), rng.normal(size=6) * 3.0, rng.normal(size=6) * 2.0
    slope = ch.compile(lambda crank: bodies(crank)[6:], crank=()).jacobian("crank")(crank)
    slope[:, 1:] -= slope[:, :-1].copy()
    return crank, rate, torque, four_bar_angles(crank), slope * rate[:, None]


def test_four_bar(bars):
    """Accelerations, and the force in the pin from Newton's equations of the three bars."""
    crank, rate, torque, q, qd = four_bar_states()
    system = minimal_four_bar()
    acceleration = system.forward_dynamics(crank[:, None], rate[:, None], torque[:, None])[:, 0]
    tau = np.zeros_like(q)
    tau[:, 0] = torque
    found = bars.forward_dynamics(q, qd, tau)
    assert close(found.qdd[:, 0], acceleration, AGREED)

    first = ch.compile(lambda crank: bodies(crank), crank=()).jacobian("crank")
    second = first.jacobian("crank")
    moved = first(crank) * acceleration[:, None] + second(crank) * rate[:, None] ** 2
    angles = moved[:, 6:].copy()
    angles[:, 1:] -= moved[:, 6:-1]
    assert close(found.qdd, angles, AGREED)
    x, y = elbow(crank)
    for b in range(len(crank)):
        joints = [(0.0, 0.0), BARS[0] * np.array([np.cos(crank[b]), np.sin(crank[b])]), (x[b], y[b]), (GROUND, 0.0)]
        at = bodies(crank[b])
        left, right = np.zeros((9, 8)), WEIGHTS * moved[b]
        right[1:6:2] += g * np.array(MASSES)
        right[6] -= torque[b]
        for k in range(3):  # the force of joint j is on body j from body j - 1
            for j, sign in ((k, 1.0), (k + 1, -1.0)):
                dx, dy = np.subtract(joints[j], at[2 * k : 2 * k + 2])
                left[2 * k : 2 * k + 2, 2 * j : 2 * j + 2] += sign * np.eye(2)
                left[6 + k, 2 * j : 2 * j + 2] += sign * np.array([-dy, dx])
        forces, *_ = np.linalg.lstsq(left, right, rcond=None)
        assert close(left @ forces, right, AGREED)
        assert close(found.multipliers[b], -forces[6:], AGREED)


def test_cut_four_bar(bars):
    """The same four-bar cut through its coupler and welded: six equations of rank three, the same motion."""
    robot = cut_four_bar()
    cs = ch.ConstrainedSystem(robot, welded(robot, pose=HALF_TURN))
    assert cs.redundancy.rank == 3 and cs.degrees_of_freedom == 1
    assert cs.row_names == ("weld[2]", "weld[3]", "weld[4]")
    assert cs.redundancy.dropped_names == ("weld[0]", "weld[1]", "weld[5]") and cs.redundancy.left < 1e-12
    assert "6 rows of rank 3 at 12 configurations: weld[0], weld[1], weld[5] follow" in cs.redundancy.describe()
    _, _, torque, q, qd = four_bar_states()
    crank, coupler, rocker = np.cumsum(q, axis=1).T
    x = np.stack([crank, coupler - crank, rocker + np.pi, coupler - rocker], axis=-1)
    turns = np.cumsum(qd, axis=1)
    v = np.stack([turns[:, 0], qd[:, 1], turns[:, 2], turns[:, 1] - turns[:, 2]], axis=-1)
    assert close(cs.residual(x), np.zeros((6, 6)), 1e-12, scale=1.0)
    tau, cut = np.zeros_like(q), np.zeros_like(x)
    tau[:, 0] = cut[:, 0] = torque
    a, b = np.cumsum(bars.forward_dynamics(q, qd, tau).qdd, axis=1), cs.forward_dynamics(x, v, cut).qdd
    assert close(b[:, 0], a[:, 0], AGREED) and close(b[:, 2], a[:, 2], AGREED)


def disk(m=1.3, rho=0.4, I1=0.2, I2=0.35):
    """q = (x, y, theta, phi): where it touches, where it heads, how far it has turned."""

    def L(q, qd):
        return (m * (qd[0] ** 2 + qd[1] ** 2) + I1 * qd[2] ** 2 + I2 * qd[3] ** 2) / 2

    def rows(q):
        zero, one = 0.0 * q[0], 0.0 * q[0] + 1.0
        return np.stack(
            [
                np.stack([one, zero, zero, -rho * np.cos(q[2])]),
                np.stack([zero, one, zero, -rho * np.sin(q[2])]),
            ]
        )

    return ch.ConstrainedSystem(ch.LagrangianSystem(4, L, name="disk"), ch.Constraint.pfaffian(rows, "rolling"))


@pytest.mark.parametrize("seed", range(3))
def test_rolling_disk(seed):
    """[EX-7]: accelerations, and the friction by which the ground holds it."""
    m, rho, I1, I2 = 1.3, 0.4, 0.2, 0.35
    cs = disk(m, rho, I1, I2)
    th, thd, phd, t1, t2 = np.random.default_rng(seed).normal(size=5)
    s, c = np.sin(th), np.cos(th)
    qdd, force = cs.forward_dynamics([0.3, -1.0, th, 2.0], [rho * c * phd, rho * s * phd, thd, phd], [0, 0, t1, t2])
    thdd, phdd = t1 / I1, t2 / (I2 + m * rho**2)
    expected = [rho * c * phdd - rho * s * thd * phd, rho * s * phdd + rho * c * thd * phd, thdd, phdd]
    assert close(qdd, expected, AGREED)
    assert close(force, m * np.array(expected[:2]), AGREED)
    assert cs.degrees_of_freedom == 2 and not cs.residual([0.3, -1.0, th, 2.0]).any()


# identities, on random systems


def random_system(kind, seed):
    """A random robot under two holonomic constraints and a Pfaffian one, and a state that satisfies them."""
    seed = {"screws": 100, "kinds": 200}[kind] + seed
    rng = np.random.default_rng(seed)
    robot = ch.Robot(random_mechanism(seed, n=5) if kind == "screws" else random_kinds(seed))
    while robot.n < 5:
        seed += 1000
        robot = ch.Robot(random_mechanism(seed, n=6) if kind == "screws" else random_kinds(seed))
    q = robot.random(rng)
    W, B, c = rng.normal(size=(2, 3)), rng.normal(size=(robot.n, robot.nq)), rng.normal(size=robot.n)
    place = robot.forward_kinematics(q, "tool")[:3, 3]
    point = ch.Constraint.holonomic(lambda q: W @ (robot.forward_kinematics(q, "tool")[:3, 3] - place), "point")
    rows = ch.Constraint.pfaffian(lambda q: np.sin(B @ q + c), "rows")
    cs = ch.ConstrainedSystem(robot, point + rows, start=q)
    v = rng.normal(size=robot.n)
    return cs, q, cs.projections(q).P_T @ v, rng.normal(size=robot.n)


CASES = [("screws", 0), ("screws", 1), ("screws", 2), ("kinds", 0), ("kinds", 1), ("kinds", 3)]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}{case[1]}")
def random(request):
    return random_system(*request.param)


def test_equations(random):
    """[CON-1, CON-2, CON-3]"""
    cs, q, qd, tau = random
    M, bias, A, drift = cs.mass_matrix(q), cs.bias_forces(q, qd), cs.constraint_matrix(q), cs.constraint_drift(q, qd)
    n, k = cs.n, len(A)
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    both = np.linalg.solve(np.block([[M, -A.T], [A, np.zeros((k, k))]]), np.r_[tau - bias, -drift])
    scale = np.abs(both).max()
    assert close(qdd, both[:n], AGREED, scale) and close(multipliers, both[n:], AGREED, scale)  # [CON-1]
    S = A @ np.linalg.solve(M, A.T)
    right = A @ np.linalg.solve(M, bias - tau) - drift
    assert close(multipliers, np.linalg.solve(S, right), AGREED, scale)  # [CON-2]
    assert close(S @ multipliers, A @ np.linalg.solve(M, M @ qdd + bias - tau), AGREED, scale)
    for v in np.random.default_rng(1).normal(size=(3, n)):
        allowed = cs.projections(q).P_T @ v
        assert close((A.T @ multipliers) @ allowed, 0.0, FLOAT64, np.abs(A.T @ multipliers).max())  # [CON-3]
    assert close(cs.inverse_dynamics(q, qd, qdd, multipliers=multipliers), tau, AGREED, np.abs(bias).max())
    assert close(cs.inverse_dynamics(q, qd, qdd) - tau, A.T @ multipliers, AGREED, np.abs(bias).max())


def test_accelerations_that_are_not_allowed(random):
    """They are refused by name; the nearest in M differs from them by a constraint force."""
    cs, q, qd, _ = random
    rng = np.random.default_rng(5)
    qdd = 5.0 * rng.normal(size=(3, cs.n))
    with pytest.raises(ch.ModelError, match=r"does not allow qdd: off by .* in row \d of the batch; `consistent_acc"):
        cs.inverse_dynamics(q, qd, qdd)
    near = cs.consistent_acceleration(q, qd, qdd)
    A, M = cs.constraint_matrix(q), cs.mass_matrix(q)
    drift = cs.constraint_drift(q, qd)
    assert close(np.einsum("ki,bi->bk", A, near), np.tile(-drift, (3, 1)), AGREED, scale=np.abs(qdd).max())
    force = (near - qdd) @ M
    assert close(force @ cs.projections(q).P_T, np.zeros_like(force), AGREED, scale=np.abs(force).max())
    tau = cs.inverse_dynamics(q, qd, near)
    assert close(cs.forward_dynamics(q, qd, tau).qdd, near, AGREED)
    assert close(cs.forward_dynamics(q, qd, tau).multipliers, np.zeros((3, len(A))), AGREED, np.abs(tau).max())
    near[1] = np.nan
    assert np.isfinite(cs.inverse_dynamics(q, qd, near)).all(axis=-1).tolist() == [True, False, True]


def test_rows_and_drift(random):
    """A v and (dA/dt) v by differences along a motion, on joints of every kind."""
    cs, q, v, _ = random
    h = 1e-5
    there, back = cs.integrate(q, h * v), cs.integrate(q, -h * v)
    rows = list(cs.rows.holonomic)
    rate = (cs.residual(there) - cs.residual(back))[rows] / (2 * h)
    assert close((cs.rows.A(q) @ v)[rows], rate, FINITE_DIFFERENCE, scale=1.0)
    w = np.random.default_rng(2).normal(size=cs.n)
    there, back = cs.integrate(q, h * w), cs.integrate(q, -h * w)
    drift = (cs.constraint_matrix(there) - cs.constraint_matrix(back)) @ w / (2 * h)
    assert close(cs.constraint_drift(q, w), drift, FINITE_DIFFERENCE, scale=1.0)


def test_projections(random):
    """[PRJ-1, PRJ-2]"""
    cs, q, _, _ = random
    M, A = cs.mass_matrix(q), cs.constraint_matrix(q)
    P_w, P_T = cs.projections(q)
    one, k = np.eye(cs.n), len(A)
    Y = np.linalg.solve(M, A.T)
    assert close(P_T, one - Y @ np.linalg.solve(A @ Y, A), AGREED)
    assert close(P_w, one - A.T @ np.linalg.solve(A @ Y, Y.T), AGREED)
    assert close(P_w @ M, M @ P_T, AGREED) and close(P_w, P_T.T)
    assert close(P_w @ A.T, np.zeros((cs.n, k)), AGREED, scale=np.abs(A).max())
    assert close(A @ P_T, np.zeros((k, cs.n)), AGREED, scale=np.abs(A).max())
    assert close(P_T @ P_T, P_T, AGREED) and close(P_w @ P_w, P_w, AGREED)
    assert np.linalg.matrix_rank(P_T, tol=1e-8) == cs.n - k == cs.degrees_of_freedom
    assert close(np.trace(P_T), cs.n - k)


def test_two_halves_of_the_dynamics(random):
    """[PRJ-3, PRJ-4, PRJ-5]"""
    cs, q, qd, tau = random
    M, A, bias, N = cs.mass_matrix(q), cs.constraint_matrix(q), cs.bias_forces(q, qd), cs.bias_forces(q, 0.0 * qd)
    c = bias - N
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    P_w, P_T = cs.projections(q)
    one, scale = np.eye(cs.n), np.abs(M @ qdd).max()
    assert close(P_w @ (M @ qdd + bias - tau), np.zeros(cs.n), AGREED, scale)  # [PRJ-3]
    bent = (one - P_T) @ (qdd + np.linalg.solve(M, c))
    assert close(M @ bent, (one - P_w) @ (tau - N) + A.T @ multipliers, AGREED, scale)  # [PRJ-4]
    S = cs.second_fundamental_form(q, qd)
    assert close(S, bent, AGREED, np.abs(qdd).max())  # [PRJ-5]
    assert close(cs.second_fundamental_form(q, -2.0 * qd), 4.0 * S, AGREED, np.abs(qdd).max())  # quadratic
    assert close(P_T @ S, np.zeros(cs.n), AGREED, np.abs(qdd).max())  # across the allowed velocities


def test_batches(random):
    cs, q, _, _ = random
    rng = np.random.default_rng(3)
    states = [cs.integrate(q, 0.1 * rng.normal(size=cs.n)) for _ in range(6)]
    x, v, t = np.stack(states).reshape(2, 3, -1), rng.normal(size=(3, cs.n)), rng.normal(size=(2, 1, cs.n))
    qdd, multipliers = cs.forward_dynamics(x, v, t)
    assert qdd.shape == (2, 3, cs.n) and multipliers.shape == (2, 3, len(cs.row_names))
    P, S, A = cs.projections(x).P_T, cs.second_fundamental_form(x, v), cs.constraint_matrix(x)
    for i in range(2):
        for j in range(3):
            one = cs.forward_dynamics(x[i, j], v[j], t[i, 0])
            assert close(qdd[i, j], one.qdd) and close(multipliers[i, j], one.multipliers)
            assert close(P[i, j], cs.projections(x[i, j]).P_T) and close(A[i, j], cs.constraint_matrix(x[i, j]))
            assert close(S[i, j], cs.second_fundamental_form(x[i, j], v[j]))


def test_consistent(random):
    """A state off the constraint is brought onto it, and one on it stays."""
    cs, q, qd, _ = random
    rng = np.random.default_rng(4)
    off = cs.integrate(q, 0.02 * rng.normal(size=cs.n))
    assert np.abs(cs.residual(off)).max() > 1e-4
    x, v = cs.consistent(off, qd)
    assert np.abs(cs.residual(x)).max() < 1e-11
    assert close(cs.constraint_matrix(x) @ v, np.zeros(len(cs.row_names)), AGREED, scale=1.0)
    assert np.abs(cs.difference(off, x)).max() < 0.5
    same, speed = cs.consistent(q, qd)
    assert close(same, q, 1e-12) and close(speed, qd, AGREED)
    w = rng.normal(size=cs.n)  # the nearest in M: what is taken away is orthogonal to what is left
    _, w_on = cs.consistent(q, w)
    assert close((w - w_on) @ cs.mass_matrix(q) @ qd, 0.0, AGREED, scale=10.0)


# redundancy, and configurations where the rank falls


def test_three_arms():
    """[EX-11]: 3x2R, with the equations out of the plane too: two of six rows follow, everywhere."""
    robot = three_arms()
    full, lean = (ch.ConstrainedSystem(robot, three_arms_tied(robot, rows)) for rows in (3, 2))
    assert full.redundancy.rank == lean.redundancy.rank == 4 and full.degrees_of_freedom == 2
    assert full.redundancy.dropped_names == ("tie[2]", "tie 2[2]")
    assert lean.redundancy.describe() == "4 rows, independent at 12 configurations"
    q = three_arms_at((0.5, 0.35))
    rng = np.random.default_rng(0)
    qd, tau = lean.projections(q).P_T @ rng.normal(size=6), rng.normal(size=6)
    a, b = full.forward_dynamics(q, qd, tau), lean.forward_dynamics(q, qd, tau)
    assert close(a.qdd, b.qdd) and close(a.multipliers, b.multipliers)


def test_equations_that_hold_elsewhere_too():
    """The sines of a turn vanish at pi as well, where the rank is four: rows that matter are not dropped for that."""
    robot = ch.load("panda")
    T = robot.forward_kinematics(robot.random(np.random.default_rng(1)), "tool")

    def h(q):
        X = robot.forward_kinematics(q, "tool")
        R = T[:3, :3].T @ X[:3, :3]
        return np.stack([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], *(X[:3, 3] - T[:3, 3])])

    cs = ch.ConstrainedSystem(robot, ch.Constraint.holonomic(h, "weld"))
    assert cs.redundancy.rank == 6 and cs.redundancy.dropped_names == () and cs.degrees_of_freedom == 1


def parallelogram(rows=2):
    robot = planar([(0.0, 0.0)], [(0.3, 0.9, 0.3)], [(0.7, 1.6, 0.7)], "parallelogram")
    return ch.ConstrainedSystem(robot, pinned(robot, rows=rows))


def kkt(cs, q, qd, tau):
    """qdd, and the smallest multipliers, by NumPy."""
    M, A = cs.mass_matrix(q), cs.constraint_matrix(q)
    K = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
    found = np.linalg.pinv(K, rcond=1e-12) @ np.r_[tau - cs.bias_forces(q, qd), -cs.constraint_drift(q, qd)]
    return found[: cs.n], found[cs.n :]


def test_where_the_rank_falls():
    """A parallelogram stretched out, where two motions meet, and at rest there: rank one instead of two."""
    cs = parallelogram(rows=3)
    assert cs.redundancy.rank == 2 and cs.redundancy.dropped_names == ("pin[2]",)
    q = np.array([0.0, 0.0, np.pi])
    assert np.linalg.matrix_rank(cs.constraint_matrix(q), tol=1e-9) == 1
    rng = np.random.default_rng(0)
    for qd, tau in zip(np.zeros((2, 3)), rng.normal(size=(2, 3)), strict=True):
        qdd, multipliers = cs.forward_dynamics(q, qd, tau)
        a, b = kkt(cs, q, qd, tau)
        assert close(qdd, a, AGREED) and close(multipliers, b, 1e-8)
        residual = cs.mass_matrix(q) @ qdd + cs.bias_forces(q, qd) - tau - cs.constraint_matrix(q).T @ multipliers
        assert close(residual, np.zeros(3), AGREED, scale=np.abs(tau).max())
    P_w, P_T = cs.projections(q)
    assert np.linalg.matrix_rank(P_T, tol=1e-9) == 2 and close(P_T @ P_T, P_T, AGREED)
    assert close(P_w @ cs.mass_matrix(q), cs.mass_matrix(q) @ P_T, AGREED)
    assert np.isfinite(cs.second_fundamental_form(q, [1.0, -1.0, 1.0])).all()


def test_smallest_multipliers():
    """Of rows that are mixed and of different size, those multipliers that are smallest as they are."""
    W, far = np.array([[1.0, 20.0], [0.5, -3.0]]), np.array([0.9, 0.0])
    robot = planar([(0.0, 0.0)], [(0.3, 0.9, 0.3)], [(0.7, 1.6, 0.7)])
    mixed = ch.Constraint.holonomic(lambda q: W @ (robot.forward_kinematics(q, "tip0")[:2, 3] - far), "mixed")
    cs = ch.ConstrainedSystem(robot, mixed)
    q, qd, tau = np.array([0.0, 0.0, np.pi]), np.zeros(3), np.array([0.3, 1.0, -0.4])
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    a, b = kkt(cs, q, qd, tau)
    assert close(qdd, a, AGREED) and close(multipliers, b, 1e-8) and np.abs(b).min() > 1e-3


def test_rank_in_a_batch():
    """One row of a batch where the rank falls does not touch the others; what is not a number stays so."""
    cs = parallelogram()
    angles = np.array([0.4, 0.0, -0.7, 1.1])
    q = np.stack([angles, -angles, np.pi + angles], axis=-1)
    qd = np.array([1.0, -1.0, 1.0])
    qdd, multipliers = cs.forward_dynamics(q, qd, np.zeros(3))
    for b in range(4):
        one = cs.forward_dynamics(q[b], qd, np.zeros(3))
        assert close(qdd[b], one.qdd) and close(multipliers[b], one.multipliers)
        assert close(cs.second_fundamental_form(q, qd)[b], cs.second_fundamental_form(q[b], qd), AGREED)
        assert close(cs.projections(q).P_T[b], cs.projections(q[b]).P_T)
    q[2] = np.nan
    broken = cs.forward_dynamics(q, qd, np.zeros(3)).qdd
    assert np.isnan(broken[2]).all() and close(broken[[0, 1, 3]], qdd[[0, 1, 3]])
    assert np.isnan(cs.projections(q).P_T[2]).any()


def test_a_motion_through_a_fall_of_rank():
    """The parallelogram turns through its stretched position and keeps energy and constraint."""
    cs = parallelogram()
    a = -0.4
    motion = ch.simulate(cs, [a, -a, np.pi + a], [9.0, -9.0, 9.0], duration=0.1, dt=1e-3)
    crank = motion.q[:, 0]
    assert crank[0] < 0.0 < crank[-1]
    assert np.abs(cs.residual(motion.q)).max() < 1e-9
    assert close(motion.energy, np.full_like(motion.energy, motion.energy[0]), 1e-6)
    assert close(motion.q[:, 1], -crank, 1e-6)  # it stays a parallelogram
    stretched = np.array([0.0, 0.0, np.pi])
    q, qd = cs.corrected(stretched, np.array([1.0, -1.0, 1.0]))
    assert close(q, stretched) and close(qd, [1.0, -1.0, 1.0], AGREED)
    near = np.array([0.5, -0.5, np.pi + 0.5])
    q, qd = cs.corrected(np.stack([stretched, np.full(3, np.nan), near + 1e-4]), np.ones((3, 3)))
    assert np.isnan(q[1]).all() and np.abs(cs.residual(q[[0, 2]])).max() < 1e-11  # each for itself
    assert np.abs(np.einsum("tki,ti->tk", cs.constraint_matrix(q), qd)[[0, 2]]).max() < 1e-11


def test_traced():
    """Accelerations and projections inside a function of the user's, and their derivatives."""
    cs = parallelogram()
    q, qd, tau = np.array([0.4, -0.4, np.pi + 0.4]), np.array([1.0, -1.0, 1.0]), np.array([0.2, 0.1, -0.3])
    qdd = ch.compile(lambda q: cs.forward_dynamics(q, qd, tau).qdd, q=3)
    assert close(qdd(q), cs.forward_dynamics(q, qd, tau).qdd)
    steps = 1e-6 * np.eye(3)
    slope = [(cs.forward_dynamics(q + e, qd, tau).qdd - cs.forward_dynamics(q - e, qd, tau).qdd) / 2e-6 for e in steps]
    assert close(qdd.jacobian("q")(q), np.transpose(slope), FINITE_DIFFERENCE)
    P = ch.compile(lambda q: cs.projections(q).P_w, q=3)
    assert close(P(q), cs.projections(q).P_w)


def test_rows_that_vanish_somewhere():
    """Where a kept row vanishes and one that was dropped does not, the constraint still holds."""
    system = particle(n=3)
    rows = [ch.Constraint.pfaffian(lambda q, k=k: np.stack([q[k], 0.0 * q[k], 0.0 * q[k]]), f"by{k}") for k in (1, 2)]
    cs = ch.ConstrainedSystem(system, rows[0] + rows[1])
    assert cs.redundancy.rank == 1 and cs.redundancy.dropped_names in (("by1",), ("by2",))
    for y, z in ((0.2, 0.7), (0.2, 0.0), (0.0, 0.7)):
        qdd, _ = cs.forward_dynamics([0.0, y, z], [0.0, 0.5, 0.0], [3.0, 0.0, 0.0])
        assert close(qdd, [0.0, -g, 0.0])


@pytest.mark.parametrize("order", [1, -1])
def test_rows_with_values_are_kept_first(order):
    """Of a constraint and the same one for velocities, in any order, that which can be put back is."""
    rod, same = on_circle(1.0), ch.Constraint.pfaffian(lambda q: 3.0 * q, "same")
    cs = ch.ConstrainedSystem(particle(), sum([rod, same][::order]))
    assert cs.row_names == ("circle",) and cs.redundancy.dropped_names == ("same",)
    run = ch.simulate(cs, [1.0, 0.0], [0.0, 0.0], duration=1.0, dt=1e-2)
    assert np.abs(cs.residual(run.q)).max() < 1e-11
    wheel = ch.Constraint.pfaffian(lambda q: np.stack([np.stack([q[1], q[0], 0.0]), np.stack([0.0, 0.0, 1.0])]), "both")
    both = [wheel, ch.Constraint.holonomic(lambda q: np.stack([q[0] * q[1] - 1.0, 2.0 * q[0] * q[1] - 2.0]), "xy")]
    cs = ch.ConstrainedSystem(particle(n=3), sum(both[::order]))
    assert cs.redundancy.rank == 2 and "both[1]" in cs.row_names and "both[0]" not in cs.row_names


def test_scale_of_rows():
    """Rows in other units give the same motion, also where the rank falls."""
    robot = planar([(0.0, 0.0)], [(0.3, 0.9, 0.3)], [(0.7, 1.6, 0.7)])
    far = np.array([0.9, 0.0])
    weights = np.array([1.0, 1e-6])
    cs = [
        ch.ConstrainedSystem(
            robot, ch.Constraint.holonomic(lambda q, w=w: w * (robot.forward_kinematics(q, "tip0")[:2, 3] - far), "pin")
        )
        for w in (np.ones(2), weights)
    ]
    for a, speed in ((0.5, 1.0), (0.0, 1.0), (0.0, 0.0)):
        q, qd, tau = np.array([a, -a, np.pi + a]), speed * np.array([1.0, -1.0, 1.0]), np.array([1.0, 0.3, -0.2])
        one, other = (system.forward_dynamics(q, qd, tau) for system in cs)
        assert close(other.qdd, one.qdd, 1e-8)
        if a or not speed:  # else there are none
            assert close(weights * other.multipliers, one.multipliers, 1e-8)


# staying on the constraint


def test_stabilization(bars):
    """h'' + 2 a h' + a^2 h = 0: rows of the equation, and the decay of an offset."""
    a = 20.0
    cs = ch.ConstrainedSystem(bars.system, bars.constraint, stabilization=a)
    rng = np.random.default_rng(0)
    q, qd, tau = rng.normal(size=(3, 3))
    qdd, _ = cs.forward_dynamics(q, qd, tau)
    A, h = cs.constraint_matrix(q), cs.residual(q)
    second = A @ qdd + cs.constraint_drift(q, qd)
    assert close(second, -2 * a * (A @ qd) - a**2 * h, AGREED, scale=np.abs(cs.constraint_drift(q, qd)).max())
    on = four_bar_angles(0.8)
    off = on + np.array([3e-7, 0.0, 0.0])
    motion = ch.simulate(cs, off, np.zeros(3), duration=0.5, dt=1e-3, project=False)
    h, h0 = cs.residual(motion.q), cs.residual(off)
    decay = (1 + a * motion.t) * np.exp(-a * motion.t)
    assert close(h, decay[:, None] * h0, 1e-2)
    drifting = ch.simulate(bars, off, np.zeros(3), duration=0.5, dt=1e-3, project=False)
    assert np.abs(bars.residual(drifting.q[-1])).max() > 0.5 * np.abs(h0).max()
    held = ch.simulate(bars, off, np.zeros(3), duration=0.01, dt=1e-3)
    assert np.abs(bars.residual(held.q[1:])).max() < 1e-11


def test_stabilization_of_rolling():
    """A rate off a Pfaffian constraint dies out as exp(-2 a t)."""
    free = disk()
    cs = ch.ConstrainedSystem(free.system, free.constraint, stabilization=5.0)
    q, qd = np.array([0.0, 0.0, 0.4, 0.0]), np.array([0.3, -0.2, 1.0, 2.0])
    qdd, _ = cs.forward_dynamics(q, qd, np.zeros(4))
    rate = cs.constraint_matrix(q) @ qdd + cs.constraint_drift(q, qd)
    assert close(rate, -10.0 * (cs.constraint_matrix(q) @ qd))


def test_project(bars):
    on = four_bar_angles(np.array([0.3, 1.2]))
    q = bars.project(on + 0.05)
    assert q.shape == (2, 3) and np.abs(bars.residual(q)).max() < 1e-11
    with pytest.raises(ch.ModelError, match=r"q cannot be brought onto the constraints: pin\[0\] stays off by nan"):
        bars.project([np.nan, 0.0, 0.0])
    with pytest.raises(ch.ShapeError, match=r"q must have shape \(..., 3\), got \(2,\)"):
        bars.project([0.0, 0.0])


# what is refused, by name


def test_contradictions():
    walls = ch.Constraint.holonomic(lambda q: q[0], "wall") + ch.Constraint.holonomic(
        lambda q: q[0] - 1.0, "other wall"
    )
    with pytest.raises(ch.ModelError, match=r"wall, other wall are off by up to 0\.5\. They may contradict"):
        ch.ConstrainedSystem(particle(), walls)
    robot = four_bar()
    with pytest.raises(ch.ModelError, match=r"no configuration of 'four-bar' .* pin\[0\] is off by up to 3.3"):
        ch.ConstrainedSystem(robot, pinned(robot, place=(5.0, 0.0)))
    with pytest.raises(
        ch.ModelError, match=r"start is near no configuration of 'four-bar' .*: at best pin\[0\] is off"
    ):
        ch.ConstrainedSystem(robot, pinned(robot, place=(5.0, 0.0)), start=np.zeros(3))


def test_unsatisfied_start(bars):
    q = four_bar_angles(0.5)
    with pytest.raises(ch.ModelError, match=r"constraint pin\[1\] is not satisfied: off by .*`consistent"):
        ch.simulate(bars, q + 0.1, np.zeros(3), duration=1.0)
    with pytest.raises(ch.ModelError, match=r"constraint pin\[\d\] is not satisfied by the velocity: off by"):
        ch.simulate(bars, q, np.ones(3), duration=1.0)
    with pytest.raises(ch.ModelError, match=r"constraint pin\[0\] is not satisfied: off by nan"):
        ch.simulate(bars, np.full(3, np.nan), np.zeros(3), duration=1.0)
    starts = np.stack([q, q, q]).reshape(1, 3, 3)
    starts[0, 1] += 0.1
    with pytest.raises(
        ch.ModelError, match=r"constraint pin\[\d\] is not satisfied: off by .* in row 0, 1 of the batch"
    ):
        ch.simulate(bars, starts, np.zeros(3), duration=1.0)
    speeds = np.zeros((3, 3))
    speeds[2] = np.nan
    with pytest.raises(ch.ModelError, match=r"by the velocity: off by nan in row 2 of the batch"):
        ch.simulate(bars, starts[0, 0], speeds, duration=1.0)


def still(n):
    return ch.Constraint.holonomic(lambda q: q[:n], "still")


REFUSED = {
    "system must be a Robot or a LagrangianSystem, got str": lambda: ch.ConstrainedSystem("panda", still(1)),
    "constraint must be a Constraint, got function": lambda: ch.ConstrainedSystem(particle(), lambda q: q),
    "stabilization must be a rate that is not negative, got -1": lambda: ch.ConstrainedSystem(
        particle(), still(1), stabilization=-1.0
    ),
    "stabilization must be a rate that is not negative, got 'a'": lambda: ch.ConstrainedSystem(
        particle(), still(1), stabilization="a"
    ),
    "stabilization must be a rate that is not negative, got True": lambda: ch.ConstrainedSystem(
        particle(), still(1), stabilization=True
    ),
    r"start must be 2 finite numbers, got \[ 0. nan\]": lambda: ch.ConstrainedSystem(
        particle(), still(1), start=[0.0, np.nan]
    ),
    "still leave 'particle' no motion at all at the configurations found; .* give start=": lambda: ch.ConstrainedSystem(
        particle(), still(2)
    ),
    "system is under constraints already: add": lambda: ch.ConstrainedSystem(
        ch.ConstrainedSystem(particle(), still(1)), still(1)
    ),
    "h must be a function, got int": lambda: ch.Constraint.holonomic(3),
    "A must be a function, got list": lambda: ch.Constraint.pfaffian([1.0, 0.0]),
    r"constraint 'turn': h must return a number or an array \(k,\), got \(2, 2\)": lambda: ch.ConstrainedSystem(
        particle(), ch.Constraint.holonomic(lambda q: np.stack([q, q]), "turn")
    ),
    r"constraint 'rows': A must return an array \(k, 2\) or \(2,\), got \(3,\)": lambda: ch.ConstrainedSystem(
        particle(), ch.Constraint.pfaffian(lambda q: np.stack([q[0], q[0], q[0]]), "rows")
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    with pytest.raises(ch.ModelError, match=message):
        REFUSED[message]()


def test_sums_of_constraints():
    one, row = still(1), ch.Constraint.pfaffian(lambda q: np.stack([0.0 * q[0], np.cos(q[0])]), "row")
    both = one + row + one
    assert both.names == ("still", "row", "still 2")
    assert repr(both) == "<Constraint still (holonomic), row (pfaffian), still 2 (holonomic)>"
    with pytest.raises(TypeError):
        one + 3  # type: ignore[operator]
    cs = ch.ConstrainedSystem(particle(n=3), still(1) + still(2))
    assert cs.row_names == ("still", "still 2[1]") and cs.redundancy.dropped_names == ("still 2[0]",)
    assert "1 degrees of freedom of 3" in repr(cs) and cs.name == "particle"
    with pytest.raises(ch.ShapeError, match=r"start must have shape \(3,\), got \(2,\)"):
        ch.ConstrainedSystem(particle(n=3), still(1), start=[0.0, 0.0])
    with pytest.raises(ch.ShapeError, match=r"start must have shape \(3,\), got \(2, 3\)"):
        ch.ConstrainedSystem(particle(n=3), still(1), start=np.zeros((2, 3)))
    with pytest.raises(ch.ShapeError, match=r"start must be 3 numbers, got \['a', 'b', 'c'\]"):
        ch.ConstrainedSystem(particle(n=3), still(1), start=["a", "b", "c"])
    with pytest.raises(ch.ShapeError, match=r"tau must have shape \(..., 3\)"):
        cs.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(2))


# mistakes, and what is not inertia


def _rod(extra=lambda q, qd: 0.0, **options):
    free = ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2 - 9.81 * q[1] + extra(q, qd), **options)
    return ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: (q @ q - 0.49) / 2, "rod"))


def test_an_axis_of_length_one_is_not_stretched():
    rod = _rod()
    q, reduced = np.array([0.7, 0.0]), rod.reduced(["q1"], at=[0.0, -0.7])
    calls = [
        lambda: rod.inverse_dynamics(q, [0, 0], [0, 0], multipliers=[1, 2, 3]),
        lambda: rod.inverse_dynamics(q, [0, 0], [0, 0, 0]),
        lambda: rod.consistent(q, [1.0]),
        lambda: reduced.velocities([0.0, -0.7], [1, 2, 3]),
        lambda: reduced.forward_dynamics([0.0, -0.7], [1.0, 5.0], [0, 0]),
    ]
    for call in calls:
        with pytest.raises(ch.ShapeError):
            call()


def test_second_fundamental_form_is_quadratic():
    """[PRJ-5]: neither dissipation nor gyroscopic forces bend the constraint."""
    plain = _rod()
    for rod in (
        _rod(dissipation=lambda q, qd: 3.0 * (qd @ qd)),
        _rod(extra=lambda q, qd: 3.0 * (q[0] * qd[1] - q[1] * qd[0])),
    ):
        q, v = np.array([0.7, 0.0]), np.array([0.0, 1.3])
        S = rod.second_fundamental_form(q, v)
        assert close(S, plain.second_fundamental_form(q, v), 1e-12)
        assert close(rod.second_fundamental_form(q, 2 * v), 4 * S, 1e-12)


def test_constraints_that_say_nothing_are_refused():
    free = ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2)
    with pytest.raises(ch.ModelError, match="nothing say nothing"):
        ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: 0.0 * q[0], "nothing"))


def test_far_targets_and_large_steps():
    free = ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2)
    held = ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: q[0] - 100.0, "far"))
    assert close(held.project([0.0, 3.0]), [100.0, 3.0])
    rod = _rod()
    with pytest.raises(ch.ModelError, match=r"constraint rod is off by .* smaller dt"):
        ch.simulate(rod, [0.7, 0.0], [0.0, 0.0], duration=20.0, dt=0.5)
    with pytest.raises(ch.ModelError, match="whole number of steps"):
        ch.simulate(rod, [0.7, 0.0], [0.0, 0.0], duration=1.0, dt=0.7)
    with pytest.raises(ch.ModelError, match="control returned None"):
        ch.simulate(rod, [0.7, 0.0], [0.0, 0.0], lambda t, q, qd: None, duration=0.01)


def test_multipliers_that_only_a_dropped_row_could_have_are_nan():
    free = ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2)
    twice = ch.Constraint.pfaffian(lambda q: np.stack([np.stack([q[1], 0.0]), np.stack([q[0], 0.0])]))
    system = ch.ConstrainedSystem(free, twice)
    gone = [0.0, 1.0] if system.redundancy.kept == (1,) else [1.0, 0.0]
    motion = system.forward_dynamics(gone, [0.0, 0.0], [1.0, 2.0])
    assert close(motion.qdd, [0.0, 2.0], 1e-12)
    assert np.isnan(motion.multipliers).all()
