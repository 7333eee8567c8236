"""Reading the file that was given: a regular file of at most LARGEST_FILE bytes, and no other."""

import stat
from os import PathLike
from pathlib import Path
from typing import Any

from chasles.errors import ModelError

LARGEST_FILE = 64 * 2**20


def read(path: str | PathLike[str] | Any) -> bytes:
    """The bytes of a file: a path, or anything with `read_bytes` (a resource of a package)."""
    try:
        if not isinstance(path, (str, PathLike)):
            return path.read_bytes()
        mode = Path(path).stat().st_mode
        if stat.S_ISREG(mode):  # a pipe might never end
            with open(path, "rb") as file:
                return file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        raise ModelError(f"{str(path)!r}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    raise ModelError(f"{path}: this is not a file" + "; it is a folder" * stat.S_ISDIR(mode))
