"""Times that can be compared on a busy machine: medians of interleaved rounds."""

import gc
from collections.abc import Callable, Sequence
from itertools import repeat
from math import ceil
from statistics import median
from time import perf_counter
from typing import Any

Call = Callable[[], Any]
_PIECES = 15


def once(call: Call) -> float:
    """Seconds of one call."""
    start = perf_counter()
    call()
    return perf_counter() - start


def interleaved(
    calls: Sequence[Call],
    rounds: int = 7,
    least: float = 0.02,
    done: Callable[[], Any] | None = None,
    clock: Callable[[], float] = perf_counter,
) -> list[float]:
    """Median seconds of each call over `rounds` rounds, each of which times every call in turn.

    A round times a call for `least` seconds or more, in a few pieces whose median counts, as long for each call as for
    the others: what else the machine does then meets all alike. `done` is told after each round. For work of one
    thread, `time.thread_time` as the clock leaves out the time that other processes were given.
    """
    for call in calls:
        call()  # warms up what it uses
    each = [_seconds(call, least / _PIECES) for call in calls]
    piece = max(least / _PIECES, *each)
    counts = [ceil(piece / seconds) for seconds in each]
    pieces = max(3, min(_PIECES, ceil(least / piece)))
    times: list[list[float]] = [[] for _ in calls]
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for call, count, row in zip(calls, counts, times, strict=True):
                row.append(median(_repeated(call, count, clock) for _ in range(pieces)) / count)
            if done is not None:
                done()
    finally:
        if collecting:
            gc.enable()
    return [median(row) for row in times]


def _repeated(call: Call, count: int, clock: Callable[[], float] = perf_counter) -> float:
    start = clock()
    for _ in repeat(None, count):
        call()
    return clock() - start


def _seconds(call: Call, least: float) -> float:
    """Roughly how long a call takes: so often repeated that it takes at least that long."""
    count = 1
    while (seconds := _repeated(call, count)) < least:
        count = count * 10 if seconds < least / 10 else int(count * 1.2 * least / seconds) + 1
    return seconds / count
