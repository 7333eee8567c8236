"""Style of all pictures: the colours of Okabe and Ito, sizes of papers, widths of lines, sizes of text."""

from __future__ import annotations

from typing import Any

BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, YELLOW = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#f0e442",
)
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, "#000000")  # of curves, in this order
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))  # where there are more curves
INK, SOFT, PALE, UNKNOWN = "#24292f", "#6b7480", "#d9dee3", "#8c9197"  # text and outlines, ticks, grids, no value
WIDTHS = {"one column": 3.5, "two columns": 7.16}  # inches
HEIGHT = 0.75  # of a panel, over its width
TEXT, SMALL = 8.0, 7.0  # points
LINE, HAIR = 1.1, 0.6  # points
