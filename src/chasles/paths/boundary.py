"""The boundary problem: a path of stationary acceleration or jerk through given rotations at given times.

Between rotations k and k + 1 the state x of series.py starts at x_k, free but for the first w (and w'), and

    the rotation ends at k + 1;  all of x but E is continuous;  the last w (and w') is as given       (1)

which are as many equations as unknowns, 3 (2m - 1) a piece less 3 (m - 1): solved by Newton's method, with derivatives
by complex steps through the power series, exact to rounding. The path is stationary at its knots too, as E alone may
jump where the path is held. Newton starts from polynomials of rotation vectors, which solve (1) for small turns; where
it does not lead there, turns and velocities grow from a fraction to the whole, each solution the start for the next. So
of several paths, as there are for fast ends, the one found is that which belongs to small turns.

Positions are polynomial splines of degree 2m - 1, with 2m - 2 continuous derivatives: the same in R^3.     (2)
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from math import ceil, factorial
from typing import Any

import numpy as np

from chasles.arguments.arrays import Array
from chasles.errors import ModelError
from chasles.lie import Twist, Vec3
from chasles.paths.series import flow, rate, tail

COMPLEX_STEP = 1e-60  # a complex step: what is of second order vanishes
LARGEST_RESIDUAL = 1e-12
LARGEST_RATE = 40.0  # rate of a state that Newton's method may come to
LARGEST_LAST_TERM, MOST_STEPS = 1e-13, 128  # of a power series; steps a piece
SMALLEST_STEP = 1.0 / 64.0  # step of the continuation


def polynomial_spline(points: Array, h: Array, first: list[Array], last: list[Array]) -> Array:
    """(..., K, 2m, 3) the coefficients, by powers of time from each knot, of the spline (2).

    points: (..., K + 1, 3). h: (K,). first, last: the m - 1 derivatives (..., 3) at the ends.
    """
    K, m = len(h), len(first) + 1
    size = 2 * m
    A, b = np.zeros((size * K, size * K)), np.zeros((*points.shape[:-2], size * K, 3))
    row = 0

    def put(k: int, at: float, derivative: int, sign: float = 1.0) -> None:
        for d in range(derivative, size):
            factor = factorial(d) / factorial(d - derivative) / h[k] ** derivative
            A[row, size * k + d] += sign * factor * (1.0 if at or d == derivative else 0.0)

    for k in range(K):
        for at in (0, 1):
            put(k, at, 0)
            b[..., row, :] = points[..., k + at, :]
            row += 1
    for k, at, ends in ((0, 0, first), (K - 1, 1, last)):
        for derivative, given in enumerate(ends, 1):
            put(k, at, derivative)
            b[..., row, :] = given
            row += 1
    for k in range(K - 1):
        for derivative in range(1, size - 1):
            put(k, 1, derivative)
            put(k + 1, 0, derivative, -1.0)
            row += 1
    scaled = np.linalg.solve(A, b).reshape(*points.shape[:-2], K, size, 3)
    return scaled / h[:, None, None] ** np.arange(size)[:, None]


def rotation_spline(turns: Array, h: Array, first: list[Array], last: list[Array]) -> list[Array]:
    """The series (B, K, degree + 1, n) of series.py for each step; all pieces have as many steps.

    turns: (B, K, 3) rotation vectors from each rotation to the next. h: (K,). first, last: w (and w'), (B, 3) each.
    """
    problem = _Problem(turns, h, first, last)
    y, before, done, earlier, step = problem.guess(1.0), 0.0, 0.0, 0.0, 1.0
    while done < 1.0:
        aim = min(1.0, done + step)
        ahead = (aim - done) / (done - earlier) if done else 0.0
        with np.errstate(all="ignore"):
            found = problem.solved(y + (y - before) * ahead if done else problem.guess(aim), aim)
        if found is not None:
            y, before, done, earlier, step = found, y * bool(done), aim, done, 2.0 * step
        elif step < SMALLEST_STEP:
            raise ModelError(
                f"no path of least cost was found: the velocities at the ends, or the turns, are too large (continued "
                f"to {done:.0%} of them); give poses between, or a longer duration"
            )
        else:
            step /= 2.0
    while True:
        pieces = flow(y, h[:, None], problem.steps)[1]
        if tail(pieces, h[:, None], problem.steps) <= LARGEST_LAST_TERM:
            return pieces
        problem.steps *= 2
        found = problem.solved(y, 1.0) if problem.steps <= MOST_STEPS else None
        if found is None:
            raise ModelError("the path of least cost that was found is too wild to be computed: give poses between")
        y = found


class _Problem:
    """(1), for a batch: states y (B, K, n), n = 3 (2m - 1) + 4, at the starts of the pieces, Q = 1 there."""

    def __init__(self, turns: Array, h: Array, first: list[Array], last: list[Array]) -> None:
        self.turns, self.h = turns, h
        self.first, self.last = (np.concatenate(given, axis=-1) for given in (first, last))
        self.m, (self.B, self.K) = len(first) + 1, turns.shape[:2]
        self.size = 3 * (2 * self.m - 1)
        self.steps = min(MOST_STEPS, max(1, ceil(rate(self.guess(1.0), h[:, None]))))

    def guess(self, scale: float) -> Any:
        """Of the polynomial spline of rotation vectors, then of each piece in its own, with the rates at its ends."""
        points = np.concatenate([np.zeros((self.B, 1, 3)), np.cumsum(self.turns, axis=1)], axis=1)
        first, last = (list(np.split(scale * given, self.m - 1, axis=-1)) for given in (self.first, self.last))
        whole, turns = polynomial_spline(scale * points, self.h, first, last), scale * self.turns
        out = np.zeros((self.B, self.K, self.size + 4))
        out[..., -1] = 1.0
        for k in range(self.K):
            begin = [whole[:, k, d] * float(factorial(d)) for d in range(1, self.m)]
            end = [whole[:, k + 1, d] * float(factorial(d)) for d in range(1, self.m)] if k + 1 < self.K else last
            own = np.stack([np.zeros((self.B, 3)), turns[:, k]], axis=1)
            c = polynomial_spline(own, self.h[k : k + 1], begin, [_dexp_inv(turns[:, k], w) for w in end])[:, 0]
            for d in range(1, 2 * self.m):
                out[:, k, 3 * d - 3 : 3 * d] = c[:, d] * float(factorial(d))
        if self.m == 2:
            out[..., 6:9] -= np.cross(out[..., :3], out[..., 3:6]) / 2.0
        return out

    def solved(self, y: Any, scale: float) -> Any:
        """Newton's method from y; None where it does not converge."""
        y = y.copy()
        y[:, 0, : 3 * (self.m - 1)] = scale * self.first
        if not rate(y, self.h[:, None]) < LARGEST_RATE:
            return None
        residual, matrix = self.equations(y, scale)
        for _ in range(20):
            size = np.abs(residual).max(axis=-1)
            try:
                change = np.linalg.solve(matrix, -residual[..., None])[..., 0]
            except np.linalg.LinAlgError:
                return None
            if size.max(initial=0.0) <= LARGEST_RESIDUAL * float(np.abs(y).max(initial=1.0)):
                return self.moved(y, change)
            for _ in range(4):
                trial = self.moved(y, change)
                if rate(trial, self.h[:, None]) < LARGEST_RATE:
                    new, derivative = self.equations(trial, scale)
                    worse = ~(np.abs(new).max(axis=-1) <= np.maximum(0.9 * size, LARGEST_RESIDUAL))
                    if not worse.any():
                        break
                    change = np.where(worse[:, None], change / 2.0, change)
                else:
                    change = change / 2.0
            else:
                return None
            y, residual, matrix = trial, new, derivative
        return None

    def moved(self, y: Any, change: Any) -> Any:
        full = np.concatenate([np.zeros((self.B, 3 * (self.m - 1))), change], axis=-1)
        out = y.copy()
        out[..., :-4] += full.reshape(self.B, self.K, self.size)
        return out

    def equations(self, y: Any, scale: float) -> tuple[Any, Any]:
        """(B, N) what (1) lacks and (B, N, N) its derivative by the unknowns."""
        B, K, n = self.B, self.K, self.size
        kept, given = n - 3, 3 * (self.m - 1)
        start = y[:, :, None] + 1j * COMPLEX_STEP * np.eye(n, n + 4)
        end, _ = flow(start, self.h[:, None, None], self.steps)  # (B, K, n directions, n + 4)
        turn = _vector(_quaternion(scale * self.turns)[:, :, None], end[..., n:])
        residual, slope = np.zeros((B, n * K)), np.zeros((B, n * K, n * K))
        row = 0
        for k in range(K):
            count, wanted = (kept, y[:, k + 1, :kept]) if k + 1 < K else (given, scale * self.last)
            for size, x, aim in ((3, turn[:, k], 0.0), (count, end[:, k, :, :count], wanted)):
                residual[:, row : row + size] = x[:, 0].real - aim
                slope[:, row : row + size, n * k : n * k + n] = np.swapaxes(x.imag, -1, -2) / COMPLEX_STEP
                row += size
            if k + 1 < K:
                slope[:, row - kept : row, n * k + n : n * k + n + kept] -= np.eye(kept)
        return residual[:, :row], slope[:, :row, given:]


def _dexp_inv(turn: Array, w: Array) -> Array:
    """The rate of a rotation vector (..., 3) at body angular velocity w (..., 3)."""
    V, W = (Twist(Vec3(*np.moveaxis(x, -1, 0)), Vec3.zero()) for x in (turn, w))
    return np.stack([*(-V).dexp_inv(W).w], axis=-1)


def _quaternion(turn: Array) -> Array:
    """(..., 4) of rotation vectors (..., 3)."""
    angle = np.sqrt((turn**2).sum(-1, keepdims=True))
    return np.concatenate([turn * (0.5 * np.sinc(angle / (2.0 * np.pi))), np.cos(angle / 2.0)], axis=-1)


def _vector(P: Any, Q: Any) -> Any:
    """Twice the vector part of P^-1 Q, its scalar part made positive: for small turns, the turn."""
    (a, b, c, s), (x, y, z, w) = np.moveaxis(P, -1, 0), np.moveaxis(Q, -1, 0)
    vector = [s * x - a * w - b * z + c * y, s * y - b * w - c * x + a * z, s * z - c * w - a * y + b * x]
    return 2.0 * np.stack(vector, axis=-1) * np.sign((s * w + a * x + b * y + c * z).real)[..., None]
