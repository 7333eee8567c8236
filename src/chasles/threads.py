"""Threads that a large batch is split over."""

import os

from chasles.arguments import count as positive_integer
from chasles.backend.threads import num_threads as _shared


def set_num_threads(count: int) -> None:
    """Let large batches run on up to `count` threads (default: the processors this process may use).

    The results are the same bits for any count. Small batches run on the calling thread alone.
    """
    whole = isinstance(count, float) and count.is_integer()
    _shared.value = positive_integer(int(count) if whole else count, "the number of threads")


def get_num_threads() -> int:
    """The number of threads a large batch may use."""
    return int(_shared.value)


def _available() -> int:
    given = os.environ.get("CHASLES_NUM_THREADS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


set_num_threads(_available())
