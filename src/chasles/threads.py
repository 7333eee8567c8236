"""Threads that a large batch is split over."""

import os
from typing import SupportsIndex

from chasles.backend.threads import num_threads as _shared


def set_num_threads(count: int) -> None:
    """Let large batches run on up to `count` threads (default: the processors this process may use).

    The results are the same bits for any count. Small batches run on the calling thread alone.
    """
    whole = isinstance(count, (int, float, SupportsIndex)) and not isinstance(count, bool) and 1 <= count < 2**31
    if not whole or int(count) != count:
        raise ValueError(f"the number of threads must be a positive integer, got {count!r}")
    _shared.value = int(count)


def get_num_threads() -> int:
    """The number of threads a large batch may use."""
    return int(_shared.value)


def _available() -> int:
    given = os.environ.get("CHASLES_NUM_THREADS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


set_num_threads(_available())
