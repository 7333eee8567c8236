"""Words for robots: the kind of a robot, from its joints and their axes."""

from __future__ import annotations

from collections import Counter

import numpy as np

from chasles.model.facts import KINDS, kind
from chasles.model.screws import joint_kind
from chasles.report.typeset import in_words
from chasles.robot import Robot

_NEAR = 1e-6  # of the robot's size: how far axes may pass each other and still meet


def kind_of_robot(robot: Robot) -> str:
    """ "a serial arm of seven revolute joints, its last three axes meeting in a point"."""
    m = robot.mechanism
    if not m.bodies:
        return "a structure without joints"
    moving, limbs = m.kinds[0], tips(robot)
    if m.parents[0] < 0 and moving in ("free", "planar") and m.parents.count(-1) == 1:
        how = "moves freely" if moving == "free" else "moves on a plane"
        if m.bodies == 1:
            return f"a body that {how}"
        rest = in_words(m.bodies - 1, "joint")
        return f"a body that {how}, with {rest} in {in_words(len(limbs), 'limb')}"
    if len(limbs) > 1:
        return f"a branched robot of {_joints(robot)} with {in_words(len(limbs), 'tip')}"
    return _serial(robot)


def tips(robot: Robot) -> list[int]:
    """The links that carry no other."""
    return [i for i in range(robot.mechanism.bodies) if i not in robot.mechanism.parents]


def _serial(robot: Robot) -> str:
    m = robot.mechanism
    if m.bodies == 1:
        return f"a single {KINDS[kind(m, 0)]} joint"
    if any(form != "screw" for form in m.kinds):
        return f"a serial chain of {_joints(robot)}"
    kinds = [joint_kind(S) for S in m.screws]
    axes = np.array([S[:3] if S[:3].any() else S[3:] for S in m.screws])
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    parallel = float(np.linalg.norm(np.cross(axes, axes[0]), axis=1).max()) < _NEAR
    if kinds == ["P"] * len(kinds):
        return f"a gantry of {_joints(robot)}"
    if parallel and kinds == ["R"] * len(kinds):
        return f"a planar arm of {_joints(robot)} with parallel axes"
    if parallel and kinds[:2] == ["R", "R"] and kinds.count("P") == 1:
        return f"an arm of the SCARA kind, {_joints(robot)} with parallel axes"
    wrist = ", its last three axes meeting in a point" if len(kinds) > 3 and _meet(m.screws[-3:]) else ""
    return f"a serial arm of {_joints(robot)}{wrist}"


def _joints(robot: Robot) -> str:
    counts = Counter(KINDS[kind(robot.mechanism, i)] for i in range(robot.mechanism.bodies))
    if len(counts) == 1:
        name, count = next(iter(counts.items()))
        return in_words(count, f"{name} joint")
    *most, last = (in_words(count, name, name) for name, count in counts.items())
    return f"{', '.join(most)} and {last} joints"


def _meet(screws: np.ndarray) -> bool:
    """Whether the axes of three turning joints pass through one point and no two are parallel to all others."""
    if any(joint_kind(S) != "R" for S in screws):
        return False
    w, v = screws[:, :3], screws[:, 3:]
    rows = np.concatenate([_cross_matrix(x) for x in w])  # w x p = -v for each point p of the axis
    p, _, rank, _ = np.linalg.lstsq(rows, -v.ravel(), rcond=None)
    size = max(1e-3, float(np.linalg.norm(p)))
    return rank == 3 and float(np.abs(rows @ p + v.ravel()).max()) < _NEAR * size


def _cross_matrix(w: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
