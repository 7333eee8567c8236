"""Forward dynamics by solving with the mass matrix.

    M qdd = tau - rnea(q, qd, 0)                                                  (1)  [FD-1]

by the factorisation M = L D L^T without pivoting, O(n^3). The articulated-body recursion is the one to use; this one
shares nothing with it but the answer.
"""

from collections.abc import Mapping
from typing import Any

from chasles.dynamics.composite_body import Matrix, mass_matrix
from chasles.dynamics.newton_euler import newton_euler
from chasles.lie import Wrench
from chasles.model.tree import Tree


def solve(M: Matrix, b: list[Any]) -> list[Any]:
    """x with M x = b, for a symmetric positive definite M."""
    n = len(b)
    L: Matrix = [[0.0] * n for _ in range(n)]
    D: list[Any] = [0.0] * n
    for j in range(n):
        D[j] = M[j][j]
        for k in range(j):
            D[j] = D[j] - L[j][k] * L[j][k] * D[k]
        for i in range(j + 1, n):
            entry = M[i][j]
            for k in range(j):
                entry = entry - L[i][k] * L[j][k] * D[k]
            L[i][j] = entry / D[j]
    x = list(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    x = [x[i] / D[i] for i in range(n)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k][i] * x[k]
    return x


def forward_dynamics_by_solving(
    tree: Tree, q: Any, qd: Any, tau: Any, wrenches: Mapping[int, Wrench] | None = None
) -> list[Any]:
    """qdd, as articulated_body.forward_dynamics."""
    bias = newton_euler(tree, q, qd, [0.0] * tree.n, wrenches).tau
    return solve(mass_matrix(tree, q), [tau[i] - bias[i] for i in range(tree.n)])  # (1)
