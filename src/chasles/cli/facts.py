"""What `chasles info` knows of a robot, as plain data."""

import math
from functools import partial
from typing import Any

import numpy as np

from chasles.cli.reach import axis, reach
from chasles.cli.timing import interleaved, once
from chasles.errors import FrameError, SingularMassMatrixError
from chasles.robot import Robot, joint_kind
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
        "joints": [joint(robot, i) for i in range(robot.n)],
        "links": [link(robot, i) for i in range(robot.n)],
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
    """Inverse dynamics at rest at q = 0, and its times: the first call, one call, one configuration of a batch."""
    zero = np.zeros(robot.n)
    begin = once(lambda: robot.inverse_dynamics(zero, zero, zero))
    tau = robot.inverse_dynamics(zero, zero, zero)
    rng = np.random.default_rng(0)
    rows = [rng.uniform(-1.0, 1.0, (BATCH, robot.n)) for _ in range(3)]
    one, batch = interleaved(
        [partial(robot.inverse_dynamics, zero, zero, zero), partial(robot.inverse_dynamics, *rows)], 5, 0.005
    )
    return {
        "function": "inverse_dynamics",
        "q": zero.tolist(),
        "tau": tau.tolist(),
        "first_call_s": begin,
        "one_call_s": one,
        "batch": BATCH,
        "threads": get_num_threads(),
        "per_configuration_s": batch / BATCH,
    }


def joint(robot: Robot, i: int) -> dict[str, Any]:
    direction, point, pitch, rate = axis(robot.screws[i], robot.homes[i])
    kind = joint_kind(robot.screws[i])
    return {
        "name": robot.joint_names[i],
        "kind": kind,
        "axis": direction.tolist(),
        "point": None if kind == "P" else point.tolist(),
        "pitch": pitch if kind == "H" else 0.0,
        "rate": rate,
        "screw": robot.screws[i].tolist(),
        **{key: _finite(robot.limits[key][i]) for key in ("lower", "upper", "velocity", "effort")},
        "parent": _link_name(robot, robot.parents[i]),
        "link": robot.link_names[i],
    }


def link(robot: Robot, i: int) -> dict[str, Any]:
    given = robot.links[i]
    return {
        "name": robot.link_names[i],
        "parent": _link_name(robot, robot.parents[i]),
        "mass": given.mass,
        "com": given.com.tolist(),
        "inertia": given.inertia.tolist(),
    }


def tool(robot: Robot) -> dict[str, Any] | None:
    frame = robot.mechanism.tool
    if frame is None:
        return None
    home = robot.homes[frame.body] @ frame.pose if frame.body >= 0 else frame.pose
    return {"link": _link_name(robot, frame.body), "pose": frame.pose.tolist(), "home": home.tolist()}


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


def _link_name(robot: Robot, body: int) -> str:
    return robot.link_names[body] if body >= 0 else "base"


def _finite(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None
