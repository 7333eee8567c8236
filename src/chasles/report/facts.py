"""Facts of a robot that `chasles info` shows, as plain data."""

from functools import partial
from typing import Any

import numpy as np

from chasles.errors import FrameError, SingularMassMatrixError
from chasles.model.facts import body, joint, link, link_name
from chasles.report.reach import reach
from chasles.report.speed.timing import interleaved, once
from chasles.robot import Robot
from chasles.threads import get_num_threads

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_matrix", "jacobian")
BATCH = 4096
_MANY = 40  # joints above which the functions with n^2 results are not traced just to count them


def facts(robot: Robot) -> dict[str, Any]:
    """Everything, ready for JSON. The first computation comes first: nothing is traced or compiled before it."""
    first = first_computation(robot)
    mechanism = robot.mechanism
    return {
        "name": robot.name,
        "description": mechanism.description,
        "source": " ".join(mechanism.source.split()),
        "coordinates": robot.nq,
        "degrees_of_freedom": robot.n,
        "friction": mechanism.has_friction,
        "base": {"name": mechanism.base_name, **body(mechanism.base)},
        "joints": [joint(mechanism, i) for i in range(mechanism.bodies)],
        "links": [link(mechanism, i) for i in range(mechanism.bodies)],
        "total_mass": robot.total_mass,
        "gravity": robot.gravity.tolist(),
        "tool": tool(robot),
        "frames": list(robot.frame_names),
        "reach": reach(robot),
        "operations": {name: operations(robot, name) for name in FUNCTIONS},
        "doubts": list(robot.doubts),
        "notes": list(mechanism.notes),
        "first_computation": first,
    }


def first_computation(robot: Robot) -> dict[str, Any]:
    """Inverse dynamics at rest at home, and its times: the first call, one call, one configuration of a batch."""
    home, zero = robot.neutral(), np.zeros(robot.n)
    begin = once(lambda: robot.inverse_dynamics(home, zero, zero))
    tau = robot.inverse_dynamics(home, zero, zero)
    rng = np.random.default_rng(0)
    rows = [rng.uniform(-1.0, 1.0, (BATCH, n)) for n in (robot.nq, robot.n, robot.n)]
    one, batch = interleaved(
        [partial(robot.inverse_dynamics, home, zero, zero), partial(robot.inverse_dynamics, *rows)], 5, 0.005
    )
    return {
        "function": "inverse_dynamics",
        "q": home.tolist(),
        "tau": tau.tolist(),
        "first_call_s": begin,
        "one_call_s": one,
        "batch": BATCH,
        "threads": get_num_threads(),
        "per_configuration_s": batch / BATCH,
    }


def tool(robot: Robot) -> dict[str, Any] | None:
    m, frame = robot.mechanism, robot.mechanism.tool
    if frame is None:
        return None
    home = m.homes[frame.body] @ frame.pose if frame.body >= 0 else frame.pose
    if any(mimic and mimic[2] for mimic in m.mimics):  # which are elsewhere when the robot is at home
        home = robot.forward_kinematics(robot.neutral())
    return {"link": link_name(m, frame.body), "pose": frame.pose.tolist(), "home": home.tolist()}


def operations(robot: Robot, name: str) -> dict[str, Any]:
    """`total` and counts by kind, or `why` there are none."""
    if robot.n > _MANY and name not in ("inverse_dynamics", "forward_dynamics"):
        return {"total": None, "why": f"not counted above {_MANY} joints"}
    try:
        counted = robot.kernel(name).operations
    except SingularMassMatrixError:
        return {"total": None, "why": "the mass matrix is singular at every configuration"}
    except FrameError:
        return {"total": None, "why": "the robot has no tool"}
    return {"total": counted.total, "by_kind": dict(counted.by_kind)}
