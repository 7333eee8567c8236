"""The mass matrix by composite bodies (crba).

    Ic_i = G_i + sum over children c of (Ic_c seen from i)                        (1)
    M_ij = <Ic_c S_i, S_j seen from there>,  c = the deeper of i and j            (2)  [MM-1,2]

zero where neither lies on the other's path to the base; armatures are added to the diagonal. O(n d) for depth d.
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
        for a, S in enumerate(body.columns):
            row, j = body.v + a, i
            F = composite[i] @ S
            for b, S_b in enumerate(body.columns[: a + 1]):
                M[row][body.v + b] = M[body.v + b][row] = F.pair(S_b)  # (2)
            M[row][row] = M[row][row] + body.rotor(a)
            while (p := tree.bodies[j].parent) >= 0:
                F = motions[j].Ad_inv_star(F)
                j = p
                for c, S_c in enumerate(tree.bodies[j].columns, tree.bodies[j].v):
                    M[row][c] = M[c][row] = F.pair(S_c)  # (2)
    return M
