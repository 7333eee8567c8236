"""Singular configurations: the Delassus matrix A M^-1 A^T is nearly singular, as inertias are quite unequal, or as the
rank of A itself falls.

Which of them is judged by A alone, its rows brought to length one. Where its rank is the usual one, the equations are
solved as they are, as one saddle-point (KKT) system, with orthonormal rows in place of A where it has more rows:

    M qdd - A^T lambda = tau - bias,   A qdd = -(dA/dt) qd                        (1)

Where the rank falls at a configuration, as where branches of the motion cross, all rows count, also those dropped, and
(1) leaves too much open: for u with u^T A = 0 it says nothing of u^T A qdd. But A qd = 0 holds all along a motion, so
its second derivative vanishes too, and u^T A d(qdd)/dt does anyway. With the rate dA[v] of A along v, v constant,

    u^T (2 dA[qd] qdd + dA[qdd] qd) = -u^T (d^2 A/dt^2) qd                        (2)

for Pfaffian rows and holonomic ones, of which dA[x] y = dA[y] x. For a row that follows from others everywhere (2)
follows from (1). (1) and (2) give the limit of qdd along the branch that qd belongs to. There the force is not one of
A^T: the multipliers grow without bound towards such a configuration and are nan there.

Not unique is qdd where (2) says nothing new: at rest, and where branches touch. Returned is then, of all that (1) and
(2) allow, that nearest in M to the motion without constraints (Gauss's principle of least constraint), and of the
multipliers those with the least sum of squares. No motion goes through there with a qd by which (1) contradicts itself,

    u^T (dA/dt) qd != 0                                                           (3)

tangent to no branch: it is refused by name, or nan if it is one of a batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.constrained import kernels
from chasles.constrained.equations import ConstrainedEquations
from chasles.linear_algebra import down, least_norm, refuse_if_none, saddle, solved, times
from chasles.system import when

Array = NDArray[np.float64]
SMALLEST_PIVOT = 1e-6  # of A M^-1 A^T, relative: below it (1) is solved here, more exactly
SMALLEST_SINGULAR_VALUE = 1e-8  # of A, rows of length one, that is not zero; errors on both sides of it are as large
SMALLEST_BEND, BEND_ROUNDING = 1e-6, 1e-12  # of singular values of (2) that count, relative to its size and to qd
LARGEST_CONTRADICTION = 1e-3  # (3), relative to what it could be: the steps of a simulation leave a branch by less


def motion(
    cs: ConstrainedEquations, low: Any, qdd: Array, multipliers: Array, q: Any, qd: Any, tau: Any, t: Any
) -> tuple[Array, Array]:
    """qdd and multipliers (...), anew where `low` (...) says."""
    lead = qdd.shape[:-1]
    x, v, f = (np.broadcast_to(part, (*lead, np.shape(part)[-1]))[low] for part in (q, qd, tau))
    time, out, forces = np.broadcast_to(t, lead)[low], qdd.copy(), multipliers.copy()
    right = f - cs.bias_forces(x, v, time)
    found = _solved(cs, x, v, cs.mass_matrix(x, time), right, cs.acceleration_bias(x, v))
    out[low], forces[low] = found.qdd, found.multipliers
    _refuse_off_branches(cs, found.off, out)
    return out, forces


def velocity_projection(cs: ConstrainedEquations, q: Any, t: Any) -> Any:
    """(..., n, n) P_T at q (..., nq), by the compiled one or, where A M^-1 A^T is nearly singular, by `_projected`."""
    with np.errstate(all="ignore"):
        P, pivot = cs.projector(q, *when(cs.system, t))
    usual = pivot > SMALLEST_PIVOT
    if isinstance(usual, (np.ndarray, np.bool_)) and not usual.all():
        P, lead = P.copy(), P.shape[:-2]
        x, time = np.broadcast_to(np.asarray(q, dtype=float), (*lead, cs.nq)), np.broadcast_to(t, lead)
        P[~usual] = _projected(cs, x[~usual], time[~usual])
    return P


def _projected(cs: ConstrainedEquations, q: Array, t: Array) -> Array:
    """(B, n, n) P_T at configurations (B, nq): onto all velocities with A qd = 0, those of every branch."""
    A, M = cs.rows.A(q), cs.mass_matrix(q, t)
    P = np.full(M.shape, np.nan)
    by = _split_by_rank(cs, A, M)
    P[by.regular] = saddle(M[by.regular], by.rows, M[by.regular], np.zeros_like(by.rows))[0]
    for b in by.fallen:
        B = _split(*_normalized(cs, A[b])[:2]).rows
        P[b] = saddle(M[b], B, M[b], np.zeros_like(B))[0]
    return P


def second_fundamental_form(
    cs: ConstrainedEquations, low: Any, S: Array, M: Array, c: Array, q: Array, qd: Array
) -> Array:
    """(..., n) the second fundamental form S, anew where `low` (...) says. c: (..., n) C qd."""
    x, v, out = np.broadcast_to(q, (*c.shape[:-1], cs.nq))[low], np.broadcast_to(qd, c.shape)[low], S.copy()
    found = _solved(cs, x, v, M[low], -c[low], cs.rows.drift(x, v))
    out[low] = found.qdd + solved(M[low], c[low])
    _refuse_off_branches(cs, found.off, out)
    return out


def off_branches(cs: ConstrainedEquations, q: Array, qd: Array) -> Array:
    """(B,) of states (B, nq), (B, n) where branches cross and qd is tangent to none: a row that says so, else -1."""
    A = cs.rows.A(q)
    found = np.full(len(A), -1)
    for b in _split_by_rank(cs, A).fallen:
        found[b] = _contradicted(cs, q[b], qd[b], A[b])
    return found


def off_branch(cs: ConstrainedEquations, row: int) -> str:
    """What is said of such a state."""
    return (
        f"branches of the motion of {cs.name!r} cross at this configuration and qd is tangent to none of them: "
        f"constraint {cs.rows.names[row]} does not stay satisfied"
    )


def _refuse_off_branches(cs: ConstrainedEquations, off: Array, qdd: Array) -> None:
    """Raise ModelError for the first row of `off` (B,) that is one, unless the batch qdd (..., n) has others."""
    if (off >= 0).any():
        refuse_if_none(np.isfinite(qdd).all(axis=-1), True, off_branch(cs, int(off[off >= 0][0])))


class _Solution(NamedTuple):
    """qdd (B, n), multipliers (B, k), and of qd that are tangent to no branch the row that says so (B,), else -1."""

    qdd: Array
    multipliers: Array
    off: Array


def _solved(cs: ConstrainedEquations, q: Array, qd: Array, M: Array, right: Array, bias: Array) -> _Solution:
    """(1), and (2) where the rank falls; nan where something is. right: tau - bias_forces. bias: -A qdd, all rows."""
    A, kept = cs.rows.A(q), list(cs.redundancy.kept)
    qdd, multipliers = (np.full((len(A), size), np.nan) for size in (cs.n, len(kept)))
    off, by = np.full(len(A), -1), _split_by_rank(cs, A, M, right, bias)
    x, y = saddle(M[by.regular], by.rows, right[by.regular, :, None], -by.combined(bias[by.regular])[..., None])  # (1)
    qdd[by.regular] = x[..., 0]
    multipliers[by.regular] = least_norm(A[by.regular][:, kept], by.multipliers(y[..., 0]), cs.redundancy.rank)
    for b in by.fallen:
        off[b] = _contradicted(cs, q[b], qd[b], A[b])
        if off[b] >= 0:
            continue
        B, c = _conditions(cs, q[b], qd[b], A[b], bias[b])
        x, y = saddle(M[b], B, right[b, :, None], c[:, None])
        scaled, length, _ = (part[kept] for part in _normalized(cs, A[b]))
        qdd[b] = x[:, 0]
        multipliers[b] = _least_multipliers(scaled, length, B.T @ y[:, 0], float(np.abs(right[b]).max()))
    return _Solution(qdd, multipliers, off)


class _ByRank(NamedTuple):
    """Which states (B,) have the usual rank, in which it falls; of the first, rows of length one that are independent.

    rows: (R, r, n), one for each row kept, or orthonormal combinations T of theirs, (R, r, k), where there are more.
    """

    regular: Any
    fallen: Any
    rows: Array
    kept: list[int]
    length: Array
    T: Array | None

    def combined(self, values: Array) -> Array:
        """(R, r) of values (R, all rows)."""
        scaled = values[:, self.kept] / self.length
        return scaled if self.T is None else times(self.T, scaled)

    def multipliers(self, y: Array) -> Array:
        """(R, k) of the rows kept, some that exert what y (R, r) of `rows` do."""
        return (y if self.T is None else down(self.T, y)) / self.length


def _split_by_rank(cs: ConstrainedEquations, A: Array, *others: Array) -> _ByRank:
    good = np.all([np.isfinite(part).reshape(len(A), -1).all(axis=1) for part in (A, *others)], axis=0)
    kept, r = list(cs.redundancy.kept), cs.redundancy.rank
    scaled, length, _ = _normalized(cs, np.where(good[:, None, None], A, 0.0))
    scaled, length, T = scaled[:, kept], length[:, kept], None
    full = good & (np.linalg.svd(scaled, compute_uv=False)[:, r - 1] > SMALLEST_SINGULAR_VALUE)
    rows = scaled[full]
    if cs.redundancy.varies:
        U, s, Vt = np.linalg.svd(rows, full_matrices=False)
        rows, T = Vt[:, :r], np.swapaxes(U[..., :r] / s[:, None, :r], -1, -2)
    return _ByRank(full, np.flatnonzero(good & ~full), rows, kept, length[full], T)


def _normalized(cs: ConstrainedEquations, A: Array) -> tuple[Array, Array, Array]:
    """A (..., rows, n) over lengths, zero where a row has vanished; the lengths, then the usual ones; those there."""
    usual = np.array(cs.redundancy.lengths)
    length = np.linalg.norm(A, axis=-1)
    there = length > kernels.VANISHING_LENGTH * usual
    length = np.where(there, length, np.where(usual > 0.0, usual, 1.0))
    return np.where(there[..., None], A / length[..., None], 0.0), length, there


class _Split(NamedTuple):
    """Rows and the rest, orthonormal together; T with rows = T A; U with U A = 0, for A whose rows have lengths."""

    rows: Array
    rest: Array
    T: Array
    U: Array


def _split(scaled: Array, length: Array) -> _Split:
    U, s, Vt = np.linalg.svd(scaled)
    k = int((s > SMALLEST_SINGULAR_VALUE).sum())
    return _Split(Vt[:k], Vt[k:], (U[:, :k] / s[:k]).T / length, U[:, k:].T / length)


def _contradicted(cs: ConstrainedEquations, q: Array, qd: Array, A: Array) -> int:
    """A row that (3) is said of, or -1."""
    scaled, length, _ = _normalized(cs, A)
    U = _split(scaled, length).U
    left = np.abs(U @ cs.rows.drift(q, qd))
    most = np.linalg.norm(_bends(cs, q, qd) / length[:, None]) * np.linalg.norm(qd)
    if not (left > LARGEST_CONTRADICTION * most).any():
        return -1
    return int(np.argmax(np.abs(U[np.argmax(left)] * length)))


def _bends(cs: ConstrainedEquations, q: Array, qd: Array) -> Array:
    """(rows, n) G with G x = 2 dA[qd] x + dA[x] qd."""
    each = np.eye(cs.n)
    return (2.0 * cs.rows.row_rates(q, qd, each) + cs.rows.row_rates(q, each, qd)).T


def _conditions(cs: ConstrainedEquations, q: Array, qd: Array, A: Array, bias: Array) -> tuple[Array, Array]:
    """Orthonormal rows B and right sides c: B qdd = c is all that (1) and (2) say of qdd."""
    scaled, length, _ = _normalized(cs, A)
    at, G = _split(scaled, length), _bends(cs, q, qd)
    c = -at.T @ bias  # (1)
    left, s, right = np.linalg.svd(at.U @ G @ at.rest.T)
    size = np.linalg.norm(G / length[:, None])
    k = int((s > max(SMALLEST_BEND * size, BEND_ROUNDING * np.linalg.norm(qd))).sum())
    more = -(left.T @ at.U @ (cs.rows.second_drift(q, qd) + G @ (at.rows.T @ c)))[:k] / s[:k]  # (2)
    return np.concatenate([at.rows, right[:k] @ at.rest]), np.concatenate([c, more])


def _least_multipliers(scaled: Array, length: Array, force: Array, size: float) -> Array:
    """The least x with A^T x = force (Moore-Penrose); nan if there is none. size: of the forces that it balances."""
    U, s, Vt = np.linalg.svd(scaled)
    k = int((s > SMALLEST_SINGULAR_VALUE).sum())
    x, none = U[:, :k] @ (Vt[:k] @ force / s[:k]), U[:, k:] / length[:, None]
    off = np.abs(scaled.T @ x - force).max()
    if off > max(1e-6 * np.abs(force).max(), 1e-9 * size):
        return np.full(len(x), np.nan)
    x = x / length
    return x - none @ np.linalg.lstsq(none, x, rcond=None)[0]
