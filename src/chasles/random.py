"""Random numbers that are functions of a seed and counters: `chasles.random`.

With the operation u of two numbers (scalar/threefry.py), uniform between 0 and 1,

    u(seed, a, b, c, ...) = u(... u(u(u(seed, a), b), c) ..., ...)                 (1)

and an array of them has its flat index 0, 1, ... as the last counter. So a number depends on what it is for, the row of
a batch, the step of a loop, the component of a vector, and on nothing else: not on how many were drawn before, on
threads, on neighbours. Normal numbers are quantiles of uniform ones, x with Phi(x) = u,

    x = (u - 1/2) P(v) / Q(v),   v = (4 u (1 - u))^(1/8)                           (2)

to 4e-10 of x, out to 8.2 where u ends: a rational function fitted to it for the largest relative error, of square roots
rather than of a logarithm, which vectors compute fast.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from chasles.arguments import is_whole, real, shown
from chasles.errors import ModelError
from chasles.graph.array import elementwise, is_traced, plain
from chasles.scalar import ops

__all__ = ["normal", "uniform"]

P = (
    22.461712057587924,
    15140.237521617686,
    1724298.685977674,
    50019460.55685654,
    355623200.79594934,
    44020722.592548825,
    -966293361.8780525,
    1631579164.2478247,
    -1137172661.4477594,
    400347422.4791851,
    -57425592.04746732,
)
Q = (
    1.0,
    806.3519020282678,
    107015.22714598803,
    3714732.243546387,
    35446016.27441592,
    55838759.84930372,
    -87429841.89465486,
    99328113.11538866,
    10108271.08222063,
    -9219695.752222575,
    20739900.37872185,
)


def uniform(seed: Any, counter: Any, *counters: Any, shape: int | tuple[int, ...] = ()) -> Any:
    """Numbers between 0 and 1, neither of them reached: (1). Traced or not, the same to the last bit.

    seed, counter, counters: numbers or arrays that broadcast, (...), traced or not; integers are told apart up to 2^53,
    and other numbers may be counters too. shape: (..., *shape) of them. Give as counters what tells one number from
    another: `uniform(seed, row, step, shape=7)`. Where one of them is nan, so is the number. Derivatives are 0.
    """
    key = real(seed, "seed", symbols=True)
    for k, given in enumerate((counter, *counters)):
        key = _random(key, real(given, f"counter {k + 1}" if counters else "counter", symbols=True))
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not all(is_whole(s) and 0 < s < 2**31 for s in sizes):
        raise ModelError(f"shape must be positive integers, got {shown(shape)}")
    if sizes:
        index = np.arange(math.prod(sizes), dtype=float).reshape(sizes)
        return _random(key.reshape(*key.shape, *(1,) * len(sizes)), index)
    return key[()] if key.ndim == 0 else key


def normal(seed: Any, counter: Any, *counters: Any, shape: int | tuple[int, ...] = ()) -> Any:
    """Numbers with the standard normal distribution, mean 0 and variance 1: (2) of `uniform`, with its arguments.

    They are the same bits in any batch and for any number of threads; outside of kernels they may differ in the last.
    """
    return quantile(uniform(seed, counter, *counters, shape=shape))


def quantile(u: Any) -> Any:
    """(2): the quantile of the standard normal distribution, for 2^-53 <= u <= 1 - 2^-53."""
    v = np.sqrt(np.sqrt(np.sqrt(4.0 * u * (1.0 - u))))
    numerator, denominator = P[-1] * v + P[-2], Q[-1] * v + Q[-2]
    for p, q in zip(P[-3::-1], Q[-3::-1], strict=True):
        numerator, denominator = numerator * v + p, denominator * v + q
    return (u - 0.5) * (numerator / denominator)


def _random(key: Any, counter: Any) -> Any:
    if not is_traced(key) and not is_traced(counter):
        return np.asarray(ops.random(key, counter))
    found = elementwise(ops.random, 2)(key, counter)
    return found if isinstance(found, np.ndarray) else plain(found)
