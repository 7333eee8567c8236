"""Random numbers that are functions of a seed and counters: `chasles.random`.

With the operation u of two numbers (scalar/threefry.py), uniform between 0 and 1,

    u(seed, a, b, c, ...) = u(... u(u(u(seed, a), b), c) ..., ...)                 (1)

and an array of them has its flat index 0, 1, ... as the last counter. So a number depends on what it is for, the row of
a batch, the step of a loop, the component of a vector, and on nothing else: not on how many were drawn before, on
threads, on neighbours. Normal numbers are quantiles of uniform ones (scalar/normal.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.arguments import is_whole, real, shown
from chasles.errors import ModelError
from chasles.graph.array import elementwise, is_traced, plain
from chasles.scalar import ops

__all__ = ["normal", "uniform"]


def uniform(seed: Any, counter: Any, *counters: Any, shape: int | tuple[int, ...] = ()) -> Any:
    """Numbers between 0 and 1, neither of them reached: (1). Traced or not, the same to the last bit.

    seed, counter, counters: numbers or arrays that broadcast, (...), traced or not; integers are told apart up to 2^53
    (2^24 in float32), and other numbers may be counters too. shape: (..., *shape) of them. Give as counters what tells
    one number from another: `uniform(seed, row, step, shape=7)`. Where one is nan, so is the number. Derivatives are 0.
    """
    return _drawn(ops.random, seed, (counter, *counters), shape)


def normal(seed: Any, counter: Any, *counters: Any, shape: int | tuple[int, ...] = ()) -> Any:
    """Numbers with the standard normal distribution, mean 0 and variance 1: the quantiles of what `uniform` draws.

    Arguments are those of `uniform`. They reach to 8.2 either way, and are right to 3e-10 of themselves.
    """
    return _drawn(ops.normal, seed, (counter, *counters), shape)


def _drawn(of: Callable[[Any, Any], Any], seed: Any, counters: tuple[Any, ...], shape: int | tuple[int, ...]) -> Any:
    """(1), with the last step by `of`."""
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not all(is_whole(s) and 0 < s < 2**31 for s in sizes):
        raise ModelError(f"shape must be positive integers, got {shown(shape)}")
    key = real(seed, "seed", symbols=True)
    given = [real(x, f"counter {k}" if k > 1 else "counter", symbols=True) for k, x in enumerate(counters, 1)]
    if sizes:
        given = [x.reshape(*x.shape, *(1,) * len(sizes)) for x in given]
        key = key.reshape(*key.shape, *(1,) * len(sizes))
        given.append(np.arange(math.prod(sizes), dtype=float).reshape(sizes))
    for x in given[:-1]:
        key = _applied(ops.random, key, x)
    found = _applied(of, key, given[-1])
    return found[()] if found.ndim == 0 else found


def _applied(of: Callable[[Any, Any], Any], key: Any, counter: Any) -> Any:
    if not is_traced(key) and not is_traced(counter):
        return np.asarray(of(key, counter))
    found = elementwise(of, 2)(key, counter)
    return found if isinstance(found, np.ndarray) else plain(found)
