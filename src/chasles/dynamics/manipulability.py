"""Manipulability: how far a task is from a singularity.

    w = sqrt(det(J J^T)),   or sqrt(det(J^T J)) where J has more rows than columns                  (1)

is the volume, up to a constant, of the task's velocities at joint velocities of length one [Yoshikawa 1985]; with
J W^-T for J, M = W W^T, at unit kinetic energy: sqrt(det(J M^-1 J^T)). It is the product of what each row has that is
orthogonal to those before it, by Gram and Schmidt: no determinant, and nothing negative under the root.
"""

from typing import Any

from chasles.dynamics.matrices import Matrix, dot, transposed
from chasles.scalar.ops import less, less_equal, sqrt, where

_LEAST_SQUARE = 1e-200  # under the root, so that its slope is finite


def manipulability(J: Matrix) -> Any:
    """w of (1)."""
    rows = [list(row) for row in (J if len(J) <= len(J[0]) else transposed(J))]
    square: Any = 1.0
    for k, row in enumerate(rows):
        length = dot(row, row)
        square = square * length
        some = less(_LEAST_SQUARE, length)
        for j in range(k + 1, len(rows)):
            share = where(some, dot(rows[j], row) / where(some, length, 1.0), 0.0)
            rows[j] = [a - share * b for a, b in zip(rows[j], row, strict=True)]
    flat = less_equal(square, _LEAST_SQUARE)  # which nan is not
    return where(flat, 0.0, sqrt(where(flat, 1.0, square)))
