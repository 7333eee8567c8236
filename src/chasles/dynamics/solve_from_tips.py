"""Solving with the mass matrix of a tree from the tips, in Featherstone's order.

    M x = b,   M = L^T D L   without pivoting                                     (1)

with one division a row. Between branches of a tree M is zero, and so is L: nothing is filled in. For robots of few
degrees of freedom M, the bias forces and (1) have fewer operations than the articulated-body recursion.
"""

from typing import Any

from chasles.dynamics.composite_body import Matrix


def solve_from_tips(M: Matrix, b: list[Any]) -> list[Any]:
    """x with M x = b, for a symmetric positive definite M."""
    n = len(b)
    L: Matrix = [[0.0] * n for _ in range(n)]
    scaled: Matrix = [[0.0] * n for _ in range(n)]  # D L
    inverse: list[Any] = [0.0] * n  # of D
    for k in reversed(range(n)):
        for i in range(k + 1):
            entry = M[k][i]
            for j in range(k + 1, n):
                entry = entry - scaled[j][i] * L[j][k]
            scaled[k][i] = entry  # (1)
        inverse[k] = 1.0 / scaled[k][k]
        for i in range(k):
            L[k][i] = scaled[k][i] * inverse[k]
    x = list(b)
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] = x[i] - L[j][i] * x[j]
    x = [y * d for y, d in zip(x, inverse, strict=True)]
    for i in range(n):
        for j in range(i):
            x[i] = x[i] - L[i][j] * x[j]
    return x
