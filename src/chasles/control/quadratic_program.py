"""A small quadratic program, by the dual active-set method of Goldfarb and Idnani.

    least  x^T H x / 2 + f^T x   with   lower <= C x <= upper,   H = L L^T positive definite      (1)

With z = L^T x, a = -L^-1 f and G = C L^-T it is the point z nearest to a with lower <= G z <= upper. Rows N of G are
held at their bounds d, and a row c that is broken pushes with a force s, from zero on:

    N^T = Q R,   z = Q R^-T d + (1 - Q Q^T) (a + s c),   z = a + s c + N^T F                      (2)

until c z is at its bound, and is held too, or until a force F changes sign, and its row is let go. Nothing is carried
along from step to step but which rows are held and s, so that rounding does not add up. Rows with equal bounds are held
from the start, and never let go; no row is held at both of its bounds. It ends after finitely many steps, with the
answer or a proof that there is none. [GoldfarbIdnani1983]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.control.law import Array

LARGEST_VIOLATION = 1e-10  # relative, by which a bound may be broken
SMALLEST_INDEPENDENT = 1e-11  # of a row of length one: what is left of it without those held


def quadratic_program(H: Array, f: Array, C: Array, lower: Array, upper: Array) -> Array | None:
    """(n,) x of (1), or None where the bounds contradict each other. H: (n, n), f: (n,), C: (k, n)."""
    L: Any = np.linalg.cholesky(H)
    G: Any = np.linalg.solve(L, C.T).T
    a: Any = -np.linalg.solve(L, f)
    length = np.linalg.norm(G, axis=-1)
    size = np.maximum(*(np.where(np.isfinite(side), np.abs(side), 0.0) for side in (lower, upper)))
    slack = LARGEST_VIOLATION * (1.0 + size)
    if (lower > upper + slack).any() or ((length == 0.0) & ((lower > slack) | (upper < -slack))).any():
        return None
    unit = np.where(length > 0.0, length, 1.0)
    G, lower, upper, slack = G / unit[:, None], lower / unit, upper / unit, slack / unit
    fixed = (length > 0.0) & (upper - lower <= slack)
    target = np.zeros(len(G))  # where a row is, if it is held
    target[fixed] = (lower[fixed] + upper[fixed]) / 2.0
    sign = np.zeros(len(G))  # of the force that holds it; 0: either
    now = _Held(G, target, sign, a, [])
    for p in np.flatnonzero(fixed):
        if now.freedom(G[p]) > SMALLEST_INDEPENDENT**2:
            now = now.but([*now.rows, int(p)])
    for _ in range(10 * len(G) + 10):
        z = now.at(a)[0]
        value = G @ z
        below, above = lower - value, value - upper
        lack = np.maximum(below, above) - slack - 1e-15 * np.sqrt(z @ z)
        lack[now.rows] = -np.inf
        p = int(np.argmax(lack))
        if not lack[p] > 0.0:
            x: Any = np.linalg.solve(L.T, z)
            return x
        sign[p] = 1.0 if below[p] > above[p] else -1.0
        target[p] = lower[p] if sign[p] > 0.0 else upper[p]
        pushed = _push(now, p)
        if pushed is None:
            return None
        now = pushed
    return None


class _Held:
    """(2) for the rows held, with the signs of their forces."""

    def __init__(self, G: Array, target: Array, sign: Array, a: Array, rows: list[int]) -> None:
        self.G, self.target, self.sign, self.a, self.rows = G, target, sign, a, rows
        self.Q, R = np.linalg.qr(G[rows].T) if rows else (np.zeros((len(a), 0)), np.zeros((0, 0)))
        self.back = np.linalg.inv(R)
        self.point = target[rows] @ self.back  # R^-T d

    def but(self, rows: list[int]) -> _Held:
        """Other rows held."""
        return _Held(self.G, self.target, self.sign, self.a, rows)

    def at(self, start: Array) -> tuple[Array, Array]:
        """z and the forces F, of a start a + s c."""
        way = self.point - self.Q.T @ start
        return start + self.Q @ way, self.back @ way

    def freedom(self, c: Array) -> float:
        """|(1 - Q Q^T) c|^2, how fast c z changes with s."""
        rest = c - self.Q @ (self.Q.T @ c)
        return float(rest @ rest)


def _push(now: _Held, p: int) -> _Held | None:
    """The rows held once the row p is at its bound; None where those held leave no way to it."""
    c, s, bound = now.sign[p] * now.G[p], 0.0, now.sign[p] * now.target[p]
    while True:
        rows, sign = now.rows, now.sign[now.rows]
        z, F = now.at(now.a + s * c)
        falling = (now.back @ (now.Q.T @ c)) * sign  # how fast forces fall with s
        ends = np.where(falling > 0.0, np.maximum(F * sign, 0.0) / np.where(falling > 0.0, falling, 1.0), np.inf)
        first = int(np.argmin(ends)) if rows else -1
        dual = float(ends[first]) if rows else np.inf
        speed = now.freedom(c)
        primal = max(float(bound - c @ z), 0.0) / speed if speed > SMALLEST_INDEPENDENT**2 else np.inf
        if min(dual, primal) == np.inf:
            return None
        if primal <= dual:
            return now.but([*rows, p])
        s += dual
        now = now.but(rows[:first] + rows[first + 1 :])
