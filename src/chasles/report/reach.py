"""The reach of a robot: how far the tool gets from the first joint's axis, by sampling."""

from typing import Any

import numpy as np

from chasles.model.facts import axis
from chasles.model.screws import joint_kind
from chasles.robot import Robot

_ROWS, _ROUNDS = 8192, 12


def reach(robot: Robot) -> dict[str, Any]:
    """`metres`, the greatest distance found, or None; and `how`, or why not.

    Uniform samples within the limits (a revolute joint without: one turn), then rounds of samples around the best so
    far, closer each time: a lower bound, and a tight one.
    """
    if robot.n == 0 or robot.mechanism.tool is None:
        return {"metres": None, "how": "no joints" if robot.n == 0 else "no tool"}
    m = robot.mechanism
    for name, form in zip(m.joint_names, m.kinds, strict=True):
        if form != "screw":
            return {"metres": None, "how": f"joint {name!r} is {form}"}
    low, high = robot.limits["lower"].copy(), robot.limits["upper"].copy()
    for i, own in enumerate(m.own_joints):
        S = m.screws[own.link]
        if not (np.isfinite(low[i]) and np.isfinite(high[i])):
            if joint_kind(S) != "R":
                return {"metres": None, "how": f"joint {robot.joint_names[i]!r} slides without limits"}
            rate = float(np.linalg.norm(S[:3]))
            low[i], high[i] = -np.pi / rate, np.pi / rate
    direction, point, _, _ = axis(m.screws[0], m.homes[0])
    rng = np.random.default_rng(0)
    best, centre, span = -1.0, (low + high) / 2.0, high - low
    for k in range(_ROUNDS):
        q = np.clip(centre + rng.uniform(-0.5, 0.5, (_ROWS, robot.n)) * span * 0.6**k, low, high)
        away = np.cross(robot.forward_kinematics(q)[:, :3, 3] - point, direction)
        distance = np.linalg.norm(away, axis=1)
        at = int(np.argmax(distance))
        if distance[at] > best:
            best, centre = float(distance[at]), q[at]
    return {"metres": best, "how": f"greatest of {_ROWS * _ROUNDS} sampled configurations within the limits"}
