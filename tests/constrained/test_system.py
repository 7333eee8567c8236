"""Systems under constraints: the same mechanisms in minimal coordinates, identities on random systems, refusals."""

import numpy as np
import pytest
from support.loops import (
    BARS,
    GROUND,
    HALF_TURN,
    MASSES,
    cut_four_bar,
    disk,
    elbow,
    four_bar,
    four_bar_angles,
    on_circle,
    parallelogram,
    particle,
    pinned,
    welded,
)
from support.random_trees import random_kinds, random_mechanism
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch

g = 9.81
AGREED = 1e-9  # with the same mechanism in minimal coordinates


# minimal coordinates


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


CASES = sweep(
    [("screws", 0), ("screws", 1), ("screws", 2), ("kinds", 0), ("kinds", 1), ("kinds", 3)],
    [("screws", 1), ("kinds", 1)],
)


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


def _rod(extra=lambda q, qd: 0.0, **options):
    free = ch.LagrangianSystem(2, lambda q, qd: (qd @ qd) / 2 - 9.81 * q[1] + extra(q, qd), **options)
    return ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: (q @ q - 0.49) / 2, "rod"))


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


# what is refused, by name


def still(n):
    return ch.Constraint.holonomic(lambda q: q[:n], "still")


REFUSED = {
    "system must be a Robot or a LagrangianSystem, got str": lambda: ch.ConstrainedSystem("panda", still(1)),
    "constraint must be a Constraint, got function": lambda: ch.ConstrainedSystem(particle(), lambda q: q),
    "stabilization must be a number that is not negative, got -1": lambda: ch.ConstrainedSystem(
        particle(), still(1), stabilization=-1.0
    ),
    "stabilization must be a number that is not negative, got 'a'": lambda: ch.ConstrainedSystem(
        particle(), still(1), stabilization="a"
    ),
    "stabilization must be a number that is not negative, got True": lambda: ch.ConstrainedSystem(
        particle(), still(1), stabilization=True
    ),
    "start has a nan or an infinity": lambda: ch.ConstrainedSystem(particle(), still(1), start=[0.0, np.nan]),
    "still leave 'particle' no motion at all at the configurations found; .* give start=": lambda: ch.ConstrainedSystem(
        particle(), still(2)
    ),
    "system is under constraints already: add": lambda: ch.ConstrainedSystem(
        ch.ConstrainedSystem(particle(), still(1)), still(1)
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    with pytest.raises(ch.ModelError, match=message):
        REFUSED[message]()


def test_names_and_shapes():
    cs = ch.ConstrainedSystem(particle(n=3), still(1) + still(2))
    assert cs.row_names == ("still", "still 2[1]") and cs.redundancy.dropped_names == ("still 2[0]",)
    assert "1 degrees of freedom of 3" in repr(cs) and cs.name == "particle"
    with pytest.raises(ch.ShapeError, match=r"start must have shape \(3,\), got \(2,\)"):
        ch.ConstrainedSystem(particle(n=3), still(1), start=[0.0, 0.0])
    with pytest.raises(ch.ShapeError, match=r"start must have shape \(3,\), got \(2, 3\)"):
        ch.ConstrainedSystem(particle(n=3), still(1), start=np.zeros((2, 3)))
    with pytest.raises(ch.ShapeError, match=r"start must be real numbers of shape \(3,\), got text"):
        ch.ConstrainedSystem(particle(n=3), still(1), start=["a", "b", "c"])
    with pytest.raises(ch.ShapeError, match=r"tau must have shape \(..., 3\)"):
        cs.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(2))


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
