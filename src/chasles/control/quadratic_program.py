"""A small quadratic program, by the dual active-set method.

    least  x^T H x / 2 + f^T x   with   lower <= C x <= upper,   H positive definite      (1)

starts at the least x without bounds and takes up, one at a time, the bound that is broken most: along

    z = H^-1 (c - N r),   r = (N^T H^-1 N)^-1 N^T H^-1 c                                   (2)

where N are the bounds held so far, until c x is within its bound, letting go of those whose force would change sign. It
ends after finitely many steps, with the answer or a proof that there is none. [GoldfarbIdnani1983]
"""

from __future__ import annotations

import numpy as np

from chasles.control.law import Array

TOLERANCE = 1e-10


def quadratic_program(H: Array, f: Array, C: Array, lower: Array, upper: Array) -> Array | None:
    """(n,) x of (1), or None where the bounds contradict each other. H: (n, n), f: (n,), C: (k, n)."""
    normals = np.concatenate([C, -C])
    least = np.concatenate([lower, -upper])  # normals x >= least
    size = TOLERANCE * (1.0 + np.abs(np.where(np.isfinite(least), least, 0.0)))
    inverse = np.linalg.inv(H)
    x, held, force = -inverse @ f, [], np.zeros(0)
    for _ in range(10 * len(normals) + 10):
        lack = least - normals @ x
        lack[held] = -np.inf
        p = int(np.argmax(lack - size))
        if not lack[p] > size[p]:
            return x
        c, own = normals[p], 0.0
        while True:
            N = normals[held]
            across = inverse @ c
            r = np.linalg.solve(N @ inverse @ N.T, N @ across) if held else np.zeros(0)
            z = across - inverse @ N.T @ r  # (2)
            blocking = np.where(r > 0.0, force / np.where(r > 0.0, r, 1.0), np.inf)
            first = int(np.argmin(blocking)) if held else -1
            dual = blocking[first] if held else np.inf
            moves = c @ z > TOLERANCE * (c @ across)
            primal = (least[p] - c @ x) / (c @ z) if moves else np.inf
            step = min(dual, primal)
            if step == np.inf:
                return None
            if moves:
                x = x + step * z
            force, own = force - step * r, own + step
            if step == primal:
                held, force = [*held, p], np.append(force, own)
                break
            held, force = held[:first] + held[first + 1 :], np.delete(force, first)
    return None
