"""The words of the process by which compiled code knows that it is called off (interruption.py)."""

import ctypes
import os
import threading

STOPPED, DONE, ASKED, TYPE, VALUE, TRACEBACK, MAIN, WATCH = range(8)

watch = (ctypes.c_int64 * WATCH)()


def _say_who_is_main() -> None:
    watch[MAIN] = threading.main_thread().ident or 0


_say_who_is_main()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_say_who_is_main)
