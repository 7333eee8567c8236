"""Reports: one self-contained page about a robot, which a colleague can be sent."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from chasles.report.assembly import assembled
from chasles.report.subject import Subject
from chasles.web_page import Page

__all__ = ["report"]


def report(robot: Any, *, speed: bool = True, meshes: bool = True, folders: Sequence[str | PathLike[str]] = ()) -> Page:
    """The report on a robot, as `Robot.report` says."""
    return assembled(Subject(robot, speed, meshes, folders), lambda title: None)
