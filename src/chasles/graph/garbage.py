"""Garbage is not looked for while a program is made.

Hundreds of thousands of nodes are made and stay until the program is done; Python would look through all of them again
and again for what nobody holds, which takes as long as making them.
"""

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_making = [0]  # how many programs are being made, by all threads,
_before = [True]  # and whether the collector was on before the first of them


@contextmanager
def not_collected() -> Iterator[None]:
    """Python's collector off; the last of several that overlap puts it on again, if it was."""
    with _lock:
        if not _making[0]:
            _before[0] = gc.isenabled()
            gc.disable()
        _making[0] += 1
    try:
        yield
    finally:
        with _lock:
            _making[0] -= 1
            if not _making[0] and _before[0]:
                gc.enable()


def _in_child() -> None:
    """A forked process has none of the threads that were making programs, but for the one that forked."""
    _lock.release()
    if _making[0] and _before[0]:
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_in_child)
