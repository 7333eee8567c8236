"""Times that can be compared on a busy machine: medians of interleaved rounds."""

import gc
from collections.abc import Callable, Sequence
from itertools import repeat
from statistics import median
from time import perf_counter
from typing import Any

Call = Callable[[], Any]


def once(call: Call) -> float:
    """Seconds of one call."""
    start = perf_counter()
    call()
    return perf_counter() - start


def interleaved(
    calls: Sequence[Call], rounds: int = 7, least: float = 0.02, done: Callable[[], Any] | None = None
) -> list[float]:
    """Median seconds of each call over `rounds` rounds, each of which times every call for `least` seconds or more.

    `done` is told after each round.
    """
    counts = [_count(call, least) for call in calls]
    times: list[list[float]] = [[] for _ in calls]
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for call, count, row in zip(calls, counts, times, strict=True):
                row.append(_repeated(call, count) / count)
            if done is not None:
                done()
    finally:
        if collecting:
            gc.enable()
    return [median(row) for row in times]


def _repeated(call: Call, count: int) -> float:
    start = perf_counter()
    for _ in repeat(None, count):
        call()
    return perf_counter() - start


def _count(call: Call, least: float) -> int:
    """How many calls take at least that long; the first calls also warm up what they use."""
    call()
    count = 1
    while (seconds := _repeated(call, count)) < least:
        count = count * 10 if seconds < least / 10 else int(count * 1.2 * least / seconds) + 1
    return count
