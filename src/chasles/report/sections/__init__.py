"""Sections of a report, in their order on the page.

A section is a module of this folder, with what `Section` says. A new one is its file and its name in the list below: it
has a heading, a place in the contents and an anchor by its title, and needs nothing else. What several share, such as
samples, is in `Subject`, computed once; tables, notes and figures are of report/typeset.py.
"""

from typing import Protocol

from chasles.markup import Markup
from chasles.report.sections import (
    balance,
    base_parameters,
    curvature,
    equations,
    inertias,
    joints,
    live,
    manipulability,
    operations,
    speed,
    torques,
    workspace,
)
from chasles.report.subject import Subject


class Section(Protocol):
    """TITLE: another than those of the others. body: all below it."""

    @property
    def TITLE(self) -> str: ...

    def body(self, subject: Subject) -> Markup:
        """Empty where it does not apply: then there is no heading. A ChaslesError is told in its place, in a line."""
        ...


SECTIONS: tuple[Section, ...] = (
    live,
    joints,
    inertias,
    equations,
    workspace,
    manipulability,
    torques,
    curvature,
    balance,
    base_parameters,
    operations,
    speed,
)
