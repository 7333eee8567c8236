"""Manipulability and singular values: what determinants and decompositions give, and at singularities."""

import numpy as np
import pytest
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, close

import chasles as ch

ROBOTS = ("panda", "ur5", "scara", "planar_3r")
METRICS = ("euclidean", "inertia")


def configurations(robot, count=20):
    rng = np.random.default_rng(0)
    return np.array([robot.random(rng) for _ in range(count)])


@pytest.mark.parametrize("name", sweep(ROBOTS, 2))
@pytest.mark.parametrize("metric", METRICS)
def test_the_product_of_the_singular_values(name, metric):
    robot = ch.load(name)
    q = configurations(robot)
    for rows in ("tx ty", "rz tx", None):
        w = robot.manipulability(q, rows=rows, expressed="mixed", metric=metric)
        values = robot.singular_values(q, rows=rows, expressed="mixed", metric=metric)
        assert close(w, values.prod(-1), scale=float(values.max() ** values.shape[-1]))


def test_definitions():
    robot = ch.load("panda")
    q = configurations(robot)
    J, M = robot.jacobian(q), robot.mass_matrix(q)
    JT = np.swapaxes(J, -1, -2)
    assert close(robot.manipulability(q), np.sqrt(np.linalg.det(J @ JT)))
    assert close(robot.manipulability(q, metric="inertia"), np.sqrt(np.linalg.det(J @ np.linalg.solve(M, JT))))
    assert close(robot.singular_values(q), np.linalg.svd(J, compute_uv=False))
    scaled = np.linalg.eigvalsh(J @ np.linalg.solve(M, JT))[..., ::-1]
    assert close(robot.singular_values(q, metric="inertia") ** 2, scaled)


def test_it_does_not_depend_on_the_axes():
    robot = ch.load("ur5")
    q = configurations(robot)
    w = robot.manipulability(q)
    for expressed in ("space", "mixed"):
        assert close(robot.manipulability(q, expressed=expressed), w)


def test_worked_example():
    """A planar arm of two links of lengths 1: l1 l2 |sin q2|."""
    robot = ch.load("planar_2r")
    q = configurations(robot)
    reach = np.linalg.norm(robot.forward_kinematics(np.zeros(2))[:3, 3])
    first = np.linalg.norm(robot.homes[1][:3, 3] - robot.homes[0][:3, 3])
    w = robot.manipulability(q, rows="tx ty", expressed="mixed")
    assert close(w, first * (reach - first) * np.abs(np.sin(q[:, 1])))


def test_singularities_are_zero_and_not_nan():
    for metric in METRICS:
        assert ch.load("ur5").manipulability(np.zeros(6), metric=metric) < 1e-8
        assert ch.load("planar_2r").manipulability(np.zeros(2), rows="tx ty", expressed="mixed", metric=metric) == 0.0
        assert ch.load("planar_2r").manipulability([0.3, 0.4], rows="tz", metric=metric) == 0.0
    assert ch.load("ur5").singular_values(np.zeros(6))[-1] < 1e-8


def test_gradient():
    robot = ch.load("panda")
    q = robot.random(1)
    slope = robot.kernel("manipulability").gradient("q")(q)
    h = 1e-5 * np.eye(7)
    assert close(slope, (robot.manipulability(q + h) - robot.manipulability(q - h)) / 2e-5, FINITE_DIFFERENCE)
    singular = ch.load("planar_2r").kernel("manipulability", rows="tx ty").gradient("q")
    assert np.isfinite(singular(np.zeros(2))).all()


def test_nan_rows_and_mistakes():
    robot = ch.load("ur5")
    q = configurations(robot, 3)
    q[1] = np.nan
    with np.errstate(invalid="ignore"):
        values = robot.singular_values(q)
        w = [robot.manipulability(q, metric=metric) for metric in METRICS]
    assert np.isnan(w).tolist() == [[False, True, False]] * 2
    assert np.isnan(values[1]).all()
    assert np.isfinite(values[[0, 2]]).all()
    with pytest.raises(ch.ModelError, match="metric must be 'euclidean' or 'inertia', got 'mass'"):
        robot.manipulability(q, metric="mass")
    with pytest.raises(ch.ModelError, match="no row 'x'"):
        robot.singular_values(q, rows="x")
