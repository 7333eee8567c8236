"""Threads: the smallest batch that is split and what that gains there, and how a large one scales, beside Pinocchio.

By the wall's clock: for a machine with nothing else to do.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from dynamics import LARGE, Pair
from figures import Figure, Target
from timing import QUICK, Effort, interleaved

import chasles as ch
from chasles.backend.host import share_of
from chasles.backend.schedule import row_cost

NAMES = ("inverse_dynamics", "forward_dynamics")
AT_THE_THRESHOLD, SCALED = 1.0, 0.9  # of the time of one thread, at most; of a speedup by their count, at least


def thread_scaling(both: list[Pair], effort: Effort) -> list[Figure]:
    """Nanoseconds for one configuration, beside one thread's."""
    figures = []
    quick = slice(1 if effort is QUICK else None)
    for pair in both[quick]:
        for name in NAMES[quick]:
            smallest = 2 * share_of(row_cost(pair.robot.kernel(name).program))
            figures.append(_compared(pair, name, smallest, 2, effort, AT_THE_THRESHOLD))
            figures += [_compared(pair, name, LARGE, k, effort, round(1.0 / (SCALED * k), 2)) for k in _counts()]
    return figures


def _counts() -> list[int]:
    """Two, four, ... threads, and as many as this process may use."""
    most = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return sorted({k for k in (2, 4, 8, 16, 32, 64, most) if 2 <= k <= most})


def _compared(pair: Pair, name: str, batch: int, count: int, effort: Effort, most: float) -> Figure:
    rows = pair.inputs(name, batch)
    ours = pair.ours(name, rows)
    calls = [*(partial(_with_threads, k, ours) for k in (1, count)), pair.theirs(name, rows, count)]
    one, several, peer = (t / batch * 1e9 for t in interleaved(calls, effort.rounds, effort.least))
    ch.set_num_threads(1)
    title, note = f"{pair.title} {name}, {count} threads, batch of {batch}", f"one thread {one:.3g} ns"
    return Figure(title, several, "ns", peer, base=one, target=Target("share", "at most", most), note=note)


def _with_threads(count: int, call: Callable[[], Any]) -> None:
    ch.set_num_threads(count)
    call()
