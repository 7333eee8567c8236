"""Signals while compiled code runs: long batches and loops are called off between two blocks, as functions of words.

Python runs the handlers of signals in its main thread, between two of its own instructions. Where that thread is in
compiled code, the code asks for them, every INTERVAL; other threads of the same batch look at a flag. If a handler
raises, as that of Ctrl-C does, the flag is set, all of them return, and Python raises the exception before its next
instruction: nobody sees what was left undone. A handler that returns changes nothing.

    PART    what a range function is given last: the kernel's own context, and by what it knows that it is called off
    watch   the flag, when handlers were asked for, the exception, and who the main thread is (watch.py)
"""

import time

from chasles.backend.host.descriptor import CONTEXT
from chasles.backend.host.watch import ASKED, DONE, MAIN, STOPPED, TRACEBACK, TYPE, VALUE
from chasles.backend.host.words import Word, address, call, call32, stack, where

OWN_CONTEXT, WATCHED, ASKS, FRESH, PART = range(5)  # the kernel's; watch, or 0; whether this thread asks; has not yet

CLOCK = getattr(time, "CLOCK_MONOTONIC", 1)
SECOND = 1_000_000_000  # ns
INTERVAL = 50_000_000


def begin(part: Word, kernel: Word) -> Word:
    """The calling thread's part in a batch."""
    seen = address("watch")
    part[OWN_CONTEXT] = kernel[CONTEXT]
    part[WATCHED] = seen if call(address("PyThread_get_thread_ident")) == seen[MAIN] else 0
    part[ASKS] = 1
    part[FRESH] = 1
    return 0


def is_off(part: Word) -> Word:
    """Whether the batch has been called off already."""
    return part[WATCHED] and part[WATCHED][STOPPED]


def all_off() -> Word:
    """Whether all that the calling thread would begin is called off: the rest of a batch that comes in pieces."""
    seen = address("watch")
    return seen[STOPPED] and call(address("PyThread_get_thread_ident")) == seen[MAIN]


def called_off(part: Word, work: Word, enough: Word) -> Word:
    """Whether to return now. work: rows or steps since the last time; the clock is looked at where there are enough."""
    if part == 0 or part[WATCHED] == 0:
        return 0
    seen = part[WATCHED]
    if part[ASKS] == 0 or seen[STOPPED]:
        return seen[STOPPED]
    seen[DONE] += work
    if seen[DONE] < enough:
        return 0
    seen[DONE] = 0
    now = stack(2)
    call32(address("clock_gettime"), CLOCK, now)
    instant = now[0] * SECOND + now[1]
    since = instant - seen[ASKED]
    if since < INTERVAL:
        return 0
    seen[ASKED] = instant
    if part[FRESH] and since > SECOND:  # this batch has only begun
        part[FRESH] = 0
        return 0
    part[FRESH] = 0
    return ask(seen)


def ask(seen: Word) -> Word:
    """Run the handlers of signals that have come; whether one of them raised."""
    state = call32(address("PyGILState_Ensure"))
    if call32(address("PyErr_CheckSignals")):
        call(address("PyErr_Fetch"), seen + 8 * TYPE, seen + 8 * VALUE, seen + 8 * TRACEBACK)
        if call32(address("Py_AddPendingCall"), where(raise_again), seen) == 0:
            seen[STOPPED] = 1
        else:  # too many are waiting: this one comes again
            call(address("PyErr_Restore"), seen[TYPE], seen[VALUE], seen[TRACEBACK])
            call(address("PyErr_Clear"))
            call(address("PyErr_SetInterrupt"))
    call(address("PyGILState_Release"), state)
    return seen[STOPPED]


def raise_again(seen: Word) -> Word:
    """What Python calls before its next instruction."""
    seen[STOPPED] = 0
    call(address("PyErr_Restore"), seen[TYPE], seen[VALUE], seen[TRACEBACK])
    return -1


FUNCTIONS = (begin, is_off, all_off, called_off, ask, raise_again)
