"""A word to a person who waits: at a terminal, what takes longer than a second is named."""

import contextlib
import sys
import threading
from collections.abc import Iterator

PATIENCE = 1.0  # s


@contextlib.contextmanager
def named(what: str) -> Iterator[None]:
    """Say on stderr what is being done, if that takes long and a person looks on."""
    if not _watched():
        yield
        return
    timer = threading.Timer(PATIENCE, _say, (what,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _watched() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _say(what: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"chasles: {what} ...\n")
        sys.stderr.flush()
