"""Torques of gravity: what holding the robot asks of its joints, beside their limits of effort."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.markup import Markup, joined, number
from chasles.plot.joint_plane import Array
from chasles.report.heat_map import Scale
from chasles.report.joint_map import MOST, chosen_axes, joint_map, over_two, varies, where
from chasles.report.subject import SAMPLES, Load, Subject
from chasles.report.typeset import figures, listing, note, percent, text, whole_table

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
        return note(
            f"No joint feels gravity in any of {SAMPLES} random poses. A joint that turns about an upright axis does "
            "not, nor one that slides level, nor one whose load is balanced."
        )
    kinds = {load.unit for load in loads}
    heads = ["joint", f"largest / {'N m or N' if len(kinds) > 1 else kinds.pop()}"]
    rows: list[list[Any]] = [[load.joint, load.force] for load in loads]
    if any(load.share is not None for load in loads):
        heads += ["effort allowed", "share / %"]
        for row, load in zip(rows, loads, strict=True):
            row += [load.effort, None if load.share is None else 100.0 * load.share]
    parts = [text(_largest(subject), " ", _beside_limits(subject)), whole_table(heads, rows)]
    if len(subject.axes) > 1:
        parts.append(_map(subject))
    return joined(parts)


def _largest(subject: Subject) -> Markup:
    """The largest of the torques, and of the forces of joints that slide."""
    held = f", {subject.held}," if subject.held else ","
    words = f"The joint forces that hold the robot at rest{held} at their largest in {SAMPLES} random poses: "
    met = (joined([number(load.force, load.unit), " at ", load.joint]) for load in _most(subject.loads).values())
    return joined([words, joined(met, " and "), "."])


def _most(loads: list[Load]) -> dict[str, Load]:
    """By unit, torques first, the joint that gravity loads most; without a unit in which it loads none."""
    by_force = sorted((load for load in loads if load.force), key=lambda load: load.force)
    found = {load.unit: load for load in by_force}
    return {unit: found[unit] for unit in ("N m", "N") if unit in found}


def _beside_limits(subject: Subject) -> Markup:
    """The largest share of an effort, and whether the joints can hold the robot, where that is known."""
    if all(load.share is None for load in subject.loads):
        return joined(["No joint has a limit of effort."])
    without, worst = subject.unlimited, subject.worst_share
    share = (worst.share or 0.0) if worst else 0.0
    words: list[Any] = ["Beside the efforts allowed, ", "of the joints that have such a limit, " if without else ""]
    words += ["they are up to ", percent(share), f" of that of {worst.joint}. "] if worst else ["they are nothing. "]
    if share > 1.0:
        words.append("There are poses that the joints cannot hold.")
    elif without:
        have = "has" if len(without) == 1 else "have"
        names = listing(load.joint for load in without)
        words += ["Whether the joints can hold all of the poses is not known: ", names, f" {have} no limit of effort."]
    else:
        words.append("The joints can hold all of the poses.")
    return joined(words)


def _map(subject: Subject) -> Markup:
    robot = subject.robot
    places = [robot.mechanism.own_joints[axis.number - 1].v.start for axis in subject.axes]
    most = _most(subject.loads)
    if subject.worst_share and not subject.unlimited:
        limited = [k for k, load in enumerate(subject.loads) if load.effort is not None]
        columns = [places[k] for k in limited]
        efforts = np.array([subject.loads[k].effort for k in limited])

        def field(q: Array) -> Array:
            return 100.0 * (np.abs(robot.gravity_forces(q))[:, columns] / efforts).max(axis=1)

        title, unit = "Share of effort", "%"
        meaning = "Of all joints the largest load by gravity, as a share of what the joint may give."
    else:
        unit, load = next(iter(most.items()))
        k = subject.loads.index(load)

        def field(q: Array) -> Array:
            return np.abs(robot.gravity_forces(q)[:, places[k]])

        title = f"{'Torque' if unit == 'N m' else 'Force'} of {load.joint}"
        which = "The joint" if len(most) == 1 else "Of the joints that turn, the one"
        meaning = f"{which} that gravity loads most."
    loads = [(load.share or 0.0, load.force / most[load.unit].force if load.force else 0.0) for load in subject.loads]
    candidates = sorted(sorted(range(len(loads)), key=loads.__getitem__)[-MOST:])
    cut = over_two(subject, chosen_axes(subject, field, [subject.axes[k] for k in candidates]), field)
    high = float(cut.values.max())
    shown = number(high, unit, 3)
    worst = joined(
        ["Largest at ", where(cut, cut.extreme(np.nanargmax)[1]), ": ", shown, "."]
        if varies(cut)
        else ["It is the same everywhere: ", shown, "."]
    )
    return figures(joint_map(subject, cut, Scale(0.0, high or 1.0, unit), title, joined([meaning, " ", worst])))
