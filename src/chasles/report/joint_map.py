"""Maps of a robot's functions over two joints, with what stands below them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.markup import Markup, joined, number
from chasles.plot.joint_plane import Array, Axis, Slice, grid, most_varied
from chasles.report.heat_map import Mark, Range, Scale, heat_map
from chasles.report.subject import Subject
from chasles.report.typeset import figure, place

SIZE = 48  # cells an axis
MOST = 12  # joints among which two are chosen
_SAME = 1e-6  # of the largest value: what is no difference
CHOOSING = 5  # points an axis when they are


def chosen_axes(
    subject: Subject, field: Callable[[Array], Array], candidates: list[Axis] | None = None
) -> tuple[Axis, Axis]:
    """The two joints, of the first `MOST` or these, over which a function of configurations (k, nq) varies most."""
    return most_varied(candidates or subject.axes[:MOST], subject.at, lambda q, _: field(q), CHOOSING)


def over_two(subject: Subject, axes: tuple[Axis, Axis], field: Callable[[Array], Array], size: int = SIZE) -> Slice:
    """A function of configurations (k, nq) over two joints, all others as `subject.at` has them."""
    q = grid(*axes, subject.at, size)
    return Slice(*axes, subject.at, np.asarray(field(q), dtype=float).reshape(size, size))


def joint_map(subject: Subject, cut: Slice, scale: Scale, title: str, meaning: Any) -> Markup:
    """The map as a figure. A ring marks the largest value, a cross where the robot is at home."""
    x, y = (Range(axis.label, axis.lower, axis.upper) for axis in (cut.x, cut.y))
    marks = []
    if varies(cut):
        value, q = cut.extreme(np.nanargmax)
        words = f"largest: {number(value, scale.unit)}"
        marks.append(Mark(q[cut.x.coordinate], q[cut.y.coordinate], "ring", words))
    a, b = subject.at[cut.x.coordinate], subject.at[cut.y.coordinate]
    if x.lower <= a <= x.upper and y.lower <= b <= y.upper:
        marks.append(Mark(a, b, "cross", "the pose that other joints are in"))
    picture = heat_map(cut.values, x, y, scale, title=f"{title} over {cut.x.name} and {cut.y.name}", marks=marks)
    others = "the others in the pose shown above" if subject.pose else "the others at home"
    across = joined([title, " over ", cut.x.name, " and ", cut.y.name])
    much = "over which it varies much, " if varies(cut) else ""
    chosen = "" if subject.robot.n == 2 else f", {much}{others}"
    return figure(picture, joined([across, chosen, ". ", meaning]))


def varies(cut: Slice) -> bool:
    """Whether the values of a map differ by more than rounding."""
    known = cut.values[np.isfinite(cut.values)]
    return bool(known.size) and float(np.ptp(known)) > _SAME * float(np.abs(known).max())


def where(cut: Slice, q: Array) -> Markup:
    """The joints of a configuration of a map, without one that the values do not depend on."""
    least = 1e-9 * float(np.nanmax(np.abs(cut.values)))
    varied = [float(np.nan_to_num(np.ptp(cut.values, axis=k)).max()) > least for k in (1, 0)]
    axes = [axis for axis, varies in zip((cut.x, cut.y), varied, strict=True) if varies or not any(varied)]
    return place([a.name for a in axes], [a.unit for a in axes], [q[a.coordinate] for a in axes])
