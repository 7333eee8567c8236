"""The leaves that tests compute with besides floats: NumPy batches, dual numbers, mpmath numbers of 50 digits."""

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np

from chasles.scalar.dual import Dual
from chasles.scalar.normal import normal_float
from chasles.scalar.ops import BINARY, UNARY, register
from chasles.scalar.threefry import random_float

mpmath.mp.dps = 50

register(
    mpmath.mpf,
    {
        **{name: getattr(mpmath, name) for name in UNARY},
        "atan2": mpmath.atan2,
        "random": lambda x, y: mpmath.mpf(random_float(float(x), float(y))),
        "normal": lambda x, y: mpmath.mpf(normal_float(float(x), float(y))),
        "less": lambda x, y: x < y,
        "less_equal": lambda x, y: x <= y,
        "where": lambda condition, x, y: mpmath.mpf(x if condition else y),
    },
)
assert set(BINARY) == {"atan2", "less", "less_equal", "random", "normal"}

Function = Callable[[Sequence[Any]], Sequence[Any]]


def precise(f: Function, x: Sequence[float]) -> list[Any]:
    """f on 50-digit numbers."""
    return [mpmath.mpf(y) for y in f([mpmath.mpf(float(v)) for v in x])]


def slope(f: Function, x: Sequence[float], dx: Sequence[float]) -> list[float]:
    """The derivative of f along dx, by dual numbers."""
    out = f([Dual(float(a), float(b)) for a, b in zip(x, dx, strict=True)])
    return [y.derivative if isinstance(y, Dual) else 0.0 for y in out]


def precise_slope(f: Function, x: Sequence[float], dx: Sequence[float]) -> list[float]:
    """The derivative of f along dx, by central differences of 50-digit numbers: good to double precision."""
    h = mpmath.mpf(10) ** -15
    ahead, behind = ([mpmath.mpf(float(a)) + s * h * float(b) for a, b in zip(x, dx, strict=True)] for s in (1, -1))
    return [float((p - m) / (2 * h)) for p, m in zip(f(ahead), f(behind), strict=True)]


def batched(f: Function, rows: np.ndarray) -> np.ndarray:
    """f on the rows of an array (B, n) at once, each leaf a batch: (B, outputs)."""
    out = f([rows[:, i].copy() for i in range(rows.shape[1])])
    return np.stack([np.broadcast_to(y, len(rows)) for y in out], axis=1)
