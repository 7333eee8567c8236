"""Threads: from which batch on it is split, what that gains there, and how large batches scale. By the wall's clock:
on a machine with nothing else to do."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from dynamics import LARGE, Pair
from figures import Figure, Target
from timing import Effort, interleaved

import chasles as ch
from chasles.backend.host import share_of
from chasles.backend.schedule import row_cost

NAMES = ("inverse_dynamics", "forward_dynamics")
AT_THE_THRESHOLD, SCALED = 1.0, 0.9  # of the time of one thread, at most; of a speedup by the count, at least


def thread_scaling(both: list[Pair], effort: Effort) -> list[Figure]:
    """Nanoseconds for one configuration beside one thread's: of the smallest batch that is split, and of a large."""
    figures = []
    for pair in both:
        for name in NAMES:
            smallest = 2 * share_of(row_cost(pair.robot.kernel(name).program))
            figures.append(_compared(pair, name, smallest, 2, effort, AT_THE_THRESHOLD))
            figures += [_compared(pair, name, 4 * LARGE, k, effort, round(1.0 / (SCALED * k), 2)) for k in _counts()]
    return figures


def _counts() -> list[int]:
    """Two, four, ... threads, and as many as this process may use."""
    most = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return sorted({k for k in (2, 4, 8, 16, 32, 64, most) if 2 <= k <= most})


def _compared(pair: Pair, name: str, batch: int, count: int, effort: Effort, most: float) -> Figure:
    ours = pair.ours(name, pair.inputs(name, batch))
    calls = [partial(_with_threads, k, ours) for k in (1, count)]
    one, several = (t / batch * 1e9 for t in interleaved(calls, effort.rounds, effort.least))
    ch.set_num_threads(1)
    note, target = f"{one / several:.2f}x", Target("share", "at most", most)
    return Figure(f"{pair.title} {name}, {count} threads, batch of {batch}", several, "ns", base=one, target=target,
                  note=note)  # fmt: skip


def _with_threads(count: int, call: Callable[[], Any]) -> None:
    ch.set_num_threads(count)
    call()
