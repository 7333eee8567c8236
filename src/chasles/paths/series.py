"""Rotations of stationary acceleration or jerk: their equations, solved by power series in time.

A variation of R keeps the metric's cost, the integral of |D^m R|^2 (path.py), stationary if

    E' + w x E = 0,   that is R E = constant,   E the momentum of the turn,                       (1)

    acceleration, m = 2   E = w''                              w''' + w x w'' = 0                 (2)
    jerk, m = 3           j = w'' + w x w' / 2,  E = j'' + w' x j + w x j' / 2                    (3)

from L = |w'|^2 / 2 or |j|^2 / 2: a variation dw = h' + w x h gives (1) with E = dL/dw - (dL/dw')' + (dL/dw'')'', up to
sign. (3) written out is the equation of ten terms in [ZefranKumarCroke1998]. As equations of first order in
x = (w, w', E) or (w, w', j, j', E) they are quadratic,

    w'' = E                                    (m = 2)
    w'' = j - w x w' / 2,   j'' = E - w' x j - w x j' / 2   (m = 3),   E' = -w x E,   Q' = Q w / 2   (4)

Q the unit quaternion of R; so with y = (x, Q) they are y' = A y + B (w, w') y, and the coefficients of their power
series follow one from another by products of series.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from functools import cache
from typing import Any

import numpy as np

from chasles.arguments.arrays import Array

DEGREE = 20
LEVI_CIVITA = np.array([[[(i - j) * (j - k) * (k - i) / 2.0 for k in range(3)] for j in range(3)] for i in range(3)])


@cache
def quadratic(m: int) -> tuple[Array, Array]:
    """A (n, n) and B (6 n, n) of (4), for row vectors y (n,): n = 3 (2m - 1) + 4."""
    s = 2 * m - 1
    n = 3 * s + 4
    A, B = np.zeros((n, n)), np.zeros((n, 6, n))
    part = [slice(3 * k, 3 * k + 3) for k in range(s)]
    E, v = part[-1], slice(3 * s, 3 * s + 3)

    def cross(row: slice, a: int, b: slice, factor: float) -> None:
        B[row, part[a], b] += factor * LEVI_CIVITA

    for k in range(s - 1):
        A[part[k], part[k + 1]] = np.eye(3)
    cross(E, 0, E, -1.0)
    if m == 3:
        cross(part[1], 0, part[1], -0.5)
        cross(part[3], 1, part[2], -1.0)
        cross(part[3], 0, part[3], -0.5)
    cross(v, 0, v, -0.5)  # Q w / 2 = (s w + v x w, -v . w) / 2
    B[v, part[0], n - 1] += 0.5 * np.eye(3)
    B[n - 1, part[0], v] -= 0.5 * np.eye(3)
    return A.T, np.ascontiguousarray(B.reshape(n, 6 * n).T)


def expand(y: Any) -> Any:
    """(..., DEGREE + 1, n) the power series of the solution that starts at y (..., n), real or complex."""
    A, B = quadratic(2 if y.shape[-1] == 13 else 3)
    Y = np.zeros((*y.shape[:-1], DEGREE + 1, y.shape[-1]), y.dtype)
    Y[..., 0, :] = y
    rates = np.swapaxes(Y[..., :6], -1, -2)
    for k in range(DEGREE):
        products = rates[..., : k + 1] @ Y[..., k::-1, :]
        Y[..., k + 1, :] = (Y[..., k, :] @ A + products.reshape(*y.shape[:-1], len(B)) @ B) / (k + 1)  # (4)
    return Y


def value(series: Any, t: Any) -> Any:
    """The sums (..., n) of series (..., degree + 1, n) at times t, which broadcast with (..., 1)."""
    total = series[..., -1, :]
    for d in range(series.shape[-2] - 2, -1, -1):
        total = total * t + series[..., d, :]
    return total


def flow(y: Any, h: Array, steps: int) -> tuple[Any, list[Any]]:
    """y after a time h (..., 1), and the series at the start of each of `steps` steps."""
    pieces = []
    for _ in range(steps):
        pieces.append(expand(y))
        y = value(pieces[-1], h / steps)
    return y, pieces


def rate(y: Any, h: Array) -> float:
    """How fast the state changes, times h: the largest of |x_k|^(1 / (k + 1)), as x_k has k + 1 inverse times."""
    x = np.abs(y[..., :-4]).reshape(*y.shape[:-1], (y.shape[-1] - 4) // 3, 3)
    sizes = np.sqrt((x**2).sum(axis=-1)) ** (1.0 / np.arange(1, x.shape[-2] + 1))
    return float((sizes * h).max(initial=0.0))


def tail(pieces: list[Any], h: Array, steps: int) -> float:
    """The last terms of the series of w'' and Q, relative to the largest value."""
    powers = (h / steps) ** np.arange(DEGREE + 1)
    worst = 0.0
    for Y in pieces:
        terms = np.abs(Y) * powers[..., None]
        w, Q = terms[..., :3].max(axis=-1), terms[..., -4:].max(axis=-1)
        end = DEGREE**2 * w[..., -2:].max(axis=-1) / (w.max(axis=-1) + 1e-300) + Q[..., -2:].max(axis=-1)
        worst = max(worst, float(end.max(initial=0.0)))
    return worst if np.isfinite(worst) else np.inf
