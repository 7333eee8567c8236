"""The one place of tolerances. Each is relative to the largest entry of what is expected."""

from typing import Any

import numpy as np

EPS = float(np.finfo(float).eps)
ROUNDING = 64 * EPS  # a few operations
EXACT = 1e-14  # the same operations in another order, or none at all
FLOAT64 = 1e-10  # two algorithms in double precision
FLOAT32 = 2e-5  # the same in single precision
FINITE_DIFFERENCE = 1e-6  # a central difference of something smooth, in double precision


def close(actual: Any, expected: Any, tol: float = FLOAT64, scale: float = 0.0) -> bool:
    """Whether the largest difference is at most `tol` times the largest entry of `expected` (or `scale`, if larger).

    Shapes must be equal. A nan, or an infinity that is not expected, fails. Give `scale` where the expected value may
    be zero by cancellation: the size of what cancels. Failing raises, with the numbers.
    """
    x, y = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    assert x.shape == y.shape, f"shape {x.shape}, expected {y.shape}"
    if not x.size:
        return True
    assert np.isfinite(y).all(), "what is expected is not finite: the test is wrong"
    bound = tol * max(float(np.abs(y).max()), scale)
    error = np.abs(x - y)
    worst = np.unravel_index(int(np.argmax(np.where(np.isnan(error), np.inf, error))), error.shape)
    if not error[worst] <= bound:
        at = tuple(map(int, worst))
        raise AssertionError(f"off by {error[worst]:.3g} > {bound:.3g} at {at}: {x[worst]!r}, expected {y[worst]!r}")
    return True


def small(actual: Any, bound: float) -> bool:
    """Whether no entry is larger than `bound`, for what should be zero. A nan fails; failing raises, with the place."""
    x = np.asarray(actual, dtype=float)
    return close(x, np.zeros(x.shape), bound, scale=1.0)
