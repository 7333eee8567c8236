"""The compiled functions of a system under constraints.

With all rows A of the constraints, of which `kept` are independent, h their values where they have some, and (dA/dt) v
the rate of A v at constant v,

    M qdd + bias = tau + A^T lambda,   A qdd = -(dA/dt) qd - 2 a A qd - a^2 h     (1)  [CON-1]
    S = A M^-1 A^T,   lambda = S^-1 (A M^-1 (bias - tau) - (dA/dt) qd - ...)      (2)  [CON-2]
    P_T = 1 - M^-1 A^T S^-1 A,   P_w = P_T^T                                      (3)  [PRJ-1]

a, zero unless asked for, pulls a motion that has drifted off back (Baumgarte). M and bias may depend on the time t, A
does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from chasles.constrained.constraint import Constraint
from chasles.dynamics.linear_solve import factored, solve_factored
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.lagrangian import factored_mass
from chasles.lazy import lazy
from chasles.system import System, when

VANISHED = 1e-8  # of its usual length: a row that is shorter counts as zero
Kept = Mapping[int, float]  # the rows that are used, and their usual lengths


@dataclass(frozen=True)
class Rows:
    """The constraints of a system as kernels."""

    system: System
    constraint: Constraint

    @lazy
    def A(self) -> Kernel:
        """(k, n) of q."""

        def constraint_matrix(q: Any) -> Any:
            return np.concatenate([part.rows(self.system, q) for part in self.constraint.parts])

        return compile(constraint_matrix, q=self.system.nq)

    @lazy
    def counts(self) -> tuple[int, ...]:
        """The rows of each part."""
        found = []
        for part in self.constraint.parts:
            kernel = compile(lambda q, part=part: part.rows(self.system, q), q=self.system.nq)
            rows = kernel.outputs[0].shape
            if len(rows) != 2 or rows[1] != self.system.n:
                raise ModelError(f"constraint {part.name!r}: its rows have shape {rows}, expected (k, {self.system.n})")
            found.append(rows[0])
        return tuple(found)

    @lazy
    def holonomic(self) -> tuple[int, ...]:
        """The rows that have values."""
        ends = np.cumsum((0, *self.counts))
        return tuple(
            r
            for part, a, b in zip(self.constraint.parts, ends, ends[1:], strict=False)
            if part.values
            for r in range(a, b)
        )

    @lazy
    def names(self) -> tuple[str, ...]:
        """A name for each row."""
        parts = zip(self.constraint.parts, self.counts, strict=True)
        return tuple(name for part, count in parts for name in part.row_names(self.system, count))

    @lazy
    def h(self) -> Kernel:
        """(k,) of q, zero in rows that have no values."""

        def residual(q: Any) -> Any:
            parts = zip(self.constraint.parts, self.counts, strict=True)
            return np.concatenate([part.values(self.system, q) if part.values else np.zeros(k) for part, k in parts])

        return compile(residual, q=self.system.nq)

    @lazy
    def turning(self) -> Kernel:
        """(k,) of q, v and w: (dA/dt) w, the rate along the motion with velocity v, by one derivative."""
        n, nq = self.system.n, self.system.nq

        def moved(q: Any, rates: Any, w: Any, s: Any) -> Any:
            return self.A(q + s * rates) @ w

        along = compile(moved, q=nq, rates=nq, w=n, s=()).jacobian("s")

        def turning(q: Any, v: Any, w: Any) -> Any:
            return along(q, self.system.coordinate_rates(q, v), w, 0.0)

        return compile(turning, q=nq, v=n, w=n)

    @lazy
    def drift(self) -> Kernel:
        """(k,) of q and qd: (dA/dt) qd."""

        def constraint_drift(q: Any, qd: Any) -> Any:
            return self.turning(q, qd, qd)

        return compile(constraint_drift, q=self.system.nq, qd=self.system.n)

    @lazy
    def second_drift(self) -> Kernel:
        """(k,) of q and v: (d^2 A/dt^2) v at constant v."""
        n, nq = self.system.n, self.system.nq

        def moved(q: Any, rates: Any, v: Any, s: Any) -> Any:
            return self.drift(q + s * rates, v)

        along = compile(moved, q=nq, rates=nq, v=n, s=()).jacobian("s")

        def second_drift(q: Any, v: Any) -> Any:
            return along(q, self.system.coordinate_rates(q, v), v, 0.0)

        return compile(second_drift, q=nq, v=n)


def dynamics(rows: Rows, kept: Kept, pull: float) -> Kernel:
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


def projection(rows: Rows, kept: Kept) -> Kernel:
    """(q, t) -> P_T (n, n), and the smallest pivot of S, relative."""
    system = rows.system

    def projections(q: Any, t: Any = 0.0) -> Any:
        at = _schur(rows, kept, q, t)
        columns = [at.accelerations(at.multipliers([a[j] for a in at.A])) for j in range(system.n)]
        P = [np.stack([(1.0 if i == j else 0.0) - x[i] for j, x in enumerate(columns)]) for i in range(system.n)]  # (3)
        return {"P_T": np.stack(P), "pivot": at.pivot}

    return timed(projections, system, q=system.nq)


def correction(rows: Rows, kept: Kept) -> Kernel:
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


def _schur(rows: Rows, kept: Kept, q: Any, t: Any) -> _Schur:
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
        there = _dot(A[j], A[j]) > (VANISHED * length) ** 2
        smallest = np.minimum(smallest, where(there, d / S[j][j], 0.0))
    return smallest


def _dot(x: Any, y: Any) -> Any:
    total: Any = 0.0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total
