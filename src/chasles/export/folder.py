"""Files of an export: into a folder, each whole or not at all, and over none that is not of the same export.

What was written stands in the folder, in `chasles-export.json`: names of files and a hash of each. A file is replaced
where it is still what that says, or the same bytes; what somebody has changed, or made, is refused by its name unless
`overwrite` says otherwise. Nothing is written where anything is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chasles.arguments import file, flag
from chasles.errors import ModelError

RECORD = "chasles-export.json"


def place(folder: Any) -> Path:
    """The folder that files go to, there or not; or a ModelError says why it cannot be one."""
    found = file(folder, "folder")
    for part in (found, *found.parents):
        if part.is_dir():
            break
        if part.exists() or part.is_symlink():
            raise ModelError(f"folder: {str(part)!r} is a file, and not a folder")
    return found


def write(folder: Path, files: Mapping[str, str | bytes], *, overwrite: bool = False, how: str = "") -> list[Path]:
    """The files, by their names, in a folder, which is made; their paths, as that of the folder is given.

    overwrite: files that are not of an export, or were changed since, too. how: to say so, for the message.
    """
    flag(overwrite, "overwrite")
    whole = {name: x.encode() if isinstance(x, str) else x for name, x in files.items()}
    known = _known(folder)
    if not overwrite:
        for name, data in whole.items():
            _refuse_foreign(folder / name, data, known.get(name), how or "overwrite=True")
    record = {**known, **{name: _hash(data) for name, data in whole.items()}}
    text = json.dumps({"files": dict(sorted(record.items()))}, indent=2) + "\n"
    written = [_written(folder / name, data) for name, data in whole.items()]
    _written(folder / RECORD, text.encode())
    return written


def _known(folder: Path) -> dict[str, str]:
    """The hashes of files that exports have written there."""
    try:
        files = json.loads((folder / RECORD).read_text(encoding="utf-8"))["files"]
        return {str(name): str(x) for name, x in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _refuse_foreign(path: Path, data: bytes, known: str | None, how: str) -> None:
    """Raise ModelError where a file that is there is neither the same nor what an export left."""
    try:
        there = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise ModelError(f"folder: {str(path)!r} cannot be replaced: {error.strerror or error}") from None
    if there != data and _hash(there) != known:
        whose = "was changed since it was exported" if known else "exists, and is of no export"
        raise ModelError(f"folder: {str(path)!r} {whose}: it is not overwritten unless you say {how}")


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
