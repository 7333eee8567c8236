"""The curvature of the inertia metric.

With the fields e_i, connection G_ijk and second derivatives of M of connection.py and second_order.py, c the structure
constants [e_k, e_l] = sum of c^m_kl e_m, and R_ijkl = <R(e_k, e_l) e_j, e_i>,

    R_ijkl = e_k(G_ijl) - e_l(G_ijk) + sum_rs M^rs (G_rjk G_sil - G_rjl G_sik) - c^m_kl G_ijm      (1)  [CUR-1,6]
    e_l(G_ijk) = (e_l e_k M_ij + e_l e_j M_ik - e_l e_i M_jk
                  + c^m_kj e_l M_mi - c^m_ki e_l M_mj - c^m_ji e_l M_mk) / 2       (2)  [DER-5]

and R_ijkl = -R_jikl = -R_ijlk = R_klij (CUR-2), so that about n^4/8 of them are computed. Contracted,

    Ric_jl = sum M^ik R_ijkl,   s = sum M^jl Ric_jl                               (3)

Near a singular M (1) is a small difference of large numbers. With M = W W^T, g_jk = W^-1 G_.jk and
A = M_ii M_jj - M_ij^2 the plane of e_i and e_j has the relative error

    eps (g_ij . g_ij + |g_ii . g_jj|) / max(|R_ijij|, A / tr M)                   (4)

with the trace over joints that turn, and (3) multiplies that by the largest M_kk / W_kk^2. Where one of them, or eps
times that ratio, is above LEAST_DIGITS the result is nan. Sectional curvature is computed in another way (gauss.py).

Armature: constant along coordinates, so that it enters by M^-1 alone; a joint of several degrees of freedom must have
none (its rotors are no part of a metric on the group).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from chasles.dynamics.composite_body import Matrix, mass_matrix
from chasles.dynamics.linear_solve import upper_sqrt
from chasles.dynamics.matrices import dot
from chasles.geometry.connection import Tensor, christoffel_symbols, mass_matrix_derivatives
from chasles.geometry.second_order import mass_matrix_second_derivatives
from chasles.model.coupling import Coupling
from chasles.model.tree import Tree
from chasles.scalar.ops import absolute, is_constant, less_equal, maximum, sqrt, where

Structure = dict[tuple[int, int], dict[int, float]]
Entries = dict[tuple[int, int, int, int], Any]
LEAST_DIGITS = 1e-4  # the error, relative to what a curvature may be, beyond which it is nan
ROUNDING = 4.0 * 2.0**-52  # of what a curvature is the difference of


class Curvature(NamedTuple):
    """R_ijkl as computed, i < j, k < l, (i, j) not after (k, l); the largest (4), and what (3) multiplies it by."""

    n: int
    independent: Entries
    error: Any
    ratio: Any

    def R(self, factor: Any = 1.0) -> list[Tensor]:
        """R[i][j][k][l], times a factor."""
        n = self.n
        R = [[[[0.0] * n for _ in range(n)] for _ in range(n)] for _ in range(n)]
        for (i, j, k, l), x in self.independent.items():
            value = x * factor
            for a, b, first in ((i, j, value), (j, i, -value)):
                R[a][b][k][l] = R[k][l][a][b] = first
                R[a][b][l][k] = R[l][k][a][b] = -first
        return R

    @property
    def known(self) -> Any:
        """1, or nan where less than LEAST_DIGITS is left of R."""
        return one_or_nan(maximum(self.error, self.ratio * ROUNDING))

    @property
    def known_contracted(self) -> Any:
        """1, or nan where less than LEAST_DIGITS is left of (3)."""
        return one_or_nan(maximum(self.error * self.ratio, self.ratio * ROUNDING))


def one_or_nan(error: Any) -> Any:
    """1, or nan where an error is above LEAST_DIGITS."""
    return sqrt(where(less_equal(error, LEAST_DIGITS), 1.0, -1.0))


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
    """R[i][j][k][l], all indices down; nan where M is too near to singular."""
    found = tensor(tree, q, coupling)
    return found.R(found.known)


def tensor(tree: Tree, q: Any, coupling: Coupling) -> Curvature:
    """R and how well it is known."""
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

    R: Entries = {}
    for i, j, k, l in _independent(n):
        value = (rate(k, i, j, l) - rate(l, i, j, k)) * 0.5  # (1)
        value = value + dot(white[j, k], white[i, l]) - dot(white[j, l], white[i, k])
        for m, x in c.get((k, l), {}).items():
            value = value - G[i][j][m] * x
        R[i, j, k, l] = value
    error = _error(M, R, white, turning_trace(tree, coupling, M))
    return Curvature(n, R, error, loss_ratio(M, [W[k][k] for k in range(n)]))


def _error(
    M: Matrix, R: dict[tuple[int, int, int, int], Any], white: dict[tuple[int, int], list[Any]], trace: Any
) -> Any:
    """The largest of (4)."""
    n = len(M)
    worst: Any = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            lost = dot(white[i, j], white[i, j]) + absolute(dot(white[i, i], white[j, j]))
            if is_constant(lost, 0.0):
                continue
            area = M[i][i] * M[j][j] - M[i][j] * M[i][j]
            worst = maximum(worst, lost / maximum(absolute(R[i, j, i, j]), area / trace))  # (4)
    return worst * ROUNDING


def loss_ratio(M: Matrix, roots: list[Any]) -> Any:
    """The largest M_kk / W_kk^2, of the roots W_kk: what M as a whole costs."""
    worst: Any = 1.0
    for k, root in enumerate(roots):
        worst = maximum(worst, M[k][k] / (root * root))
    return worst


def turning_trace(tree: Tree, coupling: Coupling, M: Matrix) -> Any:
    """The trace of M over the robot's own velocities that turn something."""
    turns = [any(not is_constant(x, 0.0) for x in S.w) for body in tree.bodies for S in body.columns]
    own = sorted({j for (j, _), yes in zip(coupling.v, turns, strict=True) if yes})
    return sum((M[j][j] for j in own), start=0.0)


def _independent(n: int) -> Iterator[tuple[int, int, int, int]]:
    """The indices of `Curvature.independent`."""
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
    """Ric[j][l] of R as computed."""
    n = len(R)
    out: Matrix = [[0.0] * n for _ in range(n)]
    for j in range(n):
        for l in range(j + 1):
            rows = [dot(M_inverse[i], [R[i][j][k][l] for k in range(n)]) for i in range(n)]
            out[j][l] = out[l][j] = sum(rows[1:], rows[0])  # (3)
    return out
