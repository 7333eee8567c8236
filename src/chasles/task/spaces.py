"""Vertical and horizontal velocities.

With M = W W^T and S the scales of dynamics/task_space.py, the singular values of S J W^-T tell the rank r of the task:

    S J W^-T = U diag(s) Z^T,   [H V] = W^-T Z                                    (1)  [RED-1]

H, the first r columns, spans the horizontal velocities, V the vertical ones, ker J; [H V]^T M [H V] = 1. Where q is not
finite, or M singular, they are nan; the rank is that of the others.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.errors import ModelError
from chasles.linear_algebra import rowwise
from chasles.literals import Expressed
from chasles.model.task import Task
from chasles.robot_like import RobotLike
from chasles.task.inverse import split
from chasles.task.truncation import LEAST_EIGENVALUE

Array = NDArray[np.float64]
LEAST_PIVOT = 1e-14  # of a pivot of M relative to its diagonal: rounding


def horizontal_space(robot: RobotLike, q: ArrayLike, task: Task, expressed: Expressed = "body") -> Array:
    """(..., n, r) an M-orthonormal basis, r the rank of J."""
    basis, rank = _basis(robot, "horizontal_space", q, task, expressed)
    return basis[..., :rank]


def vertical_space(robot: RobotLike, q: ArrayLike, task: Task, expressed: Expressed = "body") -> Array:
    """(..., n, n - r) an M-orthonormal basis of ker J."""
    basis, rank = _basis(robot, "vertical_space", q, task, expressed)
    return basis[..., rank:]


def _basis(robot: RobotLike, function: str, q: ArrayLike, task: Task, expressed: Expressed) -> tuple[Array, int]:
    frame, rows = split(task)
    white, scale = robot.kernel(["white_jacobian", "task_scale"], frame=frame, rows=rows, expressed=expressed)(q)
    W = robot.mass_matrix_sqrt(q)
    _, s, Z = rowwise(np.linalg.svd, scale[..., :, None] * white)
    basis = np.swapaxes(Z @ rowwise(np.linalg.inv, W), -1, -2)  # (1)
    pivots, diagonal = np.diagonal(W, axis1=-2, axis2=-1) ** 2, (W * W).sum(axis=-1)  # those of M, and M's
    known = np.isfinite(basis).all(axis=(-2, -1)) & (pivots > LEAST_PIVOT * diagonal).all(axis=-1)
    basis = np.where(known[..., None, None], basis, np.nan)
    if not known.any():
        if np.isfinite(np.asarray(q, dtype=float)).all(axis=-1).any():
            raise ModelError(f"{function}: the mass matrix of robot {robot.name!r} is singular at q")
        return basis, min(white.shape[-2:])
    ranks = (s > np.sqrt(LEAST_EIGENVALUE)).sum(axis=-1)[known]
    if np.ptp(ranks):
        raise ModelError(f"{function}: the rank of the task changes from {ranks.min()} to {ranks.max()}: split q")
    return basis, int(ranks.flat[0])
