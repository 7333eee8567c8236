"""Closed loops: where the links of a robot under constraints meet, found from the robot and a configuration.

Two frames of different links belong together where they have the same place at a configuration that satisfies the
constraints, and not at others; a frame belongs to the ground where no motion that is allowed moves it. Whatever says
so, a loop closure or a function: a joint is drawn there, and each link reaches to it.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.constrained import ConstrainedSystem
from chasles.model.drawn_shapes import THICKNESS, Part, joint_point, pose_along, pose_at, size
from chasles.model.mechanism import Mechanism
from chasles.plot.solids import BASE, CLOSURE, LINK, Solid
from chasles.plot.views import EYES, plane_of

Array = NDArray[np.float64]
MET = 1e-5  # distance of frames that coincide, over the size of the robot
HERE = np.eye(4)
STEP, STILL = 1e-5, 1e-6  # of a difference; a speed that is none, over the size of the robot
SAMPLES = 3  # free configurations at which those that always coincide do


class Closure(NamedTuple):
    """Two frames that a constraint holds together: the numbers of their links, -1 the base, and their names."""

    links: tuple[int, int]
    frames: tuple[str, str]


def closures(system: ConstrainedSystem, q: Array) -> list[Closure]:
    """Of a robot under constraints, which q (nq,) satisfies; one for each pair of links that meet somewhere."""
    robot: Any = system.system
    m: Mechanism = robot.mechanism
    names = list(robot.frame_names)
    bodies = [m.frames[name].body for name in names]
    rng = np.random.default_rng(0)
    rows = np.array([q, *(robot.random(rng) for _ in range(SAMPLES))])
    places = robot.frame_poses(rows)[..., :3, 3]
    near = MET * size(m)
    found: dict[tuple[int, int], Closure] = {}
    for a, b in combinations(range(len(names)), 2):
        apart = np.linalg.norm(places[:, a] - places[:, b], axis=-1)
        pair = (bodies[a], bodies[b])
        if bodies[a] != bodies[b] and apart[0] < near < apart[1:].max() and pair not in found:
            found[pair] = Closure(pair, (names[a], names[b]))
    grounded = {link for pair in found if -1 in pair for link in pair}
    for k, speed in enumerate(_speeds(system, q)):
        moves = np.ptp(places[:, k], axis=0).max() > near
        if bodies[k] >= 0 and bodies[k] not in grounded and moves and speed < STILL * size(m):
            found[-1, bodies[k]] = Closure((-1, bodies[k]), ("base", names[k]))
            grounded.add(bodies[k])
    return list(found.values())


def _speeds(system: ConstrainedSystem, q: Array) -> Array:
    """(frames,) the largest speed of each frame's origin at allowed velocities of length one, by differences."""
    robot: Any = system.system
    _, values, rows = np.linalg.svd(system.rows.A(q))
    free = rows[int((values > 1e-9 * values[0]).sum()) :]
    both = np.array([robot.integrate(q, side * STEP * v) for v in free for side in (1.0, -1.0)])
    places = robot.frame_poses(both)[..., :3, 3]
    return np.linalg.norm(places[::2] - places[1::2], axis=-1).max(axis=0) / (2.0 * STEP)


def plate(m: Mechanism) -> Part:
    """On the ground, under a joint: across the plane of a planar mechanism, else lying."""
    radius = THICKNESS * size(m)
    T = pose_along(np.zeros(3), EYES[plane_of(m) or "xy"])
    return Part("cylinder", (2.2 * radius, 0.5 * radius), T, BASE)


def loop_solids(robot: Any, q: Array, loops: list[Closure], paleness: float) -> list[Solid]:
    """The links that reach to where loops close, and the joints there."""
    m: Mechanism = robot.mechanism
    radius, plane = THICKNESS * size(m), plane_of(m)
    poses = robot.link_poses(q)
    out = []
    for links, frames in loops:
        place = robot.forward_kinematics(q, frames[1])[:3, 3]
        for link in links:
            if link < 0:
                out.append(Solid(plate(m), pose_at(place) @ plate(m).pose, paleness))
                continue
            joint = poses[link] @ np.linalg.inv(m.homes[link]) @ [*joint_point(m, link), 1.0]
            length = float(np.linalg.norm(place - joint[:3]))
            if length > radius:
                T = pose_along((place + joint[:3]) / 2.0, place - joint[:3])
                out.append(Solid(Part("capsule", (radius, length), HERE, LINK), T, paleness))
        if plane is not None:
            pin = Part("cylinder", (1.35 * radius, 2.7 * radius), HERE, CLOSURE)
            out.append(Solid(pin, pose_along(place, EYES[plane]), paleness))
        else:
            out.append(Solid(Part("sphere", (1.4 * radius,), HERE, CLOSURE), pose_at(place), paleness))
    return out
