"""Torques of gravity: what holding the robot asks of its joints, beside their limits of effort."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.markup import Markup, joined, number
from chasles.plot.joint_plane import Array
from chasles.report.heat_map import Scale
from chasles.report.joint_map import MOST, chosen_axes, joint_map, over_two, where
from chasles.report.subject import SAMPLES, Load, Subject
from chasles.report.typeset import figures, note, percent, text, whole_table

TITLE = "Torques of gravity"
_NONE = 1e-9  # N m, N


def body(subject: Subject) -> Markup:
    robot = subject.robot
    if not subject.axes:
        return Markup("")
    if not np.any(robot.gravity):
        return note("The robot is without gravity: nothing has to be held.")
    loads = subject.loads
    if max(load.force for load in loads) < _NONE:
        return note("No joint feels gravity, in any pose: its axis is upright, or what it carries is balanced.")
    kinds = {load.unit for load in loads}
    heads = ["joint", f"largest / {'N m or N' if len(kinds) > 1 else kinds.pop()}"]
    rows: list[list[Any]] = [[load.joint, load.force] for load in loads]
    if any(load.share is not None for load in loads):
        heads += ["effort allowed", "share / %"]
        for row, load in zip(rows, loads, strict=True):
            row += [load.effort, None if load.share is None else 100.0 * load.share]
    parts = [text(*_worst(loads)), whole_table(heads, rows)]
    if len(subject.axes) > 1:
        parts.append(_map(subject))
    return joined(parts)


def _worst(loads: list[Load]) -> list[Markup | str]:
    largest = max(loads, key=lambda load: load.force)
    words = [f"The joint forces that hold the robot at rest, at their largest in {SAMPLES} random poses: "]
    words += [number(largest.force, largest.unit), " at ", largest.joint]
    limited = [load for load in loads if load.share is not None]
    if not limited:
        return [*words, ". No joint has a limit of effort."]
    worst = max(limited, key=lambda load: load.share or 0.0)
    beyond = [load for load in limited if (load.share or 0.0) > 1.0]
    words += ["; beside the efforts allowed, ", percent(worst.share or 0.0), f" of that of {worst.joint}. "]
    rest = "There are poses that the joints cannot hold." if beyond else "The joints can hold all of them."
    return [*words, rest]


def _map(subject: Subject) -> Markup:
    robot = subject.robot
    places = [robot.mechanism.own_joints[axis.number - 1].v.start for axis in subject.axes]
    limited = [k for k, load in enumerate(subject.loads) if load.share is not None]
    if limited:
        columns = [places[k] for k in limited]
        efforts = np.array([subject.loads[k].effort for k in limited])

        def field(q: Array) -> Array:
            return 100.0 * (np.abs(robot.gravity_forces(q))[:, columns] / efforts).max(axis=1)

        title, unit = "Share of effort", "%"
        meaning = "Of all joints the largest torque of gravity, as a share of what the joint may give."
    else:
        k = max(range(len(places)), key=lambda k: subject.loads[k].force)

        def field(q: Array) -> Array:
            return np.abs(robot.gravity_forces(q)[:, places[k]])

        title, unit = f"Torque of {subject.loads[k].joint}", subject.loads[k].unit
        meaning = "The joint that gravity loads most."
    loads = [(load.share or 0.0, load.force) for load in subject.loads]
    most = sorted(sorted(range(len(loads)), key=loads.__getitem__)[-MOST:])
    cut = over_two(subject, chosen_axes(subject, field, [subject.axes[k] for k in most]), field)
    high = float(cut.values.max())
    worst = joined(["Largest at ", where(cut, cut.extreme(np.nanargmax)[1]), ": ", number(high, unit, 3), "."])
    return figures(joint_map(subject, cut, Scale(0.0, high or 1.0, unit), title, joined([meaning, " ", worst])))
