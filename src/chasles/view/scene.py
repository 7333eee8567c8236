"""What a page shows of a robot, as data: links and their shapes, joints and their limits, inertias."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.model import drawn_shapes
from chasles.model.mechanism import Mechanism
from chasles.robot import Robot

UNLIMITED = {"rad": np.pi, "m": 1.0}  # what a slider spans where a joint has no limits


def scene(robot: Robot) -> dict[str, Any]:
    """The robot as plain lists, strings and numbers."""
    m = robot.mechanism
    moving, base = drawn_shapes.parts(m)
    return {
        "name": robot.name,
        "description": m.description,
        "n": robot.n,
        "nq": robot.nq,
        "size": drawn_shapes.size(m),
        "neutral": robot.neutral().tolist(),
        "gravity": np.asarray(robot.gravity, dtype=float).tolist(),
        "base": {"name": m.base_name, "parts": [_part(p) for p in base]},
        "links": [_link(m, i, moving[i]) for i in range(m.bodies)],
        "joints": _joints(robot),
        "effort": [x if np.isfinite(x) else None for x in robot.limits["effort"].tolist()],
        "has_tool": m.tool is not None,
        "doubts": list(robot.doubts),
    }


def _part(part: drawn_shapes.Part) -> dict[str, Any]:
    return {"kind": part.kind, "size": list(part.size), "pose": np.round(part.pose, 9).T.ravel().tolist(), "look": part.look}


def _link(m: Mechanism, i: int, parts: list[drawn_shapes.Part]) -> dict[str, Any]:
    link = m.links[i]
    screw = np.linalg.inv(m.homes[i])[:3, :3] @ m.screws[i][:3] if m.kinds[i] == "screw" else np.zeros(3)
    return {
        "name": m.link_names[i],
        "parent": m.parents[i],
        "mass": float(link.mass),
        "com": np.asarray(link.com, dtype=float).tolist(),
        "ellipsoid": _ellipsoid(link),
        "axis": screw.tolist(),
        "parts": [_part(p) for p in parts],
    }


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
    """One for each velocity: its name, unit and range, as of the coordinate of that velocity from home."""
    m, out = robot.mechanism, []
    lower, upper = m.position_limits
    for own in m.own_joints:
        many = own.v.stop - own.v.start
        turning = m.kinds[own.link] != "screw" or bool(np.any(m.screws[own.link][:3]))
        for k in range(many):
            unit = "rad" if (turning if many == 1 else many == 3 or k < 3) else "m"
            low, high = -UNLIMITED[unit], UNLIMITED[unit]
            if many == 1:
                low = float(lower[own.q.start]) if np.isfinite(lower[own.q.start]) else low
                high = float(upper[own.q.start]) if np.isfinite(upper[own.q.start]) else high
            suffix = "" if many == 1 else " " + ("rx ry rz" if many == 3 else "rx ry rz x y z").split()[k]
            out.append({"name": own.name + suffix, "unit": unit, "lower": low, "upper": max(high, low)})
    return out
