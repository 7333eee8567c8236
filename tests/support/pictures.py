"""Pictures, asked for what they show, and a linkage to draw."""

from functools import cache
from typing import Any

import numpy as np

import chasles as ch


def is_drawn(ax: Any) -> bool:
    """Whether axes show something: pixels that are not those of the same axes without what is drawn on them."""
    figure = ax.figure
    artists = [*ax.lines, *ax.collections, *ax.patches, *ax.images]
    seen = _pixels(figure)
    for artist in artists:
        artist.set_visible(False)
    bare = _pixels(figure)
    for artist in artists:
        artist.set_visible(True)
    return bool((seen != bare).any(axis=-1).mean() > 1e-3)


def _pixels(figure: Any) -> np.ndarray:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(50)
    figure.set_layout_engine("none")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).copy()


def line(ax: Any, k: int = 0) -> np.ndarray:
    """(points, 2 or 3) the data of a line of axes."""
    one = ax.lines[k]
    return np.stack(one.get_data_3d() if hasattr(one, "get_data_3d") else one.get_data(), axis=-1)


def at(p: Any) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = p
    return T


@cache
def four_bar(lengths: tuple[float, ...] = (0.2, 0.5, 0.4), ground: float = 0.45) -> ch.ConstrainedSystem:
    """Crank, coupler and rocker in a row, the last one's tip on the ground at `pin`."""
    feet = np.cumsum([0.0, *lengths])
    links = [ch.Link(x, (x / 2, 0.0, 0.0), (0.0, x**3 / 12, x**3 / 12)) for x in lengths]
    robot = ch.Robot.from_screws(
        [ch.screw((0, 0, 1), (x, 0.0, 0.0)) for x in feet[:-1]],
        [at((x, 0.0, 0.0)) for x in feet[:-1]],
        links,
        tool=at((feet[-1], 0.0, 0.0)),
        frames={"pin": ("base", at((ground, 0.0, 0.0)))},
    )
    return ch.ConstrainedSystem(robot, ch.Constraint.loop_closure("pin", "tool", "tx ty"), start=[1.0, -0.8, -0.9])
