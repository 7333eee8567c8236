"""Projection onto constraints: how far a configuration is off, and the nearest one that is not, by Gauss-Newton steps.

    d_k = |h_k| / |A_k|                                                           (1)

is, to first order, the motion that row k of h(q) = 0 is off by, in the units of the velocities, whatever h is
multiplied with. Tolerances are on d, beyond what the rounding of q alone leaves. Gauss-Newton steps, A^+ the
Moore-Penrose inverse,

    v = -A^+ h,   q' = integrate(q, v)                                            (2)

are the least motions to first order; rows are brought to the same length before. Rotations of a robot's joints go by at
most half a turn or so at once, further only as long as h follows A: near where the rank falls, (2) leads anywhere.

    s_i > sqrt(max of d)                                                          (3)

are the singular values that count in A^+ if h gets much smaller by them alone, else all do. Equations that depend on
each other where they hold do not beside, and a distance d off they differ by singular values like d, which would lead
to where the rank falls: three cranks with one rod would mostly be found flat.

Rows of one size are best. One is zero, but for rounding, below 1e-12 or 1e-15 of the longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chasles.constraint.rows import ConstraintRows
from chasles.robot import Robot
from chasles.system import System

ZERO_LENGTH = 1e-12  # a row so short is zero, if others are longer: numbers of order one may be off by so much
ZERO_LENGTH_RELATIVE = 1e-15  # so is one so much shorter than the longest
ROUNDING = 16 * np.finfo(float).eps  # of q, relative, as a motion
LARGEST_DISTANCE = 1e-9  # (1) of a configuration that is on the constraint
MOST_HALVINGS = 20  # of a step that leads too far
LARGEST_STEP_ANGLE = 3.0  # radians, of one step
LARGEST_GROWTH = 1e8  # of a configuration, over the one it came from: beyond it has flown off


def row_lengths(A: Any) -> Any:
    """(..., k) of rows A (..., k, n); of those that are zero, that of the longest."""
    return nonzero_lengths(np.linalg.norm(A, axis=-1))


def nonzero_lengths(length: Any) -> Any:
    """(..., k) lengths of rows; where one is zero but for rounding, the longest."""
    longest = length.max(axis=-1, keepdims=True, initial=0.0)
    zero = length <= np.maximum(ZERO_LENGTH * np.minimum(longest, 1.0), ZERO_LENGTH_RELATIVE * longest)
    return np.where(zero, np.where(longest > 0.0, longest, 1.0), length)


def size(q: Any) -> Any:
    """(...) the largest entry, or one."""
    return np.maximum(1.0, np.abs(q).max(axis=-1, initial=0.0))


@np.errstate(all="ignore")
def distances(rows: ConstraintRows, q: Any) -> Any:
    """(..., k) d of (1) less what rounding leaves, zero in rows that have no values."""
    h, k = np.abs(rows.h(q)), list(rows.holonomic)
    if k:
        d = h[..., k] / row_lengths(rows.A(q)[..., k, :])
        h[..., k] = np.maximum(d - ROUNDING * size(q)[..., None], 0.0)
    return h


@np.errstate(all="ignore")
def newton_projection(
    rows: ConstraintRows, q: Any, tolerance: float = 1e-12, steps: int = 50, only: Sequence[int] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Configurations (B, nq) moved onto h = 0 by (2), and the largest distance (1) that is left, (B,).

    only: some of the rows that have values.
    """
    q, given = np.array(q, dtype=float), size(q)
    k = list(rows.holonomic if only is None else only)
    if not k:
        return q, np.zeros(len(q))
    left = distances(rows, q)[:, k].max(axis=-1)
    stuck, reach, turning = np.zeros(len(q), dtype=bool), np.full(len(q), LARGEST_STEP_ANGLE), _rotations(rows.system)
    for _ in range(steps):
        todo = ~(left <= tolerance) & ~stuck
        if not todo.any():
            break
        now = q[todo]
        A, h = rows.A(now)[:, k], rows.h(now)[:, k]
        length = row_lengths(A)
        step = _gauss_newton_step(rows, k, now, A / length[..., None], h / length, length)
        turn = np.maximum(np.abs(step[:, turning]).max(axis=1, initial=0.0), LARGEST_STEP_ANGLE)
        part = np.minimum(1.0, reach[todo] / turn)
        q[todo], before, after = _line_search(rows, k, now, part[:, None] * step, h, length)
        left[todo] = distances(rows, q[todo])[:, k].max(axis=-1)
        stuck[todo] = ~(after < before) & (np.abs(step).max(axis=1) < LARGEST_DISTANCE)
        reach[todo] = np.where(after <= (1.0 - 0.9 * part) * before, 2.0 * reach[todo], LARGEST_STEP_ANGLE)  # as A says
    return q, np.where(size(q) > LARGEST_GROWTH * given, np.inf, left)


def _gauss_newton_step(rows: ConstraintRows, k: list[int], q: Any, A: Any, h: Any, length: Any) -> Any:
    """(B, n) v of (2), for rows of length one; (3) where it does as well."""
    steps = np.zeros((2, len(A), rows.system.n))
    ok = np.isfinite(A).all(axis=(1, 2)) & np.isfinite(h).all(axis=1)
    U, s, V = np.linalg.svd(A[ok], full_matrices=False)
    along, most = np.einsum("bij,bi->bj", U, h[ok]), np.abs(h[ok]).max(axis=1, keepdims=True)
    for step, least in zip(steps, (1e-10 * s[:, :1], np.sqrt(most)), strict=True):
        step[ok] = -np.einsum("bij,bi->bj", V, np.where(s > least, along / np.where(s > 0.0, s, 1.0), 0.0))  # (2), (3)
    after = np.abs(rows.h(rows.system.integrate(q, steps[1]))[:, k] / length).max(axis=1)
    return np.where((after < 0.5 * np.abs(h).max(axis=1))[:, None], steps[1], steps[0])


def _line_search(rows: ConstraintRows, k: list[int], q: Any, step: Any, h: Any, length: Any) -> tuple[Any, Any, Any]:
    """By backtracking, q moved by as much of a step as brings h nearer to zero, and |h| before and after.

    Where no part of it does, by at most one.
    """
    before = np.abs(h / length).max(axis=1)

    def moved(part: Any, some: Any) -> tuple[Any, Any]:
        there = rows.system.integrate(q[some], part * step[some])
        return there, np.abs(rows.h(there)[:, k] / length[some]).max(axis=1)

    out, after = moved(1.0, slice(None))
    for halved in range(1, MOST_HALVINGS):
        far = np.flatnonzero(~(after < before))
        if not len(far):
            return out, before, after
        out[far], after[far] = moved(0.5**halved, far)
    far = np.flatnonzero(~(after < before))
    furthest = np.abs(step[far]).max(axis=1, keepdims=True)
    out[far], after[far] = moved(1.0 / np.maximum(1.0, furthest), far)
    return out, before, after


def _rotations(system: System) -> np.ndarray:
    """(n,) the velocities of a robot that are rotations; of another system it is not known."""
    if not isinstance(system, Robot):
        return np.zeros(system.n, dtype=bool)
    m = system.mechanism
    joints = (body.joint for body, mimic in zip(m.tree.bodies, m.mimics, strict=True) if mimic is None)
    return np.array([any(column.w) for joint in joints for column in joint.columns], dtype=bool)
