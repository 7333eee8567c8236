"""Words and numbers of reports: columns of numbers whose points stand below each other, counts, notes, figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from chasles.markup import Markup, escaped, joined, number, table, tag

_MINUS, _FIGURE, _POINT = "\u2212", "\u2007", "\u2008"  # spaces as wide as a digit and a point
_MOST_AFTER = 6  # digits after the point
_LONG = 24  # rows beyond which a table is scrolled
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def aligned(values: Sequence[float | None], digits: int = 4) -> list[Markup]:
    """Numbers with as many digits after the point, all as wide as the widest; a zero is 0, None a dash.

    The largest has that many digits, the smallest two. Where that takes more than `_MOST_AFTER`, each has its own.
    """
    known = [float(x) for x in values if x is not None and math.isfinite(x)]
    sizes = [abs(x) for x in known if x]
    if not sizes:
        return [number(x) for x in values]
    after = max(0, digits - 1 - _power(max(sizes)), 1 - _power(min(sizes)))
    while after and all(abs(round(x, after - 1) - x) <= 1e-12 * abs(x) for x in known):
        after -= 1
    if after > _MOST_AFTER or max(sizes) >= 1e6:
        return [number(x) for x in values]
    texts = [_text(x, after) for x in values]
    width = max(len(text) for text in texts)
    return [Markup(_FIGURE * (width - len(text)) + text) for text in texts]


def _power(x: float) -> int:
    return math.floor(math.log10(x))


def _text(x: float | None, after: int) -> str:
    tail = _POINT + _FIGURE * after if after else ""
    if x is None or not math.isfinite(x):
        return "\u2013" + tail
    if not round(x, after):
        return "0" + tail
    return f"{x:.{after}f}".replace("-", _MINUS)


def columns(names: Sequence[Any], *groups: Sequence[Sequence[float | None]]) -> list[list[Any]]:
    """Rows of a table: a name each, and groups of numbers, aligned over all of a group."""
    rows: list[list[Any]] = [[name] for name in names]
    for group in groups:
        flat = aligned([x for row in group for x in row])
        wide = len(group[0]) if group else 0
        for k, row in enumerate(rows):
            row += flat[wide * k : wide * (k + 1)]
    return rows


def whole_table(heads: Sequence[Any], rows: Sequence[Sequence[Any]], caption: str = "", kind: str = "") -> Markup:
    """A table with all its rows, in a box that scrolls where it is long or wide."""
    made = table(heads, rows, most=max(1, len(rows)), caption=caption)
    return tag("div", made, class_=" ".join(filter(None, ("wide", "long" if len(rows) > _LONG else "", kind))))


def text(*parts: Any) -> Markup:
    """A paragraph."""
    return tag("p", joined(parts))


def note(*parts: Any) -> Markup:
    """A paragraph that says what stands above it, or why there is nothing."""
    return tag("p", joined(parts), class_="note")


def in_words(count: int, one: str, many: str = "") -> str:
    """ "three joints", "one joint", "38 joints"."""
    return f"{_WORDS[count] if count < len(_WORDS) else count} {one if count == 1 else many or one + 's'}"


def listing(items: Iterable[Any]) -> Markup:
    """ "a, b and c"."""
    parts = [escaped(item) for item in items]
    if len(parts) < 2:
        return joined(parts)
    return Markup(f"{', '.join(parts[:-1])} and {parts[-1]}")


def thousands(x: float) -> Markup:
    """A whole number with thin spaces between its thousands."""
    return Markup(f"{x:,.0f}".replace(",", "\u202f"))


def percent(share: float) -> Markup:
    """A share of one as a percentage."""
    return number(100.0 * share, "%", 2 if share < 1.0 else 3)


def figure(picture: Any, caption: Any) -> Markup:
    """A picture with its caption."""
    return tag("figure", joined([picture, tag("figcaption", caption)]))


def figures(*made: Any) -> Markup:
    """Figures side by side, where there is room."""
    return tag("div", joined(made), class_="figures" + " one" * (len(made) == 1))


def place(names: Sequence[str], units: Sequence[str], values: Sequence[float]) -> Markup:
    """ "q2 = 0.3 rad, q4 = -1 rad"."""
    pairs = zip(names, values, units, strict=True)
    return joined((joined([name, " = ", number(float(x), unit, 3)]) for name, x, unit in pairs), ", ")
