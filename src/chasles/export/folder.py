"""Files of an export: into a folder, each whole or not at all, and over none that is not of the same export.

What was written stands in the folder, in `chasles-export.json`: of each file a hash, the target and the function. A
file is replaced where it is still what that says, and of the same function, or the same bytes; what somebody has
changed, or made, and what is of another function, is refused by its name unless `overwrite` says otherwise. Nothing is
written where anything is refused. `CMakeLists.txt` is of all functions of a target. A file that an export left and that
the same export does not write any more, as a test without calls, is removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from chasles.arguments import file, flag
from chasles.errors import ModelError

RECORD = "chasles-export.json"
SHARED = "CMakeLists.txt"


@dataclass(frozen=True)
class Record:
    """What is known of a file that was written: its hash, for which target, of which function, and its name there."""

    sha256: str
    to: str
    function: str
    name: str


def place(folder: Any) -> Path:
    """The folder that files go to, there or not; or a ModelError says why it cannot be one."""
    found = file(folder, "folder")
    for part in (found, *found.parents):
        if part.is_dir():
            break
        if part.exists() or part.is_symlink():
            raise ModelError(f"folder: {str(part)!r} is a file, and not a folder")
    return found


def write(
    folder: Path,
    files: Mapping[str, str | bytes],
    to: str,
    function: str,
    name: str,
    *,
    overwrite: bool = False,
    options: str = "{}=",
) -> list[Path]:
    """The files, by their names, in a folder, which is made; their paths, as that of the folder is given.

    to, function, name: what they are of, and its name in them. overwrite: files that are not of an export, were
    changed since, or are of another function, too. options: how such a choice is spelled, for the message.
    """
    flag(overwrite, "overwrite")
    whole = {key: x.encode() if isinstance(x, str) else x for key, x in files.items()}
    known = _known(folder)
    of = {key: ("", "") if key == SHARED else (function, name) for key in whole}
    record = {key: Record(_hash(data), to, *of[key]) for key, data in whole.items()}
    if not overwrite:
        for key, data in whole.items():
            _refuse_others(folder / key, data, known.get(key), record[key], options)
    left = {key for key, x in known.items() if key not in whole and (x.to, x.function, x.name) == (to, function, name)}
    rows = {key: asdict(x) for key, x in sorted((known | record).items()) if key not in left}
    _make(folder)
    written = [_written(folder / key, data) for key, data in whole.items()]
    for key in left:
        _removed(folder / key, known[key])
    _written(folder / RECORD, (json.dumps({"files": rows}, indent=2) + "\n").encode())
    return written


def _known(folder: Path) -> dict[str, Record]:
    """What exports have written there."""
    try:
        files = json.loads((folder / RECORD).read_text(encoding="utf-8"))["files"]
        return {str(name): Record(*(str(row[x.name]) for x in fields(Record))) for name, row in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _refuse_others(path: Path, data: bytes, known: Record | None, own: Record, options: str) -> None:
    """Raise ModelError where a file that is there is neither the same nor what an export of the function left."""
    try:
        there = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise ModelError(f"folder: {str(path)!r} cannot be replaced: {error.strerror or error}") from None
    if there == data:
        return
    overwrite = f"say {options.format('overwrite')}" + ("True" if options.endswith("=") else "")
    if known is None or _hash(there) != known.sha256:
        whose = "was changed since it was exported" if known else "exists, and is of no export"
        raise ModelError(f"folder: {str(path)!r} {whose}: it is not overwritten unless you {overwrite}")
    if (known.to, known.function) != (own.to, own.function):
        whose = f"{known.function or 'functions'} in {known.to}"
        other = f"another {options.format('name')}" if own.name and own.name in path.name else ""
        ways = ", ".join(x for x in (other, "another folder") if x)
        raise ModelError(f"folder: {str(path)!r} is of {whose}: choose {ways}, or {overwrite} to replace it")


def _removed(path: Path, known: Record) -> None:
    """Remove what an export left, unless somebody has changed it."""
    with contextlib.suppress(OSError):
        if _hash(path.read_bytes()) == known.sha256:
            path.unlink()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ModelError(f"folder: {str(folder)!r} cannot be made: {error.strerror or error}") from error


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _written(path: Path, data: bytes) -> Path:
    """The path, where the data are now, all of it or nothing."""
    part = path.with_name(f".chasles-{secrets.token_hex(8)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as out:
            out.write(data)
        os.replace(part, path)
    except OSError as error:
        raise ModelError(f"folder: {str(path)!r} cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):  # it has been moved, or was never made
            part.unlink()
    return path
