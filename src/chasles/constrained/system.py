"""A system under constraints: `chasles.ConstrainedSystem`.

    M qdd + bias = tau + A^T lambda,   A qd = 0                                   (1)  [CON-1]

the force of the constraints does no work [CON-3]. With S = A M^-1 A^T

    lambda = S^-1 (A M^-1 (bias - tau) - (dA/dt) qd)                              (2)  [CON-2]
    P_T = 1 - M^-1 A^T S^-1 A,   P_w = P_T^T                                      (3)  [PRJ-1]

P_T takes velocities to those allowed and P_w forces to those that move: P_w M = M P_T, P_w A^T = 0, A P_T = 0 [PRJ-2],
so that P_w (M qdd + bias - tau) = 0 is the motion [PRJ-3] and the rest the constraint's force [PRJ-4]. How a motion
must bend to stay on the constraint, with c the velocity's part of bias, is the second fundamental form

    S(qd) = (1 - P_T) (qdd + M^-1 c) = M^-1 A^T S^-1 (A M^-1 c - (dA/dt) qd)       (4)  [PRJ-5]

Rows that follow from others everywhere are dropped, once (constrained/redundancy.py). Where the rank of the rest falls
at a configuration, the motion is still unique, and the multipliers are the smallest ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.backend.kernel import Kernel
from chasles.constrained import kernels, redundancy
from chasles.constrained.constraint import Constraint
from chasles.errors import ModelError, ShapeError
from chasles.lazy import lazy
from chasles.system import System

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
        if not isinstance(constraint, Constraint):
            raise ModelError(f"constraint must be a Constraint, got {type(constraint).__name__}")
        if not 0.0 <= stabilization < np.inf:
            raise ModelError(f"stabilization must be a rate that is not negative, got {stabilization!r}")
        self.system, self.constraint = system, constraint
        self.stabilization = float(stabilization)
        self.rows = kernels.Rows(system, constraint)
        near = None if start is None else self._checked(start, "start", system.nq)
        self.redundancy = redundancy.redundancy(self.rows, near)
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

    # dynamics

    @lazy
    def dynamics(self) -> Kernel:
        """The kernel (q, qd, tau) -> qdd, multipliers, and the smallest pivot of A M^-1 A^T, relative."""
        return kernels.dynamics(self.rows, self.redundancy.kept, self.stabilization)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Motion:
        """qdd (..., n) and the multipliers (..., k) of (1). q: (..., nq), qd, tau: (..., n)."""
        with np.errstate(all="ignore"):
            qdd, multipliers, pivot = self.dynamics(q, qd, tau)
        low = ~(pivot > PIVOT)
        if np.any(low):
            qdd, multipliers = self._where_the_rank_falls(low, qdd, multipliers, q, qd, tau)
        return Motion(qdd, multipliers)

    def _where_the_rank_falls(
        self, low: Any, qdd: Array, multipliers: Array, q: ArrayLike, qd: ArrayLike, tau: ArrayLike
    ) -> tuple[Array, Array]:
        lead = qdd.shape[:-1]
        state = [np.broadcast_to(x, (*lead, np.shape(x)[-1])).reshape(-1, np.shape(x)[-1]) for x in (q, qd, tau)]
        out, forces = qdd.reshape(-1, self.n).copy(), multipliers.reshape(-1, multipliers.shape[-1]).copy()
        for b in np.flatnonzero(np.reshape(low, -1)):
            x, v, t = (part[b] for part in state)
            if not all(np.isfinite(part[b]).all() for part in state):
                continue
            M, A, d = self.mass_matrix(x), self.constraint_matrix(x), self.constraint_drift(x, v)
            if self.stabilization:
                a, h = self.stabilization, self.residual(x)[list(self.redundancy.kept)]
                d = d + 2.0 * a * (A @ v) + a * a * h
            free = np.linalg.solve(M, t - self.bias_forces(x, v))
            Y = np.linalg.solve(M, A.T)
            forces[b] = np.linalg.pinv(A @ Y, rcond=PIVOT, hermitian=True) @ -(A @ free + d)  # (2)
            out[b] = free + Y @ forces[b]
        return out.reshape(qdd.shape), forces.reshape(multipliers.shape)

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, multipliers: ArrayLike | None = None
    ) -> Array:
        """(..., n) tau = M qdd + bias - A^T multipliers (default: none), for an acceleration the constraints allow.

        All tau that give qdd differ by A^T of something: `multipliers` (..., k) chooses. q: (..., nq), others (..., n).
        """
        M, bias = self.mass_matrix(q), self.bias_forces(q, qd)
        tau = np.einsum("...ij,...j->...i", M, np.asarray(qdd, dtype=float)) + bias
        if multipliers is None:
            return tau
        return tau - np.einsum("...ki,...k->...i", self.constraint_matrix(q), np.asarray(multipliers, dtype=float))

    @lazy
    def _projection(self) -> Kernel:
        return kernels.projection(self.rows, self.redundancy.kept)

    def projections(self, q: ArrayLike) -> Projections:
        """P_w of forces and P_T of velocities, (..., n, n) each. q: (..., nq)."""
        P = self._projection(q)
        return Projections(np.swapaxes(P, -1, -2), P)

    def second_fundamental_form(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n) S(qd) of (4), for velocities that the constraints allow. q: (..., nq), qd: (..., n)."""
        v = np.asarray(qd, dtype=float)
        M, A = self.mass_matrix(q), self.constraint_matrix(q)
        c = self.bias_forces(q, v) - self.bias_forces(q, np.zeros_like(v))
        Y = np.linalg.solve(M, np.swapaxes(A, -1, -2))
        right = np.einsum("...ki,...i->...k", np.swapaxes(Y, -1, -2), c) - self.constraint_drift(q, v)
        return np.einsum("...ik,...k->...i", Y, np.linalg.solve(A @ Y, right[..., None])[..., 0])  # (4)

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
        return x, np.einsum("...ij,...j->...i", self.projections(x).P_T, np.asarray(qd, dtype=float))

    @lazy
    def _correction(self) -> Kernel:
        return kernels.correction(self.rows, self.redundancy.kept)

    def corrected(self, q: Array, qd: Array, tolerance: float = 1e-12) -> tuple[Array, Array]:
        """A state that has drifted off a little, back on the constraints: for simulation, where it is always near."""
        for _ in range(3):
            step, change = self._correction(q, qd)
            if not self.rows.holonomic or not np.abs(step).max(initial=0.0) > tolerance:
                return q, qd + change
            q = self.system.integrate(q, step)
        return q, qd + self._correction(q, qd)[1]

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
