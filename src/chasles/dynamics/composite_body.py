"""The mass matrix by composite bodies (crba).

    Ic_i = G_i + sum over children c of (Ic_c seen from i)                        (1)
    M_ij = <Ic_c S_i, S_j seen from there>,  c = the deeper of i and j            (2)  [MM-1,2]

zero where neither lies on the other's path to the base. O(n d) for depth d.
"""

from typing import Any

from chasles.model.tree import Tree

Matrix = list[list[Any]]


def mass_matrix(tree: Tree, q: Any) -> Matrix:
    """M(q), symmetric, as rows of leaves."""
    n = tree.n
    M: Matrix = [[0.0] * n for _ in range(n)]
    motions = tree.motions(q)
    composite = tree.accumulate(motions, [body.G for body in tree.bodies])  # (1)
    for i, body in enumerate(tree.bodies):
        F = composite[i] @ body.S
        M[i][i] = F.pair(body.S)  # (2)
        j = i
        while (p := tree.bodies[j].parent) >= 0:
            F = motions[j].Ad_inv_star(F)
            j = p
            M[i][j] = M[j][i] = F.pair(tree.bodies[j].S)  # (2)
    return M
