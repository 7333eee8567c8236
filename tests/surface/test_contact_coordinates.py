"""Contact coordinates: the relations of two bodies that touch, by moving them. [EX-9, EX-10]"""

import numpy as np
import pytest
from support.contact import ETA, RATE, TOUCHING, adjoint
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

from chasles.surface import contact_coordinates

every = pytest.mark.parametrize("pair", TOUCHING.values(), ids=TOUCHING)


def twist(T: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """The body twist (angular, linear) of a pose that changes."""
    W = np.linalg.inv(T) @ rate
    return np.array([W[2, 1], W[0, 2], W[1, 0], *W[:3, 3]])


def moved(pair, eta: np.ndarray, rate: np.ndarray, step: float = 1e-6) -> tuple[np.ndarray, np.ndarray]:
    """The twist of f relative to o in f's frame, by differences of its pose, and g_f_lf."""
    pose = contact_coordinates.contact_pose(*pair)
    return twist(pose(eta), (pose(eta + step * rate) - pose(eta - step * rate)) / (2 * step)), pair[0].frame(eta[:2])


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
