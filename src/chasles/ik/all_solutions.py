"""All solutions of inverse kinematics: the distinct ones of those that many starts lead to.

Two are the same if they differ by full turns or by less than SAME_SOLUTION; they are computed to RESIDUAL_AIM, since
where two meet the error is the square of what is left in q. To miss none, new searches start where a joint of a known
solution is mirrored or turned by half, until they find nothing new, or so many that there is no end of them: a singular
pose that a joint can keep while it moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.ik.problem import Array, Problem, Solutions, matching
from chasles.linear_algebra import nan_where_unknown
from chasles.model.task import size

SAME_SOLUTION = 1e-4  # rad or m
RESIDUAL_AIM = 1e-14
MOST_SOLUTIONS = 32  # of which more are endlessly many: six joints have 16
_SEARCHES_AT_ONCE = 100_000
_ROUNDS = 8  # of searches from known solutions


def every(problem: Problem, T: Array, q0: Any) -> Solutions:
    """All distinct solutions that are found; of a robot that is redundant for the task, as many as attempts find."""
    start = matching(T, problem.start(q0))
    T = nan_where_unknown(T, start, own=3)
    leading = np.broadcast_shapes(T.shape[:-3], start.shape[:-1])
    poses = np.broadcast_to(T, (*leading, *T.shape[-3:])).reshape(-1, *T.shape[-3:])
    starts = np.broadcast_to(start, (*leading, problem.robot.nq)).reshape(-1, problem.robot.nq)
    others = problem.box.starts(problem.settings.attempts)
    redundant = problem.robot.n > size(problem.task)
    rows = max(1, _SEARCHES_AT_ONCE // len(others))
    parts = [
        _every(problem, poses[k : k + rows], starts[k : k + rows], others, redundant)
        for k in range(0, max(1, len(poses)), rows)
    ]
    most = max(part.found.shape[1] for part in parts)
    q, found, residual = _concatenated([_padded(part, most) for part in parts], 0)
    shape = (*leading, most)
    return Solutions(q.reshape(*shape, q.shape[-1]), found.reshape(shape), residual.reshape(shape))


def _every(problem: Problem, T: Array, start: Array, others: Array, redundant: bool) -> Solutions:
    """The same for a list of poses (B, frames, 4, 4)."""
    begin = np.concatenate([start[:, None], np.broadcast_to(others, (len(T), *others.shape))], axis=1)
    tried = problem.search(T[:, None], begin, 1, RESIDUAL_AIM)
    known = distinct(problem, tried)
    open_ = np.arange(len(T))  # poses of which new solutions were found
    for _ in range(0 if redundant else _ROUNDS):
        if not len(open_):
            break
        here = _of_rows(known, open_)
        hops = problem.box.mirrored(here.q)  # (b, K, hops, nq)
        hops = hops.reshape(len(open_), -1, hops.shape[-1])
        more = problem.search(T[open_, None], np.where(np.isnan(hops), start[open_, None], hops), 1, RESIDUAL_AIM)
        joined = distinct(problem, _concatenated([here, more], 1))
        grown = joined.found.sum(1) > here.found.sum(1)
        known = _replaced(known, open_[grown], _of_rows(joined, grown))
        open_ = open_[grown & (joined.found.sum(1) <= MOST_SOLUTIONS)]
    _fill(problem, T, known, tried)
    return _in_order(problem, known, start)


def _of_rows(solutions: Solutions, rows: Any) -> Solutions:
    q, found, residual = solutions
    return Solutions(q[rows], found[rows], residual[rows])


def _fill(problem: Problem, T: Array, known: Solutions, tried: Solutions) -> None:
    """Where there is no solution, the nearest to one."""
    none = np.flatnonzero(~known.found.any(1))
    none = none[np.isfinite(tried.residual[none]).any(1)]
    if len(none):
        best = np.argmin(np.where(np.isnan(tried.residual[none]), np.inf, tried.residual[none]), axis=1)
        nearest = problem.descend(T[none], tried.q[none, best])
        for x, y in zip(known, nearest, strict=True):
            x[none, 0] = y


def _in_order(problem: Problem, known: Solutions, start: Array) -> Solutions:
    """By their distance from the start, each at the full turns that are nearest to it."""
    to = np.broadcast_to(start[:, None], known.q.shape)
    q = problem.box.nearest(known.q, to)
    away = np.abs(_apart(problem, to, q)).max(-1, initial=0.0)
    order = np.argsort(np.where(known.found, away, np.inf), axis=1, kind="stable")
    return Solutions(
        np.take_along_axis(q, order[..., None], 1),
        np.take_along_axis(known.found, order, 1),
        np.take_along_axis(known.residual, order, 1),
    )


def distinct(problem: Problem, tried: Solutions) -> Solutions:
    """Of solutions (B, A, nq) the distinct ones (B, K, nq), padded with nan; K is at least 1."""
    left, row, kept = tried.found.copy(), np.arange(len(tried.q)), []
    while left.any() or not kept:
        pick = np.argmax(left, axis=1)
        q, some = tried.q[row, pick], left[row, pick]
        kept.append((np.where(some[:, None], q, np.nan), some, np.where(some, tried.residual[row, pick], np.nan)))
        away = np.abs(_apart(problem, np.broadcast_to(q[:, None], tried.q.shape), tried.q)).max(-1, initial=0.0)
        left &= ~(away < SAME_SOLUTION)
        left[row, pick] = False
    q, found, residual = (np.stack(x, axis=1) for x in zip(*kept, strict=True))
    return Solutions(q, found, residual)


def _apart(problem: Problem, a: Array, b: Array) -> Array:
    """(..., n) from a to b, the shorter way round."""
    with np.errstate(invalid="ignore"):
        d = problem.robot.difference(a, b)
    turns = problem.box.turning
    d[..., turns] -= 2.0 * np.pi * np.round(d[..., turns] / (2.0 * np.pi))
    return d


def _replaced(known: Solutions, at: NDArray[np.int_], new: Solutions) -> Solutions:
    """`known` with the rows `at` from `new`, which may have more solutions."""
    most = max(known.found.shape[1], new.found.shape[1])
    out, new = _padded(known, most), _padded(new, most)
    for x, y in zip(out, new, strict=True):
        x[at] = y
    return out


def _padded(part: Solutions, most: int) -> Solutions:
    """Places to spare for as many as `most` solutions."""
    more = (0, most - part.found.shape[1])
    return Solutions(
        np.pad(part.q, [(0, 0), more, (0, 0)], constant_values=np.nan),
        np.pad(part.found, [(0, 0), more]),
        np.pad(part.residual, [(0, 0), more], constant_values=np.nan),
    )


def _concatenated(parts: list[Solutions], axis: int) -> Solutions:
    return Solutions(
        np.concatenate([part.q for part in parts], axis),
        np.concatenate([part.found for part in parts], axis),
        np.concatenate([part.residual for part in parts], axis),
    )
