"""Curvature: the robot as a curved space whose metric is its mass matrix, over two joints; whether it is flat."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from chasles.markup import Markup, joined, number
from chasles.model.mechanism import TENSOR_LIMIT
from chasles.plot.joint_plane import UNIT, Array, Axis, Slice, grid, widest
from chasles.report.heat_map import Scale
from chasles.report.joint_map import CHOOSING, MOST, SIZE, joint_map, over_two, varies, where
from chasles.report.link_by_link import link_by_link, samples
from chasles.report.subject import Subject
from chasles.report.typeset import figures, in_words, note, text
from chasles.riemann.flatness import Flatness, flatness

TITLE = "Curvature and flatness"
_FEW, _SLOW_CHOOSING, _SLOW_SIZE = 8, 3, 24  # joints and points of robots too large for a kernel


def body(subject: Subject) -> Markup:
    robot = subject.robot
    if robot.n < 2:
        return note("A robot with fewer than two degrees of freedom has no curvature.")
    found = flatness(link_by_link(robot), samples=samples(robot))
    parts = [text(*_said(found))]
    if not found.is_flat and len(subject.axes) > 1:
        parts.append(_map(subject))
    return joined(parts)


def _said(found: Flatness) -> list[Markup | str]:
    poses = in_words(found.samples, "random pose")
    looked = f" ({poses} looked at)"
    if found.is_flat:
        return [
            "The robot is flat: there are coordinates in which its mass matrix is constant and motion without forces a "
            f"straight line at constant speed{looked}; robot.isometry(q) has them."
        ]
    return [
        "The robot is curved: no choice of coordinates makes its mass matrix constant. The largest component of its "
        f"curvature, in an orthonormal frame, that {poses} show is ",
        number(found.worst, UNIT, 3),
        "; there may be larger ones.",
    ]


def _map(subject: Subject) -> Markup:
    robot = subject.robot

    def curvature(q: Array, pairs: list[tuple[Axis, Axis]]) -> Array:
        """Of as many configurations for each pair of joints, of the plane of those."""
        places = np.array([[robot.mechanism.own_joints[axis.number - 1].v.start for axis in pair] for pair in pairs])
        u, v = np.eye(robot.n)[np.repeat(places, len(q) // len(pairs), axis=0).T]
        with np.errstate(all="ignore"):  # where M is singular
            return np.asarray(robot.sectional_curvature(q, u, v), dtype=float)

    fast = robot.n <= TENSOR_LIMIT
    pairs = list(combinations(subject.axes[: MOST if fast else _FEW], 2))
    points = CHOOSING if fast else _SLOW_CHOOSING
    coarse = np.concatenate([grid(*pair, subject.at, points) for pair in pairs])
    pair = widest(pairs, curvature(coarse, pairs), points)
    cut = over_two(subject, pair, lambda q: curvature(q, [pair]), SIZE if fast else _SLOW_SIZE)
    if not np.isfinite(cut.values).any():
        return note("The mass matrix is singular, or nearly, all over the map.")
    limit = cut.limit(False)
    meaning = (
        "Where it is negative, motions without forces that begin side by side part from each other; where it is "
        "positive, they come together again."
    )
    scale = Scale(-limit, limit, UNIT, signed=True)
    words = joined([meaning, " ", _extremes(cut)])
    drawn = joint_map(subject, cut, scale, "Sectional curvature of the plane of the two joints", words)
    return joined([text(_kind(robot.n)), figures(drawn)])


def _kind(n: int) -> str:
    """Words for which curvature is drawn, and which is not."""
    words = (
        "The map is of the sectional curvature, that of the surface of all motions without forces that begin with "
        "these two joints alone; the scalar curvature, which chasles geometry and curvature_map of chasles.plot draw, "
        "is the sum over all ordered pairs of orthonormal directions"
    )
    return words + (": of two joints twice as much." if n == 2 else ".")


def _extremes(cut: Slice) -> Markup:
    low, high = (cut.extreme(find) for find in (np.nanargmin, np.nanargmax))
    if not varies(cut):
        return joined(["It is the same everywhere: ", number(high[0], UNIT), "."])
    parts = (joined([number(value, UNIT, 3), " at ", where(cut, q)]) for value, q in (low, high))
    return joined(["From ", joined(parts, " to "), "."])
