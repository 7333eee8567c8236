"""Style of all pictures: colours, sizes of papers, widths of lines, sizes of text."""

from __future__ import annotations

from typing import Any

from chasles.palette import CURVES

COLOURS = (*CURVES, "#000000")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1)))  # where there are more curves
INK, SOFT, PALE = "#24292f", "#6b7480", "#d9dee3"  # text and outlines, ticks, grids
WIDTHS = {"one column": 3.5, "two columns": 7.16}  # inches
HEIGHT = 0.75  # of a panel, over its width
TEXT, SMALL = 8.0, 7.0  # points
LINE, HAIR = 1.1, 0.6  # points
