"""Onto the constraint: how far a configuration is off, and the nearest one that is not.

    d_k = |h_k| / |A_k|                                                           (1)

is, to first order, the motion that row k of h(q) = 0 is off by, in the units of the velocities, whatever h is
multiplied with. Tolerances are on d, relative to q where q is greater than one. Gauss and Newton's steps

    v = -A^+ h,   q' = integrate(q, v)                                            (2)

are the least motions to first order; rows are brought to the same length before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.constrained.kernels import Rows

ZERO = 1e-12  # a row so much shorter than the longest is zero, but for rounding
SATISFIED = 1e-9  # a configuration found is on the constraint below it
HALVINGS = 20  # of a step that leads too far


def lengths(A: Any) -> Any:
    """(..., k) of rows A (..., k, n); of those that are zero, that of the longest."""
    length = np.linalg.norm(A, axis=-1)
    longest = length.max(axis=-1, keepdims=True, initial=0.0)
    return np.where(length > ZERO * longest, length, np.where(longest > 0.0, longest, 1.0))


def size(q: Any) -> Any:
    """(...) the largest entry, or one."""
    return np.maximum(1.0, np.abs(q).max(axis=-1, initial=0.0))


def distances(rows: Rows, q: Any) -> Any:
    """(..., k) d of (1), zero in rows that have no values, relative to q where it is large."""
    h, k = np.abs(rows.h(q)), list(rows.holonomic)
    if k:
        h[..., k] /= lengths(rows.A(q)[..., k, :]) * size(q)[..., None]
    return h


@np.errstate(all="ignore")
def on_constraint(rows: Rows, q: Any, tolerance: float = 1e-12, steps: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Configurations (B, nq) moved onto h = 0 by (2), and the largest distance (1) that is left, (B,)."""
    q = np.array(q, dtype=float)
    k = list(rows.holonomic)
    if not k:
        return q, np.zeros(len(q))
    left = distances(rows, q).max(axis=-1)
    for _ in range(steps):
        todo = ~(left <= tolerance)
        if not todo.any():
            break
        now = q[todo]
        A, h = rows.A(now)[:, k], rows.h(now)[:, k]
        length = lengths(A)
        ok = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(h).all(axis=1)
        step = np.zeros((len(A), rows.system.n))
        inverse = np.linalg.pinv(A[ok] / length[ok][..., None], rcond=1e-10)
        step[ok] = -np.einsum("bij,bj->bi", inverse, h[ok] / length[ok])  # (2)
        moved, better = _nearer(rows, now, step, h, length)
        q[todo], left[todo] = moved, distances(rows, moved).max(axis=-1)
        if (~better & (np.abs(step).max(axis=1) < SATISFIED)).all():
            break
    return q, left


def _nearer(rows: Rows, q: Any, step: Any, h: Any, length: Any) -> tuple[Any, Any]:
    """q moved by as much of a step as brings h nearer to zero; where none does, by at most one. Whether it did."""
    k, before = list(rows.holonomic), np.abs(h / length).max(axis=1)

    def moved(part: Any, some: Any) -> tuple[Any, Any]:
        there = rows.system.integrate(q[some], part * step[some])
        return there, np.abs(rows.h(there)[:, k] / length[some]).max(axis=1) < before[some]

    out, better = moved(1.0, slice(None))
    for halved in range(1, HALVINGS):
        far = np.flatnonzero(~better)
        if not len(far):
            return out, better
        out[far], better[far] = moved(0.5**halved, far)
    far = np.flatnonzero(~better)
    furthest = np.abs(step[far]).max(axis=1, keepdims=True)
    out[far], better[far] = moved(1.0 / np.maximum(1.0, furthest), far)
    return out, better
