"""The head of a report: the robot's name, a paragraph and some figures about it, and the doubts about its data."""

from __future__ import annotations

from typing import Any

from chasles.markup import Markup, escaped, folded, joined, listed, number, tag
from chasles.report.subject import Subject
from chasles.report.typeset import in_words, note, percent, text
from chasles.report.words import kind_of_robot

_MANY = 10_000


def head(subject: Subject) -> Markup:
    """All that stands above the sections."""
    robot, m = subject.robot, subject.robot.mechanism
    parts = [tag("h1", robot.name)]
    if m.description:
        parts.append(tag("p", m.description, class_="description"))
    parts += [tag("p", joined(_sentences(subject), " "), class_="summary"), _figures(subject), _doubts(subject)]
    if m.source:
        parts.append(note("Source: ", " ".join(m.source.split())))
    if robot.notes:
        count = len(robot.notes)
        title = f"{in_words(count, 'note').capitalize()} on how the robot was read"
        parts.append(folded(title, listed([*robot.notes], _MANY)))
    return tag("header", joined(parts))


def _sentences(subject: Subject) -> list[Markup]:
    robot = subject.robot
    freedom = in_words(robot.n, "degree")
    coordinates = f", described by {robot.nq} coordinates" if robot.nq != robot.n else ""
    out = [joined([tag("b", robot.name), f" is {kind_of_robot(robot)}: {freedom} of freedom{coordinates}."])]
    mass: list[Any] = ["It moves ", number(robot.total_mass, "kg")]
    if subject.base_mass:
        mass += [" on a base of ", number(subject.base_mass, "kg"), " that is held"]
    if subject.far is not None:
        mass += [" and its tool gets ", number(subject.far, "m", 3), " away from the first axis"]
    out.append(joined([*mass, "."] if robot.n else ["Nothing of it moves."]))
    if robot.mimic_names:
        count = len(robot.mimic_names)
        out.append(
            escaped(f"{in_words(count, 'joint').capitalize()} follow{'s another' if count == 1 else ' others'}.")
        )
    if subject.has_tool and robot.n:
        spare = robot.n - subject.freedom.both
        if spare > 0:
            out.append(
                escaped(f"It is redundant: it can move in {in_words(spare, 'way')} while the tool stands still.")
            )
    worst = subject.worst_share
    if worst:
        held = f", {subject.held}," if subject.held else ""
        others = ", of the joints that have such a limit" if subject.unlimited else ""
        words = f" of the effort allowed to {worst.joint}{others}."
        out.append(joined([f"To hold it{held} against gravity takes up to ", percent(worst.share or 0.0), words]))
    return out


def _figures(subject: Subject) -> Markup:
    robot = subject.robot
    shown: list[tuple[str, Any]] = [
        ("degree of freedom" if robot.n == 1 else "degrees of freedom", number(robot.n)),
        ("moving mass", number(robot.total_mass, "kg")),
    ]
    if subject.far is not None:
        shown.append(("reach", number(subject.far, "m", 3)))
    if robot.n:
        count = number(subject.base_parameters.count)
        shown.append(("base parameters", joined([count, tag("small", f" of {subject.inertial_parameter_count}")])))
    cells = (joined([tag("dd", value), tag("dt", name)]) for name, value in shown)
    return tag("dl", joined(tag("div", cell) for cell in cells), class_="tiles")


def _doubts(subject: Subject) -> Markup:
    doubts = subject.robot.doubts
    if not doubts:
        return note("No doubts were found while reading the robot's data.")
    title = text(tag("b", f"{in_words(len(doubts), 'doubt').capitalize()} about the robot's data"))
    return tag("div", joined([title, listed([*doubts], _MANY)]), class_="doubts", role="note")
