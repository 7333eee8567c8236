"""Reduced equations of motion, in as many velocities as can be chosen: Lagrange-d'Alembert, by a null-space basis of A.

u = X(q) qd are m velocities that determine all others: with A qd = 0

    K = [A; X],   J = K^-1 [0; 1],   qd = J u,   A J = 0                          (1)
    (dJ/dt) = -K^-1 (dK/dt) J                                                     (2)
    J^T (M (J ud + (dJ/dt) u) + bias - tau) = 0                                   (3)  [CON-4]

For X that picks some of the velocities, qd = (qd_1, qd_2) and u = qd_1, J = [1; -A_2^-1 A_1], and (3) is
r_1 - A_1^T A_2^-T r_2 = 0 with r = M qdd + bias - tau; what is left over is the constraints' force,

    r = A^T lambda:   lambda = [1 0] K^-T r                                       (4)

Where more rows are kept than the rank is (independent_rows.py), K has more rows than columns and K^-1 is an inverse
from the left, which is all that (1) and (2) need; lambda is brought to the least sum of squares.

Nothing here puts the constraint into the Lagrangian. L_c(r, rd) = L(r, rd, -a(r)^T rd), with sd = -a^T rd put in, has
Euler-Lagrange equations that differ from (3):

    EL(L_c)_i = (J^T EL(L))_i - dL/dsd (da_i/dt - sum_j da_j/dr_i rd_j)           (5)  [CON-7]

The last term is zero for every L if and only if a is a gradient: the constraint is holonomic. For one that is not, L_c
gives a motion that no constraint force without work can cause [CON-8]. (Several such terms may cancel: for the upright
disk rolling on a plane they do.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array, vector
from chasles.constrained.equations import ConstrainedEquations, where_positive
from chasles.constrained.kernels import timed
from chasles.constrained.velocities import coordinates_of, indices, pivots
from chasles.constraint.constraint import Constraint
from chasles.constraint.coordinates import velocity_names
from chasles.constraint.projection import row_lengths
from chasles.constraint.rows import ConstraintRows
from chasles.dynamics.linear_solve import solve
from chasles.errors import ModelError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.lazy import lazy
from chasles.linear_algebra import down, least_norm, left_inverse, refuse_if_none, solved, times, transposed
from chasles.reprs import listed, quoted, record
from chasles.system import System, when

Array = NDArray[np.float64]
SMALLEST_INVERSE_NORM = 1e-8  # 1 / |K^-1|, rows of length one, of velocities that determine the others


@record()
class Tangent(NamedTuple):
    """What a control law asks at (q, qd): M, bias, A, the basis J (..., n, m), and dJ/dt along qd (..., n, m)."""

    M: Array
    bias: Array
    A: Array
    J: Array
    J_rate: Array


class Reduced:
    """The equations of a constrained system in m velocities u = X(q) qd. Made by `ConstrainedSystem.reduced`.

    names: of the velocities. Arrays broadcast over leading axes. t: seconds, looked at where the system depends on it.
    Where u do not determine the other velocities, or nearly not, a state is refused, or nan if it is one of a batch.
    """

    def __init__(self, constrained: ConstrainedEquations, chosen: Constraint, names: Sequence[str]) -> None:
        self.constrained, self.names = constrained, tuple(names)
        self.rows = ConstraintRows(constrained.system, chosen.parts)
        found, m = sum(self.rows.counts), constrained.degrees_of_freedom
        if found != m:
            raise ModelError(f"{constrained!r} needs {m} independent velocities, got {found}: {', '.join(names)}")

    @property
    def m(self) -> int:
        """The number of velocities: the degrees of freedom."""
        return self.constrained.degrees_of_freedom

    @lazy
    def _K(self) -> Kernel:
        kept = list(self.constrained.redundancy.kept)

        def basis(q: Any) -> Any:
            return np.concatenate([self.constrained.rows.A(q)[kept], self.rows.A(q)])

        return compile(basis, q=self.constrained.nq)

    @lazy
    def _tangent(self) -> Kernel:
        system, rate = self.constrained.system, along(self._K, self.constrained.system)

        def tangent(q: Any, qd: Any, t: Any = 0.0) -> Any:
            return {
                "M": system.mass_matrix(q, *when(system, t)),
                "bias": system.bias_forces(q, qd, *when(system, t)),
                "K": self._K(q),
                "K_rate": rate(q, qd),
            }

        return timed(tangent, system, q=system.nq, qd=system.n)

    @lazy
    def dynamics(self) -> Kernel:
        """The kernel (q, u, tau), and t where the system depends on it, -> ud (m,), qd (n,) and the multipliers (k,).

        With P_T of the constraints, J = P_T P_T^T X^T (X P_T P_T^T X^T)^-1 of (1); ud = X qdd + (dX/dt) qd, of the
        multipliers' equations. Velocities are taken to determine the others, and the rank of A not to fall.
        """
        constrained, rows = self.constrained, self.rows

        def reduced_dynamics(q: Any, u: Any, tau: Any, t: Any = 0.0) -> Any:
            time = when(constrained.system, t)
            P, X = constrained.projector(q, *time)[0], rows.A(q)
            G = X @ P
            qd = P @ (G.T @ np.stack(solve([list(row) for row in G @ G.T], list(u))))
            qdd, multipliers, _ = constrained.dynamics(q, qd, tau, *time)
            return {"ud": X @ qdd + rows.drift(q, qd), "qd": qd, "multipliers": multipliers}

        return timed(reduced_dynamics, constrained.system, q=constrained.nq, u=self.m, tau=constrained.n)

    def coordinates(self, q: ArrayLike) -> Array:
        """(..., m) x(q), the coordinates that this was made of, whose rates are u; refused for velocities alone."""
        self.refuse_without_coordinates()
        return self.rows.h(q)

    def refuse_without_coordinates(self) -> None:
        """Raise ModelError where u are the rates of no coordinates."""
        if len(self.rows.holonomic) != self.m:
            raise ModelError(f"the velocities {', '.join(self.names)} are not those of coordinates: give coordinates=")

    def of(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., m) u = X qd. q: (..., nq), qd: (..., n)."""
        return times(self.rows.A(q), qd, "qd")

    def basis(self, q: ArrayLike) -> Array:
        """(..., n, m) J(q) of (1): A J = 0, X J = 1."""
        found = self._inverse(self._K(q), self.constrained.mass_matrix(q))
        return where_positive(self.constrained, q, (found, 2))[0][..., -self.m :]

    def velocities(self, q: ArrayLike, u: ArrayLike) -> Array:
        """(..., n) qd = J u. u: (..., m)."""
        return times(self.basis(q), u, "u")

    def basis_rate(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n, m) dJ/dt along qd, (2)."""
        return self.tangent(q, qd).J_rate

    def tangent(self, q: ArrayLike, qd: ArrayLike, t: ArrayLike = 0.0) -> Tangent:
        """M, bias, A, J and dJ/dt at a state."""
        M, bias, K, K_rate = self._tangent(q, qd, *when(self.constrained.system, t))
        (K_inverse,) = where_positive(self.constrained, q, (self._inverse(K, M), 2))
        J = K_inverse[..., -self.m :]  # (1)
        return Tangent(M, bias, K[..., : -self.m, :], J, -K_inverse @ (K_rate @ J))  # (2)

    def mass_matrix(self, q: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """(..., m, m) J^T M J."""
        J = self.basis(q)
        return transposed(J) @ self.constrained.mass_matrix(q, t) @ J

    def bias_forces(self, q: ArrayLike, u: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """(..., m) J^T (M (dJ/dt) u + bias)."""
        at = self.tangent(q, self.velocities(q, u), t)
        return down(at.J, times(at.M @ at.J_rate, u) + at.bias)  # (3)

    def forces(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """(..., m) J^T tau. tau: (..., n)."""
        return down(self.basis(q), tau, "tau")

    def forward_dynamics(self, q: ArrayLike, u: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """(..., m) du/dt of (3). q: (..., nq), u: (..., m), tau: (..., n), t: (...)."""
        at = self.tangent(q, self.velocities(q, u), t)
        right = down(at.J, vector(tau, "tau", self.constrained.n) - times(at.M @ at.J_rate, u) - at.bias)
        return solved(transposed(at.J) @ at.M @ at.J, right)  # (3)

    def inverse_dynamics(self, q: ArrayLike, u: ArrayLike, ud: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """(..., m) the J^T tau that gives du/dt = ud."""
        return times(self.mass_matrix(q, t), ud, "ud") + self.bias_forces(q, u, t)

    def multipliers(self, q: ArrayLike, u: ArrayLike, tau: ArrayLike, t: ArrayLike = 0.0) -> Array:
        """(..., k) of the rows `constrained.row_names`, by (4): what the motion of (3) leaves over."""
        at = self.tangent(q, self.velocities(q, u), t)
        qdd = times(at.J, self.forward_dynamics(q, u, tau, t)) + times(at.J_rate, u)
        r = times(at.M, qdd) + at.bias - vector(tau, "tau", self.constrained.n)
        found = down(self._inverse(self._K(q), at.M)[..., : -self.m], r)  # (4)
        return least_norm(at.A, found, self.constrained.redundancy.rank)

    def _inverse(self, K: Any, M: Any) -> Any:
        """K^-1, from the left, nan where it is singular or nearly so; M gives the units of the velocities."""
        unit = np.sqrt(np.maximum(np.diagonal(M, axis1=-2, axis2=-1), 0.0))
        unit = np.where(unit > 0.0, unit, 1.0)
        scaled = K / unit[..., None, :]
        length = row_lengths(scaled)
        found = left_inverse(scaled / length[..., None])
        good = np.square(found).sum(axis=(-2, -1)) < SMALLEST_INVERSE_NORM**-2
        if not good.all():
            refuse_if_none(
                good,
                np.isfinite(K).all(axis=(-2, -1)),
                f"the velocities {', '.join(self.names)} do not determine the others of {self.constrained.name!r} "
                "at this configuration: choose others",
            )
            found = np.where(good[..., None, None], found, np.nan)
        return found / (unit[..., None] * length[..., None, :])

    def __repr__(self) -> str:
        return f"<Reduced {quoted(self.constrained.name)}: {listed(self.names)}>"


def reduced(
    constrained: ConstrainedEquations,
    independent: Sequence[str | int] | None = None,
    *,
    velocities: Callable[[Any], Any] | None = None,
    coordinates: Callable[[Any], Any] | None = None,
    at: ArrayLike | None = None,
) -> Reduced:
    """See `ConstrainedSystem.reduced`."""
    if sum(x is not None for x in (independent, velocities, coordinates)) > 1:
        raise ModelError("give one of independent, velocities and coordinates")
    m = constrained.degrees_of_freedom
    if at is not None:
        array(at, "at", (constrained.nq,), finite=True)
    if velocities is not None:
        return Reduced(constrained, Constraint.pfaffian(velocities, "velocities"), [f"u{k + 1}" for k in range(m)])
    if coordinates is not None:
        return Reduced(constrained, Constraint.holonomic(coordinates, "coordinates"), [f"x{k + 1}" for k in range(m)])
    system, names = constrained.system, velocity_names(constrained.system)
    picked = pivots(constrained, at) if independent is None else indices(system, independent, "independent")
    X, places = np.eye(system.n)[picked], coordinates_of(system)
    if all(k in places for k in picked):
        of = [places[k] for k in picked]
        chosen = Constraint.of(lambda system, q: q[of], "independent", lambda system, q: X)
    else:  # velocities of joints on groups are those of no coordinates
        chosen = Constraint.pfaffian(lambda q: X, "independent")
    return Reduced(constrained, chosen, [names[k] for k in picked])


def along(matrix: Kernel, system: System) -> Kernel:
    """The kernel (q, v) -> the derivative of matrix(q) along the motion with velocity v."""

    def moved(q: Any, v: Any, s: Any) -> Any:
        return matrix(q + s * system.coordinate_rates(q, v))

    slope = compile(moved, q=system.nq, v=system.n, s=()).jacobian("s")

    def rate(q: Any, v: Any) -> Any:
        return slope(q, v, 0.0)

    return compile(rate, q=system.nq, v=system.n)
