"""Folders that the meshes of a robot's file may lie in: files of others are never opened.

Allowed are the folder of the robot's own file and all below it, `meshes` and `assets` beside that folder, the packages
(of ROS) that hold the robot's file or that a name asks for, and folders that the user gives. A package NAME is, in this
order,

    a folder above the robot's file that is called NAME, or whose package.xml says that it is NAME; without one
    only what is allowed anyhow, since a file could call by name the home folder of its reader
    a folder beside one of these, whose package.xml says that it is NAME
    NAME in ROS_PACKAGE_PATH, or in share/ of AMENT_PREFIX_PATH, or in share/ of this Python (example-robot-data)
    NAME in a folder that the user gives, or that folder

What leads out of them in the end, by `..`, by a link of the file system or as an absolute path, is refused.
"""

from __future__ import annotations

import os
import re
import stat
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

LARGEST_FILE = 50 * 10**6  # bytes
_BESIDE = ("meshes", "assets")
_PACKAGE = re.compile(r"package:/*([^/]+)/+(.*)", re.DOTALL)
_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")


class Unusable(Exception):
    """A mesh that is not to be shown; the text says why."""


class MeshFolders:
    """The folders that meshes may be taken from. file: the robot's own. given: by the user."""

    def __init__(self, file: str, given: Iterable[Path] = ()) -> None:
        self.own = Path(file).parent.resolve() if file else None
        self.given = [Path(folder).resolve() for folder in given]
        self.bytes_read = 0

    def read(self, name: str, near: Path | None = None, largest: int = LARGEST_FILE) -> tuple[Path, bytes]:
        """A file's path and bytes. name: as the robot's file has it; near: the folder that it is relative to."""
        try:
            path = self.find(name, near)
            size = path.stat().st_size
            if size > largest:
                raise Unusable(f"it has {size / 1e6:,.0f} MB, and {largest / 1e6:g} MB are the most that is read")
            with open(path, "rb") as opened:
                data = opened.read(largest)
            self.bytes_read += len(data)
            return path, data
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            raise Unusable(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from None

    def find(self, name: str, near: Path | None = None) -> Path:
        """The path of a regular file in an allowed folder, without links."""
        plain, outside = name.replace("\\", "/"), None
        for path, root in self._places(plain, near):
            found = path.resolve()
            if not any(found.is_relative_to(folder) for folder in (*self._always, *([root] if root else ()))):
                outside = found.parent
                continue
            try:
                mode = found.stat().st_mode
            except OSError:
                continue
            if not stat.S_ISREG(mode):
                raise Unusable("it is a folder" if stat.S_ISDIR(mode) else "it is no regular file")
            return found
        if outside is not None:
            raise Unusable(f"it is not in the robot's folders: folders=[{str(outside)!r}] allows it, if you trust it")
        if package := _PACKAGE.match(plain):
            raise Unusable(f"package {package[1]!r} with this file is not found: folders=[FOLDER] says where it is")
        if not self._always:
            raise Unusable("the robot's own file is not known: folders=[FOLDER] says where it is")
        raise Unusable("there is no such file")

    @cached_property
    def _always(self) -> list[Path]:
        """Folders that any name may lead to."""
        if self.own is None:
            return self.given
        beside = [self.own.parent / key for key in _BESIDE]  # not where a link of the file system leads
        holding = [folder for folder in (self.own, *self.own.parents) if _package_name(folder)][:1]
        return [self.own, *beside, *holding, *self.given]

    def _places(self, name: str, near: Path | None) -> Iterator[tuple[Path, Path | None]]:
        """Where a file may be, and the folder that it must not lead out of besides those that are always allowed."""
        if match := _PACKAGE.match(name):
            package, rest = match.groups()
            for folder, root in self._packages(package):
                yield folder / rest, root
            for folder in self.given:
                yield folder / package / rest, folder
                yield folder / rest, folder
        elif name.startswith("file:"):
            yield Path("/" + unquote(name.removeprefix("file:")).lstrip("/")), None
        else:
            starts = [near] if near is not None else [self.own] if self.own is not None else []
            for folder in (*starts, *self.given):
                yield folder / name, None

    def _packages(self, name: str) -> Iterator[tuple[Path, Path | None]]:
        """The folders of a package, and again if all in them is allowed; a name such as .. is none."""
        if name in (".", ".."):
            return
        above = [] if self.own is None else [self.own, *self.own.parents][:-1]
        for folder in above:
            said = _package_name(folder)
            if name in (said, folder.name):
                yield folder, folder if said else None
        known = [folder / name for folder in above if _package_name(folder / name) == name]
        for entry in filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)):
            known.append(Path(entry).resolve() / name)
            if Path(entry).name == name:
                known.append(Path(entry).resolve())
        shares = [Path(entry) / "share" for entry in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if entry]
        shares.append(Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "share")
        yield from ((folder, folder) for folder in (*known, *(share.resolve() / name for share in shares)))


def _package_name(folder: Path) -> str | None:
    """What the package.xml of a folder says, if there is one."""
    try:
        if not (path := folder / "package.xml").is_file():
            return None
        with open(path, "rb") as opened:
            found = _NAME.search(opened.read(100_000))
    except (OSError, ValueError):
        return None
    return found[1].decode("utf-8", "replace") if found else None
