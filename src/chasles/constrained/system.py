"""A system under constraints: `chasles.ConstrainedSystem`.

    M qdd + bias = tau + A^T lambda,   A qd = 0                                   (1)  [CON-1]

the force of the constraints does no work [CON-3]. With S = A M^-1 A^T

    lambda = S^-1 (A M^-1 (bias - tau) - (dA/dt) qd)                              (2)  [CON-2]
    P_T = 1 - M^-1 A^T S^-1 A,   P_w = P_T^T                                      (3)  [PRJ-1]

P_T takes velocities to those allowed and P_w forces to those that move: P_w M = M P_T, P_w A^T = 0, A P_T = 0 [PRJ-2],
so that P_w (M qdd + bias - tau) = 0 is the motion [PRJ-3] and the rest the constraint's force [PRJ-4]. How a motion
must bend to stay on the constraint, with c = C(q, qd) qd of the Christoffel symbols, is the second fundamental form

    S(qd) = (1 - P_T) (qdd + M^-1 c) = M^-1 A^T S^-1 (A M^-1 c - (dA/dt) qd)       (4)  [PRJ-5]

Rows that follow from others everywhere are dropped, once (constrained/redundancy.py). Where the rank of the rest falls
at a configuration, all rows count again: the motion is still unique, if the velocity is that of some motion through
there, and the multipliers are the smallest ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.backend.kernel import Kernel
from chasles.constrained import kernels, redundancy
from chasles.constrained.constraint import Constraint
from chasles.errors import ModelError, ShapeError
from chasles.graph.node import Expr
from chasles.lazy import lazy
from chasles.system import System

if TYPE_CHECKING:
    from chasles.constrained.gauge import Gauge
    from chasles.constrained.reduced import Reduced

Array = NDArray[np.float64]
PIVOT = 1e-9  # below it, relative, a configuration counts as one where the rank falls
OFF = 1e-6  # a constraint is satisfied where its values and rates are below


class Motion(NamedTuple):
    """Accelerations (..., n), and multipliers (..., k) with A^T multipliers the constraints' force."""

    qdd: Array
    multipliers: Array


class Projections(NamedTuple):
    """P_w (..., n, n) of forces and P_T (..., n, n) of velocities."""

    P_w: Array
    P_T: Array


class ConstrainedSystem:
    """A robot or a Lagrangian system, and constraints on it.

    The multipliers belong to the rows `row_names`; `redundancy` says which rows were dropped and why. stabilization: a
    rate 1/s with which a motion off the constraint comes back (Baumgarte); zero leaves the equations as they are.
    start: (nq,) a configuration near one that satisfies the constraints, for when none is found by itself.
    """

    def __init__(
        self, system: System, constraint: Constraint, *, stabilization: float = 0.0, start: ArrayLike | None = None
    ) -> None:
        if not isinstance(system, System):
            raise ModelError(f"system must be a Robot or a LagrangianSystem, got {type(system).__name__}")
        if isinstance(system, ConstrainedSystem):
            raise ModelError("system is under constraints already: add the new ones to them with +")
        if getattr(system, "depends_on_time", False):
            raise ModelError(f"{system.name!r} depends on time, which is not covered under constraints")
        if not isinstance(constraint, Constraint):
            raise ModelError(f"constraint must be a Constraint, got {type(constraint).__name__}")
        if not 0.0 <= stabilization < np.inf:
            raise ModelError(f"stabilization must be a rate that is not negative, got {stabilization!r}")
        self.system, self.constraint = system, constraint
        self.stabilization = float(stabilization)
        self.rows = kernels.Rows(system, constraint)
        near = None if start is None else self._checked(start, "start", system.nq)
        self.redundancy = redundancy.redundancy(self.rows, near)
        if not self.redundancy.rank:
            raise ModelError(f"the constraints {', '.join(constraint.names)} say nothing: all their rows are zero")
        if self.redundancy.rank >= system.n:
            raise ModelError(f"the constraints {', '.join(constraint.names)} leave {system.name!r} no motion at all")

    # what it is

    @property
    def name(self) -> str:
        return self.system.name

    @property
    def n(self) -> int:
        """The number of velocities of the system."""
        return self.system.n

    @property
    def nq(self) -> int:
        return self.system.nq

    @property
    def degrees_of_freedom(self) -> int:
        """n less the rank of the constraints."""
        return self.n - self.redundancy.rank

    @property
    def row_names(self) -> tuple[str, ...]:
        """The rows that the multipliers belong to."""
        return self.redundancy.kept_names

    def neutral(self) -> Array:
        return self.system.neutral()

    def integrate(self, q: ArrayLike, v: ArrayLike) -> Array:
        return self.system.integrate(q, v)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        return self.system.difference(q0, q1)

    def coordinate_rates(self, q: ArrayLike, v: ArrayLike) -> Array:
        return self.system.coordinate_rates(q, v)

    def mass_matrix(self, q: ArrayLike) -> Array:
        return self.system.mass_matrix(q)

    def bias_forces(self, q: ArrayLike, qd: ArrayLike) -> Array:
        return self.system.bias_forces(q, qd)

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> Array:
        return self.system.coriolis_matrix(q, qd)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> Array:
        return self.system.kinetic_energy(q, qd)

    def potential_energy(self, q: ArrayLike) -> Array:
        return self.system.potential_energy(q)

    # constraints

    def constraint_matrix(self, q: ArrayLike) -> Array:
        """(..., k, n) A(q), the rows kept. q: (..., nq)."""
        return self.rows.A(q)[..., list(self.redundancy.kept), :]

    def constraint_drift(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., k) (dA/dt) qd, the rows kept."""
        return self.rows.drift(q, qd)[..., list(self.redundancy.kept)]

    def residual(self, q: ArrayLike) -> Array:
        """(..., rows) the values of all rows, dropped ones too; zero for Pfaffian ones."""
        return self.rows.h(q)

    # other forms of the equations

    def reduced(
        self,
        independent: Sequence[str | int] | None = None,
        *,
        velocities: Callable[[Any], Any] | None = None,
        coordinates: Callable[[Any], Any] | None = None,
        at: ArrayLike | None = None,
    ) -> Reduced:
        """The equations in as many velocities u as there are degrees of freedom (Lagrange and d'Alembert).

        independent: names or indices of velocities that determine the others (default: chosen by pivoting at the
        configuration `at` (nq,), by default one near home). Or velocities: a function of a traced q that returns
        rows X (m, n), u = X qd. Or coordinates: a function of a traced q that returns (m,), whose rates are u.
        """
        from chasles.constrained.reduced import reduced

        return reduced(self, independent, velocities=velocities, coordinates=coordinates, at=at)

    def gauge(self, reference: ArrayLike | None = None) -> Gauge:
        """Square-root coordinates, split by the constraint; frames agree with that at `reference` (nq,) if given."""
        from chasles.constrained.gauge import Gauge

        return Gauge(self, reference)

    # dynamics

    @lazy
    def dynamics(self) -> Kernel:
        """The kernel (q, qd, tau) -> qdd, multipliers, and the smallest pivot of A M^-1 A^T, relative."""
        return kernels.dynamics(self.rows, self._kept, self.stabilization)

    @lazy
    def _kept(self) -> kernels.Kept:
        return {k: self.redundancy.lengths[k] for k in self.redundancy.kept}

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Motion:
        """qdd (..., n) and the multipliers (..., k) of (1). q: (..., nq), qd, tau: (..., n).

        Of traced arrays, the rank is taken not to fall. Where it falls so that only a dropped row carries the force,
        the multipliers are nan.
        """
        with np.errstate(all="ignore"):
            qdd, multipliers, pivot = self.dynamics(q, qd, tau)
        usual = pivot > PIVOT
        if not isinstance(usual, Expr) and not usual.all():
            qdd, multipliers = self._where_the_rank_falls(~usual, qdd, multipliers, q, qd, tau)
        return Motion(qdd, multipliers)

    def _where_the_rank_falls(
        self, low: Any, qdd: Array, multipliers: Array, q: ArrayLike, qd: ArrayLike, tau: ArrayLike
    ) -> tuple[Array, Array]:
        lead = qdd.shape[:-1]
        state = [np.broadcast_to(x, (*lead, np.shape(x)[-1])).reshape(-1, np.shape(x)[-1]) for x in (q, qd, tau)]
        out, forces = qdd.reshape(-1, self.n).copy(), multipliers.reshape(-1, multipliers.shape[-1]).copy()
        kept, a = list(self.redundancy.kept), self.stabilization
        for b in np.flatnonzero(np.reshape(low, -1)):
            x, v, t = (part[b] for part in state)
            if not all(np.isfinite(part[b]).all() for part in state):
                continue
            M, A = self.mass_matrix(x), self._all_rows(x)
            d = self.rows.drift(x, v) + 2.0 * a * (A @ v) + a * a * self.residual(x)
            free = np.linalg.solve(M, t - self.bias_forces(x, v))
            Y = np.linalg.solve(M, A.T)
            force = Y @ _least(A @ Y, -(A @ free + d))  # (2)
            out[b], forces[b] = free + force, _least(A[kept] @ Y[:, kept], A[kept] @ force)
            if not np.allclose(Y[:, kept] @ forces[b], force, rtol=1e-6, atol=1e-9 * np.abs(force).max(initial=0.0)):
                forces[b] = np.nan  # a row that was dropped carries it
        return out.reshape(qdd.shape), forces.reshape(multipliers.shape)

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, multipliers: ArrayLike | None = None
    ) -> Array:
        """(..., n) tau = M qdd + bias - A^T multipliers (default: none), for an acceleration the constraints allow.

        All tau that give qdd differ by A^T of something: `multipliers` (..., k) chooses. q: (..., nq), others (..., n).
        """
        M, bias = self.mass_matrix(q), self.bias_forces(q, qd)
        tau = np.einsum("...ij,...j->...i", M, self._checked(qdd, "qdd", self.n)) + bias
        if multipliers is None:
            return tau
        forces = self._checked(multipliers, "multipliers", len(self.redundancy.kept))
        return tau - np.einsum("...ki,...k->...i", self.constraint_matrix(q), forces)

    @lazy
    def _projection(self) -> Kernel:
        return kernels.projection(self.rows, self._kept)

    def projections(self, q: ArrayLike) -> Projections:
        """P_w of forces and P_T of velocities, (..., n, n) each. q: (..., nq), traced too, as in `forward_dynamics`."""
        with np.errstate(all="ignore"):
            P, pivot = self._projection(q)
        usual = pivot > PIVOT
        if not isinstance(usual, Expr) and not usual.all():
            P, x = P.copy(), np.asarray(q, dtype=float)
            for b in map(tuple, np.argwhere(~usual)):
                if np.isfinite(x[b]).all():
                    P[b] = self._least_projection(x[b])
        return Projections(np.swapaxes(P, -1, -2), P)

    def _all_rows(self, q: Array) -> Array:
        """(rows, n) for where the rank falls: there, what was dropped may say more than what is kept."""
        A = self.rows.A(q)
        there = np.linalg.norm(A, axis=-1) > kernels.VANISHED * np.array(self.redundancy.lengths)
        return np.where(there[:, None], A, 0.0)

    def _least_projection(self, q: Array) -> Array:
        """P_T where the rank falls."""
        A = self._all_rows(q)
        Y = np.linalg.solve(self.mass_matrix(q), A.T)
        return np.eye(self.n) - Y @ _least(A @ Y, A)  # (3)

    def second_fundamental_form(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n) S(qd) of (4), for velocities that the constraints allow. q: (..., nq), qd: (..., n)."""
        v = self._checked(qd, "qd", self.n)
        A, drift = self.constraint_matrix(q), self.constraint_drift(q, v)
        c = np.einsum("...ij,...j->...i", self.system.coriolis_matrix(q, v), v)
        M = np.broadcast_to(self.mass_matrix(q), (*c.shape, self.n))
        Y = np.linalg.solve(M, np.broadcast_to(np.swapaxes(A, -1, -2), (*c.shape, A.shape[-2])))
        with np.errstate(all="ignore"):
            low = np.broadcast_to(~(self._projection(q)[1] > PIVOT), c.shape[:-1])
        S = np.where(low[..., None, None], np.eye(A.shape[-2]), A @ Y)
        right = np.einsum("...ik,...i->...k", Y, c) - drift
        bent = np.einsum("...ik,...k->...i", Y, np.linalg.solve(S, right[..., None])[..., 0])  # (4)
        x = np.broadcast_to(q, (*c.shape[:-1], self.nq))
        for b in map(tuple, np.argwhere(low & np.isfinite(bent).all(axis=-1))):
            A, drift = self._all_rows(x[b]), self.rows.drift(x[b], np.broadcast_to(v, c.shape)[b])
            Y = np.linalg.solve(M[b], A.T)
            bent[b] = Y @ _least(A @ Y, Y.T @ c[b] - drift)
        return bent

    # staying on the constraint

    def project(self, q: ArrayLike, tolerance: float = 1e-12) -> Array:
        """(..., nq) q moved onto the holonomic constraints, the nearest way in velocities; refused where it fails."""
        x = self._checked(q, "q", self.nq)
        found, left = redundancy.on_constraint(self.rows, x.reshape(-1, self.nq), tolerance)
        if not (left <= 1e3 * tolerance).all():
            b = int(np.argmax(np.where(np.isnan(left), np.inf, left)))
            h = np.abs(self.residual(found[b]))
            name = self.rows.names[int(np.argmax(np.where(np.isnan(h), np.inf, h)))]
            raise ModelError(f"q cannot be brought onto the constraints: {name} stays off by {left[b]:.3g}")
        return found.reshape(x.shape)

    def consistent(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """A state that satisfies the constraints, from one that does not: q projected, qd the nearest in M."""
        x = self.project(q)
        return x, np.einsum("...ij,...j->...i", self.projections(x).P_T, self._checked(qd, "qd", self.n))

    @lazy
    def _correction(self) -> Kernel:
        return kernels.correction(self.rows, self._kept)

    def corrected(self, q: Array, qd: Array, tolerance: float = 1e-12) -> tuple[Array, Array]:
        """A state that has drifted off a little, back on the constraints: for simulation, where it is always near."""
        for _ in range(3):
            with np.errstate(all="ignore"):
                step, change, pivot = self._correction(q, qd)
            usual = pivot > PIVOT
            if not usual.all():
                return self._corrected_apart(q, qd, usual)
            if not self.rows.holonomic or not abs(step).max(initial=0.0) > tolerance:
                return q, qd + change
            q = self.system.integrate(q, step)
        off = np.abs(self.residual(q))
        if off.max(initial=0.0) > OFF:
            name = self.rows.names[int(np.argmax(off.reshape(-1, off.shape[-1]).max(axis=0)))]
            raise ModelError(
                f"constraint {name} is off by {off.max():.3g} after a step and cannot be put back: take a smaller dt"
            )
        return q, qd + self._correction(q, qd)[1]

    def _corrected_apart(self, q: Array, qd: Array, usual: Any) -> tuple[Array, Array]:
        """The same where the rank falls for some states of a batch, or some are not numbers."""
        q, qd = q.copy(), qd.copy()
        if usual.any():
            q[usual], qd[usual] = self.corrected(q[usual], qd[usual])
        low = ~usual & np.isfinite(q).all(axis=-1) & np.isfinite(qd).all(axis=-1)
        if low.any():
            q[low], qd[low] = self.consistent(q[low], qd[low])
        return q, qd

    def refuse_inconsistent(self, q: ArrayLike, qd: ArrayLike) -> None:
        """Raise ModelError, by name, where q or qd does not satisfy a constraint."""
        h = np.abs(np.atleast_2d(self.residual(q))).max(axis=tuple(range(np.atleast_2d(self.residual(q)).ndim - 1)))
        rates = np.abs(np.einsum("...ki,...i->...k", self.rows.A(q), np.asarray(qd, dtype=float)))
        rates = np.atleast_2d(rates).max(axis=tuple(range(np.atleast_2d(rates).ndim - 1)))
        for values, what in ((h, "is not satisfied"), (rates, "is not satisfied by the velocity")):
            k = int(np.argmax(values))
            if not values[k] <= OFF:
                raise ModelError(
                    f"constraint {self.rows.names[k]} {what}: off by {values[k]:.3g}; "
                    "`consistent(q, qd)` gives the nearest state that does"
                )

    def _checked(self, x: ArrayLike, name: str, size: int) -> Array:
        out = np.asarray(x, dtype=float)
        if out.ndim < 1 or out.shape[-1] != size:
            raise ShapeError(f"{name} must have shape (..., {size}), got {out.shape}")
        return out

    def __repr__(self) -> str:
        return f"<ConstrainedSystem {self.name!r}: {self.degrees_of_freedom} degrees of freedom of {self.n}>"


def _least(S: Array, right: Array) -> Array:
    """The smallest x with S x = right, for an S = A M^-1 A^T whose rank may fall. right: (k,) or (k, m)."""
    size = np.sqrt(np.diagonal(S))
    D = np.where(size > 0.0, 1.0 / np.where(size > 0.0, size, 1.0), 0.0)[:, None]
    values, vectors = np.linalg.eigh(S * D * D.T)  # which row is small must not matter
    some = values > PIVOT * max(float(values.max()), 1e-300)
    U, b = vectors[:, some], np.reshape(right, (len(S), -1))
    x = D * (U @ (U.T @ (D * b) / values[some, None]))
    none = D * vectors[:, ~some]
    return (x - none @ np.linalg.lstsq(none, x, rcond=None)[0]).reshape(np.shape(right))
