"""Solving with the mass matrix.

    M x = b,   M = L D L^T  without pivoting                                      (1)  [FD-1]
    M = W W^T with W upper triangular                                            (2)

O(n^3). Forward dynamics by (1), with b = tau - rnea(q, qd, 0), shares nothing with the articulated-body recursion but
the answer; a robot with mimic joints, whose mass matrix is not that of a tree, has no other way.
"""

from typing import Any

from chasles.dynamics.composite_body import Matrix
from chasles.scalar.ops import sqrt


def factored(M: Matrix) -> tuple[Matrix, list[Any]]:
    """L and D of (1), L with a unit diagonal that is not written."""
    n = len(M)
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
    return L, D


def solve_factored(factors: tuple[Matrix, list[Any]], b: list[Any]) -> list[Any]:
    """x with M x = b, from the factors of M."""
    L, D = factors
    x, n = list(b), len(b)
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - L[i][k] * x[k]
    x = [x[i] / D[i] for i in range(n)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - L[k][i] * x[k]
    return x


def solve(M: Matrix, b: list[Any]) -> list[Any]:
    """x with M x = b, for a symmetric positive definite M, by (1)."""
    return solve_factored(factored(M), b)


def inverse(M: Matrix) -> Matrix:
    """M^-1 of a symmetric positive definite M."""
    n = len(M)
    factors = factored(M)
    columns = [solve_factored(factors, [1.0 if i == j else 0.0 for i in range(n)]) for j in range(n)]
    return [[columns[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


def upper_sqrt(M: Matrix) -> Matrix:
    """W, upper triangular, with M = W W^T."""
    n = len(M)
    W: Matrix = [[0.0] * n for _ in range(n)]
    for j in reversed(range(n)):
        square = M[j][j]
        for k in range(j + 1, n):
            square = square - W[j][k] * W[j][k]
        W[j][j] = sqrt(square)
        for i in range(j):
            entry = M[i][j]
            for k in range(j + 1, n):
                entry = entry - W[i][k] * W[j][k]
            W[i][j] = entry / W[j][j]  # (2)
    return W
