"""On which line of a TOML text a key stands: tomllib parses, but gives no positions.

A *path* is what leads to a value in the parsed data, such as ("links", 2, "joint", "axis"). A text is looked through
only when a line is asked for, statement by statement, so that a file without a mistake pays nothing. A key inside an
inline table is given the line of that table. The text is known to be TOML.
"""

import re
from collections.abc import Iterator

Path = tuple[str | int, ...]

# Each ends at the end of the text, or of the line, where its quotes are not closed: no text is gone through twice.
LONG_STRING = (
    r'"""(?:[^"\\]++|\\[\s\S]|"{1,2}+(?!"))*+(?:"{3,5}+|\\?\Z)' + r"|'''(?:[^']++|'{1,2}+(?!'))*+(?:'{3,5}+|\Z)"
)
SHORT_STRING = r'"(?:[^"\\\n]++|\\[^\n])*+(?:"|\\?(?=\n|\Z))' + r"|'[^'\n]*+(?:'|(?=\n|\Z))"
COMMENT = r"#[^\n]*+"
_TOKEN = re.compile(rf"{LONG_STRING}|{SHORT_STRING}|{COMMENT}|[\n\[\]{{}}=]|[\w-]++")


class Lines:
    """The line, counted from 1, of everything in a TOML text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self, path: Path) -> int:
        """The line of `path`, or of the nearest thing around it."""
        nearest, line = 0, 1
        for place, at in _places(self._text):
            common = 0
            while common < min(len(place), len(path)) and place[common] == path[common]:
                common += 1
            if common > nearest:
                nearest, line = common, at
            if nearest == len(path):
                break
        return line


def _places(text: str) -> Iterator[tuple[Path, int]]:
    """The path of each header and of each key that is not inside of a value, and its line."""
    counts: dict[Path, int] = {}
    table: Path = ()
    for parts, brackets, line in _statements(text):
        if not brackets:
            yield (*table, *parts), line
            continue
        table = ()
        for part in parts[:-1]:
            table = (*table, part)
            if table in counts:
                table = (*table, counts[table] - 1)
        table = (*table, parts[-1])
        if brackets == 2:
            counts[table] = counts.get(table, 0) + 1
            table = (*table, counts[table] - 1)
        yield table, line


def _statements(text: str) -> Iterator[tuple[list[str], int, int]]:
    """The parts of a key, how many brackets are before it (none, unless it is a header's), and its line."""
    parts: list[str] = []
    line, depth, headed, is_value = 1, 0, 0, False
    for token in _TOKEN.finditer(text):
        word = token[0]
        if word == "\n":
            if depth == 0:
                if headed:
                    yield parts, headed, line
                parts, headed, is_value = [], 0, False
        elif word in "[{":
            depth += 1
            headed += not (parts or is_value)
        elif word in "]}":
            depth -= 1
        elif word == "=" and not is_value:
            yield parts, 0, line
            is_value = True
        elif not is_value and word[0] != "#":
            parts.append(word.strip("\"'"))
        line += word.count("\n")
    if headed:
        yield parts, headed, line
