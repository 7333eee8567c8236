"""Screw axes of a robot's joints, as chain lines with the numbers of their joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import robot_of
from chasles.errors import ModelError
from chasles.figures.style import LINE, SMALL
from chasles.model.drawn_shapes import joint_point, size
from chasles.plot.systems import configuration
from chasles.plot.views import checked_view, extended, flat, opened
from chasles.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
HALF = 0.2  # the length of an axis to each side of its joint, over the size of the robot
DARK = "#8a2a67"  # Okabe and Ito's purple, darker: it is drawn on blue joints
PAPER = {"boxstyle": "round,pad=0.1", "facecolor": "#ffffff", "edgecolor": "none", "alpha": 0.75}
CHAIN = (0, (8, 2, 1, 2))


def screws(
    robot: Robot | ConstrainedSystem, q: ArrayLike | None = None, *, ax: Axes | None = None, view: str | None = None
) -> Figure:
    """A Figure of the screw axes of a robot's joints at q (nq,): S1, S2, ..., as `joint_names`.

    An axis is drawn about the point nearest to its link's origin, its arrow along the screw; of a joint that slides, in
    the direction of sliding. An axis that points at the eye in a plane view is a ring. q, ax, view: as of `robot`.
    """
    own = robot_of(robot, "screws")
    at = configuration("screws", robot, q)
    found = lines(own, at)
    if not found:
        raise ModelError(f"screws: robot {own.name!r} has no joint that is a screw")
    checked_view("screws", own.mechanism, ax, view)
    on, view = opened("screws", own.mechanism, ax, view)
    half = HALF * size(own.mechanism)
    for number, (point, axis) in found.items():
        ends = point + np.outer([-half, half], axis)
        seen = np.ptp(np.stack(flat(ends, view)), axis=1)
        if np.hypot(*seen[:2]) < 1e-3 * half and view != "3d":
            on.plot(*flat(point[None], view), "o", markersize=5.0, markerfacecolor="none", color=DARK, zorder=5)
        on.plot(*flat(ends, view), color=DARK, linewidth=0.8 * LINE, linestyle=CHAIN, zorder=5)
        head = _head(ends[1], axis, 0.16 * half)
        on.plot(*flat(head, view), color=DARK, linewidth=0.8 * LINE, linestyle="-", zorder=5)
        where = (
            point + 1.16 * half * axis
            if view == "3d" or np.hypot(*seen[:2]) > half
            else point + 0.55 * half * np.ones(3)
        )
        text = {"fontsize": SMALL, "color": DARK, "ha": "center", "va": "center", "zorder": 6, "bbox": PAPER}
        on.text(*flat(where, view), f"S{number + 1}", **text)
        extended(on, np.vstack([ends, where]))
    return on.figure


def lines(robot: Robot, q: Array) -> dict[int, tuple[Array, Array]]:
    """By the number of a joint in `joint_names`: a point of its screw's axis (3,) and its direction (3,), in space."""
    m, poses = robot.mechanism, robot.link_poses(q)
    out = {}
    for k, own in enumerate(m.own_joints):
        if m.kinds[own.link] != "screw":
            continue
        S = np.asarray(m.screws[own.link], dtype=float)
        moved = poses[own.link] @ np.linalg.inv(m.homes[own.link])  # which keeps the joint's own screw on its axis
        axis = S[:3] if np.linalg.norm(S[:3]) > 1e-12 else S[3:]
        direction = moved[:3, :3] @ axis / np.linalg.norm(axis)
        out[k] = (moved @ [*joint_point(m, own.link), 1.0])[:3], direction
    return out


def _head(tip: Array, axis: Array, length: float) -> Array:
    """(3, 3) the lines of an arrow's head."""
    across = np.asarray(np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))]), dtype=float)
    across *= 0.4 * length / np.linalg.norm(across)
    return np.array([tip - length * axis + across, tip, tip - length * axis - across])
