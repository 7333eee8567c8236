"""Mass matrices that are singular by themselves, and regular with the constraints.

Coordinates that depend on each other, as the four Euler parameters of a rotation, leave M singular everywhere; under
the constraint between them the saddle-point (KKT) matrix is regular all the same, and there is one motion. It is that
of

    M' = M + A^T D A,   bias' = bias + A^T D (dA/dt) qd,   D diagonal, positive   (1)

as A qdd + (dA/dt) qd = 0: forces, multipliers and energies are those of M, since A qd = 0. M' is regular if and only if
the saddle-point matrix is, M having no negative energies. As A^T D (dA/dt) plus its transpose is the rate of A^T D A,

    C' = C + A^T D (dA/dt)                                                        (2)

is a Coriolis matrix of M'. D is of the size that makes A^T D A like M,

    1 / D_k = sum over i of A_ki^2 / M_ii                                         (3)

over coordinates with inertia: of their own, or by rows that they share with others which have some. So units do not
matter.

That M is singular is seen at the configurations where the rows were looked at (independent_rows.py). Where it is so at
some configurations only, nothing is added; A M^-1 A^T is much larger there than it usually is, by which they are known
and solved for as they come (singular_configurations.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chasles.constrained.independent_rows import IndependentRows
from chasles.constraint.coordinates import velocity_names
from chasles.constraint.rows import ConstraintRows
from chasles.lagrangian import refuse_singular, sampled_mass, singular_pivot
from chasles.linear_algebra import solved_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AddedInertia:
    """D of (1), (k,) for the rows kept. A: (..., k, n) those rows, traced or not."""

    weights: Array

    def matrix(self, A: Any) -> Any:
        """(..., n, n) A^T D A."""
        return np.swapaxes(A, -1, -2) @ (self.weights[:, None] * A)  # (1)

    def forces(self, A: Any, drift: Any) -> Any:
        """(..., n) A^T D drift."""
        return np.swapaxes(A, -1, -2) @ (self.weights * drift)  # (1)

    def coriolis(self, A: Any, A_rate: Any) -> Any:
        """(..., n, n) A^T D (dA/dt)."""
        return np.swapaxes(A, -1, -2) @ (self.weights[:, None] * A_rate)  # (2)


class SampledInertia(NamedTuple):
    """added: what makes M regular, None where it is. mobility: (k,) the usual diagonal of A M^-1 A^T, the rows kept."""

    added: AddedInertia | None
    mobility: Array


@np.errstate(all="ignore")
def sampled_inertia(rows: ConstraintRows, kept: IndependentRows) -> SampledInertia:
    """What M says at the configurations where rows were looked at."""
    M, A = sampled_mass(rows.system, kept.configurations), rows.A(kept.configurations)[:, list(kept.kept)]
    added = _added_inertia(rows, M, A)
    whole = M if added is None else M + added.matrix(A)
    of_rows = np.abs(np.einsum("bki,bik->bk", A, solved_matrix(whole, np.swapaxes(A, -1, -2))))
    mobility = np.median(np.where(np.isfinite(of_rows), of_rows, np.inf), axis=0)
    return SampledInertia(added, np.where(mobility > 0.0, mobility, np.inf))  # infinite: not known


def _added_inertia(rows: ConstraintRows, M: Array, A: Array) -> AddedInertia | None:
    """Refused by name where M is singular with the constraints too."""
    if singular_pivot(M) is None:
        return None
    found = AddedInertia(_weights(np.median(A * A, axis=0), np.median(np.abs(np.diagonal(M, 0, -2, -1)), axis=0)))
    pivot = singular_pivot(M + found.matrix(A))
    if pivot is not None:
        refuse_singular(rows.system.name, velocity_names(rows.system)[pivot], rows.constraint_names)
    return found


def _weights(squares: Array, inertia: Array) -> Array:
    """(k,) D of (3). squares: (k, n) of A, inertia: (n,) the diagonal of M, typical ones."""
    D, inertia = np.zeros(len(squares)), inertia.copy()
    while not D.all():
        there = inertia > 0.0
        compliance = (squares[:, there] / inertia[there]).sum(axis=-1)
        now = (D == 0.0) & (compliance > 0.0)
        if not now.any():  # no row that is left is shared with what has inertia
            D[D == 0.0] = 1.0
            break
        D[now] = 1.0 / compliance[now]  # (3)
        inertia = np.where(there, inertia, (D[:, None] * squares).sum(axis=0))
    return D
