"""The workspace: the points that the tool, or the tips of a branched robot, reach, and how densely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chasles.markup import Markup, joined, number
from chasles.model.facts import axis as screw_axis
from chasles.model.screws import joint_kind
from chasles.plot.joint_plane import Array
from chasles.report.heat_map import Range, Scale, heat_map
from chasles.report.subject import Subject
from chasles.report.typeset import figure, figures, in_words, listing, note, text, thousands
from chasles.report.words import tips

TITLE = "Workspace"
POINTS, TIP_POINTS = 2**16, 2**12
CELLS = 96
_FLAT = 1e-6  # of the extent: what is no height
_LEAST = 0.3  # of the longer side of a picture: its shorter side at least


class View(NamedTuple):
    """Two coordinates of points (..., 3) that are drawn."""

    title: str
    x: str
    y: str
    seen: Callable[[Array], Array]


def body(subject: Subject) -> Markup:
    if not subject.axes:
        return note("No joint moves the tool along a screw: there is no workspace to sample.")
    reached, what = _reached(subject)
    skeleton = _skeleton(subject)
    spread = np.ptp(reached, axis=0)
    size = float(spread.max())
    if not size > 0.0:
        return note(f"{what} stays where it is.")
    made = [_picture(view, reached, skeleton) for view in _views(subject, spread > _FLAT * size)]
    box = joined((number(float(x), digits=3) for x in spread), " \u00d7 ")
    count = thousands(POINTS if subject.has_tool else TIP_POINTS)
    words: list[Any] = [what, " was placed at ", count, " points by joints taken at random", _ranges(subject)]
    words += ["They lie in a box of ", box, " m."]
    if subject.far is not None:
        words += [" The farthest point found is ", number(subject.far, "m"), " from the first axis."]
    key = "Bright where many of the points lie, empty where none does; the line is the robot in the pose shown above."
    return joined([text(*words), figures(*made), note(key)])


def _reached(subject: Subject) -> tuple[Array, str]:
    """(k, 3) points, and of what."""
    robot = subject.robot
    if subject.has_tool:
        return robot.forward_kinematics(subject.configurations(POINTS))[:, :3, 3], "The tool"
    ends = tips(robot)
    poses = robot.link_poses(subject.configurations(TIP_POINTS))
    count = in_words(len(ends), "tip")
    return poses[:, ends, :3, 3].reshape(-1, 3), f"The robot has no tool: each of its {count}"


def _ranges(subject: Subject) -> Markup:
    """Words for where joints were taken, a point behind: those that lack a limit are not within theirs."""
    limits = subject.robot.limits
    places = [subject.robot.mechanism.own_joints[axis.number - 1].v.start for axis in subject.axes]
    limited = [bool(np.isfinite([limits["lower"][k], limits["upper"][k]]).all()) for k in places]
    without = [axis for axis, known in zip(subject.axes, limited, strict=True) if not known]
    words: list[Any] = [" within their limits"] if any(limited) else []
    if any(axis.unit == "rad" for axis in without):
        words.append(", over one turn where they have none" if words else " over one turn")
    words.append(". ")
    slides = [
        joined([axis.name, " from ", number(axis.lower), " to ", number(axis.upper, "m")])
        for axis in without
        if axis.unit == "m"
    ]
    if slides:
        words += ["Where a joint that slides has no limits, they were chosen: ", listing(slides), ". "]
    return joined(words)


def _views(subject: Subject, extended: Array) -> list[View]:
    named = "xyz"
    if not extended.all():
        i, j = np.flatnonzero(extended) if extended.sum() > 1 else (0 if extended[2] else int(extended.argmax()), 2)
        label = "In its plane" if extended.sum() > 1 else "Along its line"
        return [View(label, f"{named[i]} (m)", f"{named[j]} (m)", lambda p, i=int(i), j=int(j): p[..., [i, j]])]
    above = View("From above", "x (m)", "y (m)", lambda p: p[..., :2])
    m = subject.robot.mechanism
    if subject.has_tool and m.kinds[0] == "screw" and joint_kind(m.screws[0]) == "R":
        direction, point, _, _ = screw_axis(m.screws[0], m.homes[0])

        def section(p: Array) -> Array:
            away = p - point
            along = away @ direction
            return np.stack([np.linalg.norm(away - along[..., None] * direction, axis=-1), along], axis=-1)

        return [
            above,
            View(
                "In planes through the first axis, one over the other", "distance from it (m)", "along it (m)", section
            ),
        ]
    return [above, View("From the side", "x (m)", "z (m)", lambda p: p[..., [0, 2]])]


def _skeleton(subject: Subject) -> list[Array]:
    """For each tip the origins of the links from the base to it, and the tool, in the pose shown."""
    robot, m = subject.robot, subject.robot.mechanism
    poses = robot.link_poses(subject.at)
    out = []
    for tip in tips(robot):
        path, i = [], tip
        while i >= 0:
            path.append(poses[i, :3, 3])
            i = m.parents[i]
        path.append(np.zeros(3)) if m.kinds[0] == "screw" else None
        if subject.has_tool and m.tool is not None and m.tool.body == tip:
            path.insert(0, robot.forward_kinematics(subject.at)[:3, 3])
        out.append(np.array(path[::-1]))
    return out


def _picture(view: View, reached: Array, skeleton: list[Array]) -> Markup:
    points, lines = view.seen(reached), [view.seen(line) for line in skeleton]
    every = np.concatenate([points, *lines])
    low, high = every.min(axis=0), every.max(axis=0)
    margin = 0.04 * float((high - low).max())
    low, high = low - margin, high + margin
    missing = np.maximum(0.0, _LEAST * float((high - low).max()) - (high - low)) / 2.0
    low, high = low - missing, high + missing
    across, up = (high - low) / (high - low).max()
    bins = [max(8, round(CELLS * across)), max(8, round(CELLS * up))]
    counts, _, _ = np.histogram2d(*points.T, bins=bins, range=list(zip(low, high, strict=True)))
    filled = np.where(counts > 0.0, np.sqrt(counts / counts.max()), np.nan).T
    x, y = (Range(label, float(a), float(b)) for label, a, b in zip((view.x, view.y), low, high, strict=True))
    picture = heat_map(
        filled,
        x,
        y,
        Scale(0.0, 1.0),
        title=f"Points reached. {view.title}",
        lines=[[(float(a), float(b)) for a, b in line] for line in lines],
        equal=True,
        readable=False,
        legend=False,
    )
    return figure(picture, f"{view.title}.")
