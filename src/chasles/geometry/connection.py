"""The Levi-Civita connection of the inertia metric: Christoffel symbols and the derivatives of the mass matrix.

Every column S_i moves along a vector field e_i of configuration space: a coordinate's for screws, a body velocity's for
planar, spherical and free joints, whose fields do not commute. With J_i the column seen from some frame, <a, b> the
inner product of the composite inertia of the deepest joint named, and

    b(i, j; k) = <[J_i, J_j], J_k>                                                (1)

the connection G_ijk = <nabla of e_j along e_k, e_i> is, for every order of i, j and k on the tree,

    G_ijk = (b(i, j; k) + b(i, k; j) + b(min(j, k), max(j, k); i)) / 2            (2)  [CHR-3]

zero where i, j, k do not lie on one path; min and max are ancestor order, and max is j where j and k are columns of one
joint, so that G_ijk - G_ikj = <e_i, [e_k, e_j]> there (3) [CUR-6]. i is the equation: C_ij = sum_k G_ijk v_k, and
[ParkBobrowPloen1995] has it last, G_ijk here is theirs at (j, k, i) [CHR-4]. From (2)

    e_k(M_ij) = G_ijk + G_jik                                                     (4)  [DER-3,4]

zero where k is at or before both. For x, y on the path to z, in this order, with dIc the rate of Ic_z along S_z,

    D = <dIc J_y, J_x> / 2,  A = b(x, y; z) / 2:   G_xyz = D + A,  G_yxz = D - A,  G_zxy = A - D    (5)

are all there is: two pairings a triple.
"""

from typing import Any

from chasles.dynamics.jacobian import columns_seen
from chasles.lie import Twist
from chasles.model.tree import Tree

Tensor = list[list[list[Any]]]


def christoffel_symbols(tree: Tree, q: Any) -> Tensor:
    """G[i][j][k], of the first kind; C_ij = sum of G[i][j][k] v[k]. [CHR-3,4]"""
    n = tree.n
    G: Tensor = [[[0.0] * n for _ in range(n)] for _ in range(n)]
    motions = tree.motions(q)
    composite = tree.accumulate(motions, [body.G for body in tree.bodies])
    for i, path in enumerate(columns_seen(tree, motions)):
        for z, S in enumerate(tree.bodies[i].columns, tree.bodies[i].v):
            momentum, rate = composite[i] @ (S * 0.5), composite[i].rate(S * 0.5)
            before = [(k, J) for k, J in path if k <= z]
            for at, (y, J_y) in enumerate(before):
                along, across = rate @ J_y, J_y.ad_star(momentum)
                for x, J_x in before[: at + 1]:
                    D, A = along.pair(J_x), -across.pair(J_x)  # (5)
                    if y == z:  # D = A
                        G[x][z][z] = D + A
                        continue
                    G[x][y][z] = G[x][z][y] = D + A
                    G[y][x][z] = G[y][z][x] = D - A
                    G[z][x][y] = G[z][y][x] = A - D
        _twist(tree, i, path, composite, G)
    return G


def _twist(tree: Tree, i: int, path: list[tuple[int, Twist]], composite: list[Any], G: Tensor) -> None:
    """(3) for every joint on the path to body i: in the rows of i's columns; for i's joint, of all before. [CUR-6]"""
    seen = dict(path)
    for j in tree.path(i):
        body = tree.bodies[j]
        own = range(body.v, body.v + body.joint.nv)
        for a in own:
            for b in range(a + 1, own.stop):
                bracket = composite[i] @ seen[a].ad(seen[b])
                rows = path if j == i else [(k, J) for k, J in path if k >= tree.bodies[i].v]
                for k, J in rows:
                    G[k][a][b] = G[k][b][a] - bracket.pair(J)


def mass_matrix_derivatives(tree: Tree, q: Any) -> Tensor:
    """e_k(M_ij) at [i][j][k]."""
    n, G = tree.n, christoffel_symbols(tree, q)
    owner = [i for i, body in enumerate(tree.bodies) for _ in body.columns]
    above = [set(tree.path(i)) for i in range(len(tree.bodies))]
    dM: Tensor = [[[0.0] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            for k in range(n):
                if not (owner[k] in above[owner[i]] and owner[k] in above[owner[j]]):
                    dM[i][j][k] = dM[j][i][k] = G[i][j][k] + G[j][i][k]  # (4)
    return dM
