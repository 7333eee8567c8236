"""Geodesics and natural motions from one point to another, by shooting.

With q(t; v) the motion (1), (2) of flow.py from q0 with velocity v, over a time T:

    F(v) = difference(q(T; v), q1) = 0                                                       (1)
    v <- v - s (dF/dv)^+ F,   s the one of 1, 1/2, 1/4, ... that makes |F| least             (2)

dF/dv by central differences, all shots in one batch. Where Newton's steps (2) do not get there the target is moved
out from q0, and gravity switched on with it, each answer extrapolated to the next guess:

    q1(s) = integrate(q0, s difference(q0, q1)),   weight = s,   s from 0 to 1               (3)

A long way is easier in pieces: multiple shooting moves samples (q_k, v_k), the first and last q apart, until each is
where the motion from the one before arrives, (q', v') say, by Newton's steps for all the gaps at once:

    (difference(q_k+1, q'), v' - v_k+1) = 0                                                  (4)
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import flag, positive, vector
from chasles.errors import ShapeError
from chasles.riemann.geodesics.arguments import Array, broadcast
from chasles.riemann.geodesics.flow import Geodesic, exponential_map, flow, measures
from chasles.robot_like import RobotLike

_FRACTIONS = np.array([1.0, 0.5, 0.25, 0.125, 0.03125, 0.0078125])  # of a Newton step, tried together


def two_point(
    robot: RobotLike,
    q0: ArrayLike,
    q1: ArrayLike,
    duration: float = 1.0,
    *,
    tolerance: float = 1e-9,
    gravity: bool = False,
    guess: ArrayLike | None = None,
) -> Geodesic:
    """The geodesic from q0 to q1; with gravity the natural motion that takes `duration` from one to the other.

    q0, q1: (..., nq). A joint that turns goes to q1 as given and is not wrapped; rotations go the shorter way. guess:
    (..., n) the velocity at q0 to start from (default: that of the straight motion). The path is stationary; beyond a
    point conjugate to q0 it is not the shortest, and there may be others. Where none is found `converged` is False, and
    the path is the one that ends nearest, by `residual`. Shooting by Newton's method; where that fails, the target is
    moved out from q0 step by step, and gravity switched on with it.
    """
    start, target = broadcast(robot, "geodesic_between", q0=(q0, robot.nq), q1=(q1, robot.nq))
    span, tolerance = positive(duration, "duration"), positive(tolerance, "tolerance")
    lead = start.shape[:-1]
    with np.errstate(all="ignore"):
        if guess is None:
            velocity = robot.difference(start, target) / span
        else:
            guess = vector(guess, "geodesic_between: guess", robot.n, finite=True)
            velocity, _ = broadcast(robot, "geodesic_between", guess=(guess, robot.n), q0=(start, robot.nq))
            if velocity.shape[:-1] != lead:
                raise ShapeError(f"geodesic_between: guess must have shape {(*lead, robot.n)}, got {np.shape(guess)}")
        a, b, v = (x.reshape(-1, x.shape[-1]) for x in (start, target, velocity))
        weight = 1.0 if flag(gravity, "gravity") else 0.0
        v, off = _newton(robot, a, b, v, span, 16, weight, tolerance / 8)
        for row in np.flatnonzero(~(off <= tolerance)):
            v[row], off[row] = _continuation(robot, a[row], b[row], v[row], span, gravity, tolerance / 8)
        count, again = 16, off <= tolerance
        while True:
            path = exponential_map(robot, a, v, span, tolerance=tolerance / 8, gravity=gravity)
            residual = _size(robot.difference(path.q[..., -1, :], b))
            reached = (residual <= tolerance) & path.converged
            again &= ~reached  # found with too few steps
            if not again.any() or count > 512:
                break
            count *= 2
            v[again], _ = _newton(robot, a[again], b[again], v[again], span, count, weight, tolerance / 8)
    path = replace(path, residual=residual, converged=reached)
    batch = ("q", "qd", "length", "energy", "drift", "error", "residual", "converged")
    shaped = {key: getattr(path, key).reshape(lead + getattr(path, key).shape[1:])[()] for key in batch}
    return replace(path, **shaped)


def distance(robot: RobotLike, q0: ArrayLike, q1: ArrayLike) -> Array:
    """(...) the length of the geodesic from q0 to q1 that `two_point` finds, in sqrt(kg) m; nan where it finds none."""
    path = two_point(robot, q0, q1)
    return np.where(path.converged, path.length, np.nan)[()]


def sewn(robot: RobotLike, curve: Array, rates: Array, span: float, gravity: bool, tolerance: float) -> Geodesic:
    """Samples (T, nq), (T, n) moved, the first and last q apart, until each is where the motion from the one before
    arrives: multiple shooting by Newton's method, all pieces and their derivatives in one batch."""
    n, pieces, weight, step = robot.n, len(curve) - 1, 1.0 if gravity else 0.0, 3e-6
    q, v, h = curve.copy(), rates.copy(), span / (len(curve) - 1)
    free = np.setdiff1d(np.arange(2 * n * (pieces + 1)), [*range(n), *range(2 * n * pieces, 2 * n * pieces + n)])
    nudges = step * np.concatenate([np.eye(2 * n), -np.eye(2 * n)])

    def gaps(q: Array, v: Array, nudge: Array, count: int) -> Array:
        """(T - 1, k, 2n) where pieces arrive, seen from the next samples, with k nudges of their starts."""
        x, y = flow(robot, robot.integrate(q[:-1, None], nudge[:, :n]), v[:-1, None] + nudge[:, n:], h, count, weight)
        return np.concatenate([robot.difference(q[1:, None], x[-1]), y[-1] - v[1:, None]], axis=-1)  # (4)

    count, none = 8, np.zeros((1, 2 * n))
    while True:
        gap = gaps(q, v, none, count)[:, 0]
        for _ in range(24):
            slope = gaps(q, v, nudges, count)
            slope = np.swapaxes(slope[:, : 2 * n] - slope[:, 2 * n :], -1, -2) / (2.0 * step)
            if not np.abs(gap).max() > tolerance / 8 or not np.isfinite(slope).all():
                break
            A = np.zeros((pieces, 2 * n, pieces + 1, 2 * n))
            for k in range(pieces):
                A[k, :, k], A[k, :, k + 1] = slope[k], -np.eye(2 * n)
            change = np.zeros(2 * n * (pieces + 1))
            try:
                change[free] = np.linalg.solve(A.reshape(2 * n * pieces, -1)[:, free], -gap.ravel())
            except np.linalg.LinAlgError:
                break
            change = change.reshape(pieces + 1, 2 * n)
            tries = [(robot.integrate(q, s * change[:, :n]), v + s * change[:, n:]) for s in _FRACTIONS]
            found = [gaps(*each, none, count)[:, 0] for each in tries]
            sizes = [float(np.linalg.norm(x)) if np.isfinite(x).all() else np.inf for x in found]
            best = int(np.argmin(sizes))
            if not sizes[best] < np.linalg.norm(gap):
                break
            (q, v), gap = tries[best], found[best]
        fine = gaps(q, v, none, 2 * count)[:, 0]
        size, error = np.abs(fine).max(), np.abs(fine - gap).max()
        if size <= tolerance or np.abs(gap).max() > tolerance or count >= 64:
            break
        count *= 2
    x, y = flow(robot, q[:-1], v[:-1], h, 2 * count, weight)
    length, energy, drift = measures(robot, h, x, y, gravity)
    strays = np.abs(energy - energy[0]).max() + drift.max()
    t = np.linspace(0.0, span, pieces + 1)
    return Geodesic(t, q, v, length.sum(), energy[0], strays, error, size, np.asarray(size <= tolerance), gravity)


def _newton(
    robot: RobotLike, a: Array, b: Array, v: Array, span: float, count: int, weight: float, tolerance: float
) -> tuple[Array, Array]:
    """Velocities at a (rows, nq) that lead to b, and how far off they end; derivatives by shots, all in one batch."""
    n = robot.n
    v = v.copy()
    miss = robot.difference(flow(robot, a, v, span, count, weight)[0][-1], b)  # (1)
    off = _size(miss)
    going = (off > tolerance) & np.isfinite(off)
    for _ in range(24):
        rows = np.flatnonzero(going)
        if not rows.size:
            break
        A, B, V = a[rows, None], b[rows, None], v[rows, None]
        step = 3e-6 * (1.0 + np.abs(v[rows]).max(axis=-1))[:, None, None]
        shots = np.concatenate([V + step * np.eye(n), V - step * np.eye(n)], axis=1)
        ends = robot.difference(flow(robot, A, shots, span, count, weight)[0][-1], B)
        slope = np.swapaxes(ends[:, :n] - ends[:, n:], -1, -2) / (2.0 * step)
        regular = np.isfinite(slope).all(axis=(-2, -1))
        inverse = np.linalg.pinv(np.where(regular[:, None, None], slope, np.eye(n)), rcond=1e-12)
        aim = V - _FRACTIONS[:, None] * np.einsum("rij,rj->ri", inverse, miss[rows])[:, None]  # (2)
        misses = robot.difference(flow(robot, A, aim, span, count, weight)[0][-1], B)
        sizes = np.where(np.isfinite(misses).all(axis=-1), np.linalg.norm(misses, axis=-1), np.inf)
        best = np.argmin(sizes, axis=-1)
        pick = np.arange(rows.size), best
        better = regular & (sizes[pick] < np.linalg.norm(miss[rows], axis=-1))
        kept = rows[better]
        v[kept], miss[kept] = aim[pick][better], misses[pick][better]
        off[kept] = _size(miss[kept])
        going[rows] = better
        going &= off > tolerance
    return v, off


def _continuation(
    robot: RobotLike, a: Array, b: Array, v: Array, span: float, gravity: bool, tolerance: float
) -> tuple[Array, float]:
    """The velocity at a (nq,) that leads to b, by targets between, and how far off; v if that comes no nearer."""
    way, s, ds = robot.difference(a, b), 0.0, 0.25
    if not np.isfinite(way).all():
        return v, np.inf
    known = [(0.0, np.zeros_like(v))]  # at rest, without gravity: an exact answer
    while s < 1.0 and ds > 1 / 256:
        ahead = min(1.0, s + ds)
        target = robot.integrate(a, ahead * way)  # (3)
        if len(known) == 1:
            guess = ahead * way / span
        else:
            (s0, v0), (s1, v1) = known[-2:]
            guess = v1 + (v1 - v0) * ((ahead - s1) / (s1 - s0))
        weight = ahead if gravity else 0.0  # (3)
        found, off = _newton(robot, a[None], target[None], guess[None], span, 32, weight, tolerance)
        if off[0] <= tolerance:
            known.append((ahead, found[0]))
            s, ds = ahead, 1.5 * ds
        else:
            ds /= 2
    weight = 1.0 if gravity else 0.0
    tries = np.stack([known[-1][1], v])
    ends = flow(robot, np.broadcast_to(a, (2, a.size)), tries, span, 32, weight)[0][-1]
    sizes = _size(robot.difference(ends, b))
    best = int(np.argmin(np.where(np.isfinite(sizes), sizes, np.inf)))
    return tries[best], float(sizes[best])


def _size(miss: Array) -> Array:
    return np.abs(miss).max(axis=-1)
