"""Trajectories beside MuJoCo's: what differs is its integration error, which falls with its order."""

from typing import Any

import mujoco as _mujoco
import numpy as np
import pytest
from support.swings import damped, of_mujoco, ours
from support.tolerances import close

import chasles as ch
from chasles.simulation.adaptive import EmbeddedStep, Tolerance, adaptive_motion

mujoco: Any = _mujoco  # its names are not known before it runs


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_a_swing_with_damping(name: str) -> None:
    robot = damped(name)
    exact = ours(robot)
    rk4 = [np.abs(of_mujoco(robot, "RK4", dt) - exact).max() for dt in (4e-3, 2e-3, 1e-3)]
    assert rk4[2] < 1e-8 and close(np.divide(rk4[:2], rk4[1:]), [16.0, 16.0], 0.15)
    coarse, fine = (of_mujoco(robot, "implicit", dt) for dt in (1e-3, 5e-4))
    errors = [np.abs(found - exact).max() for found in (coarse, fine)]
    assert errors[1] < 2e-2 and close(errors[0] / errors[1], 2.0, 0.05)
    assert close(2.0 * fine - coarse, exact, 1e-4)  # what is left is of the second order


def test_a_body_that_tumbles() -> None:
    """A ball joint, whose quaternions and velocities have the same meaning there."""
    inertia, w = (0.1, 0.2, 0.25), np.array([1.0, 3.0, 0.7])
    body = ch.Link(1.0, (0.0, 0.0, 0.0), inertia)
    robot = ch.Robot.from_screws(np.zeros((1, 6)), np.eye(4)[None], [body], kinds=["spherical"])
    start, times = np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 1.2])
    exact = adaptive_motion(EmbeddedStep(robot, None), times, start, w, Tolerance(1e-13, 1e-13))
    numbers = " ".join(map(str, inertia))
    made = mujoco.MjModel.from_xml_string(
        '<mujoco><option integrator="RK4"/><worldbody><body><joint type="ball"/>'
        f'<inertial pos="0 0 0" mass="1" diaginertia="{numbers}"/></body></worldbody></mujoco>'
    )
    errors = []
    for dt in (16e-3, 8e-3):
        made.opt.timestep, data = dt, mujoco.MjData(made)
        data.qvel[:] = w
        for _ in range(round(1.2 / dt)):
            mujoco.mj_step(made, data)
        errors.append(np.abs(robot.difference(exact.q[-1], np.roll(data.qpos, -1))).max())
        assert close(data.qvel, exact.qd[-1], 1e-8)
    assert errors[1] < 1e-9 and close(errors[0] / errors[1], 16.0, 0.15)
