"""Paths of a frame, in three dimensions and in planes, over a motion of the joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from chasles.arguments import text
from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import robot_of
from chasles.errors import ShapeError
from chasles.figures.style import LINE
from chasles.palette import VERMILLION
from chasles.plot.systems import configurations, frame_poses
from chasles.plot.views import checked_view, extended, flat, opened
from chasles.robot import Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def path(
    robot: Robot | ConstrainedSystem,
    q: ArrayLike,
    frame: str | None = None,
    *,
    ax: Axes | None = None,
    view: str | None = None,
    colour: str = VERMILLION,
) -> Figure:
    """A Figure of the path of a frame's origin (default: the tool) over configurations q (T, nq), such as `motion.q`.

    It begins at a ring and ends at a dot. ax, view: as of `robot`. colour: as matplotlib names them.
    """
    own = robot_of(robot, "path")
    rows = configurations("path", robot, q)
    if len(rows) < 2:
        raise ShapeError(f"path: q must have two configurations at least, got shape {rows.shape}")
    points = frame_poses("path", own, rows, frame)[:, :3, 3]
    checked_view("path", own.mechanism, ax, view)
    refuse_no_colour("path", colour)
    on, view = opened("path", own.mechanism, ax, view)
    style = {"color": colour, "zorder": 4, "linestyle": "-"}
    on.plot(*flat(points, view), linewidth=1.3 * LINE, solid_joinstyle="round", **style)
    ends = {"marker": "o", "markersize": 3.6, "markeredgecolor": colour, "markeredgewidth": 0.8 * LINE, **style}
    for point, fill in ((points[:1], "#ffffff"), (points[-1:], colour)):
        on.plot(*flat(point, view), markerfacecolor=fill, **ends)
    extended(on, points)
    return on.figure


def refuse_no_colour(what: str, colour: str) -> None:
    """Raise where matplotlib knows no such colour."""
    from chasles.errors import ModelError
    from chasles.figures import require

    text(colour, f"{what}: colour")
    require(what)
    from matplotlib.colors import is_color_like

    if not is_color_like(colour):
        raise ModelError(
            f"{what}: colour must be one that matplotlib knows, such as 'black' or '#0072b2', got {colour!r}"
        )
