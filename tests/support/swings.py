"""Robots that swing with damped joints, by us and by MuJoCo."""

from typing import Any

import mujoco as _mujoco
import numpy as np

import chasles as ch
from chasles.report.speed.mujoco_peer import model as mujoco_model
from chasles.simulation.adaptive import EmbeddedStep, Tolerance, adaptive_motion

DURATION = 1.0
DAMPING = 2.0  # N m s
ANGLES = np.array([0.3, -0.8, 0.6, -1.2, 0.4, 0.9, -0.2])
mujoco: Any = _mujoco  # its names are not known before it runs


def damped(name: str) -> ch.Robot:
    """A robot with the damping of its joints, which counts in `with_friction()`."""
    robot = ch.load(name)
    m = robot.mechanism
    given: Any = {"name": robot.name, "gravity": m.gravity, "damping": [DAMPING] * robot.n}
    return ch.Robot.from_screws(m.screws, m.homes, m.links, m.parents, **given)


def start(robot: ch.Robot) -> np.ndarray:
    return ANGLES[: robot.n].copy()


def ours(robot: ch.Robot, tolerance: float = 1e-13) -> np.ndarray:
    """(2 n,) q and qd at the end."""
    run = EmbeddedStep(robot.with_friction(), None)
    times, q, qd = np.array([0.0, DURATION]), start(robot), np.zeros(robot.n)
    found = adaptive_motion(run, times, q, qd, Tolerance(tolerance, tolerance))
    return np.concatenate([found.q[-1], found.qd[-1]])


def of_mujoco(robot: ch.Robot, integrator: str, dt: float) -> np.ndarray:
    """The same by MuJoCo's "RK4", "implicit" or "Euler"."""
    made = mujoco_model(robot.mechanism)
    made.opt.timestep = dt
    made.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    made.dof_damping[:] = robot.mechanism.damping
    data: Any = mujoco.MjData(made)
    data.qpos[:] = start(robot)
    for _ in range(round(DURATION / dt)):
        mujoco.mj_step(made, data)
    return np.concatenate([data.qpos, data.qvel])
