"""The curvature of the inertia metric.

With the fields e_i, connection G_ijk and second derivatives of M of connection.py and second_order.py, c the structure
constants [e_k, e_l] = sum of c^m_kl e_m, and R_ijkl = <R(e_k, e_l) e_j, e_i>,

    R_ijkl = e_k(G_ijl) - e_l(G_ijk) + sum_rs M^rs (G_rjk G_sil - G_rjl G_sik) - c^m_kl G_ijm      (1)  [CUR-1,6]
    e_l(G_ijk) = (e_l e_k M_ij + e_l e_j M_ik - e_l e_i M_jk
                  + c^m_kj e_l M_mi - c^m_ki e_l M_mj - c^m_ji e_l M_mk) / 2       (2)  [DER-5]

and R_ijkl = -R_jikl = -R_ijlk = R_klij (CUR-2), so that about n^4/8 of them are computed. Contracted,

    Ric_jl = sum M^ik R_ijkl,   s = sum M^jl Ric_jl                               (3)
    K(u, v) = R(u, v, u, v) / (|u|^2 |v|^2 - <u, v>^2):  1/(m l^2) on a spherical pendulum          (4)  [CUR-4]

Armature: constant along coordinates, so that it enters by M^-1 alone; a joint of several degrees of freedom must have
none (its rotors are no part of a metric on the group).
"""

from collections.abc import Iterator
from typing import Any

from chasles.dynamics.composite_body import Matrix, mass_matrix
from chasles.dynamics.linear_solve import upper_sqrt
from chasles.dynamics.matrices import dot
from chasles.geometry.connection import Tensor, christoffel_symbols, mass_matrix_derivatives
from chasles.geometry.second_order import mass_matrix_second_derivatives
from chasles.model.coupling import Coupling
from chasles.model.tree import Tree
from chasles.scalar.ops import less, where

Structure = dict[tuple[int, int], dict[int, float]]
LEAST_SQUARED_SINE = 1e-12  # the squared sine of an angle below which two vectors span no plane


def structure_constants(tree: Tree, coupling: Coupling) -> Structure:
    """c[k, l] = {m: c^m_kl}, the entries that are not zero: brackets of the columns of one joint."""
    out: Structure = {}
    own = [index for index, _ in coupling.v]  # joints of several columns mimic none
    for body in tree.bodies:
        for a, S in enumerate(body.columns, body.v):
            for b, S_b in enumerate(body.columns, body.v):
                Z = S.ad(S_b)
                entries = {m: _component(Z, S_m) for m, S_m in enumerate(body.columns, body.v)}
                if a != b and any(entries.values()):
                    out[own[a], own[b]] = {own[m]: x for m, x in entries.items() if x}
    return out


def _component(Z: Any, S: Any) -> float:
    """Columns of planar, spherical and free joints are unit vectors."""
    return Z.w.dot(S.w) + Z.v.dot(S.v)


def riemann_curvature(tree: Tree, q: Any, coupling: Coupling) -> list[Tensor]:
    """R[i][j][k][l], all indices down."""
    M = coupling.matrix(mass_matrix(tree, q))
    G = coupling.tensor(christoffel_symbols(tree, q), 3)
    c = structure_constants(tree, coupling)
    n = coupling.nv
    dM = coupling.tensor(mass_matrix_derivatives(tree, q), 3)
    ddM = coupling.tensor(mass_matrix_second_derivatives(tree, q), 4)
    W = upper_sqrt(M)
    white = {(j, k): _whiten(W, [G[r][j][k] for r in range(n)]) for j in range(n) for k in range(n)}

    def rate(l: int, i: int, j: int, k: int) -> Any:
        """Twice e_l(G_ijk)."""
        total = ddM[i][j][k][l] + ddM[i][k][j][l] - ddM[j][k][i][l]  # (2)
        for m, x in c.get((k, j), {}).items():
            total = total + dM[m][i][l] * x
        for m, x in c.get((k, i), {}).items():
            total = total - dM[m][j][l] * x
        for m, x in c.get((j, i), {}).items():
            total = total - dM[m][k][l] * x
        return total

    R = [[[[0.0] * n for _ in range(n)] for _ in range(n)] for _ in range(n)]
    for i, j, k, l in _independent(n):
        value = (rate(k, i, j, l) - rate(l, i, j, k)) * 0.5  # (1)
        value = value + dot(white[j, k], white[i, l]) - dot(white[j, l], white[i, k])
        for m, x in c.get((k, l), {}).items():
            value = value - G[i][j][m] * x
        for a, b, first in ((i, j, value), (j, i, -value)):
            R[a][b][k][l] = R[k][l][a][b] = first
            R[a][b][l][k] = R[l][k][a][b] = -first
    return R


def _independent(n: int) -> Iterator[tuple[int, int, int, int]]:
    """i < j, k < l, (i, j) not after (k, l)."""
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    for a, (i, j) in enumerate(pairs):
        for k, l in pairs[a:]:
            yield i, j, k, l


def _whiten(W: Matrix, b: list[Any]) -> list[Any]:
    """W^-1 b, W upper triangular with M = W W^T: then W^-1 a . W^-1 b is a M^-1 b."""
    x = list(b)
    for i in reversed(range(len(b))):
        for k in range(i + 1, len(b)):
            x[i] = x[i] - W[i][k] * x[k]
        x[i] = x[i] * (1.0 / W[i][i])
    return x


def ricci_curvature(M_inverse: Matrix, R: list[Tensor]) -> Matrix:
    """Ric[j][l]."""
    n = len(R)
    out: Matrix = [[0.0] * n for _ in range(n)]
    for j in range(n):
        for l in range(j + 1):
            rows = [dot(M_inverse[i], [R[i][j][k][l] for k in range(n)]) for i in range(n)]
            out[j][l] = out[l][j] = sum(rows[1:], rows[0])  # (3)
    return out


def sectional_curvature(M: Matrix, R: list[Tensor], u: list[Any], v: list[Any]) -> Any:
    """K of the plane of u and v; nan where they are parallel."""
    n = len(M)
    plane = {(i, j): u[i] * v[j] - u[j] * v[i] for i in range(n) for j in range(i + 1, n)}
    total: Any = 0.0
    for (i, j), x in plane.items():
        total = total + dot([R[i][j][k][l] for k, l in plane], list(plane.values())) * x
    Mu, Mv = ([dot(row, x) for row in M] for x in (u, v))
    square, uv = dot(u, Mu) * dot(v, Mv), dot(u, Mv)
    area = square - uv * uv
    plane = less(square * LEAST_SQUARED_SINE, area)
    return where(plane, total, 0.0) / where(plane, area, 0.0)  # (4)
