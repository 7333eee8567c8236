"""Inertias of the links: mass, centre of mass, principal moments, and whether a body can have them."""

from __future__ import annotations

import numpy as np

from chasles.errors import ModelError
from chasles.markup import Markup, joined, number, numbers
from chasles.model.checks import check_link
from chasles.model.link import Link
from chasles.report.subject import Subject
from chasles.report.typeset import columns, in_words, listing, note, text, whole_table

TITLE = "Inertias"
_DUST = 1e-12


def body(subject: Subject) -> Markup:
    m = subject.robot.mechanism
    if not m.bodies:
        return note("No link moves.")
    moments = [np.linalg.eigvalsh(np.asarray(link.inertia, dtype=float)).tolist() for link in m.links]
    rows = columns(
        m.link_names,
        [[link.mass] for link in m.links],
        [np.asarray(link.com, dtype=float).tolist() for link in m.links],
        moments,
    )
    wrong = [name for name, link in zip(m.link_names, m.links, strict=True) if not consistent(link)]
    for row, name, link in zip(rows, m.link_names, m.links, strict=True):
        row.append("no" if name in wrong else "yes" if link.mass else "massless")
    heads = ("link", "mass / kg", "x / m", "y / m", "z / m", "I\u2081 / kg m\u00b2", "I\u2082", "I\u2083", "a body?")
    meaning = (
        "Centre of mass in the frame of the link, principal moments of inertia about it. A body can have them if the "
        "mass is not negative, none of the moments is, and none is more than the sum of the other two."
    )
    return joined([text(_verdict(wrong, m.bodies), _whole(subject)), whole_table(heads, rows), note(meaning)])


def _verdict(wrong: list[str], count: int) -> Markup:
    if wrong:
        return joined(["No distribution of mass has the inertia of ", listing(wrong), "."])
    every = "The link is" if count == 1 else "Both links are" if count == 2 else f"All {in_words(count, 'link')} are"
    return joined([every, " physically consistent."])


def _whole(subject: Subject) -> Markup:
    robot = subject.robot
    if not robot.total_mass:
        return joined([" The robot has no mass."])
    com = [x if abs(x) > _DUST else 0.0 for x in robot.centre_of_mass(subject.at).tolist()]
    shown = ["In the pose shown above all together have ", number(robot.total_mass, "kg"), " with their centre at "]
    return joined([" ", *shown, numbers(com, "m", 3), "."])


def consistent(link: Link) -> bool:
    """Whether some distribution of mass has the inertia of a link."""
    doubts: list[str] = []
    try:
        check_link(link, link.name or "", doubts)
    except ModelError:
        return False
    return not doubts
