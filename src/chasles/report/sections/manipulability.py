"""Manipulability: how well the tool moves, over two joints, and the singularities that were met."""

from __future__ import annotations

import numpy as np

from chasles.markup import Markup, joined, number
from chasles.plot.joint_plane import Array
from chasles.report.heat_map import Scale
from chasles.report.joint_map import chosen_axes, joint_map, over_two, varies, where
from chasles.report.subject import Subject
from chasles.report.typeset import figures, in_words, note, text, whole_table

TITLE = "Manipulability and singularities"
ROWS = "tx ty tz"
_NEAR = 0.02  # of the median of the smallest singular value


def body(subject: Subject) -> Markup:
    if not subject.robot.n:
        return Markup("")
    if not subject.has_tool:
        return note(
            "The robot has no tool, so there is nothing whose motion is measured; robot.with_tool(T, link=...) gives "
            "it one."
        )
    free = subject.freedom
    parts = [text(_freedom(subject)), _singular(subject)]
    if free.sliding and len(subject.axes) > 1:

        def measure(q: Array) -> Array:
            return np.prod(subject.robot.singular_values(q, rows=ROWS)[..., : free.sliding], axis=-1)

        cut = over_two(subject, chosen_axes(subject, measure), measure)
        high = float(np.nanmax(cut.values))
        unit = "m" if free.sliding == 1 else f"m^{free.sliding}"
        meaning = "Zero at singularities, larger where the same joint speeds move the tool faster."
        scale = Scale(0.0, high or 1.0, unit)
        best = "It is the same all over the map."
        if varies(cut):
            best = joined(["Best at ", where(cut, cut.extreme(np.nanargmax)[1]), "."])
        kind = {1: "length", 2: "area", 3: "volume"}[free.sliding]
        about = (
            f"Manipulability of the position is the {kind} of the set of velocities that the tool can have while the "
            "joints' have length one, up to a constant factor: the product of the singular values of its Jacobian."
        )
        parts += [text(about, " ", best), figures(joint_map(subject, cut, scale, "Manipulability", meaning))]
    return joined(parts)


def _freedom(subject: Subject) -> Markup:
    """Words for the tool's degrees of freedom."""
    free, n = subject.freedom, subject.robot.n
    moves = in_words(free.sliding, "direction")
    words = f"The tool moves in {moves} and turns about {in_words(free.turning, 'axis', 'axes')}"
    together = f": {in_words(free.both, 'degree')} of freedom" if free.both != free.sliding + free.turning else ""
    spare = n - free.both
    rest = "."
    if spare > 0:
        more = in_words(spare, "degree").capitalize()
        rest = f". {more} of freedom more than that: the robot can move while the tool stands still."
    return joined([words, together + " together" * bool(together), rest])


def _singular(subject: Subject) -> Markup:
    """A table of smallest singular values over the samples, of position, orientation and pose."""
    free, rows = subject.freedom, []
    length = joined(["both, lengths in units of ", number(subject.length, "m", 3)])
    for name, rank, part, unit in (
        ("position / m", free.sliding, slice(3, 6), subject.length),
        ("orientation", free.turning, slice(0, 3), 1.0),
        (length, free.both, slice(0, 6), 1.0),
    ):
        if rank:
            values = np.linalg.svd(subject.jacobians[:, part], compute_uv=False)[:, rank - 1] * unit
            middle = float(np.median(values))
            share = 100.0 * float((values < _NEAR * middle).mean())
            rows.append([name, rank, middle, float(values.min()), share])
    heads = ("motion of the tool", "ways", "median", "least", f"below {100 * _NEAR:g} % of the median / %")
    meaning = (
        f"The smallest singular value of its Jacobian, over {len(subject.samples)} random poses: how fast it moves in "
        "its worst direction while the joint velocities have length one. Zero is a singular pose; the last column "
        "tells how many are near to one."
    )
    return joined([whole_table(heads, rows), note(meaning)])
