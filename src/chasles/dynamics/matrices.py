"""Matrices as rows of leaves."""

from collections.abc import Sequence
from typing import Any

Matrix = list[list[Any]]


def dot(x: Sequence[Any], y: Sequence[Any]) -> Any:
    total: Any = 0.0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


def transposed(A: Matrix) -> Matrix:
    return [list(column) for column in zip(*A, strict=True)]


def product(A: Matrix, B: Matrix) -> Matrix:
    columns = transposed(B)
    return [[dot(row, column) for column in columns] for row in A]


def plus(A: Matrix, B: Matrix) -> Matrix:
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(A, B, strict=True)]


def minus(A: Matrix) -> Matrix:
    return [[-a for a in row] for row in A]


def slices(T: list[Matrix]) -> list[Matrix]:
    """The matrices T[.][.][k]."""
    n = len(T)
    return [[[T[i][j][k] for j in range(n)] for i in range(n)] for k in range(n)]


def stacked(matrices: list[Matrix]) -> list[Matrix]:
    """T[i][j][k] = matrices[k][i][j]."""
    n = len(matrices)
    return [[[matrices[k][i][j] for k in range(n)] for j in range(n)] for i in range(n)]
