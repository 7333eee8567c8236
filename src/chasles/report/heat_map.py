"""Heat maps as SVG: one image of coloured cells with axes, a scale and marks, made without any package.

The image is a PNG in a data URI. Cells without a value are transparent.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.colour_scales import SIGNED, SIZES, coloured
from chasles.markup import Markup, escaped, joined, number, tag, units

Array = NDArray[np.float64]

_LEFT, _TOP, _RIGHT, _BOTTOM, _SIDE = 62, 22, 86, 46, 272  # px: margins, and the longer side of the cells
_TICK = 5  # px


class Range(NamedTuple):
    """An axis: its words, with the unit, and its ends."""

    label: str
    lower: float
    upper: float


class Mark(NamedTuple):
    """A point of the map that has a meaning: "ring" or "cross"."""

    x: float
    y: float
    form: str
    title: str


@dataclass(frozen=True)
class Scale:
    """Colours of numbers from low to high; signed: zero in the middle, so that low is -high."""

    low: float
    high: float
    unit: str = ""
    signed: bool = False

    def coloured(self, values: Array) -> NDArray[np.uint8]:
        """(..., 4) red, green, blue and alpha of each number."""
        known = np.isfinite(values)
        x = (np.where(known, values, self.low) - self.low) / ((self.high - self.low) or 1.0)
        alpha = np.where(known, 255, 0)[..., None]
        return np.concatenate([coloured(x, SIGNED if self.signed else SIZES), alpha], axis=-1).astype(np.uint8)


def png(pixels: NDArray[np.uint8]) -> bytes:
    """(rows, columns, 4), the first row on top, as a file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows, width = pixels.shape[:2]
    head = struct.pack(">IIBBBBB", width, rows, 8, 6, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row.tobytes() for row in pixels), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def ticks(lower: float, upper: float, most: int = 6) -> list[float]:
    """Round numbers between two."""
    if not upper > lower:
        return []
    rough = (upper - lower) / (most - 1)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * k for k in (1, 2, 2.5, 5, 10) if size * k >= rough * (1.0 - 1e-9))
    first = math.ceil(lower / step - 1e-9)
    return [k * step for k in range(first, math.floor(upper / step + 1e-9) + 1)]


def heat_map(
    values: Array,
    x: Range,
    y: Range,
    scale: Scale,
    *,
    title: str,
    marks: Sequence[Mark] = (),
    lines: Sequence[Sequence[tuple[float, float]]] = (),
    equal: bool = False,
    readable: bool = True,
    legend: bool = True,
) -> Markup:
    """values: (rows, columns), the first row lowest, nan where there is none. title: of the picture, for readers of it.

    lines: drawn over it, through points. equal: a metre across is as long as one up. readable: the page shows the value
    under the pointer.
    """
    across, up = x.upper - x.lower, y.upper - y.lower
    wide, high = (_SIDE, _SIDE) if not equal else (_SIDE * across / max(across, up), _SIDE * up / max(across, up))

    def at(a: float, b: float) -> tuple[float, float]:
        return _LEFT + wide * (a - x.lower) / across, _TOP + high * (y.upper - b) / up

    parts = [
        _image(scale.coloured(values[::-1]), _LEFT, _TOP, wide, high),
        _path(f"M{_LEFT} {_TOP}h{wide:.1f}v{high:.1f}h{-wide:.1f}z", 0.6),
        *(_across_tick(at(tick, y.lower), tick) for tick in ticks(x.lower, x.upper)),
        *(_up_tick(at(x.lower, tick), tick) for tick in ticks(y.lower, y.upper)),
        _words(_LEFT + wide / 2.0, _TOP + high + 38, _short(x.label), "middle"),
        _turned(13, _TOP + high / 2.0, _short(y.label)),
        *(_line([at(*point) for point in line]) for line in lines),
        *(_mark(at(mark.x, mark.y), mark) for mark in marks),
        *(_legend(scale, _LEFT + wide + 16, high) if legend else ()),
    ]
    size = {
        "width": f"{_LEFT + wide + (_RIGHT if legend else _TOP):.0f}",
        "viewBox": f"0 0 {_LEFT + wide + (_RIGHT if legend else _TOP):.0f} {_TOP + high + _BOTTOM:.0f}",
    }
    if readable:
        size |= {"data_map": Markup(escape(_readable(values, x, y, scale))), "class_": "map"}
    label = tag("title", title)
    return tag("svg", joined([label, *parts]), xmlns="http://www.w3.org/2000/svg", role="img", **size)


def _readable(values: Array, x: Range, y: Range, scale: Scale) -> str:
    """What the script of the page reads: values with four digits, the axes and the unit."""
    rows = [[float(f"{v:.4g}") if math.isfinite(v) else None for v in row] for row in values.tolist()]
    return json.dumps({"values": rows, "x": list(x), "y": list(y), "unit": scale.unit})


def _image(pixels: NDArray[np.uint8], x: float, y: float, wide: float, high: float) -> Markup:
    data = base64.b64encode(png(pixels)).decode("ascii")
    place = f'x="{x:g}" y="{y:g}" width="{wide:.1f}" height="{high:.1f}"'
    return Markup(f'<image {place} preserveAspectRatio="none" href="data:image/png;base64,{data}"/>')


def _legend(scale: Scale, left: float, high: float) -> list[Markup]:
    """The bar of colours with its numbers."""
    shades = scale.coloured(np.linspace(scale.high, scale.low, 64)[:, None])
    out = [_image(shades, left, _TOP, 12, high)]
    for value in ticks(scale.low, scale.high, 5):
        y = _TOP + high * (scale.high - value) / ((scale.high - scale.low) or 1.0)
        out += [_path(f"M{left + 12} {y:.1f}h4", 0.6), _words(left + 19, y + 4, number(value, digits=3), "start")]
    if scale.unit:
        out.append(_words(left, _TOP - 8, units(scale.unit), "start"))
    return out


def _across_tick(place: tuple[float, float], value: float) -> Markup:
    x, y = place
    return joined([_path(f"M{x:.1f} {y:.1f}v{_TICK}", 0.6), _words(x, y + 18, number(value, digits=3), "middle")])


def _up_tick(place: tuple[float, float], value: float) -> Markup:
    x, y = place
    return joined([_path(f"M{x:.1f} {y:.1f}h{-_TICK}", 0.6), _words(x - 8, y + 4, number(value, digits=3), "end")])


def _path(d: str, opacity: float) -> Markup:
    return Markup(f'<path d="{d}" fill="none" stroke="currentColor" stroke-opacity="{opacity:g}"/>')


def _line(points: Sequence[tuple[float, float]]) -> Markup:
    """A line with a pale edge, to be seen on any colour."""
    d = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in points)
    return Markup(f'<g class="skeleton"><path class="edge" d="{d}"/><path d="{d}"/>{dots}</g>')


def _mark(place: tuple[float, float], mark: Mark) -> Markup:
    x, y = place
    d = "M-5 0h10M0 -5v10" if mark.form == "cross" else "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0"
    title = tag("title", mark.title)
    where = f'class="mark" transform="translate({x:.1f} {y:.1f})"'
    return Markup(f'<g {where}>{title}<path class="edge" d="{d}"/><path d="{d}"/></g>')


def _words(x: float, y: float, content: str, anchor: str) -> Markup:
    return tag("text", content, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor)


def _turned(x: float, y: float, content: str) -> Markup:
    return tag("text", content, transform=f"translate({x:.1f} {y:.1f}) rotate(-90)", text_anchor="middle")


def _short(label: str, most: int = 40) -> Markup:
    return escaped(label, most)
