"""Progress of a simulation: a bar at a terminal, beyond a second; nothing in logs and pipes."""

from __future__ import annotations

import sys
import time
from typing import Any, Self

PATIENCE = 1.0  # s, before there is a bar
INTERVAL = 0.1  # s, between two looks


class Bar:
    """A bar of so many steps, while the context lasts."""

    def __init__(self, steps: int) -> None:
        self.steps, self.shown = steps, None
        self.watched = _watched()
        self.next = time.perf_counter() + PATIENCE

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        if self.shown is not None:
            self.shown.stop()

    def at(self, k: int) -> None:
        """Step k is reached."""
        if not self.watched:
            return
        now = time.perf_counter()
        if now < self.next:
            return
        self.next = now + INTERVAL
        if self.shown is None:
            self.shown = _bar(self.steps)
            self.shown.start()
        self.shown.update(self.shown.task_ids[0], completed=k)


def _bar(steps: int) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("simulate"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    made = Progress(*columns, console=Console(stderr=True), transient=True)
    made.add_task("simulate", total=steps)
    return made


def _watched() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False
