"""Words: text, names, options that are one of a few, and rows by name or index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from os.path import expanduser
from pathlib import Path
from typing import Any, get_args

from chasles.arguments.leaves import shown
from chasles.arguments.numbers import is_whole
from chasles.arguments.objects import sequence
from chasles.errors import CONTROL, ModelError
from chasles.hints import did_you_mean


def text(x: Any, what: str) -> str:
    """A string."""
    if not isinstance(x, str):
        raise ModelError(f"{what} must be a string, got {shown(x)}")
    return x


def name(x: Any, what: str, of: str = "") -> str:
    """A string that is not empty. of: what it names, for the message: "a frame"."""
    if not isinstance(x, str) or not x:
        form = f"the name of {of}" if of else "a string that is not empty"
        raise ModelError(f"{what} must be {form}, got {shown(x)}")
    if found := CONTROL.search(x):
        raise ModelError(f"{what}, {shown(x)}, has the control character {found[0]!r}")
    return x


def names(x: Any, what: str) -> list[str]:
    """A list of strings."""
    if isinstance(x, (str, bytes)) or not isinstance(x, Iterable):
        raise ModelError(f"{what} must be a list of names, got {shown(x)}")
    try:
        return [text(item, f"{what}[{i}]") for i, item in enumerate(x)]
    except TypeError:  # an array without dimensions says that it can be gone through
        raise ModelError(f"{what} must be a list of names, got {shown(x)}") from None


def file(x: Any, what: str) -> Path:
    """The path of a file, by text or an object that says it; ~ is the home folder."""
    given = fspath(x) if isinstance(x, (str, PathLike)) else None
    if not isinstance(given, str) or not given or "\0" in given:
        raise ModelError(f"{what} must be the path of a file, got {shown(x)}")
    return Path(expanduser(given))


def folders(x: Any, what: str) -> list[Path]:
    """A list of folders that are there, each by a path."""
    out = [file(item, f"{what}[{i}]") for i, item in enumerate(sequence(x, what, "folders"))]
    for i, path in enumerate(out):
        if not path.is_dir():
            raise ModelError(f"{what}[{i}] must be a folder, and {str(path)!r} is none")
    return out


def one_of(x: Any, what: str, choices: Any) -> Any:
    """One of `choices`, a Literal or a tuple."""
    options = get_args(choices) or choices
    named = all(isinstance(option, str) for option in options)
    if named and len(options) > 2 and not isinstance(x, str):
        raise ModelError(f"{what} must be a name, got {shown(x)}")
    known = isinstance(x, str) if named else is_whole(x)
    if not known or x not in options:
        listed = f"one of {', '.join(map(str, options))}" if len(options) > 2 else " or ".join(map(repr, options))
        raise ModelError(f"{what} must be {listed}, got {shown(x)}{did_you_mean(x, map(str, options))}")
    return x


def chosen(rows: Any, known: Sequence[str], what: str) -> tuple[int, ...]:
    """Rows by name ("tx ty", or a list) or by index, as indices in the order given, each once."""
    if isinstance(rows, bytes) or not (is_whole(rows) or isinstance(rows, Iterable)):
        raise ModelError(f"{what}: rows must be some of {' '.join(known)}, or indices, got {shown(rows)}")
    try:
        given: list[Any] = rows.split() if isinstance(rows, str) else [rows] if is_whole(rows) else list(rows)
    except TypeError:
        raise ModelError(f"{what}: rows must be some of {' '.join(known)}, or indices, got {shown(rows)}") from None
    found = []
    for row in given:
        if isinstance(row, str) and row in known:
            found.append(known.index(row))
        elif not isinstance(row, str) and is_whole(row) and 0 <= row < len(known):
            found.append(int(row))
        else:
            raise ModelError(f"{what}: no row {shown(row)}; there are {' '.join(known)}, or 0 to {len(known) - 1}")
    if not found:
        raise ModelError(f"{what}: name at least one row of {' '.join(known)}")
    if len(set(found)) != len(found):
        raise ModelError(f"{what}: a row is named twice in {shown(rows)}")
    return tuple(found)
