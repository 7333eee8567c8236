"""Bounds of a TOML text, before it is parsed: tomllib takes up to a kilobyte for each part of a key.

For a dotted key it also keeps each of its beginnings, so that its memory grows with the square of the number of parts.
Refused are texts of more than LARGEST_TEXT characters, keys of more than MOST_PARTS parts, more than MOST_KEYS keys,
dotted ones counted part by part, and more than MOST_VALUES values in arrays.
"""

import re

from chasles.errors import ModelError
from chasles.io.toml_lines import COMMENT, LONG_STRING, SHORT_STRING

LARGEST_TEXT = 16 * 2**20
MOST_PARTS = 16
MOST_KEYS = 250_000
MOST_VALUES = 2_000_000

_PART = rf"(?:[\w-]++|{SHORT_STRING})"
_DOTTED = rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{2,}}+"
_HEADER = r"^[ \t]*+\["
_TOKEN = re.compile(
    rf"{LONG_STRING}|(?P<dotted>{_DOTTED})|(?P<header>{_HEADER})|{SHORT_STRING}|{COMMENT}", re.MULTILINE
)


def check(text: str, file: str) -> None:
    """Refuse a text that no robot has; `file` names it in the error."""
    if len(text) > LARGEST_TEXT:
        raise ModelError(f"{file}:1: more than {LARGEST_TEXT // 2**20} MiB: no robot is that large")
    if text.count(",") > MOST_VALUES:
        raise ModelError(f"{file}:1: more than {MOST_VALUES:,} values: no robot has that many")
    keys = text.count("=")
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind is None:
            continue
        parts = token[0].count(".") + 1 if kind == "dotted" else 1
        if parts > MOST_PARTS:
            line = text.count("\n", 0, token.start()) + 1
            raise ModelError(f"{file}:{line}: a key of more than {MOST_PARTS} parts: no robot has such")
        keys += parts
    if keys > MOST_KEYS:
        raise ModelError(f"{file}:1: more than {MOST_KEYS:,} keys: no robot has that many")
