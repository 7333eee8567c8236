"""The assembly of a report: its sections below its head, contents beside them, one file without a network.

The same robot gives the same text, but for speeds that were measured and their date: elements of the class `measured`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files

import numpy as np

import chasles
from chasles.errors import ChaslesError, MassMatrixWarning
from chasles.markup import Markup, escaped, joined, tag
from chasles.report.sections import SECTIONS
from chasles.report.subject import Subject
from chasles.report.summary import head
from chasles.report.typeset import note
from chasles.web_page import Page, filled


def assembled(subject: Subject, begun: Callable[[str], object]) -> Page:
    """The report. begun: told the title of each part before it is made."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):  # poses at which M is singular are part of the samples
        warnings.simplefilter("ignore", MassMatrixWarning)
        begun("Summary")
        above = head(subject)
        parts: list[tuple[str, str, Markup]] = []
        for section in SECTIONS:
            begun(section.TITLE)
            try:
                made = section.body(subject)
            except ChaslesError as error:
                made = note(f"Not told: {error}")
            if made:
                parts.append((_anchor(section.TITLE), section.TITLE, made))
    links = joined(tag("li", tag("a", title, href=f"#{anchor}")) for anchor, title, _ in parts)
    bodies = joined(
        tag("section", joined([tag("h2", tag("a", title, href=f"#{anchor}")), made]), id=anchor)
        for anchor, title, made in parts
    )
    doubts: tuple[str, ...] = ()
    with suppress(ChaslesError):  # told in its section
        doubts = subject.page.doubts if subject.page else ()
    return Page(subject.robot.name, _page(subject, links, joined([above, bodies])), doubts)


def _page(subject: Subject, links: Markup, body: Markup) -> str:
    name = escaped(subject.robot.name)
    parts = {
        "TITLE": name,
        "STYLE": _asset("report.css"),
        "CONTENTS": links,
        "BODY": body,
        "VERSION": escaped(chasles.__version__),
        "SCRIPT": _asset("report.js"),
    }
    return filled(_asset("report.html"), parts)


def _anchor(title: str) -> str:
    return "-".join(title.lower().split())


def _asset(name: str) -> str:
    return (files("chasles.report") / "assets" / name).read_text(encoding="utf-8")
