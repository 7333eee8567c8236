"""Workspaces: where a frame gets to, and how often, at random configurations.

Joints are uniform within their limits, or over a turn or from -1 to 1 m where there are none. A planar robot is shown
in its plane; of another one the points within a thin slab about a plane of coordinates are, a section. The density is
the share of configurations a square metre, over its largest value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import count, number, one_of
from chasles.colour_scales import SIZES
from chasles.drawn_systems import robot_of
from chasles.errors import ModelError
from chasles.figures import framed
from chasles.plot.colour_bars import colour_bar, colour_map
from chasles.plot.joint_plane import axes as joint_axes
from chasles.plot.systems import frame_poses
from chasles.plot.views import PLANES, checked_view, extended, opened, plane_of
from chasles.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
CHUNK = 50_000  # configurations computed at once
CELLS = 140  # along the longer side
FEW, LEAST = 60, 0.15  # places a cell on the whole below which cells are smoothed; and in one that is shown
SLAB = 0.03  # the thickness of a section, over the reach


def workspace(
    robot: Robot,
    frame: str | None = None,
    *,
    view: str | None = None,
    offset: float = 0.0,
    samples: int = 1_000_000,
    ax: Axes | None = None,
) -> Figure:
    """A Figure of the density with which a frame (default: the tool) reaches places, at random configurations.

    view: the plane "xy", "xz" or "yz", through `offset` metres along the third axis (default: a planar robot's own,
    else "xz"). samples: how many configurations, the same each time. ax: plane axes to draw on.
    """
    own = robot_of(robot, "workspace")
    if robot is not own:
        raise ModelError("workspace: robot must be a Robot; configurations under constraints cannot be drawn at random")
    flat = plane_of(own.mechanism)
    if view is not None:
        one_of(view, "workspace: view", tuple(PLANES))
    at, many = number(offset, "workspace: offset", "of metres"), count(samples, "workspace: samples", 100)
    chosen = view or flat or "xz"
    checked_view("workspace", own.mechanism, ax, chosen)
    points = reached(own, frame, many)
    if flat != chosen:
        across = 3 - sum(PLANES[chosen])
        slab = SLAB * float(np.ptp(points, axis=0).max())
        points = points[np.abs(points[:, across] - at) < slab / 2.0]
        if len(points) < 100:
            raise ModelError(f"workspace: hardly any place is reached in the plane {chosen} at {at:g} m")
    on, _ = opened("workspace", own.mechanism, ax, chosen)
    image = _shown(on, points[:, PLANES[chosen]])
    colour_bar(on, image, "density of reached places, relative")
    extended(on, points)
    framed(on)
    return on.figure


def reached(robot: Robot, frame: str | None, samples: int) -> Array:
    """(samples, 3) places of a frame at random configurations."""
    rng, known = np.random.default_rng(0), joint_axes(robot)
    frame_poses("workspace", robot, robot.neutral(), frame)
    out = []
    for first in range(0, samples, CHUNK):
        rows = min(CHUNK, samples - first)
        q = np.tile(robot.neutral(), (rows, 1))
        for own in robot.mechanism.own_joints:
            if own.joint.nq > 1:
                q[:, own.q] = [own.joint.random(rng) for _ in range(rows)]
        for axis in known:
            q[:, axis.coordinate] = rng.uniform(axis.lower, axis.upper, rows)
        out.append(robot.forward_kinematics(q, frame)[:, :3, 3])
    return np.concatenate(out)


def _smooth(rows: Array) -> Array:
    """The mean over neighbours along the first axis, with binomial weights."""
    padded = np.pad(rows, ((2, 2), (0, 0)))
    weights = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0
    return np.asarray(sum(w * padded[k : k + len(rows)] for k, w in enumerate(weights)))


def _shown(ax: Any, points: Array) -> Any:
    """Densities as an image, in cells that are squares."""
    low, span = points.min(axis=0), np.ptp(points, axis=0)
    side = float(span.max()) / CELLS or 1.0
    cells = np.maximum(1, np.ceil(span / side).astype(int))
    high = low + side * cells
    found, _, _ = np.histogram2d(*points.T, bins=cells, range=np.stack([low, high], axis=1))
    if found.sum() < FEW * (found > 0.0).sum():
        found = _smooth(_smooth(found.T).T)
    shown = np.ma.masked_less(found.T, LEAST) / np.percentile(found[found > LEAST], 99.0)
    return ax.imshow(
        np.ma.clip(shown, 0.0, 1.0),
        origin="lower",
        extent=(low[0], high[0], low[1], high[1]),
        cmap=colour_map(SIZES),
        vmin=0.0,
        vmax=1.0,
        zorder=1,
        interpolation="none",
    )
