"""Solving with a factored mass matrix for many right hand sides.

    M = U D U^T,   U^-1 = 1 - E,   M^-1 = (1 - E)^T D^-1 (1 - E)                  (1)

with U upper triangular with a unit diagonal, and E above it. Of a tree both are zero but where one column lies on the
other's path to the base, so that of

    E_ij = U_ij - sum over k of U_ik E_kj                                         (2)
    (M^-1)_ij = sum over k of E_ki E_kj / d_k - E_ij / d_i,  i < j                (3)
    -x_i = sum over k of E_ki z_k - z_i,   z_k = (b_k - sum over j of E_kj b_j) / d_k,  M x = b   (4)  [LIN-2]

only the k remain that lie on the paths of both i and j, in (4) on that of i and where z is not zero: between limbs, the
velocities of the base. O(n d^2) for M^-1 and O(n d) for each b, for depth d. [Featherstone 2005]
"""

from collections.abc import Sequence
from typing import Any

from chasles.dynamics.composite_body import Matrix
from chasles.scalar.ops import is_constant


class InverseFactor:
    """E, by columns of what is not zero, and 1/d."""

    def __init__(self, U: Matrix, d_inv: Sequence[Any]) -> None:
        """U: its entries above the diagonal, the plain number 0 where there are none."""
        self.d_inv = list(d_inv)
        self.columns: list[dict[int, Any]] = []  # j: {i: E_ij}, i < j descending
        for j in range(len(self.d_inv)):
            column: dict[int, Any] = {}
            for i in reversed(range(j)):
                entry = U[i][j]
                for k, E_kj in column.items():
                    entry = entry - U[i][k] * E_kj  # (2)
                if not is_constant(entry, 0.0):
                    column[i] = entry
            self.columns.append(column)

    def inverse(self) -> Matrix:
        """M^-1."""
        n = len(self.d_inv)
        out: Matrix = [[0.0] * n for _ in range(n)]
        for j, column in enumerate(self.columns):
            scaled = {k: E_kj * self.d_inv[k] for k, E_kj in column.items()}
            for i in range(j):
                out[i][j] = out[j][i] = self._sum(i, scaled) - scaled.get(i, 0.0)  # (3)
            out[j][j] = self._sum(j, scaled) + self.d_inv[j]
        return out

    def opposed(self, b: Sequence[Any]) -> list[Any]:
        """-M^-1 b: the accelerations without which forces b would be needed."""
        y = list(b)
        for j, column in enumerate(self.columns):
            for k, E_kj in column.items():
                y[k] = y[k] - E_kj * b[j]  # (4)
        z = {k: y_k * self.d_inv[k] for k, y_k in enumerate(y) if not is_constant(y_k, 0.0)}
        return [self._sum(i, z) - z.get(i, 0.0) for i in range(len(y))]  # (4)

    def _sum(self, i: int, z: dict[int, Any]) -> Any:
        """Sum over k of E_ki z_k."""
        total: Any = 0.0
        for k, E_ki in self.columns[i].items():
            if k in z:
                total = total + E_ki * z[k]
        return total
