"""Folders that a robot's file may take other files from: its own, and those that the user allows besides."""

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

REFUSED = "a file outside of the robot's own folder is not opened"


class Roots:
    """Where files may lie. own: the folder of the robot's file. others: folders that are allowed besides."""

    def __init__(self, own: Path, others: Iterable[Path] = ()) -> None:
        self.own, self.others = own, tuple(others)

    def refusal(self, name: str, folder: Path) -> str | None:
        """Why a file may not be opened, None where it may.

        name: as a file gives it, relative to `folder`. One that does not lead out of its folder may be opened, links of
        the file system included; one that does, where it leads into an allowed folder in the end.
        """
        plain = name.replace("\\", "/")
        foreign = os.name != "nt" and re.match("[A-Za-z]:", plain)
        if not foreign and not plain.startswith("/") and not Path(plain).is_absolute() and ".." not in plain.split("/"):
            return None
        path = (folder / plain).resolve()
        if not foreign and any(path.is_relative_to(root.resolve()) for root in (self.own, *self.others)):
            return None
        allow = "chasles.load(file, roots=[FOLDER]), or --root FOLDER on the command line, allows it"
        return f"{REFUSED}; {allow}, with FOLDER = {str(path.parent)!r}"


def irregular(path: Path) -> str | None:
    """Why a path that is there is not to be opened: it is no regular file, and a pipe, for one, might never end."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return None  # whoever opens it says so
    return None if stat.S_ISREG(mode) else f"{path} is not a file" + "; it is a folder" * stat.S_ISDIR(mode)
