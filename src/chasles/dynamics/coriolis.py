"""The Coriolis matrix of the Christoffel symbols, by composite bodies.

With Ic the composite inertia of the deeper of i and j, dIc/dt its rate and Pc its momentum, seen from a frame at rest,
and dS_j/dt = ad(V_j) S_j:

    C_ij = <S_i, Ic dS_j/dt + (dIc/dt S_j - ad_{S_j}^T Pc) / 2>                    (1)  [COR-1]

The symmetric part of dIc/dt and the skew part of ad^T Pc are what makes Mdot - 2C skew [COR-2], and (1) is symmetric in
the way the Christoffel symbols are: C_ij = sum_k Gamma_ijk qd_k. (1) holds in any frame; here that of the deeper body.
O(n d) for depth d. [Echeandia and Wensing 2021]
"""

from typing import Any

from chasles.dynamics.composite_body import Matrix
from chasles.dynamics.kinematics import velocities
from chasles.model.tree import Tree


def coriolis_matrix(tree: Tree, q: Any, qd: Any) -> Matrix:
    """C(q, qd), as rows of leaves."""
    n, count = tree.n, len(tree.bodies)
    C: Matrix = [[0.0] * n for _ in range(n)]
    motions = tree.motions(q)
    V = velocities(tree, motions, qd)
    G = [body.G for body in tree.bodies]
    inertia = tree.accumulate(motions, G)
    rate = tree.accumulate(motions, [G[i].rate(V[i]) for i in range(count)])
    P = [G[i] @ V[i] for i in range(count)]
    for i in reversed(range(count)):
        p = tree.bodies[i].parent
        if p >= 0:
            P[p] = P[p] + motions[i].Ad_inv_star(P[i])
    for i, body in enumerate(tree.bodies):
        for a, S in enumerate(body.columns):
            # of the deeper body's column S: the wrenches that, walking to each ancestor j, give C_ji and C_ij
            k, j = body.v + a, i
            column = inertia[i] @ V[i].ad(S) + (rate[i] @ S - S.ad_star(P[i])) * 0.5  # (1) for C_ji
            row = (rate[i] @ S + S.ad_star(P[i])) * 0.5  # (1) for C_ij, on S_j: ad^T P is skew in (S_i, S_j)
            lever = inertia[i] @ S  # and on dS_j
            for b, S_b in enumerate(body.columns):
                C[body.v + b][k] = column.pair(S_b)
            while (up := tree.bodies[j].parent) >= 0:
                column, row, lever = (motions[j].Ad_inv_star(F) for F in (column, row, lever))
                j = up
                for c, S_c in enumerate(tree.bodies[j].columns, tree.bodies[j].v):
                    C[c][k] = column.pair(S_c)
                    C[k][c] = row.pair(S_c) + lever.pair(V[j].ad(S_c))
    return C
