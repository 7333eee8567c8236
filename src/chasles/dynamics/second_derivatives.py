"""Second derivatives of inverse dynamics: the recursion of derivatives.py on dual numbers.

Along a direction (dq, dqd, dqdd) of the state the derivatives change by

    d/dt of dtau/dq, dtau/dqd, dtau/dqdd at (q moved by dq t, qd + dqd t, qdd + dqdd t)          (1)

at t = 0: a Hessian-vector product, O(n d), some three times the work of the derivatives themselves. The tensors, with
the index derived last at the end and G the connection (geometry/connection.py),

    e_k(dtau_i/dq_j), e_k(dtau_i/dqd_j):  (1) along each column                   (2)
    d2tau_i/dqd_j dqd_k = G_ijk + G_ikj,   e_k(dtau_i/dqdd_j) = e_k(M_ij)         (3)  [LIN-1], [DER-3]

On joints whose fields do not commute, e_k(e_j(tau)) is not symmetric in j and k.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from chasles.dynamics.composite_body import Matrix
from chasles.dynamics.derivatives import Derivatives, inverse_dynamics_derivatives
from chasles.lie import Wrench
from chasles.model.tree import Tree
from chasles.scalar.dual import Dual


def moved(tree: Tree, q: Any, dq: Sequence[Any]) -> list[Dual]:
    """The coordinates q, moving at velocity dq."""
    out: list[Dual] = []
    for body in tree.bodies:
        own = q[body.q : body.q + body.joint.nq]
        rates = body.joint.rates(own, dq[body.v : body.v + body.joint.nv])
        out += _duals(own, rates)
    return out


def derivatives_along(
    tree: Tree,
    state: tuple[Any, Any, Any],
    direction: tuple[Any, Any, Any],
    wrenches: Mapping[int, Wrench] | None = None,
) -> Derivatives:
    """(1): how the derivatives at the state (q, qd, qdd) change along (dq, dqd, dqdd)."""
    (q, qd, qdd), (dq, dqd, dqdd) = state, direction
    result = inverse_dynamics_derivatives(tree, moved(tree, q, dq), _duals(qd, dqd), _duals(qdd, dqdd), wrenches)
    return Derivatives(_slopes(result.q), _slopes(result.qd), _slopes(result.qdd))


def _duals(x: Any, dx: Any) -> list[Dual]:
    return [Dual(*both) for both in zip(x, dx, strict=True)]


def _slopes(rows: Matrix) -> Matrix:
    return [[x.derivative if isinstance(x, Dual) else 0.0 for x in row] for row in rows]


def derivatives_along_columns(
    tree: Tree, q: Any, qd: Any, qdd: Any, wrenches: Mapping[int, Wrench] | None = None
) -> list[Derivatives]:
    """(2): one for each column."""
    n = tree.n
    still = [0.0] * n
    units = [[1.0 if k == j else 0.0 for k in range(n)] for j in range(n)]
    return [derivatives_along(tree, (q, qd, qdd), (unit, still, still), wrenches) for unit in units]
