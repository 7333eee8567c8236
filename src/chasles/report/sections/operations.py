"""Operation counts: what the robot's functions cost, before anything is measured."""

from __future__ import annotations

from chasles.markup import Markup, joined
from chasles.report.facts import FUNCTIONS, operations
from chasles.report.subject import Subject
from chasles.report.typeset import note, whole_table

TITLE = "Operations"
_KINDS = {"multiply": ("mul",), "add, subtract": ("add", "sub"), "sine, cosine": ("sin", "cos"), "divide": ("div",)}
_NAMED = {kind for group in _KINDS.values() for kind in group}


def body(subject: Subject) -> Markup:
    if not subject.robot.n:
        return Markup("")
    rows, missing = [], []
    for name in (*FUNCTIONS, "gravity_forces", "regressor"):
        found = operations(subject.robot, name)
        if found["total"] is None:
            missing.append(f"{name}: {found['why']}")
            continue
        by_kind = found["by_kind"]
        shown = [sum(by_kind.get(kind, 0) for kind in group) for group in _KINDS.values()]
        rows.append([name, found["total"], *shown, sum(by_kind.values()) - sum(shown)])
    meaning = (
        "The numbers of this robot are folded into its functions before they are compiled, and what is zero, one or "
        "computed twice drops out: these are the operations that are left."
    )
    lines = [note(line) for line in missing]
    return joined([whole_table(("function", "total", *_KINDS, "other"), rows), *lines, note(meaning)])
