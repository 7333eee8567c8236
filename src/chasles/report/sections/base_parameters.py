"""Base parameters: which combinations of the inertial parameters an identification can find."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chasles.dynamics.regressor import PARAMETERS
from chasles.identify.base_parameters import BaseParameters
from chasles.markup import Markup, escaped, folded, joined, number
from chasles.report.subject import Subject
from chasles.report.typeset import in_words, note, text, whole_table

TITLE = "Base parameters"
_FEW = 14
_ALONE, _IN_A_SUM, _NEVER = "\u25cf", "\u25d0", "\u25cb"


def body(subject: Subject) -> Markup:
    robot = subject.robot
    if not robot.n:
        return Markup("")
    found, every = subject.base_parameters, subject.inertial_parameter_count
    how = "from the structure of the robot" if found.structural else "by sampling, since joints follow others"
    links = "The link has" if len(robot.links) == 1 else f"The {in_words(len(robot.links), 'link')} have"
    many = f"{found.count} combinations, the base parameters"
    shown = many if found.count != 1 else "one combination, the base parameter"
    words = [
        f"{links} {every} inertial parameters. Of these the joint forces show {shown}, found {how}; no motion of the "
        f"joints shows the other {every - found.count}."
    ]
    if found.count > 1:
        words += [" The condition number of the combinations is ", number(found.condition, digits=3), "."]
    values = found.reduce(robot.inertial_parameters).tolist()
    rows = [[line, value] for line, value in zip(_typeset(found.describe()), values, strict=True)]
    table = whole_table(("combination", "value here"), rows, kind="formulas")
    all_of_them = table if len(rows) <= _FEW else folded(f"All {len(rows)} combinations, with their values here", table)
    key = (
        "m: mass (kg); hx, hy, hz: mass times centre of mass (kg m); Ixx ... Izz: inertia about the origin of the "
        "link's frame (kg m\u00b2); the link in brackets."
    )
    return joined([text(*words), _seen(robot.link_names, found), all_of_them, note(key)])


def _seen(links: Sequence[str], found: BaseParameters) -> Markup:
    """Which parameter of which link is found, in a sum, or not at all."""
    terms = found.map != 0.0
    alone = terms.sum(axis=0) == 1
    alone &= terms[terms.sum(axis=1) == 1].any(axis=0)
    signs = np.where(alone, _ALONE, np.where(terms.any(axis=0), _IN_A_SUM, _NEVER)).reshape(-1, len(PARAMETERS))
    rows = [[link, *row] for link, row in zip(links, signs.tolist(), strict=True)]
    key = f"{_ALONE} found by itself, {_IN_A_SUM} found in a sum with others only, {_NEVER} never felt by any joint."
    return joined([whole_table(("link", *PARAMETERS), rows, kind="signs"), note(key)])


def _typeset(lines: list[str]) -> list[Markup]:
    return [Markup(escaped(line).replace("] - ", "] \u2212 ")) for line in lines]
