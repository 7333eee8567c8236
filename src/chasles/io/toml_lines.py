"""On which line of a TOML text a key stands: tomllib parses, but gives no positions.

A *path* is what leads to a value in the parsed data, such as ("links", 2, "joint", "axis"). Strings and comments are
blanked first, brackets are counted, and what is left at depth zero is either a table's header or a key. A key inside
an inline table is given the line of that table. The text is known to be TOML.
"""

import re
from collections import defaultdict
from typing import Any

Path = tuple[str | int, ...]

_STRING_OR_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}' + r"|'''.*?'{3,5}" + r'|"(?:\\.|[^"\\\n])*"' + r"|'[^'\n]*'" + r"|#[^\n]*", re.DOTALL
)
_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]+)\]")
_KEY = re.compile(r"\s*([^=\s][^=]*?)\s*=")


def _blank(match: re.Match[str]) -> str:
    """The same number of lines with nothing in them; a quoted key keeps its letters."""
    text = match.group()
    if text[0] != "#" and re.fullmatch(r"[\"'][\w .:/-]*[\"']", text):
        return text
    return re.sub(r"[^\n]", " ", text) if "\n" in text or text[0] == "#" else '"' + "_" * (len(text) - 2) + '"'


class Lines:
    """The line, counted from 1, of everything in a TOML text."""

    def __init__(self, text: str) -> None:
        self._at: dict[Path, int] = {(): 1}
        counts: dict[Path, int] = defaultdict(int)
        table: Path = ()
        depth = 0
        for number, line in enumerate(_STRING_OR_COMMENT.sub(_blank, text).split("\n"), start=1):
            header, key = _HEADER.match(line), _KEY.match(line)
            if depth == 0 and header:
                table = ()
                *above, last = _parts(header[2])
                for part in above:
                    table = (*table, part)
                    if table in counts:
                        table = (*table, counts[table] - 1)
                table = (*table, last)
                if header[1] == "[[":
                    self._at.setdefault(table, number)
                    counts[table] += 1
                    table = (*table, counts[table] - 1)
                self._at[table] = number
                continue
            if depth == 0 and key:
                path = table
                for part in _parts(key[1]):
                    path = (*path, part)
                    self._at.setdefault(path, number)
            depth += sum(line.count(c) for c in "[{") - sum(line.count(c) for c in "]}")

    def __call__(self, path: Path) -> int:
        """The line of `path`, or of the nearest thing around it."""
        while path not in self._at:
            path = path[:-1]
        return self._at[path]


def _parts(dotted: str) -> list[Any]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]
