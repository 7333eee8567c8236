"""Linear algebra of stacks of matrices (..., a, b): one that has no answer gives nan and stops no other.

NumPy raises LinAlgError for a whole stack if one of its matrices is singular, or not a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import vector
from chasles.arguments.arrays import DIMENSIONS
from chasles.errors import ModelError, ShapeError

Array = NDArray[np.float64]


def rowwise(function: Callable[..., Any], *given: Any) -> Any:
    """function(*given) of matrices (..., a, b), over leading axes; nan where it fails, or where one is not finite."""
    most = max(map(np.ndim, given))
    if most > DIMENSIONS:
        raise ShapeError(f"arrays of {most} dimensions are not taken here, at most {DIMENSIONS} are")
    if all_finite(*given):
        try:
            return function(*given)
        except np.linalg.LinAlgError:  # of one of them
            pass
    lead = np.broadcast_shapes(*(np.shape(M)[:-2] for M in given))
    good = np.ones(lead, dtype=bool)
    for M in given:
        good &= np.isfinite(M).all(axis=(-2, -1))
    stacks = [np.broadcast_to(M, (*lead, *np.shape(M)[-2:])) for M in given]
    harmless = [np.eye(*M.shape[-2:]) for M in stacks]
    try:
        found = function(*(np.where(good[..., None, None], M, one) for M, one in zip(stacks, harmless, strict=True)))
        return _each(lambda x: np.where(good.reshape(*lead, *(1,) * (x.ndim - len(lead))), x, np.nan), found)
    except np.linalg.LinAlgError:
        found = _each(lambda x: np.full((*lead, *np.shape(x)), np.nan), function(*harmless))
    for index in map(tuple, np.argwhere(good)):
        try:
            parts = function(*(M[index] for M in stacks))
        except np.linalg.LinAlgError:
            continue
        for out, part in zip(_several(found), _several(parts), strict=True):
            out[index] = part
    return found


def _several(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, tuple) else (x,)


def _each(change: Callable[[Any], Any], found: Any) -> Any:
    """change of an array, or of each of several."""
    return tuple(map(change, found)) if isinstance(found, tuple) else change(found)


def all_finite(*given: Array) -> bool:
    """Whether no number of arrays is nan or infinite. By the sum of squares, which takes a fifth of the time."""
    for x in given:
        square = x.dot(x) if x.ndim == 1 else np.vdot(x, x)
        if not math.isfinite(square) and not np.isfinite(x).all():
            return False
    return True


def nan_where_unknown(x: Array, *given: Array, own: int = 1) -> Array:
    """x, of `own` axes beside those of a batch, nan in rows of it in which something given (..., m) is not finite."""
    if all_finite(*given):
        return x
    known = np.ones((), dtype=bool)
    for y in given:
        known = known & np.isfinite(y).all(axis=-1)
    return np.where(known.reshape(*known.shape, *(1,) * own), x, np.nan)


def times(M: Any, x: Any, what: str = "what is multiplied") -> Array:
    """M x, over leading axes. what: the argument that x is, for a message."""
    return np.einsum("...ij,...j->...i", M, sized(x, np.shape(M)[-1], what))


def down(M: Any, x: Any, what: str = "what is multiplied") -> Array:
    """M^T x, over leading axes. what: as in `times`."""
    return np.einsum("...ij,...i->...j", M, sized(x, np.shape(M)[-2], what))


def sized(x: Any, size: int, what: str = "what is multiplied") -> Array:
    """x as an array (..., size); einsum would stretch an axis of length one."""
    return vector(x, what, size)


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


def left_inverse(K: Any) -> Array:
    """X (..., n, k) with X K = 1, for K (..., k, n) with independent columns: K^-1, or the inverse of Moore-Penrose."""
    k, n = np.shape(K)[-2:]
    if k == n:
        return inverse(K)
    U, S, Vt = decomposed(K)
    with np.errstate(all="ignore"):
        return transposed(Vt) @ (transposed(U[..., :n]) / S[..., None])


def least_norm(A: Any, x: Any, rank: int) -> Array:
    """(..., k) the y of least sum of squares with A^T y = A^T x, for rows A (..., k, n) of a known rank."""
    if np.shape(A)[-2] == rank:
        return x
    length = np.linalg.norm(A, axis=-1)
    length = np.where(length > 0.0, length, 1.0)
    U = decomposed(A / length[..., None])[0][..., rank:]  # A^T y = 0 for y = U / length
    N = rowwise(lambda Y: np.linalg.qr(Y)[0], U / length[..., None])
    return x - times(N, down(N, x))


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


def matrix_exponential(X: ArrayLike) -> Array:
    """(..., m, m) exp of square matrices: Taylor's series of X / 2^s, squared s times, s for each by its own norm."""
    given = np.asarray(X, dtype=float)
    Y = given.reshape(-1, *given.shape[-2:])
    norm = np.abs(Y).sum(axis=-1).max(axis=-1, initial=0.0)
    halvings = np.ceil(np.log2(np.maximum(np.where(np.isfinite(norm), norm, 0.0), 0.25))) + 2.0  # then at most 1/4
    Y = Y * (0.5**halvings)[:, None, None]
    one = np.eye(Y.shape[-1])
    out = one + np.zeros_like(Y)
    for k in range(14, 0, -1):  # the next term is below 1e-21
        out = one + Y @ out / k
    for k in range(int(halvings.max(initial=0.0))):
        rows = k < halvings
        out[rows] = out[rows] @ out[rows]
    return out.reshape(given.shape)
