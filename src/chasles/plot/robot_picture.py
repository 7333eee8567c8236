"""Pictures of robots, in three dimensions and in planes, from shapes that their screws give (model/drawn_shapes.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import names
from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import robot_of
from chasles.figures.style import LINE, SMALL
from chasles.model.drawn_shapes import TOOL, Part, joint_point, parts, pose_at, size
from chasles.model.mechanism import Mechanism
from chasles.palette import BLUE, GREEN, VERMILLION
from chasles.plot.closed_loops import closures, loop_solids, plate, without_rails
from chasles.plot.solids import BASE, Solid
from chasles.plot.systems import configuration, configurations
from chasles.plot.views import checked_view, extended, flat, opened
from chasles.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
AXES = {"x": VERMILLION, "y": GREEN, "z": BLUE}
TRIAD = 0.12  # the length of a frame's axes, over the size of the robot
PALEST, PALE = 0.82, 0.6  # of the first ghost and the last


def robot(
    robot: Robot | ConstrainedSystem,
    q: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
    view: str | None = None,
    frames: str | Sequence[str] = (),
    ghosts: ArrayLike | None = None,
) -> Figure:
    """A Figure of a robot at q (nq,), with its loops closed where it is under constraints.

    q: by default home, or the middle of the limits where home is outside of them. ax: axes to draw on (default: those
    of a new Figure). view: "3d", or the plane "xy", "xz", "yz" of space (default: its own plane for a planar robot,
    else "3d"). frames: names of frames whose axes are drawn, x vermillion, y green, z blue. ghosts: (k, nq) other
    configurations, drawn pale, the first palest.
    """
    own = robot_of(robot, "plot")
    at = configuration("plot", robot, q)
    named = [frames] if isinstance(frames, str) else names(frames, "plot: frames")
    triads = [own.forward_kinematics(at, name) for name in named]
    pale = np.empty((0, own.nq)) if ghosts is None else configurations("plot", robot, ghosts, "ghosts")
    checked_view("plot", own.mechanism, ax, view)
    on, view = opened("plot", own.mechanism, ax, view)
    from chasles.plot.solid_artist import draw

    solids = []
    for row, paleness in zip(pale, np.linspace(PALEST, PALE, len(pale)), strict=True):
        solids += solids_of(robot, row, float(paleness))
    if view != "3d":  # the robot in front of all ghosts
        draw(on, view, solids)
        solids = []
    draw(on, view, [*solids, *solids_of(robot, at, 0.0)], 2.5)
    for name, T in zip(named, triads, strict=True):
        _triad(on, view, name, T, TRIAD * size(own.mechanism))
    return on.figure


def solids_of(system: Any, q: Array, paleness: float) -> list[Solid]:
    """The shapes of a robot at q (nq,), and of its loops."""
    own = robot_of(system, "plot")
    m = own.mechanism
    moving, base = parts(m)
    loops = closures(system, q) if isinstance(system, ConstrainedSystem) else []
    closed = {name for loop in loops for name in loop.frames}
    if loops:
        moving = [without_rails(of_link) for of_link in moving]
    out = _ground(m, base, paleness)
    for T, of_link in zip(own.link_poses(q), moving, strict=True):
        shown = [part for part in of_link if part.look != TOOL or "tool" not in closed]
        out += [Solid(part, T @ part.pose, paleness) for part in shown]
    return out + loop_solids(own, q, loops, moving, paleness)


def _ground(m: Mechanism, base: list[Part], paleness: float) -> list[Solid]:
    """What stands still: a post with a plate, or a plate under each joint where there are several."""
    roots = [i for i, parent in enumerate(m.parents) if parent < 0 and m.kinds[i] == "screw"]
    if len(roots) > 1:
        return [Solid(plate(m), pose_at(joint_point(m, i)) @ plate(m).pose, paleness) for i in roots]
    kinds = {"capsule": "cylinder"}  # whose end is flat
    return [Solid(part._replace(kind=kinds.get(part.kind, part.kind), look=BASE), part.pose, paleness) for part in base]


def _triad(ax: Any, view: str, name: str, T: Array, length: float) -> None:
    """The axes of a frame, with its name."""
    ends = T[:3, 3] + length * T[:3, :3].T
    for colour, end in zip(AXES.values(), ends, strict=True):
        line = np.array([T[:3, 3], end])
        ax.plot(*flat(line, view), color=colour, linewidth=1.4 * LINE, linestyle="-", solid_capstyle="round", zorder=4)
    place = T[:3, 3] - 0.5 * length * T[:3, :3].sum(axis=1)
    ax.text(*flat(place, view), name, fontsize=SMALL, ha="center", va="center", parse_math=False, zorder=5)
    extended(ax, np.vstack([ends, place]))
