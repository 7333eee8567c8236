"""Solids as flat shapes with outlines: what is seen of spheres, cylinders, boxes and capsules in parallel projection.

Seen from the direction e, a sphere is a disc across e, a cylinder two half discs of its ends with the end that looks at
the eye on top of them, a box the sides with n . e > 0, a capsule a band with half discs at its ends. Shapes are painted
from the farthest to the nearest, by the nearest point of each; a capsule is long, and so is cut into pieces for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.model.drawn_shapes import JOINT, LINK, TOOL, Part
from chasles.palette import BLUE, VERMILLION

Array = NDArray[np.float64]
BASE, CLOSURE = "base", "closure"  # looks of parts, beside those that are generated
SIDES = {LINK: "#ccd3da", JOINT: "#00588a", TOOL: VERMILLION, BASE: "#a3acb5", CLOSURE: "#00588a"}
ENDS = {**SIDES, JOINT: BLUE, CLOSURE: BLUE}
EDGE, PIN = "#2f3740", "#ffffff"
ROUND = np.linspace(0.0, np.pi, 13)
PIECE = 2.5  # the length of a piece of a capsule, in radii
OVERLAP, NARROW = 0.25, 0.85  # of a piece with the next: so far and so wide, under no outline, that no seam is seen
ALONG = 1e-3  # the sine of an angle below which a line points at the eye


class Solid(NamedTuple):
    """A part at its pose (4, 4) in space. paleness: from 0, as it is, to 1, white."""

    part: Part
    pose: Array
    paleness: float = 0.0


class Piece(NamedTuple):
    """A flat shape: points (k, 3) in space, its colours, None for none. nearness: of its nearest point to the eye.

    opacity: of what it is filled with.
    """

    points: Array
    fill: str | None
    edge: str | None
    nearness: float
    paleness: float = 0.0
    opacity: float = 1.0


def pieces(solids: Iterable[Solid], eye: Array) -> list[Piece]:
    """What is seen of solids from the direction of a unit vector (3,), the farthest first."""
    found = [piece for solid in solids for piece in _DRAWN[solid.part.kind](solid, eye)]
    return sorted(found, key=lambda piece: piece.nearness)


def extent(solids: Iterable[Solid]) -> Array:
    """(2, 3) the corners of a box that solids are in."""
    boxes = []
    for part, pose, _ in solids:
        around = {"sphere": 0.0, "box": 0.0}.get(part.kind, part.size[-1] / 2.0)
        ends = np.array([-1.0, 1.0])[:, None] * pose[:3, 2] * around + pose[:3, 3]
        across = part.size[0] if part.kind != "box" else float(np.linalg.norm(part.size)) / 2.0
        boxes += [ends.min(axis=0) - across, ends.max(axis=0) + across]
    return np.array([np.min(boxes, axis=0), np.max(boxes, axis=0)]) if boxes else np.zeros((2, 3))


def _arc(centre: Array, radius: float, start: Array, over: Array, turn: Array = ROUND) -> Array:
    """(k, 3) half a circle from `start` by way of `over`, both of length one."""
    return centre + radius * (np.cos(turn)[:, None] * start + np.sin(turn)[:, None] * over)


def _disc(centre: Array, radius: float, normal: Array) -> Array:
    first = _across(normal)
    return _arc(centre, radius, first, np.cross(normal, first), np.linspace(0.0, 2.0 * np.pi, 25))


def _across(normal: Array) -> Array:
    """A unit vector at a right angle to another."""
    other = np.asarray(np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))]), dtype=float)
    return other / float(np.linalg.norm(other))


def _sphere(solid: Solid, eye: Array) -> list[Piece]:
    (radius,), centre, look = solid.part.size, solid.pose[:3, 3], solid.part.look
    above = 3.0 * radius if look == TOOL else radius  # a tool is seen on the end of its link
    return [Piece(_disc(centre, radius, eye), ENDS[look], EDGE, float(eye @ centre) + above, solid.paleness)]


def _cylinder(solid: Solid, eye: Array) -> list[Piece]:
    (radius, height), look = solid.part.size, solid.part.look
    axis = solid.pose[:3, 2] * (1.0 if solid.pose[:3, 2] @ eye >= 0.0 else -1.0)
    near, far = (solid.pose[:3, 3] + side * height / 2.0 * axis for side in (1.0, -1.0))
    side = np.cross(axis, eye)
    tilt = float(np.linalg.norm(side))
    nearness = float(eye @ near) + radius * tilt
    out = []
    if tilt > ALONG:
        side /= tilt
        ahead = np.cross(side, axis)
        ahead *= -1.0 if ahead @ eye > 0.0 else 1.0  # as drawn, it points from the far end to the near one
        band = np.concatenate([_arc(near, radius, side, ahead), _arc(far, radius, -side, -ahead)])
        out.append(Piece(np.concatenate([band, band[:1]]), SIDES[look], EDGE, nearness, solid.paleness))
    out.append(Piece(_disc(near, radius, axis), ENDS[look], EDGE, nearness, solid.paleness))
    if look in (JOINT, CLOSURE):
        out.append(Piece(_disc(near, 0.4 * radius, axis), PIN, EDGE, nearness, solid.paleness))
    return out


def _box(solid: Solid, eye: Array) -> list[Piece]:
    R, centre, look = solid.pose[:3, :3], solid.pose[:3, 3], solid.part.look
    half = np.array(solid.part.size) / 2.0
    nearness = float(eye @ centre + np.abs(eye @ R) @ half)
    out = []
    for k in range(3):
        facing = 1.0 if eye @ R[:, k] > 0.0 else -1.0
        if abs(eye @ R[:, k]) < ALONG:
            continue
        i, j = (k + 1) % 3, (k + 2) % 3
        corners = np.zeros((5, 3))
        corners[:, k] = facing * half[k]
        corners[:, i], corners[:, j] = half[i] * np.array([1, 1, -1, -1, 1]), half[j] * np.array([1, -1, -1, 1, 1])
        fill = ENDS[look] if k == 2 else SIDES[look]
        out.append(Piece(centre + corners @ R.T, fill, EDGE, nearness, solid.paleness))
    return out


def _capsule(solid: Solid, eye: Array) -> list[Piece]:
    (radius, length), look = solid.part.size, solid.part.look
    axis, centre, fill = solid.pose[:3, 2], solid.pose[:3, 3], SIDES[solid.part.look]
    start, side = centre - length / 2.0 * axis, np.cross(axis, eye)
    if np.linalg.norm(side) < ALONG:
        top = centre + (length / 2.0) * axis * np.sign(axis @ eye)
        return [Piece(_disc(top, radius, eye), ENDS[look], EDGE, float(eye @ top) + radius, solid.paleness)]
    side /= np.linalg.norm(side)
    ahead = np.cross(eye, side)
    count = max(1, int(np.ceil(length / (PIECE * radius))))
    out = []
    for k in range(count):
        low, high = k / count, (k + 1) / count
        a, b = start + low * length * axis, start + high * length * axis
        nearness = float(max(eye @ a, eye @ b)) + radius
        reach = OVERLAP * length / count * axis
        left = _arc(a, radius, side, -ahead)[::-1] if k == 0 else _ends(a, radius, side)
        right = _arc(b, radius, side, ahead) if k == count - 1 else _ends(b, radius, side)[::-1]
        under = [left[:1], *([_ends(a - reach, NARROW * radius, side)] if k else [left[1:-1]]), left[-1:], right[:1]]
        under += [*([_ends(b + reach, NARROW * radius, side)[::-1]] if k < count - 1 else [right[1:-1]]), right[-1:]]
        out.append(Piece(np.concatenate(under), fill, None, nearness, solid.paleness))
        if count == 1:
            edges = [np.concatenate([left, right, left[:1]])]
        elif k == 0:
            edges = [np.concatenate([right[-1:], left, right[:1]])]
        elif k == count - 1:
            edges = [np.concatenate([left[-1:], right, left[:1]])]
        else:
            edges = [np.array([left[0], right[-1]]), np.array([left[-1], right[0]])]
        out += [Piece(edge, None, EDGE, nearness, solid.paleness) for edge in edges]
    return out


def _ends(centre: Array, radius: float, side: Array) -> Array:
    """(2, 3) the points of a band's sides, from that against `side` to that along it."""
    return np.array([centre - radius * side, centre + radius * side])


_DRAWN = {"sphere": _sphere, "cylinder": _cylinder, "box": _box, "capsule": _capsule}
