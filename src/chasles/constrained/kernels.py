"""The compiled functions of a system under constraints.

With the rows A of the constraints that are used, h their values where they have some, and (dA/dt) v the rate of A v at
constant v,

    M qdd + bias = tau + A^T lambda,   A qdd = -(dA/dt) qd - 2 a A qd - a^2 h     (1)  [CON-1]
    S = A M^-1 A^T,   lambda = S^-1 (A M^-1 (bias - tau) - (dA/dt) qd - ...)      (2)  [CON-2]
    P_T = 1 - M^-1 A^T S^-1 A,   P_w = P_T^T                                      (3)  [PRJ-1]

S is the Delassus matrix, the Schur complement of M in the saddle-point (KKT) equations (1). a, zero unless asked for,
pulls a motion that has drifted off back (Baumgarte). M and bias may depend on the time t, A does not.

Of overconstrained systems the rows are chosen at each state, and the multipliers of all are the least (chosen_rows.py).
A mass matrix that is singular by itself is taken with the inertia A^T D A that no motion feels (added_inertia.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from chasles.constrained.added_inertia import AddedInertia
from chasles.constrained.chosen_rows import ChosenRows, chosen_rows
from chasles.constrained.independent_rows import IndependentRows
from chasles.constraint.rows import ConstraintRows
from chasles.dynamics.linear_solve import factored, solve_factored
from chasles.dynamics.matrices import dot
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.graph.array import where
from chasles.system import System, when

VANISHING_LENGTH = 1e-8  # of its usual length: a row that is shorter counts as zero
LARGEST_MOBILITY = 1e8  # of an entry of S, over the usual one: where it is larger M is nearly singular


class Terms(NamedTuple):
    """What kernels are made of: all rows, those of them that are kept, the inertia that is added to M, if any, and (k,)
    the usual diagonal of S.
    """

    rows: ConstraintRows
    kept: IndependentRows
    added: AddedInertia | None
    mobility: Any

    @property
    def system(self) -> System:
        return self.rows.system

    def of(self, values: Any) -> Any:
        """Those kept, of all rows."""
        return values[list(self.kept.kept)]


def dynamics(terms: Terms, pull: float) -> Kernel:
    """(q, qd, tau, t) -> qdd (n,), multipliers of the kept rows, and the smallest pivot of S, relative."""
    system, rows = terms.system, terms.rows

    def bias(q: Any, qd: Any) -> Any:
        """-A qdd, of the rows kept."""
        drift = terms.of(rows.drift(q, qd))
        if not pull:
            return drift
        values = terms.of(rows.h(q)) if rows.holonomic else 0.0
        return drift + 2.0 * pull * (terms.of(rows.A(q)) @ qd) + pull * pull * values

    def forward_dynamics(q: Any, qd: Any, tau: Any, t: Any = 0.0) -> Any:
        at = _schur(terms, q, t)
        forces = tau - system.bias_forces(q, qd, *when(system, t))
        if terms.added is not None:
            forces = forces - terms.added.forces(terms.of(rows.A(q)), bias(q, qd))
        free, drift = solve_factored(at.mass, list(forces)), bias(q, qd)
        used = at.multipliers([-(dot(a, free) + d) for a, d in zip(at.A, at.chosen.used(drift), strict=True)])  # (2)
        qdd = [x + y for x, y in zip(free, at.accelerations(used), strict=True)]  # (1)
        return {"qdd": np.stack(qdd), "multipliers": np.stack(at.chosen.of_all(used)), "pivot": at.pivot}

    return timed(forward_dynamics, system, q=system.nq, qd=system.n, tau=system.n)


def projection(terms: Terms) -> Kernel:
    """(q, t) -> P_T (n, n), and the smallest pivot of S, relative."""
    system = terms.system

    def projections(q: Any, t: Any = 0.0) -> Any:
        at = _schur(terms, q, t)
        columns = [at.accelerations(at.multipliers([a[j] for a in at.A])) for j in range(system.n)]
        P = [np.stack([(1.0 if i == j else 0.0) - x[i] for j, x in enumerate(columns)]) for i in range(system.n)]  # (3)
        return {"P_T": np.stack(P), "pivot": at.pivot}

    return timed(projections, system, q=system.nq)


def correction(terms: Terms) -> Kernel:
    """(q, qd, t) -> the motion onto h = 0, to first order, and what takes qd onto A qd = 0, least in M; the pivot."""
    system, rows = terms.system, terms.rows

    def corrected(q: Any, qd: Any, t: Any = 0.0) -> Any:
        at = _schur(terms, q, t)
        off = {"q": at.chosen.used(terms.of(rows.h(q))), "qd": [dot(a, qd) for a in at.A]}
        least = {key: np.stack([-x for x in at.accelerations(at.multipliers(right))]) for key, right in off.items()}
        return {**least, "pivot": at.pivot}

    return timed(corrected, system, q=system.nq, qd=system.n)


class _Schur(NamedTuple):
    """The factors of M and of S = A M^-1 A^T, rows of A that are used and of A M^-1, the smallest pivot, relative."""

    mass: tuple[Any, list[Any]]
    inner: tuple[Any, list[Any]]
    A: list[list[Any]]
    Y: list[list[Any]]
    pivot: Any
    chosen: ChosenRows

    def multipliers(self, right: list[Any]) -> list[Any]:
        """S^-1 right."""
        return solve_factored(self.inner, right)

    def accelerations(self, multipliers: list[Any]) -> list[Any]:
        """M^-1 A^T multipliers."""
        return [dot(multipliers, column) for column in zip(*self.Y, strict=True)]


def _schur(terms: Terms, q: Any, t: Any) -> _Schur:
    system, kept = terms.system, terms.kept
    M = system.mass_matrix(q, *when(system, t))
    if terms.added is not None:
        M = M + terms.added.matrix(terms.of(terms.rows.A(q)))
    mass = factored([list(row) for row in M])
    A = [list(row) for row in terms.of(terms.rows.A(q))]
    chosen = chosen_rows(A, kept)
    A, lengths = chosen.used(A), chosen.used([kept.lengths[k] for k in kept.kept])
    usual = chosen.used([float(x) for x in terms.mobility])
    Y = [solve_factored(mass, row) for row in A]
    S = [[dot(a, y) for y in Y] for a in A]
    inner = factored(S)
    return _Schur(mass, inner, A, Y, _pivot(A, S, inner[1], lengths, usual), chosen)


def timed(function: Callable[..., Any], system: System, **shapes: int) -> Kernel:
    """A kernel of a function that takes t last, by name; t is an input of it where the system depends on time."""
    time: dict[str, Any] = {"t": ()} if when(system, 0.0) else {}
    return compile(function, **shapes, **time)


def _pivot(A: list[list[Any]], S: list[list[Any]], pivots: list[Any], lengths: list[Any], usual: list[Any]) -> Any:
    """The smallest pivot of S over the entry it came from: zero where the rank falls, or where M is nearly singular."""
    smallest: Any = 1.0
    for j, (d, length) in enumerate(zip(pivots, lengths, strict=True)):
        there = dot(A[j], A[j]) > (VANISHING_LENGTH * length) ** 2
        smallest = np.minimum(smallest, where(there, d / S[j][j], 0.0))
    mobile = dot([S[j][j] for j in range(len(S))], [1.0 / (LARGEST_MOBILITY * u) for u in usual])
    return where(mobile < 1.0, smallest, 0.0)
