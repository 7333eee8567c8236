"""The Coriolis matrix of the Christoffel symbols, by composite bodies.

With Ic the composite inertia and Bc the composite Coriolis inertia of the deeper of i and j, both of its observer
(carried_inertias.py), for whom dS_j/dt = (w_j x s, w_j x u) of a column S_j = (s, u):

    C_ij = <S_i, Ic dS_j/dt + Bc S_j>                                             (1)  [COR-1]

2 Bc is dIc/dt, which is symmetric, and the skew ad^T of the momentum: this makes Mdot - 2C skew (COR-2), and (1)
symmetric in the way the Christoffel symbols are: C_ij = sum_k Gamma_ijk qd_k. (1) holds in any frame; here that of the
deeper body. O(n d) for depth d. [Echeandia and Wensing 2021]
"""

from typing import Any

from chasles.dynamics.carried_inertias import angular_velocities, carried, seen_from_parent
from chasles.dynamics.composite_body import Matrix
from chasles.lie import Twist, Vec3
from chasles.model.tree import Tree


def coriolis_matrix(tree: Tree, q: Any, qd: Any) -> Matrix:
    """C(q, qd), as rows of leaves."""
    n = tree.n
    C: Matrix = [[0.0] * n for _ in range(n)]
    motions = tree.motions(q)
    w = angular_velocities(tree, motions, qd)
    inertia, coriolis, leaving = carried(tree, motions, w, qd)
    for i, body in enumerate(tree.bodies):
        for a, S in enumerate(body.columns):
            # of the deeper body's column S: what, walking to each ancestor j, gives C_ji and C_ij
            k, j = body.v + a, i
            column = inertia[i] @ _rate(w[i], S) + coriolis[i] @ S.w  # (1) for C_ji
            lever, moment = inertia[i] @ S, coriolis[i].transposed(S)  # (1) for C_ij: on dS_j, and on S_j
            for b, S_b in enumerate(body.columns):
                C[body.v + b][k] = column.pair(S_b)
            while (up := tree.bodies[j].parent) >= 0:
                column = motions[j].Ad_inv_star(column)
                lever, moment = seen_from_parent(motions[j], leaving[j], lever, moment)
                j = up
                for c, S_c in enumerate(tree.bodies[j].columns, tree.bodies[j].v):
                    C[c][k] = column.pair(S_c)
                    C[k][c] = moment.dot(S_c.w) + lever.pair(_rate(w[j], S_c))
    return C


def _rate(w: Vec3, S: Twist) -> Twist:
    return Twist(w.cross(S.w), w.cross(S.v))
