"""Garbage is not looked for while a program is made.

Hundreds of thousands of nodes are made and stay until the program is done; Python would look through all of them again
and again for what nobody holds, which takes as long as making them.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def not_collected() -> Iterator[None]:
    """Python's collector off, if it was on. What has been made meanwhile counts as old: it is here to stay."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            if not gc.get_freeze_count():  # what others have frozen stays so
                gc.freeze()
                gc.unfreeze()  # to the oldest generation, without a look at it
            gc.enable()
