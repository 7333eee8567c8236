"""How many threads a batch may be split over: one number, which compiled code reads where it is."""

import ctypes

num_threads = ctypes.c_int64(1)
