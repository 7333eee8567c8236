"""The number of threads a batch may be split over, which compiled code reads where it is."""

import ctypes

num_threads = ctypes.c_int64(1)
