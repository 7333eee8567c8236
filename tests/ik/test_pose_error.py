"""The error of a pose and what a step does to it, on floats."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, close

import chasles as ch
from chasles.catalogue.traceable import Traceable
from chasles.ik.limits import Box, start
from chasles.ik.pose_error import Chain, PoseTarget, errors
from chasles.lie import SE3, SO3, Mat3, Vec3

ALL = range(6)


def motion(T):
    return SE3(SO3(Mat3(*(Vec3(*map(float, row[:3])) for row in T[:3]))), Vec3(*map(float, T[:3, 3])))


def chain(robot, rows):
    traceable = Traceable(robot.mechanism)
    return Chain(traceable.true, traceable.coupling, robot.mechanism.own_joints, [(*traceable.frame(None), rows)], 1.0)


def problem(rows, seed=0):
    robot = ch.load("panda")
    q, T = robot.random(seed), robot.forward_kinematics(robot.random(seed + 50))
    target = [PoseTarget(motion(T), T[3])]

    def e(x):
        return np.array(errors(chain(robot, rows), [float(u) for u in x], target)[0])

    return robot, q, T, e, np.array(errors(chain(robot, rows), [*map(float, q)], target)[1]).T


@pytest.mark.parametrize("seed", sweep(range(8), 3))
def test_the_error_is_the_logarithm(seed):
    robot, q, T, e, _ = problem(ALL, seed)
    E = np.linalg.inv(robot.forward_kinematics(q)) @ T
    assert close(e(q), [*Rotation.from_matrix(E[:3, :3]).as_rotvec(), *E[:3, 3]], 1e-12)


@pytest.mark.parametrize("rows", [[0, 1], [2], [0, 2, 4], [1, 3, 5], [3], [0, 1, 3, 4]])
@pytest.mark.parametrize("seed", sweep(range(4), 1))
def test_of_some_rows_the_change_is_exact(rows, seed):
    """Also far from the pose: the rows that do not count stay as large as they are."""
    _, q, _, e, J = problem(rows, seed)
    h = 1e-6
    slope = np.stack([(e(q + h * d) - e(q - h * d)) / (2 * h) for d in np.eye(7)], axis=1)
    assert close(-J, slope, FINITE_DIFFERENCE)


@pytest.mark.parametrize("rows", [ALL, [0, 1, 2], [3, 4, 5]], ids=["all", "turn", "shift"])
@pytest.mark.parametrize("seed", sweep(range(4), 1))
def test_of_all_rows_of_a_kind_the_gradient_is(rows, seed):
    """J^T e = -grad |e|^2 / 2, with the body Jacobian as it is."""
    robot, q, _, e, J = problem(rows, seed)
    assert close(J, robot.jacobian(q)[list(rows)])
    h = 1e-6
    slope = [(e(q + h * d) @ e(q + h * d) - e(q - h * d) @ e(q - h * d)) / (4 * h) for d in np.eye(7)]
    assert close(-J.T @ e(q), slope, FINITE_DIFFERENCE)


def test_starts_fill_the_box_evenly():
    robot = ch.load("panda")
    lower, upper = robot.limits["lower"], robot.limits["upper"]
    box = Box(lower, upper, (lower + upper) / 2, upper - lower)
    q = np.stack(start(robot.mechanism.own_joints, 7, np.arange(1.0, 1001.0), box), axis=1)
    assert ((q >= lower) & (q <= upper)).all()
    u = (q - lower) / (upper - lower)
    for axis in u.T:
        counts = np.histogram(axis, 10, (0.0, 1.0))[0]
        assert abs(counts - 100).max() <= 5  # at random it would be 30
    corner = np.array([((u < c).all(axis=1)).mean() - c**7 for c in (0.5, 0.7, 0.9)])
    assert abs(corner).max() < 0.02
