"""Joints: their screws, limits and drives, and the frames of the links at home."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.lie import Twist
from chasles.markup import Markup, folded, joined, number
from chasles.model.facts import KINDS, joint
from chasles.model.mechanism import LOSSES
from chasles.model.poses import pose
from chasles.report.subject import Subject
from chasles.report.typeset import aligned, columns, note, whole_table

TITLE = "Joints and screws"
_DUST = 1e-12


def body(subject: Subject) -> Markup:
    robot, m = subject.robot, subject.robot.mechanism
    if not m.bodies:
        return note("The robot has no joints.")
    known = [joint(m, i) for i in range(m.bodies)]
    parts = [_limits(known), _screws(subject)]
    if any(one[key] for one in known for key in LOSSES) or robot.mimic_names:
        parts.append(_drives(known))
    return joined([*parts, folded("Frames of the links at home", _homes(subject))])


def _limits(known: list[dict[str, Any]]) -> Markup:
    limits = [aligned([one[key] for one in known]) for key in ("lower", "upper", "velocity", "effort")]
    rows = [[one["name"], KINDS[one["kind"]], one["parent"], *four] for one, *four in zip(known, *limits, strict=True)]
    slides = {one["kind"] == "P" for one in known}
    length, force = ("rad or m", "N m or N") if len(slides) > 1 else ("m", "N") if True in slides else ("rad", "N m")
    heads = ("joint", "kind", "on link", f"lower / {length}", "upper", "speed per s", f"effort / {force}")
    missing = any(one[key] is None for one in known for key in ("lower", "upper", "velocity", "effort"))
    return joined([whole_table(heads, rows), note("A dash: no limit.") if missing else ""])


def _screws(subject: Subject) -> Markup:
    robot, m = subject.robot, subject.robot.mechanism
    names = [
        m.joint_names[i] + (f" {_way(S)}" if len(one.columns) > 1 else "")
        for i, one in enumerate(m.tree.bodies)
        for S in one.columns
    ]
    S = np.where(np.abs(robot.screws) < _DUST, 0.0, robot.screws)
    rows = columns(names, S[:, :3].tolist(), S[:, 3:].tolist())
    heads = ("joint", "\u03c9x", "\u03c9y", "\u03c9z", "vx", "vy", "vz")
    meaning = (
        "Screws at home, in the frame of the base: the motion of all that a joint carries, for a unit of its speed. "
        "\u03c9 is the angular part; v is the velocity of the point at the origin, in m per rad, or m per m where a "
        "joint slides."
    )
    return joined([whole_table(heads, rows), note(meaning)])


def _way(S: Twist) -> str:
    """The name of a column of a joint with several: rx, ry, rz, x, y or z."""
    six = np.abs(np.array([*S.w, *S.v], dtype=float))
    return ("rx", "ry", "rz", "x", "y", "z")[int(np.argmax(six))]


def _drives(known: list[dict[str, Any]]) -> Markup:
    shown = [key for key in LOSSES if any(one[key] for one in known)]
    mimics = any(one["mimic"] for one in known)
    rows = []
    for one in known:
        follows = one["mimic"]
        words = ""
        if follows:
            words = joined([number(follows["factor"]), " \u00d7 ", follows["joint"]])
            if follows["offset"]:
                words = joined([words, " + ", number(follows["offset"])])
        if follows or any(one[key] for key in shown):
            rows.append([one["name"], *([one[key] or None for key in shown]), *([words] if mimics else [])])
    heads = ("joint", *shown, *(["follows"] if mimics else []))
    meaning = (
        "Armature: inertia of the rotor seen from the joint (kg m\u00b2, or kg). Damping: N m s/rad (N s/m). Friction: "
        "N m (N)."
        if shown
        else ""
    )
    return joined([whole_table(heads, rows), note(meaning) if meaning else ""])


def _homes(subject: Subject) -> Markup:
    m = subject.robot.mechanism
    turns = [[x if abs(x) > _DUST else 0.0 for x in map(float, pose(home).R.log())] for home in m.homes]
    places = np.where(np.abs(m.homes[:, :3, 3]) < _DUST, 0.0, m.homes[:, :3, 3])
    rows = columns(m.link_names, places.tolist(), turns)
    heads = ("link", "x / m", "y / m", "z / m", "rx / rad", "ry / rad", "rz / rad")
    return joined([whole_table(heads, rows), note("Position, and rotation as the vector axis times angle.")])
