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
    n = tree.n
    C: Matrix = [[0.0] * n for _ in range(n)]
    motions = tree.motions(q)
    V = velocities(tree, motions, qd)
    G = [body.G for body in tree.bodies]
    inertia = tree.accumulate(motions, G)
    rate = tree.accumulate(motions, [G[i].rate(V[i]) for i in range(n)])
    P = [G[i] @ V[i] for i in range(n)]
    for i in reversed(range(n)):
        p = tree.bodies[i].parent
        if p >= 0:
            P[p] = P[p] + motions[i].Ad_inv_star(P[i])
    for i, body in enumerate(tree.bodies):
        # rows of the deeper body i: <S_i, B S_j + Ic dS_j>, as wrenches that walk to each ancestor j
        S, dS = body.S, V[i].ad(body.S)
        column = inertia[i] @ dS + (rate[i] @ S - S.ad_star(P[i])) * 0.5  # (1) for C_ji
        row = (rate[i] @ S + S.ad_star(P[i])) * 0.5  # (1) for C_ij, the part on S_j: ad^T P is skew in (S_i, S_j)
        lever = inertia[i] @ S  # and the part on dS_j
        C[i][i] = column.pair(S)
        j = i
        while (up := tree.bodies[j].parent) >= 0:
            column, row, lever = (motions[j].Ad_inv_star(F) for F in (column, row, lever))
            j = up
            S_j = tree.bodies[j].S
            C[j][i] = column.pair(S_j)
            C[i][j] = row.pair(S_j) + lever.pair(V[j].ad(S_j))
    return C
