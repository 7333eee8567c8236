"""How fast this core writes an array of some size: the best of vector stores, stores past the caches, memset, np.fill.

What a function whose output is large could reach at most, were there nothing to compute.
"""

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from compiled_c import address, compiler, library

_STORES = """
#include <string.h>
typedef double vector __attribute__((vector_size(WIDTH)));
void plain(double *p, long bytes, double x) {
  vector v = {x}, *q = (vector *) p;
  for (long k = 0; k < bytes / WIDTH; k += 4) { q[k] = v; q[k + 1] = v; q[k + 2] = v; q[k + 3] = v; }
}
#ifdef __x86_64__
#include <immintrin.h>
void past(double *p, long bytes, double x) {
#if WIDTH == 64
  for (long k = 0; k < bytes / 8; k += 8) _mm512_stream_pd(p + k, _mm512_set1_pd(x));
#else
  for (long k = 0; k < bytes / 8; k += 2) _mm_stream_pd(p + k, _mm_set1_pd(x));
#endif
  _mm_sfence();
}
#endif
void set(double *p, long bytes, double x) { memset(p, (int) x, bytes); }
"""


def stores(size: int) -> list[Callable[[], Any]]:
    """Calls that each write an array of about that many bytes, for the fastest of them to be taken."""
    size -= size % 256
    raw = np.ones(size // 8 + 8)
    offset = -raw.ctypes.data % 64 // 8
    array = raw[offset : offset + size // 8]  # on a whole line of the cache
    calls: list[Callable[[], Any]] = [partial(array.fill, 2.0)]
    if compiler() is not None:
        made = library([(_STORES.replace("WIDTH", str(_width())), "")])
        arguments = (address(array), ctypes.c_long(size), ctypes.c_double(3.0))
        names = [name for name in ("plain", "past", "set") if hasattr(made, name)]
        calls += [partial(getattr(made, name), *arguments) for name in names]
    return calls


def _width() -> int:
    from chasles.backend.llvm.target import host

    return host().vector_bytes
