"""Linear algebra over leading axes, in which a row that cannot be solved is nan and stops no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    return _rowwise(np.linalg.solve, M, X)[0]


def inverse(M: Any) -> Array:
    return _rowwise(np.linalg.inv, M)[0]


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
    U, S, Vt = _rowwise(np.linalg.svd, M)
    return U, S, Vt


def refuse_if_none(good: Any, known: Any, message: str) -> None:
    """Raise ModelError where no row is good of those that are numbers: one among others is nan instead."""
    if np.any(known) and not np.any(good):
        raise ModelError(message)


def _rowwise(function: Callable[..., Any], *given: Any) -> tuple[Array, ...]:
    """What a function of stacked matrices returns; nan for those that it fails for, or that are not numbers."""
    if all(np.isfinite(M).all() for M in given):
        try:
            return _several(function(*given))
        except np.linalg.LinAlgError:  # of one of them
            pass
    lead = np.broadcast_shapes(*(np.shape(M)[:-2] for M in given))
    flat = [np.broadcast_to(M, (*lead, *np.shape(M)[-2:])).reshape(-1, *np.shape(M)[-2:]) for M in given]
    good = np.all([np.isfinite(M).all(axis=(-2, -1)) for M in flat], axis=0)
    try:
        found = _several(function(*(np.where(good[:, None, None], M, np.eye(*M.shape[-2:])) for M in flat)))
    except np.linalg.LinAlgError:
        found = _one_by_one(function, flat, good)
    found = tuple(np.where(good.reshape(-1, *(1,) * (x.ndim - 1)), x, np.nan) for x in found)
    return tuple(x.reshape(*lead, *x.shape[1:]) for x in found)


def _one_by_one(function: Callable[..., Any], flat: list[Array], good: Any) -> tuple[Array, ...]:
    like = _several(function(*(np.eye(*M.shape[-2:]) for M in flat)))
    found = tuple(np.full((len(good), *x.shape), np.nan) for x in like)
    for b in np.flatnonzero(good):
        try:
            parts = _several(function(*(M[b] for M in flat)))
        except np.linalg.LinAlgError:
            continue
        for out, part in zip(found, parts, strict=True):
            out[b] = part
    return found


def _several(x: Any) -> tuple[Array, ...]:
    return tuple(x) if isinstance(x, tuple) else (x,)
