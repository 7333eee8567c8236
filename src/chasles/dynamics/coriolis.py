"""The Coriolis matrix of the Christoffel symbols, by composite bodies.

With Ic the composite inertia and Bc the composite Coriolis inertia (lie/inertia.py) of the deeper of i and j, and
dS_j/dt = ad(V_j) S_j:

    C_ij = <S_i, Ic dS_j/dt + Bc S_j / 2>                                         (1)  [COR-1]

Bc is dIc/dt, which is symmetric, and the skew ad^T of the momentum: this makes Mdot - 2C skew (COR-2), and (1)
symmetric in the way the Christoffel symbols are: C_ij = sum_k Gamma_ijk qd_k. (1) holds in any frame; here that of the
deeper body. O(n d) for depth d. [Echeandia and Wensing 2021]
"""

from typing import Any

from chasles.dynamics.composite_body import Matrix
from chasles.dynamics.kinematics import velocities
from chasles.lie import CoriolisInertia
from chasles.model.tree import Tree


def coriolis_matrix(tree: Tree, q: Any, qd: Any) -> Matrix:
    """C(q, qd), as rows of leaves."""
    n = tree.n
    C: Matrix = [[0.0] * n for _ in range(n)]
    motions = tree.motions(q)
    V = velocities(tree, motions, qd)
    inertia = tree.accumulate(motions, [body.G for body in tree.bodies])
    half = tree.accumulate(motions, [CoriolisInertia.of(b.G, V[i] * 0.5) for i, b in enumerate(tree.bodies)])
    for i, body in enumerate(tree.bodies):
        for a, S in enumerate(body.columns):
            # of the deeper body's column S: what, walking to each ancestor j, gives C_ji and C_ij
            k, j = body.v + a, i
            column = inertia[i] @ V[i].ad(S) + half[i] @ S.w  # (1) for C_ji
            lever, moment = inertia[i] @ S, half[i].transposed(S)  # (1) for C_ij: on dS_j, and on S_j
            for b, S_b in enumerate(body.columns):
                C[body.v + b][k] = column.pair(S_b)
            while (up := tree.bodies[j].parent) >= 0:
                column, lever = motions[j].Ad_inv_star(column), motions[j].Ad_inv_star(lever)
                moment = motions[j].rotate(moment)
                j = up
                for c, S_c in enumerate(tree.bodies[j].columns, tree.bodies[j].v):
                    C[c][k] = column.pair(S_c)
                    C[k][c] = moment.dot(S_c.w) + lever.pair(V[j].ad(S_c))
    return C
