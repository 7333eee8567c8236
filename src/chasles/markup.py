"""HTML of tables, numbers and curves: what notebooks and reports show, in plain strings.

Text is escaped wherever it enters: a cell that is a string is text, one that is `Markup` was put together here.
Nothing has a colour of its own but curves: text and lines take those around them, in light and dark pages alike.
Every piece is well-formed XML too, without entities.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from numbers import Integral, Real
from typing import Any

from chasles.errors import printable
from chasles.palette import CURVES

MOST_ROWS = 12  # of a table, before "and 26 more"
MOST_CHARACTERS = 120  # of a text in a cell
UNBROKEN = 40  # characters of a cell that stay in one line
MOST_CURVES = 8  # beyond the colours they are dashed
POINTS = 160  # places along a curve

_MINUS, _THIN, _DASH, _TIMES = "\u2212", "\u202f", "\u2013", "\u00d7"
_RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
_LINE = "1px solid rgba(128,128,128,0.35)"


class Markup(str):
    """HTML that is put as it is; any other string is escaped."""

    __slots__ = ()


def escaped(x: Any, most: int = 10_000) -> Markup:
    """A text as HTML, or the text of an object; Markup stays. most: characters, beyond which its middle is left out."""
    if isinstance(x, Markup):
        return x
    from html import escape

    text = printable(str(x))
    if len(text) > most:
        text = f"{text[: 2 * most // 3]} ... {text[-most // 3 :]}"
    return Markup(escape(text))


def joined(parts: Iterable[Any], separator: str = "") -> Markup:
    """Parts one after the other, text among them escaped."""
    return Markup(separator.join(map(escaped, parts)))


def tag(name: str, content: Any, **attributes: str) -> Markup:
    """An element around what it holds; attributes whose value is empty are left out."""
    named = ((key.rstrip("_").replace("_", "-"), escaped(value)) for key, value in attributes.items() if value)
    given = "".join(f' {key}="{value}"' for key, value in named)
    return Markup(f"<{name}{given}>{escaped(content)}</{name}>")


def number(x: Any, unit: str = "", digits: int = 4) -> Markup:
    """A number with its unit, typeset: a minus sign, raised powers. None is a dash, other things are their text."""
    if x is None:
        return Markup(_DASH)
    if not isinstance(x, Real) or isinstance(x, bool):
        return escaped(x, MOST_CHARACTERS)
    if isinstance(x, Integral):
        text = str(int(x))
    elif not math.isfinite(x):
        text = "nan" if math.isnan(x) else "\u221e" if float(x) > 0.0 else "-\u221e"
    else:
        text = f"{float(x) or 0.0:.{digits}g}"  # no minus zero
    mantissa, e, exponent = text.partition("e")
    if e:
        mantissa = f"{mantissa}{_THIN}{_TIMES}{_THIN}10{str(int(exponent)).translate(_RAISED)}"
    return Markup(mantissa.replace("-", _MINUS) + (_THIN + units(unit) if unit else ""))


def units(text: str) -> Markup:
    """A unit, typeset: "kg m^2" with its power raised."""
    return Markup(raised(_THIN.join(escaped(text).split())))


def raised(text: str) -> str:
    """Text in which powers such as m^2 are raised."""
    return re.sub(r"\^(-?[0-9]+)", lambda found: found[1].translate(_RAISED), text)


def numbers(xs: Iterable[Any], unit: str = "", digits: int = 4) -> Markup:
    """(1, 0, 0) m, at most `MOST_ROWS` of them."""
    given = list(islice(xs, MOST_ROWS + 1))
    shown = [number(x, "", digits) for x in given[:MOST_ROWS]] + ["..."] * (len(given) > MOST_ROWS)
    return Markup(f"({', '.join(shown)})" + (_THIN + units(unit) if unit else ""))


def table(
    heads: Sequence[Any], rows: Iterable[Sequence[Any]], *, most: int = MOST_ROWS, digits: int = 4, caption: str = ""
) -> Markup:
    """A table with a head, empty for none. Numbers stand to the right, text to the left, and what is beyond `most` rows
    is counted. Columns whose head is Markup keep it; units in heads are the caller's."""
    rows = list(rows)
    kept = rows[:most]
    right = [all(_is_number(row[k]) or row[k] is None for row in kept) for k in range(len(kept[0]))] if kept else []
    body = [joined(_cell("td", x, side, digits) for x, side in zip(row, right, strict=True)) for row in kept]
    lines = [tag("tr", line) for line in body]
    if len(rows) > most:
        wide = str(len(right))
        rest = tag("td", f"and {len(rows) - most} more", colspan=wide, style=_style(False) + ";opacity:0.7")
        lines.append(tag("tr", rest))
    head = ""
    if heads:
        sides = right or [False] * len(heads)
        cells = joined(_cell("th", x, side, digits) for x, side in zip(heads, sides, strict=True))
        head = tag("thead", tag("tr", cells))
    title = tag("caption", caption, style="caption-side:top;text-align:left;padding:2px 0") if caption else ""
    style = "border-collapse:collapse;margin:4px 0;font-variant-numeric:tabular-nums"
    return tag("table", joined([title, head, tag("tbody", joined(lines))]), style=style, class_="chasles")


def _cell(name: str, x: Any, right: bool, digits: int) -> Markup:
    shown = escaped(x, MOST_CHARACTERS) if isinstance(x, str) else number(x, "", digits)
    line = f";border-bottom:{_LINE};font-weight:600" if name == "th" else ""
    whole = ";white-space:nowrap" if len(shown) <= UNBROKEN else ""
    return tag(name, shown, style=_style(right) + line + whole)


def _style(right: bool) -> str:
    return f"text-align:{'right' if right else 'left'};padding:1px 12px 1px 0;vertical-align:top;background:none"


def _is_number(x: Any) -> bool:
    return isinstance(x, Real) and not isinstance(x, bool)


def matrix(rows: Iterable[Iterable[Any]], digits: int = 4) -> Markup:
    """Numbers in rows and columns between two brackets."""
    cells = [[number(x, "", digits) for x in row] for row in rows]
    right = "text-align:right;padding:0 6px;background:none"
    lines = [tag("tr", joined(tag("td", x, style=right) for x in row)) for row in cells]
    style = "border-collapse:separate;border-spacing:0;margin:4px 0;font-variant-numeric:tabular-nums"
    bracket = ";border:solid currentColor;border-width:0 1px;border-radius:8px"
    return tag("table", tag("tbody", joined(lines)), style=style + bracket)


def listed(lines: Sequence[Any], most: int = MOST_ROWS) -> Markup:
    """Lines of text, one below the other, those beyond `most` counted."""
    kept = [tag("li", escaped(line, 400)) for line in lines[:most]]
    if len(lines) > most:
        kept.append(tag("li", f"and {len(lines) - most} more", style="opacity:0.7"))
    return tag("ul", joined(kept), style="margin:4px 0;padding-left:20px")


def block(title: Any, *parts: Any, about: Any = "") -> Markup:
    """A title in bold, with what it is about behind it, and parts below; parts that are empty are left out."""
    head = joined([tag("b", escaped(title, MOST_CHARACTERS)), *([" ", about] if about else [])])
    inner = [tag("div", part, style="overflow-x:auto") for part in parts if part]
    return tag("div", joined([tag("div", head), *inner]), class_="chasles")


def folded(title: str, part: Any) -> Markup:
    """What is behind a title that opens at a click."""
    return tag("details", joined([tag("summary", title, style="cursor:pointer"), part]), style="margin:4px 0")


def curves_svg(
    t: Any,
    curves: Any,
    names: Sequence[str],
    *,
    unit: str = "",
    title: str = "",
    width: int = 520,
    height: int = 150,
) -> Markup:
    """Curves over time as an SVG picture that stands in a page: t (T,), curves (k, T), a name each.

    At most `MOST_CURVES` of them, the rest counted. What is not finite interrupts a curve; of many samples the least
    and the greatest of each of `POINTS` places are drawn.
    """
    shown = list(zip(curves, names, strict=True))[:MOST_CURVES]
    finite = [float(y) for curve, _ in shown for y in curve if math.isfinite(y)]
    times = [float(x) for x in t]
    if not finite or not times:
        return Markup("")
    low, high = min(finite), max(finite)
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    low, high = low - margin, high + margin
    left, right, top, bottom = 64, 130, 18, 20
    span = (times[-1] - times[0]) or 1.0

    def place(x: float, y: float) -> str:
        across = left + (width - left - right) * (x - times[0]) / span
        return f"{across:.1f} {top + (height - top - bottom) * (high - y) / (high - low):.1f}"

    parts = [
        _frame(left, top, width - right, height - bottom),
        _text(0, 11, joined([title, *([f"{_THIN}[", units(unit), "]"] if unit else [])])),
        _text(left - 6, top + 8, number(max(finite)), "end"),
        _text(left - 6, height - bottom, number(min(finite)), "end"),
        _text(left, height - 6, number(times[0])),
        _text(width - right, height - 6, number(times[-1], "s"), "end"),
    ]
    for k, (curve, name) in enumerate(shown):
        path = " ".join("M" + " L".join(place(x, y) for x, y in run) for run in _runs(times, curve))
        look = f'fill="none" stroke="{CURVES[k % len(CURVES)]}"' + ' stroke-dasharray="4 2"' * (k >= len(CURVES))
        y = top + 8 + 15 * k
        parts.append(Markup(f'<path d="{path}" {look} stroke-width="1.5"/>'))
        parts.append(Markup(f'<path d="M{width - right + 10} {y - 4}h14" {look} stroke-width="2"/>'))
        parts.append(_text(width - right + 28, y, name if len(name) <= 17 else f"{name[:7]}...{name[-7:]}"))
    if len(curves) > len(shown):
        parts.append(_text(width - right + 28, top + 8 + 15 * len(shown), f"and {len(curves) - len(shown)} more"))
    size = {"viewBox": f"0 0 {width} {height}", "width": str(width), "height": str(height)}
    style = "max-width:100%;height:auto;font:11px sans-serif;display:block"
    return tag("svg", joined(parts), xmlns="http://www.w3.org/2000/svg", **size, role="img", style=style)


def _runs(times: Sequence[float], curve: Any) -> list[list[tuple[float, float]]]:
    """The points of a curve that are drawn, a list for each part without a hole."""
    step = max(1, len(times) // POINTS)
    runs: list[list[tuple[float, float]]] = [[]]
    for k in range(0, len(times), step):
        part = [(x, float(y)) for x, y in zip(times[k : k + step], curve[k : k + step], strict=True)]
        known = [point for point in part if math.isfinite(point[1])]
        if known:
            ends = {known[0], min(known, key=lambda p: p[1]), max(known, key=lambda p: p[1]), known[-1]}
            runs[-1] += sorted(ends)
        if len(known) < len(part) and runs[-1]:
            runs.append([])
    return [run if len(run) > 1 else run * 2 for run in runs if run]


def _frame(left: float, top: float, right: float, bottom: float) -> Markup:
    path = f"M{left} {top}V{bottom}H{right}"
    return Markup(f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="0.5"/>')


def _text(x: float, y: float, text: Any, anchor: str = "start") -> Markup:
    return tag("text", text, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, fill="currentColor")
