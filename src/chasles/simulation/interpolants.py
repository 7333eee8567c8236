"""States within a step, in its canonical coordinates, so that configurations stay on their groups.

With s the part of the step that is over, and k, l the rates of x and v at a method's stages (integrators/tableau.py),

    x(s) = h sum of b_i(s) k_i,   v(s) = v + h sum of b_i(s) l_i,   q(s) = integrate(q, x(s))         (1)

or, where a method has no polynomials b_i, by Hermite's cubics through values and rates at both ends,

    x(s) = s^2 (3 - 2 s) x_1 + h s (1 - s)^2 k_0 - h s^2 (1 - s) k_1,   x_1 = difference(q, q_1)      (2)

with v = dexp_{-x}(dx/dt). The error of (2) is h^4 in q and h^3 in v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.integrators.equations import Equations

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Within:
    """The states of a step of h seconds from (q, v) at t: x and v as sums of vectors over the powers of s.

    x, u: (..., p, n), the factors of s, s^2, ..., s^p in x(s) and in v(s) - v; u is None where v is of the rate of x.
    """

    equations: Equations
    t: float
    h: float
    q: Array
    v: Array
    x: Array
    u: Array | None

    def __call__(self, t: Any) -> tuple[Array, Array]:
        """q (..., nq) and v (..., n) at a time; of times (m,), q (..., m, nq) and v (..., m, n)."""
        s = (np.asarray(t, dtype=float) - self.t) / self.h
        p = np.arange(1, self.x.shape[-2] + 1)
        powers = s[..., None] ** p
        q, v = (self.q, self.v) if s.ndim == 0 else (self.q[..., None, :], self.v[..., None, :])
        q = np.broadcast_to(q, (*q.shape[:-2], len(s), q.shape[-1])) if s.ndim else q
        x = powers @ self.x
        if self.u is not None:
            return self.equations.integrate(q, x), v + powers @ self.u  # (1)
        rate = (p * s[..., None] ** (p - 1)) @ self.x / self.h
        return self.equations.integrate(q, x), self.equations.velocity(x, rate)  # (2)

    def row(self, index: tuple[int, ...]) -> Within:
        """Those of one row of a batch."""
        u = None if self.u is None else self.u[index]
        return Within(self.equations, self.t, self.h, self.q[index], self.v[index], self.x[index], u)


def by_stages(
    equations: Equations,
    t: float,
    h: float,
    start: tuple[Array, Array],
    k: Array,
    l: Array,
    b: Sequence[Sequence[float]],
) -> Within:
    """(1), of rates k and l (..., stages, n)."""
    powers = np.transpose(b) * h
    return Within(equations, t, h, *start, powers @ k, powers @ l)


def by_ends(equations: Equations, t: float, h: float, start: tuple[Array, Array], end: tuple[Array, Array]) -> Within:
    """(2), of the states at both ends."""
    (q, v), (q1, v1) = start, end
    x1 = equations.system.difference(q, q1)
    first, last = v * h, equations.rate(x1, v1) * h
    powers = first, 3.0 * x1 - 2.0 * first - last, first + last - 2.0 * x1
    return Within(equations, t, h, q, v, np.stack(powers, axis=-2), None)
