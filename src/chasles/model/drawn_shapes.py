"""Generated geometry: a robot that has no shapes of its own, drawn from its screws and homes alone.

A joint is drawn at the point of its axis nearest to its link's origin: a cylinder along the axis if it turns, a box if
it slides, a sphere if it is a ball. A link is a capsule from its joint to each joint that it carries, or to its tool,
or to its centre of mass where it carries nothing. Radii follow from the size of the whole.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.model.mechanism import Mechanism

Array = NDArray[np.float64]
THICKNESS = 0.032  # radius of a link, over the size of the robot
SHORTEST = 0.25  # of a capsule, in radii: a shorter one is not drawn
LINK, JOINT, TOOL = "link", "joint", "tool"  # the looks of parts


class Part(NamedTuple):
    """A shape on a link: kind and size as of `Shape`, its pose (4, 4) in the link's frame, its look."""

    kind: str
    size: tuple[float, ...]
    pose: Array
    look: str


def parts(m: Mechanism) -> tuple[list[list[Part]], list[Part]]:
    """Of each link, and of the base."""
    points = [joint_point(m, i) for i in range(m.bodies)]
    radius = THICKNESS * size(m)
    moving: list[list[Part]] = [[] for _ in range(m.bodies)]
    base: list[Part] = []
    for i in range(m.bodies):
        own, inverse = moving[i], np.linalg.inv(m.homes[i])
        start = _seen(inverse, points[i])
        own += _joint_parts(m, i, start, inverse, radius)
        ends = [_seen(inverse, points[j]) for j, parent in enumerate(m.parents) if parent == i]
        if m.tool is not None and m.tool.body == i:
            ends.append(m.tool.pose[:3, 3])
            own.append(Part("sphere", (0.7 * radius,), pose_at(m.tool.pose[:3, 3]), TOOL))
        if not ends and m.links[i].mass:
            far = 2.0 * (np.asarray(m.links[i].com, dtype=float) - start)
            ends.append(start + far)
        for end in ends:
            own += _capsule(start, end, radius)
        if m.parents[i] < 0 and m.kinds[i] == "screw":
            base += _capsule(np.zeros(3), points[i], 1.15 * radius)
    if any(parent < 0 and kind == "screw" for parent, kind in zip(m.parents, m.kinds, strict=True)):
        base.append(Part("cylinder", (2.4 * radius, 0.5 * radius), pose_at(np.array([0.0, 0.0, 0.25 * radius])), LINK))
    return moving, base


def size(m: Mechanism) -> float:
    """About the length of a robot that is stretched, m: the longest way from the base along its joints."""
    points = [joint_point(m, i) for i in range(m.bodies)]
    reach = [0.0] * m.bodies
    for i, parent in enumerate(m.parents):
        before = points[parent] if parent >= 0 else (np.zeros(3) if m.kinds[i] == "screw" else points[i])
        reach[i] = (reach[parent] if parent >= 0 else 0.0) + float(np.linalg.norm(points[i] - before))
    for i, link in enumerate(m.links):
        reach[i] += float(np.linalg.norm(_seen(m.homes[i], np.asarray(link.com, dtype=float)) - points[i]))
    return max([*reach, 1e-3])


def joint_point(m: Mechanism, i: int) -> Array:
    """(3,) in the space frame at home."""
    origin = m.homes[i][:3, 3]
    if m.kinds[i] != "screw":
        return origin
    w, v = m.screws[i][:3], m.screws[i][3:]
    turning = float(w @ w)
    if turning < 1e-20:
        return origin
    foot = np.cross(w, v) / turning
    return foot + w * (w @ (origin - foot)) / turning


def _joint_parts(m: Mechanism, i: int, at: Array, inverse: Array, radius: float) -> list[Part]:
    if m.kinds[i] != "screw":
        return [] if m.kinds[i] == "free" else [Part("sphere", (1.5 * radius,), pose_at(at), JOINT)]
    w, v = inverse[:3, :3] @ m.screws[i][:3], inverse[:3, :3] @ m.screws[i][3:]
    if w @ w < 1e-20:
        return [Part("box", (2.2 * radius, 2.2 * radius, 3.4 * radius), pose_along(at, v), JOINT)]
    return [Part("cylinder", (1.35 * radius, 2.7 * radius), pose_along(at, w), JOINT)]


def _capsule(start: Array, end: Array, radius: float) -> list[Part]:
    length = float(np.linalg.norm(end - start))
    if length < SHORTEST * radius:
        return []
    return [Part("capsule", (radius, length), pose_along((start + end) / 2.0, end - start), LINK)]


def _seen(T: Array, point: Array) -> Array:
    return T[:3, :3] @ point + T[:3, 3]


def pose_at(point: Array) -> Array:
    T = np.eye(4)
    T[:3, 3] = point
    return T


def pose_along(point: Array, axis: Any) -> Array:
    """The pose at a point whose z points along an axis."""
    z = axis / np.linalg.norm(axis)
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - z * (x @ z)
    x /= np.linalg.norm(x)
    T = pose_at(point)
    T[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    return T
