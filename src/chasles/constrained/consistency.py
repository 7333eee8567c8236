"""Consistency of states with constraints: those that do not satisfy them are refused by name, or projected back.

A state is off by the distances of constraint/projection.py, and by rates over the lengths of their rows,

    d_k = |h_k| / |A_k|,   r_k = |A_k qd| / |A_k|,   s_k = |A_k qdd + (dA_k/dt) qd + ...| / |A_k|      (1)

each against LARGEST_RESIDUAL: d as it is, in the units of the velocities (radians, metres), r and s relative to qd and
(qdd, qd^2) where those are greater than one. A row vanishes where it is nothing to its usual length, and is taken as
long as usual.
To first order d is a distance only as far as rows do not turn, so that their change on the way onto the constraint,

    |A_k(q + v_k) - A_k(q)|,   v_k = -A_k^T h_k / |A_k|^2                          (2)

relative to what is usual, must be below LARGEST_ROW_CHANGE: a rod of a micrometre, in metres, is not satisfied by all
that is off by less than LARGEST_RESIDUAL. Nor is a state taken where the rank is greater than it was found to be: of
assemblies that do not move alike, it is another one. Nor is it taken where branches of the motion cross and qd is
tangent to none of them (singular_configurations.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.constrained.equations import ConstrainedEquations
from chasles.constrained.independent_rows import pivoted
from chasles.constrained.kernels import VANISHING_LENGTH
from chasles.constrained.singular_configurations import SMALLEST_PIVOT, off_branch, off_branches, velocity_projection
from chasles.constraint import projection
from chasles.errors import ModelError
from chasles.system import when

Array = NDArray[np.float64]
LARGEST_RESIDUAL = 1e-6  # by which a state that satisfies a constraint may be off
LARGEST_ROW_CHANGE = 1e-3  # of rows, relative, on the way from such a state onto the constraint
LARGEST_DEPENDENT = 1e-4  # a singular value beyond the rank: above it, dropped rows do not follow from the others
NEAREST_STATE = "`consistent(q, qd)` gives the nearest state that does"


@np.errstate(all="ignore")
def projected(cs: ConstrainedEquations, q: Array, tolerance: float) -> Array:
    """(..., nq) q moved onto the constraints."""
    found, left = projection.newton_projection(cs.rows, q.reshape(-1, cs.nq), tolerance)
    if not (left <= 1e3 * tolerance).all():
        b = int(np.argmax(np.where(np.isnan(left), np.inf, left)))
        off = projection.distances(cs.rows, found[b])
        k = int(np.argmax(np.where(np.isnan(off), np.inf, off)))
        raise ModelError(
            f"q cannot be brought onto the constraints: {cs.rows.names[k]} stays off by "
            f"{abs(cs.residual(found[b])[k]):.3g}{_batch_place(q.shape[:-1], b)}"
        )
    return found.reshape(q.shape)


def consistent(cs: ConstrainedEquations, q: Array, qd: Array, t: Any) -> tuple[Array, Array]:
    """A state that satisfies the constraints: q moved onto them, qd the nearest in M that they allow there."""
    x = projected(cs, q, 1e-12)
    return x, np.einsum("...ij,...j->...i", velocity_projection(cs, x, t), qd)


@np.errstate(all="ignore")
def corrected(cs: ConstrainedEquations, q: Array, qd: Array, t: Any, tolerance: float) -> tuple[Array, Array]:
    """A state that has drifted off a little, back on the constraints."""
    for _ in range(3):
        step, change, pivot = cs.correction(q, qd, *when(cs.system, t))
        usual = pivot > SMALLEST_PIVOT
        if not usual.all():
            return _corrected_in_parts(cs, q, qd, usual, t, tolerance)
        rounding = projection.ROUNDING * projection.size(q)
        if not cs.rows.holonomic or not (np.abs(step).max(axis=-1) - rounding).max(initial=0.0) > tolerance:
            return q, qd + change
        q = cs.system.integrate(q, step)
    off = projection.distances(cs.rows, q)
    if off.max(initial=0.0) > LARGEST_RESIDUAL:
        off = off.reshape(-1, off.shape[-1])
        b, k = np.unravel_index(int(np.argmax(off)), off.shape)
        by = np.abs(cs.residual(q)).reshape(off.shape)[b, k]
        raise ModelError(
            f"constraint {cs.rows.names[k]} is off by {by:.3g} after a step and cannot be put back"
            f"{_batch_place(q.shape[:-1], b)}: take a smaller dt"
        )
    return q, qd + cs.correction(q, qd, *when(cs.system, t))[1]


def _corrected_in_parts(
    cs: ConstrainedEquations, q: Array, qd: Array, usual: Any, t: Any, tolerance: float
) -> tuple[Array, Array]:
    """The same where the rank falls for some states of a batch, or some are not numbers."""
    q, qd = q.copy(), qd.copy()
    if usual.any():
        q[usual], qd[usual] = corrected(cs, q[usual], qd[usual], t, tolerance)
    low = ~usual & np.isfinite(q).all(axis=-1) & np.isfinite(qd).all(axis=-1)
    if low.any():
        q[low], qd[low] = consistent(cs, q[low], qd[low], t)
    return q, qd


@np.errstate(all="ignore")
def refuse_inconsistent(cs: ConstrainedEquations, q: Array, qd: Array) -> None:
    """Raise ModelError, by name, where q or qd does not satisfy a constraint."""
    A, h = cs.rows.A(q), cs.residual(q)
    rates = np.einsum("...ki,...i->...k", A, qd)
    scaled = np.abs(rates) / (_lengths(cs, A) * projection.size(qd)[..., None])
    change = _row_changes(cs, q, A, h)
    off = np.maximum(projection.distances(cs.rows, q), LARGEST_RESIDUAL / LARGEST_ROW_CHANGE * change)
    _refuse(cs, off, h, "is not satisfied", NEAREST_STATE)
    _refuse(cs, scaled, rates, "is not satisfied by the velocity", NEAREST_STATE)
    _refuse_other_assembly(cs, A)
    _refuse_off_branches(cs, q, qd)


def _lengths(cs: ConstrainedEquations, A: Array) -> Any:
    """(..., k) of rows; of those that vanish, the usual ones."""
    length, usual = np.linalg.norm(A, axis=-1), np.array(cs.redundancy.lengths)
    return np.where(length <= VANISHING_LENGTH * usual, usual, length)


def _row_changes(cs: ConstrainedEquations, q: Array, A: Array, h: Array) -> Any:
    """(..., k) the change (2), zero in rows that have no values or are as near as rounding lets them."""
    near = (projection.distances(cs.rows, q) == 0.0) | (projection.row_lengths(A) != np.linalg.norm(A, axis=-1))
    if near.all():
        return np.zeros(near.shape)
    steps = -A * (h / projection.row_lengths(A) ** 2)[..., None]
    there = cs.rows.A(cs.system.integrate(q[..., None, :], steps))
    k = range(A.shape[-2])
    change = np.linalg.norm(there[..., k, k, :] - A, axis=-1)
    return np.where(near, 0.0, change / np.maximum(np.linalg.norm(A, axis=-1), cs.redundancy.lengths))


def _refuse_other_assembly(cs: ConstrainedEquations, A: Array) -> None:
    """Raise ModelError where the rank of all rows is greater than that of those kept."""
    rank = cs.redundancy.rank
    if min(A.shape[-2:]) <= rank:
        return
    s = np.linalg.svd(A / np.array(cs.redundancy.lengths)[:, None], compute_uv=False)[..., rank].reshape(-1)
    if (s > LARGEST_DEPENDENT).any():
        b = int(np.argmax(s))
        here = A.reshape(-1, *A.shape[-2:])[b] / np.array(cs.redundancy.lengths)[:, None]
        independent = pivoted(here[None], rank, list(cs.rows.holonomic))[0]
        names = [name for k, name in enumerate(cs.rows.names) if k not in independent]
        follow = "does not follow" if len(names) == 1 else "do not follow"
        raise ModelError(
            f"q belongs to an assembly of {cs.name!r} that can move less than that which was found: there "
            f"{', '.join(names)} {follow} from the other rows{_batch_place(A.shape[:-2], b)}; make the system with "
            "start=, this configuration"
        )


def _refuse_off_branches(cs: ConstrainedEquations, q: Array, qd: Array) -> None:
    """Raise ModelError where branches of the motion cross and qd is tangent to none of them."""
    lead = np.broadcast_shapes(q.shape[:-1], qd.shape[:-1])
    states = (np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (q, qd))
    off = off_branches(cs, *states)
    if (off >= 0).any():
        b = int(np.argmax(off >= 0))
        raise ModelError(f"{off_branch(cs, int(off[b]))}{_batch_place(lead, b)}")


@np.errstate(all="ignore")
def refuse_forbidden_acceleration(cs: ConstrainedEquations, q: Any, qd: Any, qdd: Array) -> None:
    """Raise ModelError, by name, where the constraints do not allow an acceleration."""
    A = cs.rows.A(q)
    speed = np.asarray(qd, dtype=float)
    left = np.einsum("...ki,...i->...k", A, qdd) + cs.acceleration_bias(q, speed, A)
    size = np.maximum(projection.size(qdd), projection.size(speed) ** 2)
    _refuse(
        cs,
        np.abs(left) / (_lengths(cs, A) * size[..., None]),
        left,
        "does not allow qdd",
        "`consistent_acceleration(q, qd, qdd)` gives the nearest that it does",
        nan=False,
    )


def _refuse(cs: ConstrainedEquations, off: Any, raw: Any, what: str, advice: str, nan: bool = True) -> None:
    off = np.where(np.isnan(off), np.inf if nan else 0.0, off)
    if not off.size or (off <= LARGEST_RESIDUAL).all():
        return
    lead, k = off.shape[:-1], off.shape[-1]
    b, row = np.unravel_index(int(np.argmax(off)), (off.size // k, k))
    by = abs(float(np.reshape(np.broadcast_to(raw, off.shape), (-1, k))[b, row]))
    raise ModelError(f"constraint {cs.rows.names[row]} {what}: off by {by:.3g}{_batch_place(lead, b)}; {advice}")


def _batch_place(lead: tuple[int, ...], b: Any) -> str:
    """Which row of a batch, in words."""
    if not lead:
        return ""
    return f" in row {', '.join(str(int(i)) for i in np.unravel_index(int(b), lead))} of the batch"
