"""Solving with the mass matrix.

    M x = b,   M = L D L^T  without pivoting                                      (1)  [FD-1]
    M = W W^T with W upper triangular                                            (2)
    M = U D L,   U upper and L lower triangular: of a tree they have no entries beyond those of M          (3)

O(n^3). Forward dynamics by (1), with b = tau - rnea(q, qd, 0), shares nothing with the articulated-body recursion but
the answer; a robot with mimic joints, whose mass matrix is not that of a tree, has no other way.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

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


class TipFactors(NamedTuple):
    """U and L, with unit diagonals that are not written, and 1/D of (3)."""

    U: Matrix
    D_inv: list[Any]
    L: Matrix

    def solve(self, b: Sequence[Any]) -> list[Any]:
        """x with M x = b."""
        x, n = list(b), len(self.D_inv)
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                x[i] = x[i] - self.U[i][k] * x[k]
        x = [a * d for a, d in zip(x, self.D_inv, strict=True)]
        for i in range(n):
            for k in range(i):
                x[i] = x[i] - self.L[i][k] * x[k]
        return x


def factored_from_tips(M: Matrix, symmetric: bool = True) -> TipFactors:
    """(3): what M has as the number 0, branches that do not meet, stays out of all that is solved.

    M has a symmetric part that is positive definite. symmetric: it is no other part, and U is L^T.
    """
    n, left = len(M), [list(row) for row in M]
    U: Matrix = [[0.0] * n for _ in range(n)]
    L: Matrix = [[0.0] * n for _ in range(n)]
    D_inv: list[Any] = [0.0] * n
    for j in reversed(range(n)):
        D_inv[j] = 1.0 / left[j][j]
        for i in range(j):
            U[i][j] = left[i][j] * D_inv[j]
            L[j][i] = U[i][j] if symmetric else left[j][i] * D_inv[j]
        for i in range(j):
            for k in range(i + 1 if symmetric else j):
                left[i][k] = left[i][k] - U[i][j] * left[j][k]
                if symmetric:
                    left[k][i] = left[i][k]
    return TipFactors(U, D_inv, L)


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
