"""The compiled functions of a system under constraints.

With all rows A of the constraints, of which `kept` are independent, h their values where they have some, and (dA/dt) v
the rate of A v at constant v,

    M qdd + bias = tau + A^T lambda,   A qdd = -(dA/dt) qd - 2 a A qd - a^2 h     (1)  [CON-1]
    S = A M^-1 A^T,   lambda = S^-1 (A M^-1 (bias - tau) - (dA/dt) qd - ...)      (2)  [CON-2]
    P_T = 1 - M^-1 A^T S^-1 A,   P_w = P_T^T                                      (3)  [PRJ-1]

S is the Delassus matrix, the Schur complement of M in the saddle-point (KKT) equations (1). a, zero unless asked for,
pulls a motion that has drifted off back (Baumgarte). M and bias may depend on the time t, A does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from chasles.constraint.rows import ConstraintRows
from chasles.dynamics.linear_solve import factored, solve_factored
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.lagrangian import factored_mass
from chasles.system import System, when

VANISHING_LENGTH = 1e-8  # of its usual length: a row that is shorter counts as zero
Kept = Mapping[int, float]  # the rows that are used, and their usual lengths


def dynamics(rows: ConstraintRows, kept: Kept, pull: float) -> Kernel:
    """(q, qd, tau, t) -> qdd (n,), multipliers of the kept rows, and the smallest pivot of S, relative."""
    system = rows.system

    def forward_dynamics(q: Any, qd: Any, tau: Any, t: Any = 0.0) -> Any:
        at = _schur(rows, kept, q, t)
        free = solve_factored(at.mass, list(tau - system.bias_forces(q, qd, *when(system, t))))
        drift = rows.drift(q, qd)[list(kept)]
        if pull:
            values = rows.h(q)[list(kept)] if rows.holonomic else 0.0
            drift = drift + 2.0 * pull * (rows.A(q)[list(kept)] @ qd) + pull * pull * values
        multipliers = at.multipliers([-(_dot(a, free) + d) for a, d in zip(at.A, drift, strict=True)])  # (2)
        qdd = [x + y for x, y in zip(free, at.accelerations(multipliers), strict=True)]  # (1)
        return {"qdd": np.stack(qdd), "multipliers": np.stack(multipliers), "pivot": at.pivot}

    return timed(forward_dynamics, system, q=system.nq, qd=system.n, tau=system.n)


def projection(rows: ConstraintRows, kept: Kept) -> Kernel:
    """(q, t) -> P_T (n, n), and the smallest pivot of S, relative."""
    system = rows.system

    def projections(q: Any, t: Any = 0.0) -> Any:
        at = _schur(rows, kept, q, t)
        columns = [at.accelerations(at.multipliers([a[j] for a in at.A])) for j in range(system.n)]
        P = [np.stack([(1.0 if i == j else 0.0) - x[i] for j, x in enumerate(columns)]) for i in range(system.n)]  # (3)
        return {"P_T": np.stack(P), "pivot": at.pivot}

    return timed(projections, system, q=system.nq)


def correction(rows: ConstraintRows, kept: Kept) -> Kernel:
    """(q, qd, t) -> the motion onto h = 0, to first order, and what takes qd onto A qd = 0, least in M; the pivot."""
    system = rows.system

    def corrected(q: Any, qd: Any, t: Any = 0.0) -> Any:
        at = _schur(rows, kept, q, t)
        off = {"q": list(rows.h(q)[list(kept)]), "qd": [_dot(a, qd) for a in at.A]}
        least = {key: np.stack([-x for x in at.accelerations(at.multipliers(right))]) for key, right in off.items()}
        return {**least, "pivot": at.pivot}

    return timed(corrected, system, q=system.nq, qd=system.n)


class _Schur(NamedTuple):
    """The factors of M and of S = A M^-1 A^T, rows of A and of A M^-1, and the smallest pivot of S, relative."""

    mass: tuple[Any, list[Any]]
    inner: tuple[Any, list[Any]]
    A: list[list[Any]]
    Y: list[list[Any]]
    pivot: Any

    def multipliers(self, right: list[Any]) -> list[Any]:
        """S^-1 right."""
        return solve_factored(self.inner, right)

    def accelerations(self, multipliers: list[Any]) -> list[Any]:
        """M^-1 A^T multipliers."""
        return [_dot(multipliers, column) for column in zip(*self.Y, strict=True)]


def _schur(rows: ConstraintRows, kept: Kept, q: Any, t: Any) -> _Schur:
    system = rows.system
    mass = factored_mass(system, system.mass_matrix(q, *when(system, t)))
    A = [list(row) for row in rows.A(q)[list(kept)]]
    Y = [solve_factored(mass, row) for row in A]
    S = [[_dot(a, y) for y in Y] for a in A]
    inner = factored(S)
    return _Schur(mass, inner, A, Y, _pivot(A, S, inner, kept))


def timed(function: Callable[..., Any], system: System, **shapes: int) -> Kernel:
    """A kernel of a function that takes t last, by name; t is an input of it where the system depends on time."""
    time: dict[str, Any] = {"t": ()} if when(system, 0.0) else {}
    return compile(function, **shapes, **time)


def _pivot(A: list[list[Any]], S: list[list[Any]], factors: tuple[Any, list[Any]], kept: Kept) -> Any:
    """The smallest pivot of S over the entry it came from: zero where the rank falls."""
    smallest: Any = 1.0
    for j, (d, length) in enumerate(zip(factors[1], kept.values(), strict=True)):
        there = _dot(A[j], A[j]) > (VANISHING_LENGTH * length) ** 2
        smallest = np.minimum(smallest, where(there, d / S[j][j], 0.0))
    return smallest


def _dot(x: Any, y: Any) -> Any:
    total: Any = 0.0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total
