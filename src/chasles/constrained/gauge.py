"""The gauge-invariant form of constrained equations: square-root coordinates, split by the null space of the rows.

With M = W W^T (W upper triangular) and v = W^T qd, kinetic energy is v.v / 2. C is the Coriolis matrix of Christoffel,
N all of bias that is not C qd (gravity, damping), and u = W^-1 (tau - N):

    dv/dt + Gam v = u + Lam^T lambda,   Lam = A W^-T                              (1)  [GAU-1]
    Gam = W^-1 (dW/dt - (dv^T/dq)),   (dv^T/dq)_ij = dv_j/dq_i at constant qd     (2)  as printed
    Gam_s = W^-1 (C - W (dW/dt)^T) W^-T                                           (3)  [GAU-2]

Gam_s v = Gam v; Gam_s is skew, which proofs of stability need, and Gam is not [GAU-3]. As dM/dt = C + C^T, the upper
triangular X = W^-1 dW/dt is that with X + X^T = W^-1 (C + C^T) W^-T, and nothing is differentiated:

    K = W^-1 C W^-T,   X = upper(K + K^T) with half its diagonal,   Gam_s = K - X^T    (4)

Lam = U S V^T, V = [V_1 V_2], has V_2 span the allowed velocities. Any V_1 R_1, V_2 R_2 with rotations R do as well:
the gauge. With the one whose rate is the least, V_1^T dV_1/dt = 0 and V_2^T dV_2/dt = 0, and Lam_r = Lam V_1,

    B_12 = V_1^T dV_2/dt = -Lam_r^-1 (dLam/dt) V_2,   dLam/dt = (dA/dt) W^-T - Lam X^T    (5)
    Gam_r = V_2^T Gam_s V_2,   Gam_o = V_1^T Gam_s V_2 + B_12                     (6)  [GAU-4]
    dv_r/dt + Gam_r v_r = u_r,   Gam_o v_r = u_o + Lam_r^T lambda,   qd = W^-T V_2 v_r   (7)  [GAU-5]
    P_w = W V_2 V_2^T W^-1,   1 - P_w = W V_1 V_1^T W^-1                          (8)  [GAU-6]

u_o, u_r = V_1^T u, V_2^T u. Where more rows are kept than the rank is (independent_rows.py), Lam_r has more rows than
columns, its inverse is one from the left, and lambda is that of the least sum of squares. Where M is singular without
the constraint, W and Gam are made of M' and C' of added_inertia.py: on the constraint v.v / 2 is the kinetic energy.
Frames at neighbouring configurations are turned to agree best (Procrustes), which in the limit is that gauge. It
depends on the path where the constraint is curved: no gauge is smooth and least everywhere. [Aghili 2009]; in
Li and Wu's notes Lam_r^T lambda is printed Gam_r^T lambda. Where the rank of A falls the split jumps: such a state is
refused, or nan if it is one of a batch. M must not depend on time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array, instance, real, together, vector
from chasles.constrained.equations import ConstrainedEquations, where_positive
from chasles.constrained.reduced import along
from chasles.constrained.velocities import rates_are_velocities
from chasles.constraint.projection import row_lengths
from chasles.dynamics.linear_solve import upper_sqrt
from chasles.errors import ModelError, ShapeError
from chasles.function.compile import compile
from chasles.function.kernel import Kernel
from chasles.lazy import lazy
from chasles.linear_algebra import (
    decomposed,
    down,
    inverse,
    left_inverse,
    refuse_if_none,
    solved,
    solved_matrix,
    times,
)
from chasles.linear_algebra import transposed as _T
from chasles.reprs import record

Array = NDArray[np.float64]
SMALLEST_SINGULAR_VALUE = 1e-9  # of Lam, rows of length one: below it the rank falls
SMALLEST_ALIGNMENT = 1e-6  # a singular value of V^T V_near: below it no turn of V agrees best


@record()
class GaugeFrame(NamedTuple):
    """A split of the square-root coordinates: V_1 (..., n, r) across the constraint, V_2 (..., n, m) along it."""

    V_1: Array
    V_2: Array


@record()
class GaugeEquations(NamedTuple):
    """The terms of (7) at a state, in a frame V_1, V_2 that turns least. r: the rank of the constraint.

    W, W_rate: (..., n, n). V_1_rate, V_2_rate: as V_1, V_2. v_r: (..., m). Gam_r: (..., m, m). Gam_o: (..., r, m).
    Lam_r: (..., k, r), rows those of the constraint. N: (..., n), what is subtracted from tau in u.
    """

    W: Array
    W_rate: Array
    V_1: Array
    V_2: Array
    V_1_rate: Array
    V_2_rate: Array
    v_r: Array
    Gam_r: Array
    Gam_o: Array
    Lam_r: Array
    N: Array

    def components(self, tau: ArrayLike) -> tuple[Array, Array]:
        """u_o (..., r) and u_r (..., m) of joint forces tau (..., n)."""
        u = solved(self.W, vector(tau, "tau", self.N.shape[-1]) - self.N)
        return down(self.V_1, u), down(self.V_2, u)

    def joint_forces(self, u_o: ArrayLike, u_r: ArrayLike) -> Array:
        """(..., n) tau of components: W (V_1 u_o + V_2 u_r) + N."""
        given = vector(u_o, "u_o", self.V_1.shape[-1]), vector(u_r, "u_r", self.V_2.shape[-1])
        together("joint_forces", u_o=given[0], u_r=given[1])
        return times(self.W, times(self.V_1, given[0]) + times(self.V_2, given[1])) + self.N


@record()
class GaugeMotion(NamedTuple):
    """dv_r/dt (..., m) and multipliers (..., k)."""

    v_rd: Array
    multipliers: Array


class Gauge:
    """Square-root coordinates of a constrained system. Made by `ConstrainedSystem.gauge`.

    reference: (nq,) a configuration whose frame the others are turned to agree with; None: as the decomposition gives
    them, which is not continuous. Arrays broadcast over leading axes.
    """

    def __init__(self, constrained: ConstrainedEquations, reference: ArrayLike | None = None) -> None:
        if not hasattr(constrained.system, "coriolis_matrix"):
            raise ModelError(f"{constrained.name!r} has no coriolis_matrix: a gauge needs one")
        if getattr(constrained.system, "depends_on_time", False):
            raise ModelError(f"{constrained.name!r} depends on time: its kinetic energy has no connection")
        self.constrained = constrained
        self.reference: GaugeFrame | None = None
        if reference is not None:
            self.reference = self.frame(array(reference, "reference", (constrained.nq,), finite=True))

    # square-root coordinates

    @lazy
    def _A(self) -> Kernel:
        cs, kept = self.constrained, list(self.constrained.redundancy.kept)
        return compile(lambda q: cs.rows.A(q)[kept], q=cs.nq)

    @lazy
    def _W(self) -> Kernel:
        cs, system = self.constrained, self.constrained.system

        def root(q: Any) -> Any:
            M = system.mass_matrix(q)
            W = upper_sqrt([list(row) for row in (M if cs._added is None else M + cs._added.matrix(self._A(q)))])
            return np.stack([np.stack([x + 0.0 * q[0] for x in row]) for row in W])

        return compile(root, q=system.nq)

    @lazy
    def _terms(self) -> Kernel:
        cs, system = self.constrained, self.constrained.system
        A_rate = along(self._A, system)

        def equations(q: Any, qd: Any) -> Any:
            C = system.coriolis_matrix(q, qd)
            return {
                "W": self._W(q),
                "C": C if cs._added is None else C + cs._added.coriolis(self._A(q), A_rate(q, qd)),
                "N": system.bias_forces(q, qd) - C @ qd,
                "A": self._A(q),
                "A_rate": A_rate(q, qd),
            }

        return compile(equations, q=system.nq, qd=system.n)

    def root(self, q: ArrayLike) -> Array:
        """(..., n, n) W, upper triangular, M = W W^T."""
        return self._known(self._W, q)[0]

    def _known(self, kernel: Kernel, q: ArrayLike, *qd: ArrayLike) -> list[Array]:
        """What a kernel gives, W first, which is nan where M is not positive definite."""
        with np.errstate(invalid="ignore", divide="ignore"):  # the robot warns
            found = kernel(q, *qd)
        W, *others = found if isinstance(found, tuple) else (found,)
        return [*where_positive(self.constrained, q, (W, 2)), *others]

    def root_rate(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n, n) dW/dt along qd, by (4)."""
        W, C, *_ = self._known(self._terms, q, qd)
        return W @ _upper(_inside(W, C))

    def velocities(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n) v = W^T qd. [GAU-1]"""
        return down(self.root(q), qd, "qd")

    def connection(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n, n) Gam_s of (3), skew. [GAU-2]"""
        W, C, *_ = self._known(self._terms, q, qd)
        K = _inside(W, C)
        return K - _T(_upper(K))  # (4)

    def printed_connection(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """(..., n, n) Gam of (2), which is not skew. Refused where velocities are not rates of coordinates. [GAU-3]"""
        return self._printed(q, qd)

    @lazy
    def _printed(self) -> Kernel:
        system = self.constrained.system
        if not rates_are_velocities(system):
            raise ModelError(f"the velocities of {system.name!r} are not rates of coordinates: use `connection`")
        slope = compile(lambda q, qd: self._W(q).T @ qd, q=system.nq, qd=system.n).jacobian("q")
        rate = along(self._W, system)

        def printed_connection(q: Any, qd: Any) -> Any:
            W, right = self._W(q), rate(q, qd) - slope(q, qd).T
            rows: list[Any] = [None] * system.n
            for i in reversed(range(system.n)):
                known = sum((W[i, k] * rows[k] for k in range(i + 1, system.n)), start=np.zeros(system.n))
                rows[i] = (right[i] - known) / W[i, i]
            return np.stack(rows)  # (2)

        return compile(printed_connection, q=system.nq, qd=system.n)

    def constraint_matrix(self, q: ArrayLike) -> Array:
        """(..., k, n) Lam = A W^-T. [GAU-1]"""
        return _right(self.constrained.constraint_matrix(q), self.root(q))

    # frames

    def frame(self, q: ArrayLike, near: GaugeFrame | None = None) -> GaugeFrame:
        """V_1 and V_2 at q, turned to agree best with `near` (default: with the reference, if there is one)."""
        return self._frame(self.constraint_matrix(q), near)

    def frames(self, q: ArrayLike) -> GaugeFrame:
        """V_1 (T, n, r) and V_2 (T, n, m) along a motion q (T, nq), each turned to agree with the one before."""
        x = real(q, "frames: q")
        if x.ndim != 2 or x.shape[1] != self.constrained.nq or not len(x):
            raise ShapeError(f"frames: q must have shape (T, {self.constrained.nq}), got {x.shape}")
        Lam = self.constraint_matrix(x)
        found = [self._frame(Lam[0], None)]
        for row in Lam[1:]:
            found.append(self._frame(row, found[-1]))
        return GaugeFrame(np.stack([f.V_1 for f in found]), np.stack([f.V_2 for f in found]))

    def _frame(self, Lam: Array, near: GaugeFrame | None) -> GaugeFrame:
        _, S, Vt = decomposed(Lam / row_lengths(Lam)[..., None])
        rank = self.constrained.redundancy.rank
        good = S[..., rank - 1] > SMALLEST_SINGULAR_VALUE
        refuse_if_none(
            good,
            np.isfinite(S[..., rank - 1]),
            f"the rank of the constraints of {self.constrained.name!r} falls at this configuration",
        )
        Vt = np.where(good[..., None, None], Vt, np.nan)
        V_1, V_2 = _T(Vt[..., :rank, :]), _T(Vt[..., rank:, :])
        near = self.reference if near is None else instance(near, "near", GaugeFrame, "a frame of a gauge")
        return GaugeFrame(V_1, V_2) if near is None else GaugeFrame(_aligned(V_1, near.V_1), _aligned(V_2, near.V_2))

    # equations

    def equations(self, q: ArrayLike, qd: ArrayLike, near: GaugeFrame | None = None) -> GaugeEquations:
        """The terms of (7) at q (..., nq), qd (..., n)."""
        W, C, N, A, A_rate = self._known(self._terms, q, qd)
        K = _inside(W, C)
        X = _upper(K)
        Gam_s, Lam = K - _T(X), _right(A, W)  # (4)
        V_1, V_2 = self._frame(Lam, near)
        Lam_r, Lam_rate = Lam @ V_1, _right(A_rate, W) - Lam @ _T(X)
        B = -self._across(Lam_r, Lam_rate @ V_2)  # (5)
        v_r = down(V_2, down(W, qd))
        Gam_r, Gam_o = _T(V_2) @ Gam_s @ V_2, _T(V_1) @ Gam_s @ V_2 + B  # (6)
        return GaugeEquations(W, W @ X, V_1, V_2, -V_2 @ _T(B), V_1 @ B, v_r, Gam_r, Gam_o, Lam_r, N)

    def joint_velocities(self, q: ArrayLike, v_r: ArrayLike, near: GaugeFrame | None = None) -> Array:
        """(..., n) qd = W^-T V_2 v_r. v_r: (..., m) in the frame at q."""
        v = times(self.frame(q, near).V_2, v_r, "v_r")
        return solved(_T(self.root(q)), v)  # (7)

    def forward_dynamics(
        self, q: ArrayLike, v_r: ArrayLike, tau: ArrayLike, near: GaugeFrame | None = None
    ) -> GaugeMotion:
        """dv_r/dt and multipliers by (7), in the frame at q, which turns least. tau: (..., n)."""
        at = self.equations(q, self.joint_velocities(q, v_r, near), near)
        u_o, u_r = at.components(tau)
        forces = times(at.Gam_o, v_r) - u_o
        return GaugeMotion(u_r - times(at.Gam_r, v_r), self._multipliers(at.Lam_r, forces))  # (7)

    def _across(self, Lam_r: Array, X: Array) -> Array:
        """Lam_r^-1 X."""
        return left_inverse(Lam_r) @ X if self.constrained.redundancy.varies else solved_matrix(Lam_r, X)

    def _multipliers(self, Lam_r: Array, forces: Array) -> Array:
        """The least lambda with Lam_r^T lambda = forces."""
        return down(left_inverse(Lam_r), forces) if self.constrained.redundancy.varies else solved(_T(Lam_r), forces)

    def projections(self, q: ArrayLike) -> tuple[Array, Array]:
        """P_w and 1 - P_w of (8), (..., n, n): those of `ConstrainedSystem.projections`, found another way."""
        W = self.root(q)
        V_1, V_2 = self.frame(q)
        W_inverse = inverse(W)
        return W @ V_2 @ _T(V_2) @ W_inverse, W @ V_1 @ _T(V_1) @ W_inverse

    def __repr__(self) -> str:
        return f"<Gauge of {self.constrained!r}>"


def _inside(W: Array, C: Array) -> Array:
    """W^-1 C W^-T."""
    return _T(solved_matrix(W, _T(solved_matrix(W, C))))


def _right(A: Array, W: Array) -> Array:
    """A W^-T."""
    return _T(solved_matrix(W, _T(A)))


def _upper(K: Array) -> Array:
    """The upper triangular X with X + X^T = K + K^T."""
    Y = np.triu(K + _T(K))
    n = Y.shape[-1]
    Y[..., range(n), range(n)] /= 2.0
    return Y


def _aligned(V: Array, near: Array) -> Array:
    """V times the rotation or reflection that brings it nearest to `near`."""
    U, S, Rt = decomposed(_T(V) @ near)
    good = S[..., -1] > SMALLEST_ALIGNMENT
    refuse_if_none(
        good,
        np.isfinite(S[..., -1]),
        "a frame is too far from the one it should agree with: give one nearer by, or more samples",
    )
    return np.where(good[..., None, None], V @ (U @ Rt), np.nan)
