"""Newton's method for the equations of an implicit stage, F(x) = 0, on arrays of a batch and inside kernels.

    x <- x - F'(x)^-1 F(x)   until the change is small,   then   x <- x - J^-1 F(x)   with the last J = F'    (1)

Traced, F' is the derivative of the trace, and the second iteration alone is differentiated, as a fixed point: J does
not count there, so that no second derivatives are made. On numbers F' is of differences, which costs iterations and no
accuracy. A row that does not converge is nan.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.graph.array import TracedArray
from chasles.graph.diff import jacobian_forward
from chasles.graph.node import where
from chasles.graph.trace_loop import loop
from chasles.scalar import ops

MOST_ITERATIONS = 25
NEAR = 1e-4  # a change, in units of the scale, beyond which J is made anew
SMALL = 1e-10  # a change that is not followed by another
DIFFERENCE = 1e-7  # of x in units of the scale, for F' on numbers

Residual = Callable[[Any], Any]


def root(F: Residual, x: Any, scale: Residual, slopes: Residual | None = None) -> Any:
    """(..., n) where F (..., n) is zero, from x (..., n). scale: (...) the length that counts as 1, of x. slopes: F' of
    traced x, about (default: by differentiating)."""
    return _traced(F, x, scale, slopes) if isinstance(x, TracedArray) else _of_numbers(F, x, scale)


def _traced(F: Residual, x: Any, scale: Residual, slopes: Residual | None) -> Any:
    n = len(x)

    def newton(x: Any, J: Any) -> Any:
        left = F(x)
        found = jacobian_forward(list(left), list(x)) if slopes is None else slopes(x)
        J = np.stack([np.stack(list(row)) for row in found])
        step = eliminated(J, left)
        return (x - step, J), {"until": np.max(np.abs(step)) < NEAR * scale(x)}

    def repeated(x: Any) -> Any:
        step = eliminated(J, F(x))
        return x - step, {"until": np.max(np.abs(step)) < SMALL * scale(x)}

    (x, J), _ = loop(newton, (x, np.eye(n)), count=MOST_ITERATIONS)
    J = held(J)
    x, how = loop(repeated, held(x), count=MOST_ITERATIONS, rule="fixed_point")  # (1)
    found = how["until"]
    return np.stack([where((found > 0.5) & (found < 1.5), y, math.nan) for y in x])


def held(x: Any) -> Any:
    """An array as numbers that derivatives pass by: a loop at rest, with nothing given, has none."""

    def rest(x: Any) -> Any:
        return np.minimum(x, x * 1.0 + 1.0)

    return loop(rest, x, count=1, rule="fixed_point")


def _of_numbers(F: Residual, x: Any, scale: Residual) -> Any:
    n = x.shape[-1]
    short = np.zeros(x.shape[:-1], dtype=bool)
    for _ in range(MOST_ITERATIONS):
        left, h = F(x), DIFFERENCE * scale(x)[..., None]
        columns = [(F(x + h * e) - left) / h for e in np.eye(n)]
        step = _solved(np.stack(columns, axis=-1), left)
        x = np.where(short[..., None], x, x - step)
        short = short | (np.abs(step).max(axis=-1) < SMALL * scale(x))
        if np.all(short | np.isnan(x).any(axis=-1)):
            break
    return np.where(short[..., None], x, np.nan)


def _solved(J: Any, right: Any) -> Any:
    """(..., n) J^-1 right; nan where J is singular or not finite."""
    well = np.isfinite(J).all(axis=(-2, -1)) & np.isfinite(right).all(axis=-1)
    well = well & (np.linalg.det(np.where(well[..., None, None], J, np.eye(J.shape[-1]))) != 0.0)
    J, right = np.where(well[..., None, None], J, np.eye(J.shape[-1])), np.where(well[..., None], right, np.nan)
    return np.linalg.solve(J, right[..., None])[..., 0]


def eliminated(A: Any, b: Any) -> Any:
    """(n,) x with A x = b on leaves, by elimination with row pivots chosen by size."""
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    n = len(rows)
    for k in range(n):
        for i in range(k + 1, n):
            larger = ops.less(ops.absolute(rows[k][k]), ops.absolute(rows[i][k]))
            pairs = list(zip(rows[k], rows[i], strict=True))
            rows[k], rows[i] = ([ops.where(larger, *p) for p in q] for q in ([(y, x) for x, y in pairs], pairs))
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    x: list[Any] = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return np.stack(x)
