"""Inverse kinematics as a program: what is beyond a limit comes back by full turns, as of the robot's own search."""

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.graph.interpret import interpret
from chasles.ik.search_box import SearchBox
from chasles.ik.search_program import _within, search_program


@pytest.mark.parametrize("limits", [True, (-3.0, 5.0), (-9.0, 8.0), (-np.inf, 2.0), False])
def test_full_turns_are_those_of_the_box(limits, rng):
    robot = ch.load("ur5")
    box = SearchBox.of(robot, limits)
    for _ in range(50):
        q, to = rng.uniform(-20.0, 20.0, robot.n), rng.uniform(-6.0, 6.0, robot.n)
        own = q if box.holds(q) else box.nearest(q, to)
        assert close(np.array(_within(box, list(q), list(to)), float), own, 1e-12)


def test_poses_that_are_none_are_not_found():
    robot = ch.load("planar_2r")
    problem = robot._problem(frame=None, rows="tx ty", limits=True, attempts=3, iterations=20, tolerance=1e-9)
    program = search_program(problem)
    T = robot.forward_kinematics([0.3, 0.4])
    q, found, residual = interpret(program, [[0.2, 0.3], list(T.ravel())])
    assert found == [1.0] and residual[0] <= 1e-9 and close(robot.forward_kinematics(q)[:2, 3], T[:2, 3], 1e-9)
    T[0, 0] = 2.0  # no rotation
    assert interpret(program, [[0.2, 0.3], list(T.ravel())])[1] == [0.0]
    T[0, 0] = np.nan
    assert interpret(program, [[0.2, 0.3], list(T.ravel())])[1] == [0.0]


def test_several_frames():
    robot = ch.load("panda")
    frames = ["panda_link4", "panda_link7"]
    problem = robot._problem(frame=frames, rows="tx ty tz", limits=True, attempts=3, iterations=40, tolerance=1e-9)
    program = search_program(problem)
    assert program.inputs[1].shape == (2, 4, 4)
    q0 = problem.box.centre
    T = np.stack([robot.forward_kinematics(q0 + 0.05, frame) for frame in frames])
    q, found, _ = interpret(program, [list(q0), list(T.ravel())])
    assert found == [1.0]
    for pose, frame in zip(T, frames, strict=True):
        assert close(robot.forward_kinematics(q, frame)[:3, 3], pose[:3, 3], 1e-8)
