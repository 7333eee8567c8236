"""Quadratic programs, limits as bounds, and the choice among joint motions."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear, nnls
from tolerances import close

import chasles as ch
from chasles.control import Limits
from chasles.control.quadratic_program import quadratic_program
from chasles.control.redundancy import Redundancy

RNG = np.random.default_rng(0)
ROWS = list(range(6))


@pytest.mark.parametrize("seed", range(30))
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


def test_a_box_against_scipy() -> None:
    A, b = RNG.normal(size=(9, 6)), 3.0 * RNG.normal(size=9)
    lower, upper = -0.3 * np.ones(6), 0.2 * np.ones(6)
    x = quadratic_program(A.T @ A, -A.T @ b, np.eye(6), lower, upper)
    assert x is not None
    close(x, lsq_linear(A, b, (lower, upper), tol=1e-14).x, 1e-8)


def test_bounds_that_contradict() -> None:
    C = np.array([[1.0, 0.0], [2.0, 0.0]])
    assert quadratic_program(np.eye(2), np.zeros(2), C, np.array([1.0, -9.0]), np.array([2.0, 1.0])) is None


def test_bounds_of_position_are_kept() -> None:
    """However hard accelerations push, as long as they are clipped to their bounds."""
    robot = ch.load("panda")
    limits = Limits(robot, rate=8.0)
    q, v, dt = robot.random(1), np.zeros(7), 1e-3
    for k in range(3000):
        lower, upper = limits.accelerations(q, v)
        push = np.clip(300.0 * RNG.normal(size=7) if k % 2 else 300.0 * np.sign(v), lower, upper)
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


def random_task(robot: ch.Robot, lead: tuple[int, ...] = ()) -> tuple[np.ndarray, ...]:
    q = (
        np.array([robot.random(RNG) for _ in range(int(np.prod(lead)))]).reshape(*lead, -1)
        if lead
        else robot.random(RNG)
    )
    return q, robot.jacobian(q), RNG.normal(size=(*lead, 6)), RNG.normal(size=(*lead, robot.n))


def test_nearest_is_the_inverse_and_the_projector() -> None:
    robot = ch.load("panda")
    q, J, b, x0 = random_task(robot)
    free = Redundancy(robot, ROWS, "inertia", 0.0, False)
    B, N = robot.consistent_inverse(q), robot.null_space_projector(q)
    close(free.nearest(q, J, b, x0, None), B @ b + N @ x0, 1e-9)
    plain = Redundancy(robot, ROWS, "moore-penrose", 0.0, False)
    P = np.linalg.pinv(J)
    close(plain.nearest(q, J, b, x0, None), P @ b + x0 - P @ (J @ x0), 1e-9)
    some = Redundancy(robot, [5, 3], "inertia", 0.0, False)
    B = robot.consistent_inverse(q, rows=[5, 3])
    close(some.nearest(q, J, b, x0, None), B @ b[[5, 3]] + robot.null_space_projector(q, rows=[5, 3]) @ x0, 1e-9)


@pytest.mark.parametrize("inverse", ["inertia", "moore-penrose"])
def test_units_do_not_matter_where_the_task_cannot_be_served(inverse: str) -> None:
    """A planar arm is asked for more than it can do: metres or millimetres, the same."""
    robot = ch.load("planar_2r")
    q, J, b, x0 = np.array([0.3, 0.8]), robot.jacobian(np.array([0.3, 0.8])), RNG.normal(size=6), np.zeros(2)
    scale = np.diag([1.0, 1.0, 1.0, 1e3, 1e3, 1e3])
    own = Redundancy(robot, ROWS, inverse, 0.01, False)
    close(own.nearest(q, scale @ J, scale @ b, x0, None), own.nearest(q, J, b, x0, None), 1e-9)


def test_singular_configurations() -> None:
    """Bounded there, continuous across, exact away from it."""
    robot, b = ch.load("ur5"), np.array([0.0, 0.0, 0.1, 0.3, 0.2, 0.1])
    own = Redundancy(robot, ROWS, "inertia", 0.02, False)
    bend = np.concatenate([[0.0], np.geomspace(1e-9, 0.6, 400)])
    q = np.stack([np.array([0.1, -1.0, x, -1.2, 1.3, 0.2]) for x in bend])
    x = own.nearest(q, robot.jacobian(q), np.broadcast_to(b, (401, 6)), np.zeros((401, 6)), None)
    assert np.isfinite(x).all() and np.abs(x).max() < 50.0
    assert np.abs(np.diff(x, axis=0)).max() < 0.15 * np.abs(x).max()
    close(robot.jacobian(q[-1]) @ x[-1], b, 1e-9)


def test_limits_are_kept_and_the_task_goes_on() -> None:
    """With a joint to spare, one that is stopped leaves the task as it is; with forces limited too, they are kept."""
    robot, lead = ch.load("panda"), (40,)
    q, J, b, _ = random_task(robot, lead)
    x0, qd = np.zeros((*lead, 7)), np.zeros((*lead, 7))
    own = Redundancy(robot, ROWS, "inertia", 0.0, True)
    x = own.nearest(q, J, b, x0, None)
    most = 0.98 * np.abs(x).max(axis=-1, keepdims=True) * np.ones(7)
    kept = own.nearest(q, J, b, x0, (-most, most))
    assert (np.abs(kept) <= most * (1 + 1e-6)).all()
    missed = np.abs(np.einsum("...ij,...j->...i", J, kept) - b).max(axis=-1)
    assert np.quantile(missed, 0.5) < 1e-5  # served by the other joints
    M, bias = robot.mass_matrix(q), robot.bias_forces(q, qd)
    effort = 0.7 * np.abs(np.einsum("...ij,...j->...i", M, x) + bias).max(axis=0) + 5.0
    wide = np.full((*lead, 7), np.inf)
    held = own.nearest(q, J, 30.0 * b, x0, (-wide, wide), (M, bias, effort))
    assert (np.abs(np.einsum("...ij,...j->...i", M, held) + bias) <= effort * (1 + 1e-6)).all()


def test_forces_win_over_accelerations() -> None:
    robot = ch.load("planar_2r")
    own = Redundancy(robot, ROWS, "inertia", 0.0, True)
    q = np.array([0.1, 0.5])
    bounds = (np.array([50.0, 50.0]), np.array([60.0, 60.0]))
    forces = (robot.mass_matrix(q), np.zeros(2), np.array([1.0, 1.0]))
    x = own.nearest(q, robot.jacobian(q), np.zeros(6), np.zeros(2), bounds, forces)
    assert (np.abs(forces[0] @ x) <= 1.0 + 1e-6).all()


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
