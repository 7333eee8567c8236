"""A robot as the data of a page: links and their shapes, joints and their limits, inertias."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.model import drawn_shapes
from chasles.model.drawn_shapes import joint_point
from chasles.model.mechanism import Mechanism, OwnJoint
from chasles.robot import Robot
from chasles.view.meshes import Drawn, Looks, looks, packed

UNLIMITED = {"rad": np.pi, "m": 1.0}  # what a slider spans where a joint has no limits; m in sizes of the robot
DROOP, RISE = 0.15, 0.05  # of joints at home, under and over the base on which a robot stands, in sizes of it
FOLDED = 12  # joints beyond which a page groups them
AXES = {  # of joints with several velocities: what each is called
    "planar": ("x", "y", "turn"),
    "spherical": ("turn x", "turn y", "turn z"),
    "free": ("turn x", "turn y", "turn z", "x", "y", "z"),
}


def scene(robot: Robot, shapes: Looks | None = None) -> dict[str, Any]:
    """The robot as plain lists, strings and numbers. shapes: of its links, else generated ones."""
    m = robot.mechanism
    shapes = looks(m, meshes=False) if shapes is None else shapes
    gravity = np.asarray(robot.gravity, dtype=float)
    joints = _joints(robot)
    return {
        "description": m.description,
        "n": robot.n,
        "nq": robot.nq,
        "size": drawn_shapes.size(m),
        "up": _up(gravity).tolist(),
        "across": _across(m),
        "floor": _floor(m),
        "base": {"parts": [_part(x) for x in shapes.base]},
        "links": [_link(m, i, shapes.links[i]) for i in range(m.bodies)],
        "joints": joints,
        "groups": _groups(m, [joint["name"] for joint in joints]),
        "effort": [x if np.isfinite(x) else None for x in robot.limits["effort"].tolist()],
        "has_tool": m.tool is not None,
        "has_mass": bool(robot.total_mass),
        "tips": _tips(m),
        "meshes": [packed(mesh) for mesh in shapes.meshes],
        "doubts": [*robot.doubts, *shapes.doubts],
        "notes": shapes.notes,
    }


def _up(gravity: np.ndarray) -> np.ndarray:
    strength = np.linalg.norm(gravity)
    return -gravity / strength if strength else np.array([0.0, 0.0, 1.0])


def _across(m: Mechanism) -> list[float] | None:
    """The axis that all joints turn about, if it lies level: such a robot is best seen along it."""
    if not m.bodies or any(kind != "screw" for kind in m.kinds):
        return None
    axes = m.screws[:, :3]
    first = axes[0] / (np.linalg.norm(axes[0]) or 1.0)
    level = abs(first @ _up(np.asarray(m.gravity, dtype=float))) < 1e-6
    same = np.allclose(np.cross(axes, first), 0.0, atol=1e-9) and np.all(np.any(axes, axis=1))
    return first.tolist() if level and same else None


def _floor(m: Mechanism) -> float | None:
    """The height at which a robot stands, m along up: of a base that carries it on an upright axis, and lies below it,
    or level with it where all axes are upright.

    None where it hangs, swings or floats: a page finds the floor from what it draws.
    """
    roots = [i for i, parent in enumerate(m.parents) if parent < 0]
    if len(roots) != 1 or m.kinds[roots[0]] != "screw":
        return None
    up = _up(np.asarray(m.gravity, dtype=float))
    foot = float(drawn_shapes.foundation(m) @ up)
    heights = np.array([joint_point(m, i) @ up for i in range(m.bodies)]) - foot
    far = drawn_shapes.size(m)
    upright = np.abs(m.screws[:, :3] @ up) > 0.999
    rises = heights.max() > RISE * far or bool(upright.all())
    return foot if upright[roots[0]] and heights.min() > -DROOP * far and rises else None


def _part(drawn: Drawn) -> dict[str, Any]:
    part = drawn.part
    out = {"kind": part.kind, "size": list(part.size), "pose": np.round(part.pose, 9).T.ravel().tolist()}
    out |= {"look": part.look, "colour": drawn.colour and [round(x, 4) for x in drawn.colour]}
    return out if drawn.mesh is None else out | {"mesh": drawn.mesh}


def _link(m: Mechanism, i: int, parts: list[Drawn]) -> dict[str, Any]:
    link, body = m.links[i], m.tree.bodies[i]
    first, factor = m.coupling.v[body.v]
    mimic = m.mimics[i]
    return {
        "name": m.link_names[i],
        "joint": m.joint_names[i],
        "parent": m.parents[i],
        "ellipsoid": _ellipsoid(link),
        "kind": m.kinds[i],
        "at": _joint_in_link(m, i).tolist(),
        "columns": [[*map(float, S.w), *map(float, S.v)] for S in body.joint.columns],
        "v": first,
        "factor": factor,
        "follows": None if mimic is None else [m.joint_names[mimic[0]], mimic[1], mimic[2]],
        "parts": [_part(x) for x in parts],
    }


def _joint_in_link(m: Mechanism, i: int) -> np.ndarray:
    inverse = np.linalg.inv(m.homes[i])
    return inverse[:3, :3] @ joint_point(m, i) + inverse[:3, 3]


def _ellipsoid(link: Any) -> dict[str, Any] | None:
    """The solid ellipsoid of even density with the mass and inertia of a link: its pose and half axes."""
    if not link.mass > 0.0:
        return None
    moments, axes = np.linalg.eigh(np.asarray(link.inertia, dtype=float))
    half = np.sqrt(np.maximum(0.0, 2.5 / link.mass * (moments.sum() - 2.0 * moments)))
    T = np.eye(4)
    T[:3, :3] = axes * np.sign(np.linalg.det(axes))
    T[:3, 3] = np.asarray(link.com, dtype=float)
    return {"pose": T.T.ravel().tolist(), "half": half.tolist()}


def _joints(robot: Robot) -> list[dict[str, Any]]:
    """One for each velocity: its name, unit and range, as of the coordinate of that velocity from home.

    q, kind, axis: where its joint's coordinates begin, its kind, and which of its velocities this is.
    """
    m, out = robot.mechanism, []
    lower, upper = m.position_limits
    far = drawn_shapes.size(m)
    for own in m.own_joints:
        kind = m.kinds[own.link]
        for k, column in enumerate(own.joint.columns):
            turning = any(map(float, column.w))
            span = UNLIMITED["rad"] if turning else UNLIMITED["m"] * far
            low, high = -span, span
            if kind == "screw":
                ends = float(lower[own.q.start]), float(upper[own.q.start])
                low, high = ends[0] if np.isfinite(ends[0]) else low, ends[1] if np.isfinite(ends[1]) else high
                limited = [bool(np.isfinite(x)) for x in ends]
            else:
                limited = [False, False]
            suffix = f" {AXES[kind][k]}" if kind in AXES else ""
            out.append(
                {
                    "name": own.name + suffix,
                    "unit": "rad" if turning else "m",
                    "lower": min(low, high),
                    "upper": max(high, low),
                    "limited": limited,
                    "q": own.q.start,
                    "kind": kind,
                    "axis": k,
                    "mimics": [m.joint_names[i] for i, x in enumerate(m.mimics) if x is not None and x[0] == own.link],
                }
            )
    return out


def _groups(m: Mechanism, names: list[str]) -> list[dict[str, Any]] | None:
    """Joints by limb, the unbranched ways of the tree, where there are many: names, and numbers of velocities."""
    if len(names) <= FOLDED:
        return None
    own = {x.link: x for x in m.own_joints}
    before: dict[int, int] = {}  # of each own joint, the own joint that carries it
    for i in own:
        parent = m.parents[i]
        while parent >= 0 and parent not in own:
            parent = m.parents[parent]
        before[i] = parent
    carried = list(before.values())
    limbs: list[list[OwnJoint]] = []
    limb_of: dict[int, list[OwnJoint]] = {}
    for i, joint in own.items():
        parent = before[i]
        goes_on = parent >= 0 and carried.count(parent) == 1 and m.kinds[parent] == "screw"
        limb = limb_of[parent] if goes_on else []
        if not goes_on:
            limbs.append(limb)
        limb.append(joint)
        limb_of[i] = limb
    return [{"name": _limb_name(x), "joints": [k for y in x for k in range(y.v.start, y.v.stop)]} for x in limbs]


def _limb_name(joints: list[OwnJoint]) -> str:
    """What the names of a limb, or of its first two joints, begin with; else the name of the first."""
    names = [joint.name for joint in joints]
    for some in (names, names[:2]):
        shared = _beginning(some).rstrip("_-/. ") if len(some) > 1 else ""
        if len(shared) > 1:
            return shared
    return names[0]


def _beginning(names: list[str]) -> str:
    """What all of them begin with."""
    first, last = min(names), max(names)
    return next((first[:k] for k in range(len(first), 0, -1) if last.startswith(first[:k])), "")


def _moves(m: Mechanism, i: int, point: np.ndarray) -> bool:
    """Whether a joint moves a point in the frame of link i: one on the axes of all that carry it stays."""
    place = m.homes[i][:3, :3] @ point + m.homes[i][:3, 3]
    least = 1e-9 * drawn_shapes.size(m)
    while i >= 0:
        w, v = m.screws[i][:3], m.screws[i][3:]
        if m.kinds[i] != "screw" or float(np.linalg.norm(v + np.cross(w, place))) > least:
            return True
        i = m.parents[i]
    return False


def _tips(m: Mechanism) -> list[dict[str, Any]]:
    """Points to drag: the tool if a joint moves it, or where each limb ends; the link and the point in its frame."""
    if m.tool is not None and m.tool.body < 0:
        return []
    if m.tool is not None and _moves(m, m.tool.body, m.tool.pose[:3, 3]):
        return [{"link": m.tool.body, "name": "tool", "at": m.tool.pose[:3, 3].tolist()}]
    out = []
    for i in range(m.bodies):
        if i in m.parents or m.mimics[i] is not None or m.kinds[i] == "free":
            continue
        end = drawn_shapes.end_points(m, i, _joint_in_link(m, i))
        out.append({"link": i, "name": m.link_names[i], "at": end[-1].tolist()})
    return out
