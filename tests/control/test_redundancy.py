"""Quadratic programs, limits as bounds, and the choice among joint motions."""

import numpy as np
import pytest
from scipy.optimize import linprog, lsq_linear, nnls
from support.redundant import gantry
from support.sweeps import sweep
from support.tolerances import close, small

import chasles as ch
from chasles.control import Limits, ResolvedAcceleration, ResolvedRate
from chasles.control.quadratic_program import quadratic_program
from chasles.control.redundancy import Redundancy

ROWS = list(range(6))


@pytest.mark.parametrize("seed", sweep(range(30), 15))
def test_a_program_is_optimal(seed: int) -> None:
    """Within the bounds, and the gradient is a combination of the bounds that are met, with the right signs."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 8)), int(rng.integers(1, 14))
    R = rng.normal(size=(n, n))
    H, f, C = R @ R.T + 1e-3 * np.eye(n), 5.0 * rng.normal(size=n), rng.normal(size=(k, n))
    inside = C @ rng.normal(size=n)
    lower, upper = inside - rng.exponential(size=k), inside + rng.exponential(size=k)
    lower[rng.random(k) < 0.2] = -np.inf
    x = quadratic_program(H, f, C, lower, upper)
    assert x is not None
    assert (C @ x >= lower - 1e-8).all() and (C @ x <= upper + 1e-8).all()
    met = np.concatenate([C[np.abs(C @ x - lower) < 1e-8], -C[np.abs(C @ x - upper) < 1e-8]])
    gradient = H @ x + f
    rest = nnls(met.T, gradient)[1] if len(met) else np.linalg.norm(gradient)
    assert rest < 1e-6 * (1.0 + np.linalg.norm(f))


def test_a_box_against_scipy(rng: np.random.Generator) -> None:
    A, b = rng.normal(size=(9, 6)), 3.0 * rng.normal(size=9)
    lower, upper = -0.3 * np.ones(6), 0.2 * np.ones(6)
    x = quadratic_program(A.T @ A, -A.T @ b, np.eye(6), lower, upper)
    assert x is not None
    close(x, lsq_linear(A, b, (lower, upper), tol=1e-14).x, 1e-8)


def test_bounds_that_contradict() -> None:
    C = np.array([[1.0, 0.0], [2.0, 0.0]])
    assert quadratic_program(np.eye(2), np.zeros(2), C, np.array([1.0, -9.0]), np.array([2.0, 1.0])) is None


def nearly_singular(rng: np.random.Generator, n: int = 7) -> tuple[np.ndarray, ...]:
    """H and f as redundancy.py makes them, with a condition number of 1e8, and x = C y."""
    Y = rng.normal(size=(n - 1, n))
    Y /= np.linalg.norm(Y)
    A = rng.normal(size=(n, n))
    M = A @ A.T + 0.05 * np.eye(n)
    return Y.T @ Y + 1e-8 * np.eye(n), -Y.T @ rng.normal(size=n - 1), np.linalg.inv(np.linalg.cholesky(M)).T, M


@pytest.mark.parametrize("seed", sweep(range(60), 20))
def test_a_box_with_equal_sides(seed: int) -> None:
    """Boxes always have an answer: some joints locked, others narrow, against SciPy, without those locked."""
    rng = np.random.default_rng(seed)
    H, f, C, _ = nearly_singular(rng)
    lower, upper = -rng.random(7), rng.random(7)
    locked = rng.random(7) < 0.4
    upper = np.where(locked, lower, np.where(rng.random(7) < 0.3, lower + 1e-7, upper))
    y = quadratic_program(H, f, C, lower, upper)
    assert y is not None
    x = C @ y
    assert (x >= lower - 1e-9).all() and (x <= upper + 1e-9).all()
    root = np.linalg.cholesky(H)
    A, b = root.T @ np.linalg.inv(C), -np.linalg.solve(root, f)
    best = lower.copy()
    if not locked.all():
        target = b - A[:, locked] @ lower[locked]
        bounds = (lower[~locked], upper[~locked])
        best[~locked] = lsq_linear(A[:, ~locked], target, bounds, method="bvls", tol=1e-15).x
    off, least = (float(np.sum((A @ at - b) ** 2)) for at in (x, best))
    assert off <= least + 1e-9 * (1.0 + least)


@pytest.mark.parametrize("seed", sweep(range(60), 20))
def test_what_can_be_kept_is_kept(seed: int) -> None:
    """Rows beside those of a box, some with equal sides: None exactly where a linear program finds no point."""
    rng = np.random.default_rng(seed)
    H, f, C, M = nearly_singular(rng)
    rows = np.concatenate([C, M @ C])
    inside = rows @ rng.normal(size=7) + (0.4 * rng.normal(size=14) if seed % 3 == 0 else 0.0)
    width = np.where((rng.random(14) < 0.2) & (np.arange(14) < 7), 0.0, 0.5 * rng.random(14))
    lower, upper = inside - width, inside + width
    y = quadratic_program(H, f, rows, lower, upper)
    limits = {"A_ub": np.concatenate([rows, -rows]), "b_ub": np.concatenate([upper, -lower]) + 1e-9}
    status = linprog(np.zeros(7), bounds=[(None, None)] * 7, **limits).status
    assert (y is None) == (status == 2)
    if y is not None:
        assert (rows @ y >= lower - 1e-8).all() and (rows @ y <= upper + 1e-8).all()


def test_rows_that_repeat() -> None:
    """The same equality twice is one; two that differ are none; a row of zeros bounds nothing, or is broken."""
    C, f = np.array([[1.0, 1.0], [2.0, 2.0], [0.0, 0.0]]), np.array([-1.0, 2.0])
    x = quadratic_program(np.eye(2), f, C, np.array([1.0, 2.0, -1.0]), np.array([1.0, 2.0, 1.0]))
    close(x, [2.0, -1.0], 1e-12)
    assert quadratic_program(np.eye(2), f, C, np.array([1.0, 3.0, -1.0]), np.array([1.0, 3.0, 1.0])) is None
    assert quadratic_program(np.eye(2), f, C, np.array([1.0, 2.0, 0.5]), np.array([1.0, 2.0, 1.0])) is None
    assert quadratic_program(np.eye(2), f, C, np.array([1.0, 2.0, 0.0]), np.array([0.0, 2.0, 1.0])) is None


def test_bounds_of_position_are_kept(rng: np.random.Generator) -> None:
    """However hard accelerations push, as long as they are clipped to their bounds."""
    robot = ch.load("panda")
    limits = Limits(robot, rate=8.0)
    q, v, dt = robot.random(1), np.zeros(7), 1e-3
    for k in range(3000):
        lower, upper = limits.accelerations(q, v)
        push = np.clip(300.0 * rng.normal(size=7) if k % 2 else 300.0 * np.sign(v), lower, upper)
        v = v + dt * push
        q = q + dt * v
    assert (q >= robot.limits["lower"] - 1e-3).all() and (q <= robot.limits["upper"] + 1e-3).all()
    lower, upper = limits.velocities(q)
    assert (np.abs(v) <= robot.limits["velocity"] * 1.01).all() and (lower <= upper).all()


def test_bounds_hold_what_they_keep() -> None:
    """At the edge of (1) the bounds of acceleration keep to it: qdd = -k qd; at full speed none is left."""
    robot = ch.load("panda")
    k, limits = 7.0, Limits(robot, rate=7.0, velocity=False)
    q = robot.random(4)
    lower, upper = limits.velocities(q)
    close(limits.accelerations(q, upper)[1], -k * upper, 1e-12)
    close(limits.accelerations(q, lower)[0], -k * lower, 1e-12)
    close(upper, k * (robot.limits["upper"] - q), 1e-12)
    quick = Limits(robot, rate=k, position=False, velocity=2.0)
    close(quick.accelerations(q, np.full(7, 2.0))[1], np.zeros(7), 1e-12)
    close(quick.accelerations(q, np.full(7, 2.0))[0], np.full(7, -4.0 * k), 1e-12)
    close(quick.velocities(q), [np.full(7, -2.0), np.full(7, 2.0)], 0.0)


def test_bounds_of_acceleration_win() -> None:
    robot = ch.load("panda")
    limits = Limits(robot, acceleration=2.0)
    q = robot.limits["upper"] + 0.1
    lower, upper = limits.accelerations(q, np.full(7, 3.0))
    close(lower, np.full(7, -2.0), 0.0)
    close(upper, np.full(7, -2.0), 0.0)


def test_joints_on_groups_have_no_bounds_of_position() -> None:
    with pytest.warns(ch.ModelWarning, match="its mass is zero"):
        robot = ch.load("panda").with_base("free")
    limits = Limits(robot)
    below, above = limits.room(robot.neutral())
    assert np.isinf(below[:6]).all() and np.isfinite(below[6:]).all() and robot.nq == 14
    close(above[6:], ch.load("panda").limits["upper"], 1e-15)


def random_task(rng: np.random.Generator, robot: ch.Robot, lead: tuple[int, ...] = ()) -> tuple[np.ndarray, ...]:
    q = (
        np.array([robot.random(rng) for _ in range(int(np.prod(lead)))]).reshape(*lead, -1)
        if lead
        else robot.random(rng)
    )
    return q, robot.jacobian(q), rng.normal(size=(*lead, 6)), rng.normal(size=(*lead, robot.n))


def test_nearest_is_the_inverse_and_the_projector(rng: np.random.Generator) -> None:
    robot = ch.load("panda")
    q, J, b, x0 = random_task(rng, robot)
    free = Redundancy(robot, None, ROWS, "inertia", 0.0, False)
    B, N = robot.consistent_inverse(q), robot.null_space_projector(q)
    close(free.nearest(q, J, b, x0, None), B @ b + N @ x0, 1e-9)
    plain = Redundancy(robot, None, ROWS, "moore-penrose", 0.0, False)
    P = np.linalg.pinv(J)
    close(plain.nearest(q, J, b, x0, None), P @ b + x0 - P @ (J @ x0), 1e-9)
    some = Redundancy(robot, None, [5, 3], "inertia", 0.0, False)
    B = robot.consistent_inverse(q, rows=[5, 3])
    close(some.nearest(q, J, b, x0, None), B @ b[[5, 3]] + robot.null_space_projector(q, rows=[5, 3]) @ x0, 1e-9)


@pytest.mark.parametrize("inverse", ["inertia", "moore-penrose"])
def test_units_do_not_matter_where_the_task_cannot_be_served(inverse: str, rng: np.random.Generator) -> None:
    """A planar arm is asked for more than it can do: metres or millimetres, the same."""
    robot = ch.load("planar_2r")
    q, J, b, x0 = np.array([0.3, 0.8]), robot.jacobian(np.array([0.3, 0.8])), rng.normal(size=6), np.zeros(2)
    scale = np.diag([1.0, 1.0, 1.0, 1e3, 1e3, 1e3])
    own = Redundancy(robot, None, ROWS, inverse, 0.01, False)
    close(own.nearest(q, scale @ J, scale @ b, x0, None), own.nearest(q, J, b, x0, None), 1e-9)


def test_singular_configurations() -> None:
    """Bounded there, continuous across, exact away from it."""
    robot, b = ch.load("ur5"), np.array([0.0, 0.0, 0.1, 0.3, 0.2, 0.1])
    own = Redundancy(robot, None, ROWS, "inertia", 0.02, False)
    bend = np.concatenate([[0.0], np.geomspace(1e-9, 0.6, 400)])
    q = np.stack([np.array([0.1, -1.0, x, -1.2, 1.3, 0.2]) for x in bend])
    x = own.nearest(q, robot.jacobian(q), np.broadcast_to(b, (401, 6)), np.zeros((401, 6)), None)
    assert np.isfinite(x).all() and np.abs(x).max() < 50.0
    assert np.abs(np.diff(x, axis=0)).max() < 0.15 * np.abs(x).max()
    close(robot.jacobian(q[-1]) @ x[-1], b, 1e-9)


def test_limits_are_kept_and_the_task_goes_on(rng: np.random.Generator) -> None:
    """With a joint to spare, one that is stopped leaves the task as it is; with forces limited too, they are kept."""
    robot, lead = ch.load("panda"), (40,)
    q, J, b, _ = random_task(rng, robot, lead)
    x0, qd = np.zeros((*lead, 7)), np.zeros((*lead, 7))
    own = Redundancy(robot, None, ROWS, "inertia", 0.0, True)
    x = own.nearest(q, J, b, x0, None)
    most = 0.98 * np.abs(x).max(axis=-1, keepdims=True) * np.ones(7)
    kept = own.nearest(q, J, b, x0, (-most, most))
    assert (np.abs(kept) <= most * (1 + 1e-6)).all()
    missed = np.abs(np.einsum("...ij,...j->...i", J, kept) - b).max(axis=-1)
    assert np.quantile(missed, 0.5) < 1e-4  # served by the other joints
    M, bias = robot.mass_matrix(q), robot.bias_forces(q, qd)
    effort = 0.7 * np.abs(np.einsum("...ij,...j->...i", M, x) + bias).max(axis=0) + 5.0
    wide = np.full((*lead, 7), np.inf)
    held = own.nearest(q, J, 30.0 * b, x0, (-wide, wide), (M, bias, effort, np.full(7, np.inf)))
    assert (np.abs(np.einsum("...ij,...j->...i", M, held) + bias) <= effort * (1 + 1e-6)).all()


@pytest.mark.parametrize("most", [np.inf, 0.3, 1e-3])
def test_which_bounds_give_way(most: float) -> None:
    """To forces all do, as little as can be; those of positions and speeds to accelerations too. Others are kept."""
    robot = ch.load("planar_2r")
    own = Redundancy(robot, None, ROWS, "inertia", 0.0, True)
    q = np.array([0.1, 0.5])
    M, bias = robot.mass_matrix(q), np.zeros(2)
    forces = (M, bias, np.array([1.0, 1.0]), np.full(2, most))
    bounds = (np.array([50.0, -1e-3]), np.array([60.0, 1e-3]))
    x = own.nearest(q, robot.jacobian(q), np.zeros(6), np.zeros(2), bounds, forces)
    assert (np.abs(M @ x) <= 1.0 + 1e-6).all() and (np.abs(x) <= most * (1.0 + 1e-10)).all()
    fastest = linprog([-1.0, 0.0], A_ub=np.concatenate([M, -M]), b_ub=np.ones(4), bounds=[(-most, most)] * 2).x[0]
    assert 0.0 < x[0] <= fastest + 1e-9
    off = np.linalg.norm(x - np.clip(x, *bounds))
    assert off <= 50.0 - min(1.0 / M[0, 0], most) + 1e-6  # no further than with x_2 = 0
    forces = (M, np.array([9.0, 0.0]), np.array([1.0, 1.0]), np.full(2, 1e-3))  # gravity that is not held
    x = own.nearest(q, robot.jacobian(q), np.zeros(6), np.zeros(2), bounds, forces)
    assert (np.abs(M @ x + forces[1]) <= 1.0 + 1e-6).all()


def test_the_others_go_on_where_one_gives_way() -> None:
    """On a gantry, whose slides do not feel each other: the first breaks its bounds, the second serves the task."""
    robot = gantry(1.0, 0.5, 0.7)
    q, M = np.zeros(robot.n), robot.mass_matrix(np.zeros(robot.n))
    own = Redundancy(robot, None, [3, 4], "inertia", 0.0, True)
    J, b = robot.jacobian(q, expressed="mixed"), np.array([0.0, 0.0, 0.0, 0.2, 0.3, 0.0])
    lower, upper = np.full(robot.n, -1.0), np.ones(robot.n)
    first = int(np.argmax(np.abs(J[3])))
    lower[first], upper[first] = 50.0, 60.0
    forces = (M, np.zeros(robot.n), np.ones(robot.n), np.full(robot.n, np.inf))
    x = own.nearest(q, J, b, np.zeros(robot.n), (lower, upper), forces)
    close(x[first], 1.0 / M[first, first], 1e-6)
    close((J @ x)[4], 0.3, 1e-6)


def test_what_breaks_a_bound_by_rounding_is_put_on_it(rng: np.random.Generator) -> None:
    robot = ch.load("panda")
    q, J, b, x0 = random_task(rng, robot)
    own = Redundancy(robot, None, ROWS, "inertia", 0.0, False)
    x = own.nearest(q, J, b, x0, None)
    upper = np.where(np.arange(7) == 2, x - 5e-10, np.inf)
    found = own.nearest(q, J, b, x0, (np.full(7, -np.inf), upper))
    assert (found <= upper).all()
    close(np.delete(found, 2), np.delete(x, 2), 0.0)


def test_accelerations_within_their_limits() -> None:
    """A Panda that moves fast, far from where it should be, with equal bounds here and there: no joint breaks them."""
    robot = ch.load("panda")
    limits, rng = Limits(robot, acceleration=10.0), np.random.default_rng(0)
    hold = robot.forward_kinematics(np.array([0.1, -0.6, 0.2, -2.1, 0.3, 1.8, 0.4]))
    law = ResolvedAcceleration(robot, hold, K_p=100.0, K_d=20.0, limits=limits)
    q = np.stack([robot.random(rng) for _ in range(100)])
    qd = 1.5 * rng.normal(size=q.shape)
    x = law.joint_acceleration(0.0, q, qd)
    lower, upper = limits.accelerations(q, qd)
    assert (lower == upper).any(axis=-1).sum() > 20
    assert (np.abs(x) <= 10.0).all()
    forces = np.abs(robot.inverse_dynamics(q, qd, x))
    assert (forces <= limits.effort * (1.0 + 1e-6)).all()
    M, bias, kept = robot.mass_matrix(q), robot.bias_forces(q, qd), ((x >= lower) & (x <= upper)).all(axis=-1)
    for k in np.flatnonzero(~kept):  # only where they cannot be kept
        rows, most = np.concatenate([M[k], -M[k]]), np.concatenate([limits.effort - bias[k], limits.effort + bias[k]])
        assert linprog(np.zeros(7), rows, most, bounds=np.stack([lower[k], upper[k]], axis=-1)).status == 2
    assert kept.sum() > 90


def test_small_limits_are_kept_exactly(rng: np.random.Generator) -> None:
    robot, q = ch.load("panda"), np.array([0.1, -0.6, 0.2, -2.1, 0.3, 1.8, 0.4])
    law = ResolvedRate(robot, robot.forward_kinematics(q + 0.3), limits=Limits(robot, velocity=1e-6))
    assert small(law(0.0, q + 0.01 * rng.normal(size=(20, 7))), 1e-6)


def test_a_row_that_is_not_finite() -> None:
    """It is nan, and the others are as without it."""
    robot, q = ch.load("panda"), np.array([0.1, -0.6, 0.2, -2.1, 0.3, 1.8, 0.4])
    many, hold = np.stack([q, np.full(7, np.nan), q + 0.1]), robot.forward_kinematics(q + 0.2)
    for limits in (False, True):
        options = {"limits": limits, "objective": lambda q: q @ q, "inverse": "inertia"}
        rate = ResolvedRate(robot, hold, **options)
        force = ResolvedAcceleration(robot, hold, K_p=10.0, K_d=5.0, **options)
        for found in (rate(0.0, many), force(0.0, many, np.zeros((3, 7)))):
            assert np.isnan(found[1]).all() and np.isfinite(found[[0, 2]]).all()
        close(rate(0.0, many)[2], rate(0.0, many[2]), 1e-9)
        assert np.isnan(rate(0.0, many[1])).all()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"position": 3}, "position must be True, False or"),
        ({"position": (1.0, -1.0)}, "a lower limit is above"),
        ({"velocity": -1.0}, "velocity must be positive"),
        ({"acceleration": [1.0, 2.0]}, "acceleration must have shape"),
        ({"rate": 0.0}, "rate must be a positive number"),
    ],
)
def test_refusals(options: dict, says: str) -> None:
    with pytest.raises((ch.ModelError, ch.ShapeError), match=says):
        Limits(ch.load("panda"), **options)
    with pytest.raises(ch.ModelError, match=r"robot must be a chasles\.Robot"):
        Limits("panda")  # type: ignore[arg-type]
