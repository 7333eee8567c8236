"""A task: which rows of the velocities of which frames, one below the other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.arguments import chosen as chosen_rows
from chasles.arguments import shown
from chasles.errors import ModelError

Task = tuple[tuple[str | None, tuple[int, ...]], ...]  # frames, None is the tool, with their rows
Frames = str | Sequence[str | None] | None  # one frame, or several whose rows are stacked; None: the tool
Rows = str | int | Sequence[str | int | Sequence[str | int] | None] | np.ndarray | None  # as `task` takes them

ROWS = ("rx", "ry", "rz", "tx", "ty", "tz")
ALL = tuple(range(6))
TOOL: Task = ((None, ALL),)


def task(frame: Frames = None, rows: Rows = None) -> Task:
    """The rows of one frame, or of several.

    frame: a name, None for the tool, or a sequence of these. rows: names ("tx ty tz", or a list) or indices 0 to 5, in
    the order they are to have; None: all six. For several frames one string or None serves all, else one a frame.
    """
    if frame is None or isinstance(frame, str):
        return ((frame, _chosen(rows)),)
    frames = _sequence(frame, "frame")
    if not frames:
        raise ModelError("frame must name at least one frame")
    for name in frames:
        if name is not None and not isinstance(name, str):
            raise ModelError(f"frame must be the name of a frame, or a sequence of names, got {shown(name)}")
    if rows is None or isinstance(rows, str):
        return tuple((name, _chosen(rows)) for name in frames)
    each = _sequence(rows, "rows")
    if len(each) != len(frames):
        raise ModelError(f"rows must be one selection for each of {len(frames)} frames, got {len(each)}")
    return tuple((name, _chosen(row)) for name, row in zip(frames, each, strict=True))


def size(chosen: Task) -> int:
    """The number of rows."""
    return sum(len(rows) for _, rows in chosen)


def _sequence(x: Any, what: str) -> list[Any]:
    flat = isinstance(x, np.ndarray) and x.ndim == 0
    if flat or not isinstance(x, (Sequence, np.ndarray)) or isinstance(x, bytes):
        raise ModelError(f"{what} must be a name or a sequence of names, got {shown(x)}")
    return list(x)


def _chosen(rows: Any) -> tuple[int, ...]:
    return ALL if rows is None else chosen_rows(rows, ROWS, "rows")
