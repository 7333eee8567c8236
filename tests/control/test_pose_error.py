"""The error of a pose: its derivatives along two paths, and what it does not depend on."""

from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm, logm
from support.motions import Ad, hat
from support.tolerances import FINITE_DIFFERENCE, close

from chasles import paths
from chasles.control import pose_error as errors

RNG = np.random.default_rng(2)


def pose(rng: np.random.Generator) -> np.ndarray:
    return expm(hat(rng.normal(size=6)))


START = pose(RNG)
NEAR = START @ expm(hat(0.4 * RNG.normal(size=6)))
WANTED = paths.minimum_acceleration(START, pose(RNG), *RNG.normal(size=(2, 6)))
ACTUAL = paths.minimum_jerk(NEAR, pose(RNG), *RNG.normal(size=(4, 6)))
K_P, K_D = (np.eye(6) * 3.0 + 0.5 * RNG.normal(size=(6, 6)) for _ in range(2))
T_AT, H = 0.2, 1e-5


def at(t: float) -> tuple[Any, ...]:
    d, a = WANTED.motion(t), ACTUAL.motion(t)
    return d.pose, d.velocity, d.acceleration, a.pose, a.velocity, a.acceleration


def error(t: float) -> Any:
    T_d, V_d, _, T, V, _ = at(t)
    return errors.pose_error()(T_d, V_d, T, V)


def test_logarithm_and_rate() -> None:
    T_d, V_d, _, T, *_ = at(T_AT)
    X = np.real(logm(np.linalg.inv(T_d) @ T))
    close(error(T_AT).xi, [X[2, 1], X[0, 2], X[1, 0], *X[:3, 3]])
    close(error(T_AT).rate, (error(T_AT + H).xi - error(T_AT - H).xi) / (2 * H), FINITE_DIFFERENCE)
    close(error(T_AT).carried, Ad(np.linalg.inv(T) @ T_d) @ V_d)


def test_velocity() -> None:
    """(4) gives back the velocity, for the rate that there is."""
    T_d, V_d, _, T, V, _ = at(T_AT)
    e = error(T_AT)
    K = -np.outer(e.rate, e.xi) / (e.xi @ e.xi)  # -K xi = xi'
    close(errors.linear_velocity()(T_d, V_d, T, K), V)


def test_acceleration() -> None:
    """(5) gives back the acceleration, for the second derivative that there is."""
    T_d, V_d, A_d, T, V, A = at(T_AT)
    e = error(T_AT)
    second = (error(T_AT + H).rate - error(T_AT - H).rate) / (2 * H)
    K = -np.outer(second, e.xi) / (e.xi @ e.xi)
    close(errors.linear_acceleration()(T_d, V_d, A_d, T, V, K, np.zeros((6, 6))), A, 1e-8)
    K = -np.outer(second, e.rate) / (e.rate @ e.rate)
    close(errors.linear_acceleration()(T_d, V_d, A_d, T, V, np.zeros((6, 6)), K), A, 1e-8)


def test_potential() -> None:
    K = K_P @ K_P.T

    def force(t: float) -> Any:
        T_d, V_d, A_d, T, V, _ = at(t)
        return errors.potential_force()(T_d, V_d, A_d, T, V, K)

    here, after, before = force(T_AT), force(T_AT + H), force(T_AT - H)
    xi = error(T_AT).xi
    close(here.potential, xi @ K @ xi / 2)
    close(here.force @ here.velocity_error, (after.potential - before.potential) / (2 * H), FINITE_DIFFERENCE)
    close(here.carried_rate, (after.carried - before.carried) / (2 * H), FINITE_DIFFERENCE)
    close(here.velocity_error, ACTUAL.velocity(T_AT) - here.carried)


def test_the_space_frame_does_not_matter(rng: np.random.Generator) -> None:
    T_d, V_d, A_d, T, V, _ = at(T_AT)
    G = pose(rng)
    for x, y in zip(errors.pose_error()(G @ T_d, V_d, G @ T, V), error(T_AT), strict=True):
        close(x, y, 1e-12)
    close(
        errors.linear_acceleration()(G @ T_d, V_d, A_d, G @ T, V, K_P, K_D),
        errors.linear_acceleration()(T_d, V_d, A_d, T, V, K_P, K_D),
        1e-12,
    )


def test_the_body_frame_carries_the_gains_along(rng: np.random.Generator) -> None:
    T_d, V_d, A_d, T, V, _ = at(T_AT)
    G = pose(rng)
    into, back = Ad(np.linalg.inv(G)), Ad(G)
    moved = errors.pose_error()(T_d @ G, into @ V_d, T @ G, into @ V)
    close(moved.xi, into @ error(T_AT).xi, 1e-11)
    close(moved.rate, into @ error(T_AT).rate, 1e-11)
    turned = errors.linear_acceleration()(
        T_d @ G, into @ V_d, into @ A_d, T @ G, into @ V, into @ K_P @ back, into @ K_D @ back
    )
    close(turned, into @ errors.linear_acceleration()(T_d, V_d, A_d, T, V, K_P, K_D), 1e-10)


def test_where_there_is_no_error_only_the_path_counts() -> None:
    T_d, V_d, A_d = at(T_AT)[:3]
    close(errors.linear_acceleration()(T_d, V_d, A_d, T_d, V_d, K_P, K_D), A_d, 1e-12)
    close(errors.linear_velocity()(T_d, V_d, T_d, K_P), V_d, 1e-12)


def test_a_point() -> None:
    """(7), against second differences of the origin."""
    T_d, V_d, A_d, T, V, A = at(T_AT)
    p, p_d = ((path(T_AT + np.array([-1e-4, 0.0, 1e-4])))[:, :3, 3] for path in (ACTUAL, WANTED))
    e, e1, e2 = p[1] - p_d[1], (p[2] - p[0] - p_d[2] + p_d[0]) / 2e-4, (np.diff(p, 2, 0) - np.diff(p_d, 2, 0))[0] / 1e-8
    found = errors.point_error()(T_d, V_d, T, V)
    close(found.xi, [0, 0, 0, *e], 1e-12)
    close(found.rate, [0, 0, 0, *e1], 1e-6)
    K = np.zeros((6, 6))
    K[3:, 3:] = -np.outer(e2, e) / (e @ e)
    close(errors.point_acceleration()(T_d, V_d, A_d, T, V, K, np.zeros((6, 6))), [0, 0, 0, *A[3:]], 1e-5)
    K[3:, 3:] = -np.outer(found.rate[3:], e) / (e @ e)
    close(errors.point_velocity()(T_d, V_d, T, K), [0, 0, 0, *V[3:]], 1e-10)


@pytest.mark.parametrize("angle", [1e-9, 1e-3, 3.0])
def test_small_and_large_errors(angle: float) -> None:
    T_d, V_d, A_d, _, V, _ = at(T_AT)
    xi = np.array([angle, 0.0, 0.0, 0.1, -0.2, 0.3])
    found = errors.pose_error()(T_d, V_d, T_d @ expm(hat(xi)), V)
    close(found.xi, xi, 1e-9)
    assert np.isfinite(errors.linear_acceleration()(T_d, V_d, A_d, T_d @ expm(hat(xi)), V, K_P, K_D)).all()
