"""A system under constraints: `chasles.ConstrainedSystem`.

    M qdd + bias = tau + A^T lambda,   A qd = 0                                   (1)  [CON-1]

the saddle-point (KKT) equations; the force of the constraints does no work [CON-3]. With the Delassus matrix
S = A M^-1 A^T

    lambda = S^-1 (A M^-1 (bias - tau) - (dA/dt) qd)                              (2)  [CON-2]
    P_T = 1 - M^-1 A^T S^-1 A,   P_w = P_T^T                                      (3)  [PRJ-1]

P_T takes velocities to those allowed and P_w forces to those that move: P_w M = M P_T, P_w A^T = 0, A P_T = 0 [PRJ-2],
so that P_w (M qdd + bias - tau) = 0 is the motion [PRJ-3] and the rest the constraint's force [PRJ-4]. qdd is, of those
allowed, the nearest in M to the free motion: Gauss's principle, in closed form the equation of Udwadia and Kalaba. How
a motion must bend to stay on the constraint, with c = C(q, qd) qd of the Christoffel symbols, is the second fundamental
form

    S(qd) = (1 - P_T) (qdd + M^-1 c) = M^-1 A^T S^-1 (A M^-1 c - (dA/dt) qd)       (4)  [PRJ-5]

Rows that are everywhere the same combination of others are dropped, once (independent_rows.py). Of others, in
overconstrained systems, as many as the rank are chosen at each state, and lambda is that of the least sum of squares
(chosen_rows.py). M may be singular if the equations (1) are not (added_inertia.py). Where the rank falls at a
configuration, all rows count again, and so does a further derivative of them: qdd is that of the branch which qd
belongs to. At rest, or where branches touch, it is not unique there (singular_configurations.py). Where a row of A is
nan, as of a contact that is not found, so is what follows from it. M and bias may depend on time, A does not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import positive, together
from chasles.constrained import consistency, singular_configurations
from chasles.constrained.equations import ConstrainedEquations, checked, where_positive
from chasles.constrained.gauge import Gauge
from chasles.constrained.reduced import Reduced, reduced
from chasles.constrained.singular_configurations import SMALLEST_PIVOT
from chasles.constraint.constraint import Constraint
from chasles.errors import SingularMassMatrixError
from chasles.function.symbolic_kernel import checked_values, refuse_unknown
from chasles.linear_algebra import solved, solved_matrix
from chasles.reprs import record
from chasles.robot.higher_rooms import SystemMethods
from chasles.system import System, when

Array = NDArray[np.float64]


@record()
class ConstrainedMotion(NamedTuple):
    """Accelerations (..., n), and multipliers (..., k) with A^T multipliers the constraints' force."""

    qdd: Array
    multipliers: Array


@record()
class Projections(NamedTuple):
    """P_w (..., n, n) of forces and P_T (..., n, n) of velocities."""

    P_w: Array
    P_T: Array


class ConstrainedSystem(SystemMethods, ConstrainedEquations):
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
        super().__init__(system, constraint, stabilization, start)

    def with_values(self, **values: Any) -> ConstrainedSystem:
        """The system with numbers, or other expressions of symbols, in place of some of its symbols or of all.

        Symbols (`chasles.symbols`) may stand in the functions of constraints, in the Lagrangian and in the robot;
        `equations()` prints them, and everything else needs their values.
        """
        system: Any = self.system
        refuse_unknown(repr(self.name), self.symbols, values)
        of_system = {name: x for name, x in values.items() if name in getattr(system, "symbols", ())}
        held = {x.name: x.shape for x in self.rows.symbols}
        parts = self.constraint.parts
        of_rows = checked_values({name: x for name, x in values.items() if name in held}, held)
        return ConstrainedSystem(
            system.with_values(**of_system) if of_system else system,
            Constraint(tuple(part.with_values(of_rows) for part in parts)) if of_rows else self.constraint,
            stabilization=self.stabilization,
            start=self._start,
        )

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
        self._refuse_symbols("reduced")
        return reduced(self, independent, velocities=velocities, coordinates=coordinates, at=at)

    def gauge(self, reference: ArrayLike | None = None) -> Gauge:
        """Square-root coordinates, split by the constraint; frames agree with that at `reference` (nq,) if given."""
        self._refuse_symbols("gauge")
        return Gauge(self, reference)

    # dynamics

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0) -> ConstrainedMotion:
        """qdd (..., n) and the multipliers (..., k) of (1). q: (..., nq), qd, tau: (..., n), t: (...).

        Where more rows are kept than are independent the multipliers, which are not unique, are those with the least
        sum of squares: the reaction of constraints that all yield alike, a unit of each row as much as one of another.
        Where branches of the motion cross and the rank falls, qdd is that of the branch which qd belongs to, and the
        multipliers, which grow without bound towards it, are nan; a qd that is tangent to no branch is refused, or nan
        in a batch. Where qd does not tell branches apart, as at rest, the motion is not unique: returned is, of those
        allowed, the one nearest to the free motion, with the least multipliers. Of traced arrays, the rank is taken not
        to fall, and inertias not to differ by many orders.
        """
        with np.errstate(all="ignore"):
            qdd, multipliers, pivot = self.dynamics(q, qd, tau, *when(self.system, t))
        usual = pivot > SMALLEST_PIVOT
        if isinstance(usual, (np.ndarray, np.bool_)) and not usual.all():
            qdd, multipliers = singular_configurations.motion(self, ~usual, qdd, multipliers, q, qd, tau, t)
        return ConstrainedMotion(*where_positive(self, q, (qdd, 1), (multipliers, 1)))

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
        a = checked("inverse_dynamics", "qdd", qdd, self.n)
        M, bias = self.mass_matrix(q, t), self.bias_forces(q, qd, t)
        tau = np.einsum("...ij,...j->...i", M, a) + bias
        consistency.refuse_forbidden_acceleration(self, q, qd, a)
        tau = np.where(np.isfinite(self.acceleration_bias(q, qd)).all(axis=-1, keepdims=True), tau, np.nan)
        if multipliers is None:
            return tau
        forces = checked("inverse_dynamics", "multipliers", multipliers, len(self.redundancy.kept))
        return tau - np.einsum("...ki,...k->...i", self.constraint_matrix(q), forces)

    def consistent_acceleration(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """(..., n) the acceleration nearest to qdd, in M, that the constraints allow at a state."""
        a = checked("consistent_acceleration", "qdd", qdd, self.n)
        tau = np.einsum("...ij,...j->...i", self.mass_matrix(q, t), a) + self.bias_forces(q, qd, t)
        return self.forward_dynamics(q, qd, tau, t).qdd  # the constraints' force changes it least [Gauss]

    def projections(self, q: ArrayLike, t: ArrayLike = 0.0) -> Projections:
        """P_w of forces and P_T of velocities, (..., n, n) each [PRJ-3,4]. q: (..., nq), traced too.

        Where the rank falls P_T leaves all velocities with A qd = 0, those of every branch.
        """
        (P,) = where_positive(self, q, (singular_configurations.velocity_projection(self, q, t), 2))
        return Projections(np.swapaxes(P, -1, -2), P)

    def second_fundamental_form(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """(..., n) S(qd) of (4), for velocities that the constraints allow. q: (..., nq), qd: (..., n).

        Where the rank falls, that of the branch which qd belongs to, as in `forward_dynamics`. Refused where M is
        singular without the constraints, as it gives velocities across them no length.
        """
        if self._added is not None:
            raise SingularMassMatrixError(
                f"second_fundamental_form: the mass matrix of {self.name!r} is singular without its constraints and "
                "gives velocities across them no length: forward_dynamics and projections need none"
            )
        q, v = self._state("second_fundamental_form", q, qd)
        A, drift = self.constraint_matrix(q), self.constraint_drift(q, v)
        c = np.einsum("...ij,...j->...i", self.coriolis_matrix(q, v, t), v)
        M = np.broadcast_to(self.mass_matrix(q, t), (*c.shape, self.n))
        Y = solved_matrix(M, np.broadcast_to(np.swapaxes(A, -1, -2), (*c.shape, A.shape[-2])))
        with np.errstate(all="ignore"):
            usual = (self.projector(q, *when(self.system, t))[1] > SMALLEST_PIVOT) & (not self.redundancy.varies)
        low = np.broadcast_to(~usual, c.shape[:-1])
        right = np.einsum("...ik,...i->...k", Y, c) - drift
        S = np.einsum("...ik,...k->...i", Y, solved(A @ Y, right))  # (4)
        if low.any():
            S = singular_configurations.second_fundamental_form(self, low, S, M, c, q, v)
        return where_positive(self, q, (S, 1))[0]

    # staying on the constraint

    def project(self, q: ArrayLike, *, tolerance: float = 1e-12) -> Array:
        """(..., nq) q moved onto the holonomic constraints, the nearest way in velocities; refused where it fails.

        tolerance: of what is left, as a motion (constraint/projection.py), whatever units a constraint is written in.
        """
        limit = positive(tolerance, "project: tolerance")
        return consistency.projected(self, checked("project", "q", q, self.nq), limit)

    def consistent(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> tuple[Array, Array]:
        """A state that satisfies the constraints, from one that does not: q projected, qd the nearest in M."""
        x, v = self._state("consistent", q, qd)
        return consistency.consistent(self, x, v, t)

    def corrected(self, q: Array, qd: Array, t: ArrayLike = 0.0, *, tolerance: float = 1e-12) -> tuple[Array, Array]:
        """A state that has drifted off a little, back on the constraints: for simulation, where it is always near."""
        limit = positive(tolerance, "corrected: tolerance")
        x, v = self._state("corrected", q, qd)
        return consistency.corrected(self, x, v, t, limit)

    def refuse_inconsistent(self, q: ArrayLike, qd: ArrayLike) -> None:
        """Raise ModelError, by name, where q or qd does not satisfy a constraint."""
        consistency.refuse_inconsistent(self, *self._state("refuse_inconsistent", q, qd))

    def _state(self, function: str, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """q (..., nq) and qd (..., n), whose leading axes broadcast."""
        x, v = checked(function, "q", q, self.nq), checked(function, "qd", qd, self.n)
        together(function, q=x, qd=v)
        return x, v
