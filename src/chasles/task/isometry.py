"""Isometry of the forward map on horizontal velocities: Riemannian submersions and partial isometries.

With W (m, m) a metric of the task's velocities, the map (Q, M) -> (task, W) is a Riemannian submersion at q exactly
where

    A = J M^-1 J^T = W^-1                                                         (1)  [RED-2,6]

That J has full rank is not enough. The residual is the largest |a - 1| over the eigenvalues a of W A: how far squared
lengths are off at most, the same in any axes. With M = N^T N and W = 1, (1) says that K = J N^-1 is a *partial
isometry*, one that keeps lengths but for its kernel:

    K^+ = K^T   <=>   K K^T K = K                                                 (2)  [RED-18]

and with another W, U J N^-1 is, W = U^T U.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array
from chasles.errors import ModelError
from chasles.linear_algebra import rowwise
from chasles.literals import Expressed
from chasles.model.task import Task, size
from chasles.robot_like import RobotLike
from chasles.task.inverse import split

Array = NDArray[np.float64]


def submersion_residual(
    robot: RobotLike, q: ArrayLike, W: ArrayLike | None, task: Task, expressed: Expressed = "body"
) -> Array:
    """(...) how far (1) is from holding at q (..., nq): 0 for a Riemannian submersion, nan where M is singular."""
    root = np.linalg.cholesky(task_metric("submersion_residual", W, size(task)))
    A = robot.task_mobility(q, *split(task), expressed=expressed)
    return np.abs(rowwise(np.linalg.eigvalsh, root.T @ A @ root) - 1.0).max(axis=-1)[()]  # (1)


def whitened_jacobian(
    robot: RobotLike, q: ArrayLike, W: ArrayLike | None, task: Task, expressed: Expressed = "body"
) -> Array:
    """(..., m, n) U J N^-1, W = U^T U and M = N^T N: the forward map between orthonormal frames."""
    U = np.linalg.cholesky(task_metric("whitened_jacobian", W, size(task))).T
    frame, rows = split(task)
    return U @ robot.kernel("white_jacobian", frame=frame, rows=rows, expressed=expressed)(q)


def partial_isometry_residual(K: ArrayLike) -> Array:
    """(...) |K K^T K - K| / |K| of matrices (..., m, n): 0 for partial isometries."""
    A = array(K, "partial_isometry_residual: K", ("...", -1, -1))
    size = np.linalg.norm(A, axis=(-2, -1))
    off = np.linalg.norm(A @ np.swapaxes(A, -1, -2) @ A - A, axis=(-2, -1))  # (2)
    return (off / np.where(size > 0.0, size, 1.0))[()]


def task_metric(function: str, W: ArrayLike | None, m: int) -> Array:
    """(m, m) symmetric and positive definite; the identity by default."""
    if W is None:
        return np.eye(m)
    out = array(W, f"{function}: W", (m, m))
    if not np.isfinite(out).all() or not np.allclose(out, out.T) or np.linalg.eigvalsh(out)[0] <= 0.0:
        raise ModelError(f"{function}: W must be symmetric and positive definite")
    return out
