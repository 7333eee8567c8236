"""Views: in which plane, or in three dimensions, a robot is drawn, on which axes, and how far they reach.

Axes remember their view and what they show, so that pictures can be put on one another: a robot, its ellipsoid, a path.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import one_of
from chasles.errors import ModelError
from chasles.figures import HEIGHT, WIDTHS, framed, label, new_axes, new_figure, require
from chasles.model.mechanism import Mechanism

Array = NDArray[np.float64]
PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
EYES = {"xy": np.array([0.0, 0.0, 1.0]), "xz": np.array([0.0, -1.0, 0.0]), "yz": np.array([1.0, 0.0, 0.0])}
VIEWS = ("3d", *PLANES)
MARGIN = 0.06  # around what is shown, over its size
SOLID = 0.85  # the height of a figure in three dimensions, over its width
THINNEST = 0.6  # of a box in three dimensions: its least side over its largest
TALL, WIDE = 0.8, 0.88  # how large it is shown, up and across
LEAST = 1e-6  # m, of what axes span
SMALL = 1e-9  # of a screw, that counts as none


class Seen(NamedTuple):
    """The view of axes, and the corners (2, 3) of the box that they show."""

    view: str
    box: Array


_seen: WeakKeyDictionary[Any, Seen] = WeakKeyDictionary()


def plane_of(m: Mechanism) -> str | None:
    """The plane of coordinates in which all of a mechanism moves, or None."""
    if not m.bodies:
        return None
    for name, (i, j) in PLANES.items():
        k = 3 - i - j  # across it
        if all(_moves_across(m, body, k, (i, j)) for body in range(m.bodies)):
            return name
    return None


def _moves_across(m: Mechanism, body: int, k: int, plane: tuple[int, int]) -> bool:
    """Whether a joint turns about axis k alone, and slides along the plane alone."""
    if m.kinds[body] == "planar":
        return bool(abs(m.homes[body][k, 2]) > 1.0 - SMALL)
    if m.kinds[body] != "screw":
        return False
    screw = np.asarray(m.screws[body], dtype=float)
    size = float(np.abs(screw).max())
    return bool(np.abs(screw[[*plane, 3 + k]]).max() <= SMALL * size)


def opened(what: str, m: Mechanism, ax: Any, view: str | None) -> tuple[Any, str]:
    """The axes to draw on, new ones where none are given, and the view.

    That is the view of the axes, if they have one; else a planar mechanism's own plane; else three dimensions.
    """
    view = checked_view(what, m, ax, view)
    if ax is None:
        across = WIDTHS["one column"]
        ax = new_axes(new_figure(across, (SOLID if view == "3d" else HEIGHT) * across, what), solid=view == "3d")
    if ax not in _seen:
        _seen[ax] = Seen(view, np.array([[np.inf] * 3, [-np.inf] * 3]))
        _named(ax, view)
    return ax, view


def checked_view(what: str, m: Mechanism, ax: Any, view: str | None) -> str:
    """The view that is meant; refused where the axes have another."""
    if view is not None:
        one_of(view, f"{what}: view", VIEWS)
    if ax is None:
        return view or plane_of(m) or "3d"
    refuse_no_axes(what, ax)
    there = _seen[ax].view if ax in _seen else None
    solid = hasattr(ax, "get_zlim")
    found = view or there or ("3d" if solid else plane_of(m) or "xz")
    if there is not None and found != there:
        raise ModelError(f"{what}: ax shows the view {there!r}, and {found!r} does not fit into it")
    if solid != (found == "3d"):
        need = 'axes in three dimensions, ch.plot.figure(views="3d")' if found == "3d" else "plane axes"
        raise ModelError(f"{what}: the view {found!r} needs {need}, or choose another view")
    return found


def refuse_no_axes(what: str, ax: Any) -> None:
    """Raise where ax is no matplotlib Axes."""
    require(what)
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise ModelError(
            f"{what}: ax must be matplotlib axes, such as ch.plot.figure()[1][0, 0], got {type(ax).__name__}"
        )


def plane_axes(what: str, ax: Any, height: float = HEIGHT) -> Any:
    """The axes of a picture that is no view of a robot, new ones where none are given."""
    if ax is None:
        return new_axes(new_figure(WIDTHS["one column"], height * WIDTHS["one column"], what))
    refuse_no_axes(what, ax)
    if hasattr(ax, "get_zlim") or (ax in _seen):
        raise ModelError(f"{what}: ax shows a robot, or three dimensions; give other axes, or none")
    return ax


def flat(points: Array, view: str) -> tuple[Array, ...]:
    """Coordinates of points (..., 3) as the axes of a view take them."""
    return tuple(points[..., k] for k in (PLANES[view] if view in PLANES else range(3)))


def extended(ax: Any, points: Array) -> None:
    """The axes show points (..., 3) too, at equal scales."""
    view, box = _seen[ax]
    shown = points.reshape(-1, 3)
    box = np.array([np.minimum(box[0], shown.min(axis=0)), np.maximum(box[1], shown.max(axis=0))])
    _seen[ax] = Seen(view, box)
    middle, half = box.mean(axis=0), np.maximum(np.ptp(box, axis=0) / 2.0, LEAST)
    if view == "3d":
        half = np.maximum(half, THINNEST * half.max()) + MARGIN * half.max()
        ax.set(**{f"{name}lim": (middle[k] - half[k], middle[k] + half[k]) for k, name in enumerate("xyz")})
        ax.set_box_aspect(half, zoom=_zoom(ax, half))
        return
    plane = list(PLANES[view])
    half = half + MARGIN * half[plane].max()
    ax.update_datalim([(middle - half)[plane], (middle + half)[plane]])
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.0)
    ax.autoscale_view()


def _zoom(ax: Any, half: Array) -> float:
    """How large a box is shown, so that it fills the axes: matplotlib's own size is that of its diagonal."""
    elevation, azimuth = np.deg2rad(ax.elev), np.deg2rad(ax.azim)
    c, s = np.abs([np.cos(azimuth), np.sin(azimuth)])
    up = half[2] * np.cos(elevation) + (half[0] * c + half[1] * s) * abs(np.sin(elevation))
    across = half[0] * s + half[1] * c
    return float(np.linalg.norm(half) * min(TALL / up, WIDE / across))


def _named(ax: Any, view: str) -> None:
    from matplotlib.ticker import MaxNLocator

    names = "xyz" if view == "3d" else view
    label(ax, x=f"{names[0]} (m)", y=f"{names[1]} (m)")
    if view == "3d":
        ax.set_zlabel("z (m)")
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.labelpad = -5
            axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    else:
        framed(ax)
