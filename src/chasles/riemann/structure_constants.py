"""Brackets of the joints' groups, as an array: zero between joints and for screws."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import numpy as np
from numpy.typing import NDArray

from chasles.riemann import by_links
from chasles.robot_like import RobotLike

Array = NDArray[np.float64]


def adjoint(robot: RobotLike, v: Array) -> Array:
    """(..., n, n) ad(v), with ad(v) w = [v, w] on the group of every joint. v: (..., n)."""
    return np.einsum("ijk,...j->...ik", structure_constants(robot), v)


def structure_constants(robot: RobotLike) -> Array:
    """(n, n, n) c with [v, w]_i = sum of c_ijk v_j w_k: of the joints' groups, zero between joints."""
    m = robot.mechanism
    return np.moveaxis(by_links.constants(m.tree, m.coupling), -1, 0)
