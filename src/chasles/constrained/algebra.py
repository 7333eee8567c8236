"""Linear algebra over leading axes, in which a row that cannot be solved is nan and stops no other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.dynamics.rowwise import rowwise
from chasles.errors import ModelError, ShapeError

Array = NDArray[np.float64]


def times(M: Any, x: Any) -> Array:
    """M x, over leading axes."""
    return np.einsum("...ij,...j->...i", M, sized(x, np.shape(M)[-1]))


def down(M: Any, x: Any) -> Array:
    """M^T x, over leading axes."""
    return np.einsum("...ij,...i->...j", M, sized(x, np.shape(M)[-2]))


def sized(x: Any, size: int) -> Array:
    """x as an array (..., size); einsum would stretch an axis of length one."""
    out = np.asarray(x, dtype=float)
    if out.ndim < 1 or out.shape[-1] != size:
        raise ShapeError(f"an array of shape (..., {size}) is needed here, got {out.shape}")
    return out


def transposed(M: Any) -> Any:
    return np.swapaxes(M, -1, -2)


def solved(M: Any, x: Any) -> Array:
    """M^-1 x for vectors x (..., n)."""
    return solved_matrix(M, np.asarray(x, dtype=float)[..., None])[..., 0]


def solved_matrix(M: Any, X: Any) -> Array:
    """M^-1 X for matrices X (..., n, m)."""
    return rowwise(np.linalg.solve, M, X)


def inverse(M: Any) -> Array:
    return rowwise(np.linalg.inv, M)


def saddle(M: Any, B: Any, F: Any, C: Any) -> tuple[Array, Array]:
    """X (..., n, m) and Y (..., k, m) with M X - B^T Y = F, B X = C, for rows B (..., k, n) of length one, independent.

    By Gauss's elimination of the whole: M^-1 is not needed, so that inertias may be quite unequal. Improved twice, as Y
    may be so much larger than X that its rounding is not small there.
    """
    n, k, unit = np.shape(M)[-1], np.shape(B)[-2], np.abs(M).max(axis=(-2, -1), keepdims=True)
    top = np.concatenate([M / unit, -transposed(B)], axis=-1)
    K = np.concatenate([top, np.concatenate([B, np.zeros((*np.shape(B)[:-1], k))], axis=-1)], axis=-2)
    right = np.concatenate([F / unit, C], axis=-2)
    X = solved_matrix(K, right)
    for _ in range(2):
        X = X + solved_matrix(K, right - K @ X)
    return X[..., :n, :], X[..., n:, :] * unit


def decomposed(M: Any) -> tuple[Array, Array, Array]:
    """U (..., k, k), singular values and V^T (..., n, n) of M (..., k, n)."""
    return rowwise(np.linalg.svd, M)


def refuse_if_none(good: Any, known: Any, message: str) -> None:
    """Raise ModelError where no row is good of those that are numbers: one among others is nan instead."""
    if np.any(known) and not np.any(good):
        raise ModelError(message)
