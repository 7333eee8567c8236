"""Vertical and horizontal velocities.

With M = L L^T and S the scales of dynamics/task_space.py, the singular values of S J L^-T tell the rank r of the task:

    S J L^-T = U diag(s) Z^T,   [H V] = L^-T Z                                    (1)  [RED-1]

H, the first r columns, spans the horizontal velocities, V the vertical ones, ker J; [H V]^T M [H V] = 1.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.analysis.submersion.inverse import split
from chasles.dynamics.truncation import SMALLEST
from chasles.errors import ModelError
from chasles.model.task import Task

Array = NDArray[np.float64]


def horizontal_space(robot: Any, q: ArrayLike, task: Task, expressed: str = "body") -> Array:
    """(..., n, r) an M-orthonormal basis, r the rank of J."""
    basis, rank = _basis(robot, "horizontal_space", q, task, expressed)
    return basis[..., :rank]


def vertical_space(robot: Any, q: ArrayLike, task: Task, expressed: str = "body") -> Array:
    """(..., n, n - r) an M-orthonormal basis of ker J."""
    basis, rank = _basis(robot, "vertical_space", q, task, expressed)
    return basis[..., rank:]


def _basis(robot: Any, function: str, q: ArrayLike, task: Task, expressed: str) -> tuple[Array, int]:
    frame, rows = split(task)
    J = robot.task_jacobian(q, frame, rows, expressed=expressed)
    M, scale = robot.mass_matrix(q), robot.kernel("task_scale", frame=frame, rows=rows, expressed=expressed)(q)
    L_inv = np.linalg.inv(np.linalg.cholesky(M))
    _, s, Z = np.linalg.svd(scale[..., :, None] * (J @ np.swapaxes(L_inv, -1, -2)))
    ranks = (s > np.sqrt(SMALLEST)).sum(axis=-1)
    if ranks.size and np.ptp(ranks):
        raise ModelError(f"{function}: the rank of the task changes from {ranks.min()} to {ranks.max()}: split q")
    return np.swapaxes(Z @ L_inv, -1, -2), int(ranks.flat[0]) if ranks.size else 0  # (1)
