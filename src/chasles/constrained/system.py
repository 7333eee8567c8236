"""A system under constraints: `chasles.ConstrainedSystem`.

    M qdd + bias = tau + A^T lambda,   A qd = 0                                   (1)  [CON-1]

the force of the constraints does no work [CON-3]. With S = A M^-1 A^T

    lambda = S^-1 (A M^-1 (bias - tau) - (dA/dt) qd)                              (2)  [CON-2]
    P_T = 1 - M^-1 A^T S^-1 A,   P_w = P_T^T                                      (3)  [PRJ-1]

P_T takes velocities to those allowed and P_w forces to those that move: P_w M = M P_T, P_w A^T = 0, A P_T = 0 [PRJ-2],
so that P_w (M qdd + bias - tau) = 0 is the motion [PRJ-3] and the rest the constraint's force [PRJ-4]. How a motion
must bend to stay on the constraint, with c = C(q, qd) qd of the Christoffel symbols, is the second fundamental form

    S(qd) = (1 - P_T) (qdd + M^-1 c) = M^-1 A^T S^-1 (A M^-1 c - (dA/dt) qd)       (4)  [PRJ-5]

Rows that follow from others everywhere are dropped, once (independent_rows.py). Where the rank of the rest falls
at a configuration, all rows count again, and so does a further derivative of them: qdd is that of the branch which qd
belongs to. At rest, or where branches touch, it is not unique there (singular_configurations.py). Where a row of A is
nan, as of a contact that is not found, so is what follows from it. M and bias may depend on time, A does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.constrained import consistency, independent_rows, kernels, singular_configurations
from chasles.constrained.singular_configurations import PIVOT
from chasles.constraint.constraint import Constraint
from chasles.errors import ModelError, ShapeError
from chasles.function.kernel import Kernel
from chasles.hints import Hinted
from chasles.lazy import lazy
from chasles.linear_algebra import solved, solved_matrix
from chasles.system import System, when

if TYPE_CHECKING:
    from chasles.constrained.gauge import Gauge
    from chasles.constrained.reduced import Reduced

Array = NDArray[np.float64]


class Motion(NamedTuple):
    """Accelerations (..., n), and multipliers (..., k) with A^T multipliers the constraints' force."""

    qdd: Array
    multipliers: Array


class Projections(NamedTuple):
    """P_w (..., n, n) of forces and P_T (..., n, n) of velocities."""

    P_w: Array
    P_T: Array


class ConstrainedSystem(Hinted):
    """A robot or a Lagrangian system, and constraints on it.

    Arrays broadcast over leading axes. t: seconds, looked at where the system depends on time.

    The multipliers belong to the rows `row_names`; `redundancy` says which rows were dropped and why. stabilization: a
    rate 1/s with which a motion off the constraint comes back (Baumgarte); zero leaves the equations as they are.
    `simulate` projects all the same unless told not to.
    start: (nq,) a configuration near one that satisfies the constraints, for when none is found by itself.
    """

    def __init__(
        self, system: System, constraint: Constraint, *, stabilization: float = 0.0, start: ArrayLike | None = None
    ) -> None:
        if isinstance(system, ConstrainedSystem):
            raise ModelError("system is under constraints already: add the new ones to them with +")
        if not isinstance(system, System):
            raise ModelError(f"system must be a Robot or a LagrangianSystem, got {type(system).__name__}")
        if not isinstance(constraint, Constraint):
            raise ModelError(f"constraint must be a Constraint, got {type(constraint).__name__}")
        self.system, self.constraint = system, constraint
        self.stabilization = _rate(stabilization)
        self.rows = kernels.Rows(system, constraint)
        near = None if start is None else _start(start, system.nq)
        self.redundancy = independent_rows.redundancy(self.rows, near)
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

    @property
    def depends_on_time(self) -> bool:
        """Whether the system's equations do; the functions here take t last, and look at it only then."""
        return bool(getattr(self.system, "depends_on_time", False))

    def mass_matrix(self, q: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.mass_matrix(q, *when(self.system, t))

    def bias_forces(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.bias_forces(q, qd, *when(self.system, t))

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.coriolis_matrix(q, qd, *when(self.system, t))

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.kinetic_energy(q, qd, *when(self.system, t))

    def potential_energy(self, q: ArrayLike, t: ArrayLike = 0.0) -> Array:
        return self.system.potential_energy(q, *when(self.system, t))

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

        independent: names or indices of velocities that determine the others, `ball[0]`, ... of a joint of several
        degrees (default: chosen by pivoting at the configuration `at` (nq,), by default one near home). Or velocities:
        a function of a traced q that returns rows X (m, n), u = X qd. Or coordinates: a function of a traced q that
        returns (m,), whose rates are u.
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
        """The kernel (q, qd, tau) -> qdd, multipliers, and the smallest pivot of A M^-1 A^T, relative.

        It takes t last where the system depends on time.
        """
        return kernels.dynamics(self.rows, self._kept, self.stabilization)

    @lazy
    def _kept(self) -> kernels.Kept:
        return {k: self.redundancy.lengths[k] for k in self.redundancy.kept}

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0) -> Motion:
        """qdd (..., n) and the multipliers (..., k) of (1). q: (..., nq), qd, tau: (..., n), t: (...).

        Where branches of the motion cross and the rank falls, qdd is that of the branch which qd belongs to, and the
        multipliers, which grow without bound towards it, are nan. Where qd does not tell branches apart, as at rest,
        the motion is not unique: returned is, of those allowed, the one nearest to the free motion, and of the
        multipliers those with the least sum of squares, nan where only a dropped row carries the force. Of traced
        arrays, the rank is taken not to fall, and inertias not to differ by many orders.
        """
        with np.errstate(all="ignore"):
            qdd, multipliers, pivot = self.dynamics(q, qd, tau, *when(self.system, t))
        usual = pivot > PIVOT
        if isinstance(usual, (np.ndarray, np.bool_)) and not usual.all():
            qdd, multipliers = singular_configurations.motion(self, ~usual, qdd, multipliers, q, qd, tau, t)
        return Motion(qdd, multipliers)

    def bent(self, q: ArrayLike, qd: ArrayLike, A: Any = None) -> Array:
        """(..., rows) (dA/dt) qd and what stabilization adds to it, of all rows: -A qdd of every motion."""
        a, drift = self.stabilization, self.rows.drift(q, qd)
        if not a:
            return drift
        rates = np.einsum("...ki,...i->...k", self.rows.A(q) if A is None else A, np.asarray(qd, dtype=float))
        return drift + 2.0 * a * rates + a * a * self.residual(q)

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        t: ArrayLike = 0.0,
        *,
        multipliers: ArrayLike | None = None,
    ) -> Array:
        """(..., n) tau = M qdd + bias - A^T multipliers (default: none), for an acceleration the constraints allow.

        Another one is refused by the constraint's name: no tau gives it, see `consistent_acceleration`. All tau that
        give qdd differ by A^T of something: `multipliers` (..., k) chooses. q: (..., nq), others (..., n), t: (...).
        """
        a = self._checked("inverse_dynamics", "qdd", qdd, self.n)
        M, bias = self.mass_matrix(q, t), self.bias_forces(q, qd, t)
        tau = np.einsum("...ij,...j->...i", M, a) + bias
        consistency.refuse_forbidden(self, q, qd, a)
        tau = np.where(np.isfinite(self.bent(q, qd)).all(axis=-1, keepdims=True), tau, np.nan)
        if multipliers is None:
            return tau
        forces = self._checked("inverse_dynamics", "multipliers", multipliers, len(self.redundancy.kept))
        return tau - np.einsum("...ki,...k->...i", self.constraint_matrix(q), forces)

    def consistent_acceleration(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """(..., n) the acceleration nearest to qdd, in M, that the constraints allow at a state."""
        a = self._checked("consistent_acceleration", "qdd", qdd, self.n)
        tau = np.einsum("...ij,...j->...i", self.mass_matrix(q, t), a) + self.bias_forces(q, qd, t)
        return self.forward_dynamics(q, qd, tau, t).qdd  # the constraints' force changes it least [Gauss]

    @lazy
    def _projection(self) -> Kernel:
        return kernels.projection(self.rows, self._kept)

    def projections(self, q: ArrayLike, t: ArrayLike = 0.0) -> Projections:
        """P_w of forces and P_T of velocities, (..., n, n) each [PRJ-3,4]. q: (..., nq), traced too.

        Where the rank falls P_T leaves all velocities with A qd = 0, those of every branch.
        """
        with np.errstate(all="ignore"):
            P, pivot = self._projection(q, *when(self.system, t))
        usual = pivot > PIVOT
        if isinstance(usual, (np.ndarray, np.bool_)) and not usual.all():
            P, lead = P.copy(), P.shape[:-2]
            x, time = np.broadcast_to(np.asarray(q, dtype=float), (*lead, self.nq)), np.broadcast_to(t, lead)
            P[~usual] = singular_configurations.projection(self, x[~usual], time[~usual])
        return Projections(np.swapaxes(P, -1, -2), P)

    def second_fundamental_form(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """(..., n) S(qd) of (4), for velocities that the constraints allow. q: (..., nq), qd: (..., n).

        Where the rank falls, that of the branch which qd belongs to, as in `forward_dynamics`.
        """
        v = self._checked("second_fundamental_form", "qd", qd, self.n)
        A, drift = self.constraint_matrix(q), self.constraint_drift(q, v)
        c = np.einsum("...ij,...j->...i", self.coriolis_matrix(q, v, t), v)
        M = np.broadcast_to(self.mass_matrix(q, t), (*c.shape, self.n))
        Y = solved_matrix(M, np.broadcast_to(np.swapaxes(A, -1, -2), (*c.shape, A.shape[-2])))
        with np.errstate(all="ignore"):
            low = np.broadcast_to(~(self._projection(q, *when(self.system, t))[1] > PIVOT), c.shape[:-1])
        right = np.einsum("...ik,...i->...k", Y, c) - drift
        bent = np.einsum("...ik,...k->...i", Y, solved(A @ Y, right))  # (4)
        if low.any():
            x, v = np.broadcast_to(q, (*c.shape[:-1], self.nq)), np.broadcast_to(v, c.shape)
            bent[low] = singular_configurations.second_form(self, M[low], c[low], x[low], v[low])
        return bent

    # staying on the constraint

    def project(self, q: ArrayLike, *, tolerance: float = 1e-12) -> Array:
        """(..., nq) q moved onto the holonomic constraints, the nearest way in velocities; refused where it fails.

        tolerance: of what is left, as a motion (constraint/projection.py), whatever units a constraint is written in.
        """
        return consistency.projected(self, self._checked("project", "q", q, self.nq), tolerance)

    def consistent(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> tuple[Array, Array]:
        """A state that satisfies the constraints, from one that does not: q projected, qd the nearest in M."""
        v = self._checked("consistent", "qd", qd, self.n)
        x = consistency.projected(self, self._checked("consistent", "q", q, self.nq), 1e-12)
        return x, np.einsum("...ij,...j->...i", self.projections(x, t).P_T, v)

    @lazy
    def correction(self) -> Kernel:
        """The kernel (q, qd) -> a step onto h = 0, what takes qd onto A qd = 0, and the pivot as of `dynamics`."""
        return kernels.correction(self.rows, self._kept)

    def corrected(self, q: Array, qd: Array, t: ArrayLike = 0.0, *, tolerance: float = 1e-12) -> tuple[Array, Array]:
        """A state that has drifted off a little, back on the constraints: for simulation, where it is always near."""
        return consistency.corrected(self, q, qd, t, tolerance)

    def refuse_inconsistent(self, q: ArrayLike, qd: ArrayLike) -> None:
        """Raise ModelError, by name, where q or qd does not satisfy a constraint."""
        given = (("q", q, self.nq), ("qd", qd, self.n))
        consistency.refuse_inconsistent(self, *(self._checked("refuse_inconsistent", *what) for what in given))

    def _checked(self, function: str, name: str, x: ArrayLike, size: int) -> Array:
        out = np.asarray(x, dtype=float)
        if out.ndim < 1 or out.shape[-1] != size:
            raise ShapeError(f"{function}: {name} must have shape (..., {size}), got {out.shape}")
        return out

    def __repr__(self) -> str:
        return f"<ConstrainedSystem {self.name!r}: {self.degrees_of_freedom} degrees of freedom of {self.n}>"


def _rate(given: Any) -> float:
    number = isinstance(given, (int, float, np.integer, np.floating)) and not isinstance(given, bool)
    if not number or not 0.0 <= given < np.inf:
        raise ModelError(f"stabilization must be a rate that is not negative, got {given!r}")
    return float(given)


def _start(given: ArrayLike, nq: int) -> Array:
    try:
        out = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError(f"start must be {nq} numbers, got {given!r}") from None
    if out.shape != (nq,):
        raise ShapeError(f"start must have shape ({nq},), got {out.shape}")
    if not np.isfinite(out).all():
        raise ModelError(f"start must be {nq} finite numbers, got {out}")
    return out
