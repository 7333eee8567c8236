"""Generated geometry: a robot that has no shapes of its own, drawn from its screws and homes alone.

A joint is drawn at the point of its axis nearest to its link's origin: a cylinder along the axis if it turns, a box on
a rail if it slides, a sphere if it is a ball. A link is a capsule from its joint to each joint that it carries, or to
its tool, to its farthest frame where it carries nothing, or as far again as its centre of mass; a box where it carries
four or more. Radii follow from the size of the whole, and become less towards the tips.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.model.mechanism import Mechanism

Array = NDArray[np.float64]
THICKNESS = 0.034  # radius of a link, over the size of the robot
STOUTEST = 0.35  # radius of a link, over the longest way between two joints
SHORTEST = 0.25  # of a capsule, in radii: a shorter one is not drawn
TRUNK = 4  # joints on a link that make it a box
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
    whole = size(m)
    widest, radii = _radii(m, points, whole)
    moving: list[list[Part]] = [[] for _ in range(m.bodies)]
    base: list[Part] = []
    start = _foundation(m, points)
    for i in range(m.bodies):
        own, inverse = moving[i], np.linalg.inv(m.homes[i])
        at = _seen(inverse, points[i])
        own += _joint_parts(m, i, at, inverse, radii[i])
        carried = [_seen(inverse, points[j]) for j, parent in enumerate(m.parents) if parent == i]
        if m.tool is not None and m.tool.body == i:
            own.append(Part("sphere", (0.8 * radii[i],), pose_at(m.tool.pose[:3, 3]), TOOL))
        own += _body(at, [*carried, *end_points(m, i, at)], radii[i])
        rail = base if m.parents[i] < 0 else moving[m.parents[i]]
        rail += _rail(m, i, points[i], radii[i], whole)
        if m.parents[i] < 0 and m.kinds[i] == "screw":
            base += _post(start, points[i], radii[i])
    base += _plate(m, start, points, widest)
    return moving, base


def size(m: Mechanism) -> float:
    """About the length of a robot that is stretched, m: the longest way from the base along its joints."""
    points = [joint_point(m, i) for i in range(m.bodies)]
    start, below = _foundation(m, points), _reach(m, points)
    ways = [below[i] + _apart(points[i], start) * (m.kinds[i] == "screw") for i in _roots(m)]
    longest = max([*ways, 0.0])
    return longest if longest > 1e-9 else 1.0


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


def end_points(m: Mechanism, i: int, at: Array) -> list[Array]:
    """Where a link with its joint at `at` ends: its tool, and, if it carries no joint, the frame farthest away.

    Without a frame beyond its centre of mass it goes on as far again as that. (3,) each, in the link's frame, as is
    `at`.
    """
    hand = [m.tool.pose[:3, 3]] if m.tool is not None and m.tool.body == i else []
    com = np.asarray(m.links[i].com, dtype=float) if m.links[i].mass else at
    if i in m.parents or any(_apart(point, at) >= _apart(com, at) for point in hand):
        return hand
    fixed = [frame.pose[:3, 3] for frame in m.frames.values() if frame.body == i]
    farthest = max(fixed, key=lambda point: _apart(point, at), default=at)
    beyond = farthest if _apart(farthest, at) > _apart(com, at) else 2.0 * com - at
    return [*hand, beyond]


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


def _reach(m: Mechanism, points: list[Array]) -> list[float]:
    """The longest way from each joint to what it carries."""
    far = [0.0] * m.bodies
    for i in reversed(range(m.bodies)):
        at = _seen(np.linalg.inv(m.homes[i]), points[i])
        far[i] = max([far[i], *(_apart(end, at) for end in end_points(m, i, at))])
        if m.parents[i] >= 0:
            parent = m.parents[i]
            far[parent] = max(far[parent], far[i] + _apart(points[i], points[parent]))
    return far


def _radii(m: Mechanism, points: list[Array], whole: float) -> tuple[float, list[float]]:
    """The largest radius and that of each link: less towards the tips, by no more than a fifth from joint to joint."""
    far = _reach(m, points)
    spans = [_apart(points[i], points[parent]) for i, parent in enumerate(m.parents) if parent >= 0]
    spans += [far[i] for i in range(m.bodies) if i not in m.parents]
    crowded = STOUTEST * max(spans, default=0.0) or whole
    widest = max(min(THICKNESS * whole, crowded), 0.1 * THICKNESS * whole)
    radii: list[float] = []
    for i, parent in enumerate(m.parents):
        narrowed = widest * min(1.0, 0.25 + 0.85 * float(np.sqrt(far[i] / whole)))
        radii.append(max(narrowed, 0.8 * radii[parent]) if parent >= 0 else narrowed)
    return widest, radii


def _roots(m: Mechanism) -> list[int]:
    return [i for i, parent in enumerate(m.parents) if parent < 0]


def foundation(m: Mechanism) -> Array:
    """(3,) where a robot is fixed, in the space frame: the origin, or its first joint if all of it is far away."""
    return _foundation(m, [joint_point(m, i) for i in range(m.bodies)])


def _foundation(m: Mechanism, points: list[Array]) -> Array:
    """Where a robot stands: the origin, or its first joint if all of it is far from there."""
    far, roots = _reach(m, points), _roots(m)
    near = [i for i in roots if _apart(points[i], np.zeros(3)) <= 2.0 * far[i] or not far[i]]
    return np.zeros(3) if near or not roots else points[roots[0]]


def _plate(m: Mechanism, start: Array, points: list[Array], radius: float) -> list[Part]:
    """What a robot is fixed by: a disc across gravity, or across the axis of a joint that is there itself."""
    fixed = [i for i in _roots(m) if m.kinds[i] == "screw"]
    if not fixed:
        return []
    here = [i for i in fixed if _apart(points[i], start) < 2.0 * radius]
    if here and np.any(m.screws[here[0]][:3]):
        pose = pose_along(points[here[0]], m.screws[here[0]][:3])
        pose[:3, 3] -= 1.6 * radius * pose[:3, 2]
    else:
        pull = np.asarray(m.gravity, dtype=float)
        pose = pose_along(start, -pull if np.any(pull) else np.array([0.0, 0.0, 1.0]))
        pose[:3, 3] += 0.25 * radius * pose[:3, 2]
    return [Part("cylinder", (2.4 * radius, 0.5 * radius), pose, LINK)]


def _joint_parts(m: Mechanism, i: int, at: Array, inverse: Array, radius: float) -> list[Part]:
    if m.kinds[i] != "screw":
        return [] if m.kinds[i] == "free" else [Part("sphere", (1.5 * radius,), pose_at(at), JOINT)]
    w, v = inverse[:3, :3] @ m.screws[i][:3], inverse[:3, :3] @ m.screws[i][3:]
    if w @ w < 1e-20:
        return [Part("box", (2.4 * radius, 2.4 * radius, 2.8 * radius), pose_along(at, v), JOINT)]
    return [Part("cylinder", (1.35 * radius, 2.7 * radius), pose_along(at, w), JOINT)]


def _rail(m: Mechanism, i: int, at: Array, radius: float, whole: float) -> list[Part]:
    """Along what a joint slides, on its parent: as long as its limits, where it has some."""
    if m.kinds[i] != "screw" or np.any(m.screws[i][:3]):
        return []
    axis = m.screws[i][3:]
    low, high = (np.clip(float(m.limits[key][i]), -0.4 * whole, 0.4 * whole) for key in ("lower", "upper"))
    T = np.linalg.inv(m.homes[m.parents[i]]) if m.parents[i] >= 0 else np.eye(4)
    return _capsule(_seen(T, at + min(low, 0.0) * axis), _seen(T, at + max(high, 0.0) * axis), 0.5 * radius)


def _body(at: Array, ends: list[Array], radius: float) -> list[Part]:
    if len(ends) < TRUNK:
        return [part for end in ends for part in _capsule(at, end, radius)]
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    sides = np.maximum(high - low, 2.0 * radius)
    return [Part("box", tuple(map(float, sides)), pose_at((low + high) / 2.0), LINK)]


def _capsule(start: Array, end: Array, radius: float) -> list[Part]:
    length = _apart(start, end)
    if length < SHORTEST * radius:
        return []
    return [Part("capsule", (radius, length), pose_along((start + end) / 2.0, end - start), LINK)]


def _post(start: Array, end: Array, radius: float) -> list[Part]:
    """A capsule whose round end does not pass its start."""
    length = _apart(start, end)
    return _capsule(start + (end - start) * (radius / length), end, radius) if length > radius else []


def _seen(T: Array, point: Array) -> Array:
    return T[:3, :3] @ point + T[:3, 3]


def _apart(a: Array, b: Array) -> float:
    return float(np.linalg.norm(a - b))
