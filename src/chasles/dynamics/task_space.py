"""Operational space: the dynamics of a task, rows of the velocities of frames.

With V = J qd, J (m, n), M = W W^T and b = C qd + g:

    X = W^-1 J^T,   A = J M^-1 J^T = X^T X,   M^-1 J^T = W^-T X                   (1)
    Lam = A^-1                       the task's inertia, J^-T M J^-1 if n = m     (2)  [TSK-1]
    Jbar = M^-1 J^T Lam              the dynamically consistent inverse           (3)  [RED-1]
    N = 1 - Jbar J                   the velocities that the task does not see    (4)
    eta = Lam (J M^-1 b - Jd qd)     J^-T b - Lam Jd J^-1 V if n = m              (5)  [TSK-1]

Forces tau = J^T F + N^T tau0 accelerate the task by Lam dV/dt + eta = F, whatever tau0. A is the task's mobility: how
much unit forces on it accelerate it.

Rows of turning and of sliding differ in unit. With s^2 the trace of A over the three rows of turning, or of sliding, of
a frame, all six counted whether chosen or not,

    A' = S A S,  S = diag(1/s),   Lam = S A'^-1 S                                 (6)

where A' has no unit and no entry above 1, in any axes and any units. With A' = L D L^T and Y = L^-1 the *margin* is

    1 / tr A'^-1 = 1 / sum_k |Y_k|^2 / D_k                                        (7)

which is at most the least eigenvalue of A' and at least the m-th part of it. Pivots D_k below LEAST_PIVOT are left out,
so that (2) is finite, and the margin is then the least of them; near a singularity (2) is one of many answers, and
task/truncation.py makes the one that is documented. A frame whose origin moves less than LEAST_LEVER for a radian is
taken not to slide. [Khatib 1987]
"""

from dataclasses import dataclass
from typing import Any

from chasles.dynamics.matrices import Matrix, dot, product, transposed
from chasles.scalar.ops import less, minimum, sqrt, where

LEAST_PIVOT = 1e-12
LEAST_LEVER = 1e-12  # metres


@dataclass(frozen=True)
class TaskSpace:
    """X (n, m) of (1), as columns, the mobility A (m, m) and the scales 1/s (m) of (6)."""

    X: Matrix
    A: Matrix
    S: list[Any]


def task_space(W: Matrix, blocks: list[tuple[Matrix, tuple[int, ...]]]) -> TaskSpace:
    """Of M = W W^T, W upper triangular, and of Jacobians (6, n) with the rows that are chosen."""
    X, S = [], []
    for J, rows in blocks:
        white = [whiten(W, row) for row in J]  # (1)
        scale = scales(*(_trace(white[k : k + 3]) for k in (0, 3)))
        X += [white[r] for r in rows]
        S += [scale[r // 3] for r in rows]
    A: Matrix = [[0.0] * len(X) for _ in X]
    for i, x in enumerate(X):
        for j in range(i + 1):
            A[i][j] = A[j][i] = dot(x, X[j])  # (1)
    return TaskSpace(X, A, S)


def scales(turning: Any, sliding: Any) -> tuple[Any, Any]:
    """1/s of (6), of rows of turning and of sliding, from the traces of A over the three rows of each."""
    moves = less(turning * LEAST_LEVER**2, sliding)
    return _reciprocal_root(turning), where(moves, _reciprocal_root(sliding), 0.0)


def inertia(space: TaskSpace) -> tuple[Matrix, Any]:
    """Lam of (2), with the pivots that are not zero, and the margin."""
    S, m = space.S, len(space.S)
    Y: Matrix = []  # rows of L^-1
    D: list[Any] = []  # pivots, inverse
    margin: Any = 1.0
    L: Matrix = [[0.0] * m for _ in range(m)]
    scaled = [[space.A[i][j] * (S[i] * S[j]) for j in range(m)] for i in range(m)]  # (6)
    pivots: list[Any] = []
    for j in range(m):
        pivot = scaled[j][j]
        for k in range(j):
            pivot = pivot - L[j][k] * L[j][k] * pivots[k]
        counts = less(LEAST_PIVOT, pivot)
        margin = minimum(margin, pivot)
        pivots.append(where(counts, pivot, 0.0))
        D.append(where(counts, 1.0 / where(counts, pivot, 1.0), 0.0))
        for i in range(j + 1, m):
            entry = scaled[i][j]
            for k in range(j):
                entry = entry - L[i][k] * L[j][k] * pivots[k]
            L[i][j] = entry * D[j]
        row = [0.0] * j + [1.0] + [0.0] * (m - j - 1)
        for k in range(j):
            row = [a - L[j][k] * b for a, b in zip(row, Y[k], strict=True)]
        Y.append(row)
    lam: Matrix = [[0.0] * m for _ in range(m)]
    for i in range(m):
        for j in range(i + 1):
            total: Any = 0.0
            for k in range(i, m):
                total = total + Y[k][i] * Y[k][j] * D[k]
            lam[i][j] = lam[j][i] = total * (S[i] * S[j])  # (6)
    trace: Any = 0.0
    for row, reciprocal in zip(Y, D, strict=True):
        trace = trace + dot(row, row) * reciprocal
    return lam, minimum(margin, 1.0 / where(less(0.0, trace), trace, 1.0))  # (7)


def lift(W: Matrix, X: Matrix) -> Matrix:
    """M^-1 J^T (n, m) of (1)."""
    return transposed([_forward(W, x) for x in X])


def consistent_inverse(W: Matrix, space: TaskSpace) -> Matrix:
    """Jbar (n, m) of (3)."""
    return product(lift(W, space.X), inertia(space)[0])


def whiten(W: Matrix, b: list[Any]) -> list[Any]:
    """W^-1 b, W upper triangular."""
    x = list(b)
    for i in reversed(range(len(x))):
        for k in range(i + 1, len(x)):
            x[i] = x[i] - W[i][k] * x[k]
        x[i] = x[i] / W[i][i]
    return x


def _forward(W: Matrix, b: list[Any]) -> list[Any]:
    """W^-T b."""
    x = list(b)
    for i in range(len(x)):
        for k in range(i):
            x[i] = x[i] - W[k][i] * x[k]
        x[i] = x[i] / W[i][i]
    return x


def _trace(rows: Matrix) -> Any:
    total: Any = 0.0
    for row in rows:
        total = total + dot(row, row)
    return total


def _reciprocal_root(square: Any) -> Any:
    """1/sqrt, and 0 of 0."""
    moves = less(0.0, square)
    return where(moves, 1.0 / sqrt(where(moves, square, 1.0)), 0.0)
