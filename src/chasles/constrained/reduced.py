"""The equations of motion in as many velocities as can be chosen: Lagrange and d'Alembert.

u = X(q) qd are m velocities that determine all others: with A qd = 0

    K = [A; X],   J = K^-1 [0; 1],   qd = J u,   A J = 0                          (1)
    (dJ/dt) = -K^-1 (dK/dt) J                                                     (2)
    J^T (M (J ud + (dJ/dt) u) + bias - tau) = 0                                   (3)  [CON-4]

For X that picks some of the velocities, qd = (qd_1, qd_2) and u = qd_1, J = [1; -A_2^-1 A_1], and (3) is
r_1 - A_1^T A_2^-T r_2 = 0 with r = M qdd + bias - tau; what is left over is the constraints' force,

    r = A^T lambda:   lambda = [1 0] K^-T r                                       (4)

Nothing here puts the constraint into the Lagrangian. L_c(r, rd) = L(r, rd, -a(r)^T rd), with sd = -a^T rd put in, has
Euler-Lagrange equations that differ from (3):

    EL(L_c)_i = (J^T EL(L))_i - dL/dsd (da_i/dt - sum_j da_j/dr_i rd_j)           (5)  [CON-7]

The last term is zero for every L if and only if a is a gradient: the constraint is holonomic. For one that is not, L_c
gives a motion that no constraint force without work can cause [CON-8]. (Several such terms may cancel: for the upright
disk rolling on a plane they do.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.backend.kernel import Kernel
from chasles.constrained.constraint import Constraint
from chasles.constrained.kernels import Rows
from chasles.constrained.redundancy import on_constraint
from chasles.errors import ModelError, ShapeError
from chasles.function import compile
from chasles.lazy import lazy
from chasles.system import System

if TYPE_CHECKING:
    from chasles.constrained.system import ConstrainedSystem

Array = NDArray[np.float64]


class Tangent(NamedTuple):
    """What a control law asks at (q, qd): M, bias, A, the basis J (..., n, m), and dJ/dt along qd (..., n, m)."""

    M: Array
    bias: Array
    A: Array
    J: Array
    J_rate: Array


class Reduced:
    """The equations of a constrained system in m velocities u = X(q) qd. Made by `ConstrainedSystem.reduced`.

    names: of the velocities. Arrays broadcast over leading axes.
    """

    def __init__(self, constrained: ConstrainedSystem, chosen: Constraint, names: Sequence[str]) -> None:
        self.constrained, self.names = constrained, tuple(names)
        self.rows = Rows(constrained.system, chosen)
        found, m = sum(self.rows.counts), constrained.degrees_of_freedom
        if found != m:
            raise ModelError(f"{constrained!r} needs {m} independent velocities, got {found}: {', '.join(names)}")

    @property
    def m(self) -> int:
        """The number of velocities: the degrees of freedom."""
        return self.constrained.degrees_of_freedom

    @lazy
    def _K(self) -> Kernel:
        return compile(self._stacked, q=self.constrained.nq)

    def _stacked(self, q: Any) -> Any:
        A = self.constrained.rows.A(q)[list(self.constrained.redundancy.kept)]
        return np.concatenate([A, self.rows.A(q)])

    @lazy
    def _tangent(self) -> Kernel:
        system, rate = self.constrained.system, along(self._K, self.constrained.system)

        def tangent(q: Any, qd: Any) -> Any:
            return {
                "M": system.mass_matrix(q),
                "bias": system.bias_forces(q, qd),
                "K": self._K(q),
                "K_rate": rate(q, qd),
            }

        return compile(tangent, q=system.nq, qd=system.n)

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
        return times(self.rows.A(q), qd)

    def basis(self, q: ArrayLike) -> Array:
        """(..., n, m) J(q) of (1): A J = 0, X J = 1."""
        return self._inverse(self._K(q))[..., -self.m :]

    def velocities(self, q: ArrayLike, u: ArrayLike) -> Array:
        """(..., n) qd = J u. u: (..., m)."""
        return times(self.basis(q), u)

    def basis_rate(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n, m) dJ/dt along qd, (2)."""
        return self.tangent(q, qd).J_rate

    def tangent(self, q: ArrayLike, qd: ArrayLike) -> Tangent:
        """M, bias, A, J and dJ/dt at a state."""
        M, bias, K, K_rate = self._tangent(q, qd)
        inverse = self._inverse(K)
        J = inverse[..., -self.m :]  # (1)
        return Tangent(M, bias, K[..., : -self.m, :], J, -inverse @ (K_rate @ J))  # (2)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """(..., m, m) J^T M J."""
        J = self.basis(q)
        return np.swapaxes(J, -1, -2) @ self.constrained.mass_matrix(q) @ J

    def bias_forces(self, q: ArrayLike, u: ArrayLike) -> Array:
        """(..., m) J^T (M (dJ/dt) u + bias)."""
        at = self.tangent(q, self.velocities(q, u))
        return down(at.J, times(at.M @ at.J_rate, u) + at.bias)  # (3)

    def forces(self, q: ArrayLike, tau: ArrayLike) -> Array:
        """(..., m) J^T tau. tau: (..., n)."""
        return down(self.basis(q), tau)

    def forward_dynamics(self, q: ArrayLike, u: ArrayLike, tau: ArrayLike) -> Array:
        """(..., m) du/dt of (3). q: (..., nq), u: (..., m), tau: (..., n)."""
        at = self.tangent(q, self.velocities(q, u))
        right = down(at.J, np.asarray(tau, dtype=float) - times(at.M @ at.J_rate, u) - at.bias)
        inertia = np.swapaxes(at.J, -1, -2) @ at.M @ at.J
        return solved(inertia, right)  # (3)

    def inverse_dynamics(self, q: ArrayLike, u: ArrayLike, ud: ArrayLike) -> Array:
        """(..., m) the J^T tau that gives du/dt = ud."""
        return times(self.mass_matrix(q), ud) + self.bias_forces(q, u)

    def multipliers(self, q: ArrayLike, u: ArrayLike, tau: ArrayLike) -> Array:
        """(..., k) of the rows `constrained.row_names`, by (4): what the motion of (3) leaves over."""
        at = self.tangent(q, self.velocities(q, u))
        qdd = times(at.J, self.forward_dynamics(q, u, tau)) + times(at.J_rate, u)
        r = times(at.M, qdd) + at.bias - np.asarray(tau, dtype=float)
        return down(self._inverse(self._K(q))[..., : -self.m], r)  # (4)

    def _inverse(self, K: Any) -> Any:
        try:
            return np.linalg.inv(K)
        except np.linalg.LinAlgError:
            raise ModelError(
                f"the velocities {', '.join(self.names)} do not determine the others of {self.constrained.name!r} "
                "at this configuration: choose others"
            ) from None

    def __repr__(self) -> str:
        return f"<Reduced {self.constrained.name!r}: {', '.join(self.names)}>"


def reduced(
    constrained: ConstrainedSystem,
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
    if velocities is not None:
        return Reduced(constrained, Constraint.pfaffian(velocities, "velocities"), [f"u{k + 1}" for k in range(m)])
    if coordinates is not None:
        return Reduced(constrained, Constraint.holonomic(coordinates, "coordinates"), [f"x{k + 1}" for k in range(m)])
    system, names = constrained.system, velocity_names(constrained.system)
    picked = _pivots(constrained, at) if independent is None else indices(system, independent, "independent")
    if rates_are_velocities(system):
        chosen = Constraint.of(lambda system, q: q[picked], "independent", lambda system, q: _picking(system.n, picked))
    else:  # velocities of joints on groups are those of no coordinates
        chosen = Constraint.pfaffian(lambda q: _picking(system.n, picked), "independent")
    return Reduced(constrained, chosen, [names[k] for k in picked])


def along(matrix: Kernel, system: System) -> Kernel:
    """The kernel (q, v) -> the derivative of matrix(q) along the motion with velocity v."""

    def moved(q: Any, v: Any, s: Any) -> Any:
        return matrix(q + s * system.coordinate_rates(q, v))

    slope = compile(moved, q=system.nq, v=system.n, s=()).jacobian("s")

    def rate(q: Any, v: Any) -> Any:
        return slope(q, v, 0.0)

    return compile(rate, q=system.nq, v=system.n)


def rates_are_velocities(system: Any) -> bool:
    """Whether dq/dt = v: no joints on groups."""
    if system.nq != system.n:
        return False
    q = system.random(0)
    return bool(np.allclose([system.coordinate_rates(q, e) for e in np.eye(system.n)], np.eye(system.n)))


def _picking(n: int, picked: Sequence[int]) -> Array:
    return np.eye(n)[list(picked)]


def velocity_names(system: Any) -> tuple[str, ...]:
    """A name for each velocity: a coordinate's, a joint's, or v0, v1, ... where joints have several."""
    names = getattr(system, "coordinate_names", None) or getattr(system, "joint_names", ())
    return tuple(names) if len(names) == system.n else tuple(f"v{k}" for k in range(system.n))


def indices(system: Any, keys: Sequence[str | int], what: str) -> list[int]:
    """Velocities by names or indices, each once."""
    names, found = velocity_names(system), []
    if isinstance(keys, (str, bytes)) or not np.iterable(keys):
        raise ModelError(f"{what} must be a list of names or indices, got {keys!r}")
    for key in keys:
        if isinstance(key, str):
            if key not in names:
                raise ModelError(f"{what}: no velocity {key!r}; there are {', '.join(names)}")
            key = names.index(key)
        if isinstance(key, bool) or not isinstance(key, (int, np.integer)) or not 0 <= key < len(names):
            raise ModelError(f"{what} must be names or indices below {len(names)}, got {key!r}")
        if int(key) in found:
            raise ModelError(f"{what} has {names[int(key)]!r} twice")
        found.append(int(key))
    return found


def _pivots(constrained: ConstrainedSystem, at: ArrayLike | None) -> list[int]:
    """The velocities left when each row takes the one in which it weighs most, at a configuration; M gives the units.

    Columns are taken as in a QR factorisation with column pivoting.
    """
    q = _somewhere(constrained) if at is None else constrained.project(at)
    scale = np.sqrt(np.diagonal(constrained.mass_matrix(q)))
    rest, dependent = constrained.constraint_matrix(q) / scale, []
    for _ in range(constrained.redundancy.rank):
        length = np.linalg.norm(rest, axis=0)
        length[dependent] = -1.0
        j = int(np.argmax(length))
        if not length[j] > 1e-9 * np.linalg.norm(constrained.constraint_matrix(q) / scale):
            raise ModelError("the rank of the constraints falls at this configuration: give at=, another one")
        dependent.append(j)
        e = rest[:, j] / length[j]
        rest = rest - np.outer(e, e @ rest)
    return [k for k in range(constrained.n) if k not in dependent]


def _somewhere(constrained: ConstrainedSystem) -> Array:
    """A configuration on the constraints: near home, or else wherever one is found."""
    system: Any = constrained.system
    rng = np.random.default_rng(0)
    starts = np.stack([system.neutral(), *(system.random(rng) for _ in range(20))])
    found, left = on_constraint(constrained.rows, starts)
    if not (left <= 1e-9).any():
        raise ModelError(f"no configuration of {constrained.name!r} found that satisfies its constraints: give at=")
    return found[np.argmax(left <= 1e-9)]


def times(M: Any, x: Any) -> Array:
    """M x, over leading axes."""
    return np.einsum("...ij,...j->...i", M, _sized(x, np.shape(M)[-1]))


def down(M: Any, x: Any) -> Array:
    """M^T x, over leading axes."""
    return np.einsum("...ij,...i->...j", M, _sized(x, np.shape(M)[-2]))


def _sized(x: Any, size: int) -> Array:
    """x as an array (..., size); einsum would stretch an axis of length one."""
    out = np.asarray(x, dtype=float)
    if out.ndim < 1 or out.shape[-1] != size:
        raise ShapeError(f"an array of shape (..., {size}) is needed here, got {out.shape}")
    return out


def solved(M: Any, x: Any) -> Any:
    """M^-1 x for vectors x, over leading axes."""
    return np.linalg.solve(M, np.asarray(x, dtype=float)[..., None])[..., 0]
