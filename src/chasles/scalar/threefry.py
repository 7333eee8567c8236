"""Random numbers as a function: Threefry-2x64 in 13 rounds, of the bits of two numbers.

The key is (k_0, k_1) = (bits of x, 0), the counter (a, b) = (bits of y, 0). Modulo 2^64, with k_2 = k_0 ^ k_1 ^ PARITY,

    a <- a + k_0,   b <- b + k_1
    a <- a + b,   b <- (b rotated left by R_r) ^ a                  rounds r = 0, 1, ..., 12, R_r of period 8      (1)
    a <- a + k_i,   b <- b + k_(i + 1) + i                          after each fourth round, i = 1, 2, 3, indices mod 3

[SalmonMoraesDrorShaw2011]. The first 52 bits m of a make a number between 0 and 1, neither of which it is, exactly:

    u = (m + 1/2) / 2^52                                                                                           (2)

in float32 the first 23 bits and 2^23. -0.0 is taken as 0.0. Sums, shifts and xor alone, so that vectors of all kinds
compute it fast, and all machines to the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

ROTATIONS = (16, 42, 12, 31, 16, 32, 24, 21)
ROUNDS = 13
PARITY = 0x1BD11BDAA9FC1A22
FRACTION = {"float64": 52, "float32": 23}  # bits


def schedule() -> Iterator[tuple[int, int]]:
    """Rotations of the rounds, each with i of (1) where keys are added after it, else 0."""
    for r in range(ROUNDS):
        yield ROTATIONS[r % 8], 0 if (r + 1) % 4 else (r + 1) // 4


def words(key: Any, counter: Any) -> Any:
    """The word a of (1) for arrays of words (k_0, k_1) and (a, b), of uint64."""
    (k_0, k_1), (a, b) = key, counter
    k = (k_0, k_1, k_0 ^ k_1 ^ np.uint64(PARITY))
    a, b = a + k_0, b + k_1
    for rotation, i in schedule():
        a = a + b
        b = (b << np.uint64(rotation) | b >> np.uint64(64 - rotation)) ^ a
        if i:
            a, b = a + k[i % 3], b + k[(i + 1) % 3] + np.uint64(i)
    return a


def random(x: Any, y: Any) -> Any:
    """Numbers between 0 and 1 of arrays x and y, in their own precision: (2). nan where one of them is."""
    x, y = np.broadcast_arrays(x, y)
    dtype = np.result_type(x, y, np.float32)
    zero = np.zeros(x.shape, np.uint64)
    bits = [(np.asarray(z, np.float64) + 0.0).view(np.uint64) for z in (x, y)]
    with np.errstate(over="ignore"):
        a = words((bits[0], zero), (bits[1], zero))
    fraction = FRACTION[dtype.name]
    u = (a >> np.uint64(64 - fraction)).astype(np.float64)
    u = np.where(np.isnan(x) | np.isnan(y), np.nan, (u + 0.5) * 2.0**-fraction).astype(dtype)  # (2)
    return u[()]


def random_float(x: float, y: float) -> float:
    """(2) of floats."""
    return float(random(np.float64(x), np.float64(y)))
