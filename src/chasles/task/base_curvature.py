"""The curvature of the task's space, from that of the robot: O'Neill's formula.

Where the forward map is a Riemannian submersion (isometry.py), X^h = B X the horizontal lift and V of repeatability.py,

    K(X, Y) = K_Q(X^h, Y^h) + 3/4 |V(X, Y)|_M^2 / |X^h ^ Y^h|_M^2                 (1)  [RED-20]

K_Q the sectional curvature of the inertia metric. (SE(3), 1) has K = 1/4 on planes of rotations and 0 on mixed ones
[RED-7]: a flat robot whose forward map is a Riemannian submersion to it cannot have an integrable lift, and the
hypotheses in the proof of Altafini's Theorem III.2 exclude each other. Where the map is no Riemannian submersion, (1)
is a number without that meaning.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import together, vector
from chasles.literals import Expressed
from chasles.model.task import Task, size
from chasles.reprs import record
from chasles.robot_like import RobotLike
from chasles.task.inverse import split
from chasles.task.repeatability import vertical_brackets

Array = NDArray[np.float64]


@record()
class BaseCurvature(NamedTuple):
    """base: (...) K of (1). total: (...) K_Q. vertical: (...) the rest, never negative."""

    base: Array
    total: Array
    vertical: Array


def base_curvature(
    robot: RobotLike, q: ArrayLike, X: ArrayLike, Y: ArrayLike, task: Task, expressed: Expressed = "body"
) -> BaseCurvature:
    """(1) at q (..., nq) on the plane of the task's velocities X, Y (..., m); nan where they are parallel. [RED-7]"""
    q = vector(q, "base_curvature: q", robot.nq)
    given = [vector(x, f"base_curvature: {name}", size(task)) for name, x in (("X", X), ("Y", Y))]
    together("base_curvature", q=q, X=given[0], Y=given[1])
    B, M = robot.consistent_inverse(q, *split(task), expressed=expressed), robot.mass_matrix(q)
    u, v = (np.einsum("...nm,...m->...n", B, x) for x in given)
    total = robot.sectional_curvature(q, u, v)
    V = np.einsum("...aij,...i,...j->...a", vertical_brackets(robot, q, "inertia", task, expressed), *given)
    uu, vv, uv, VV = (np.einsum("...a,...ab,...b->...", x, M, y) for x, y in ((u, u), (v, v), (u, v), (V, V)))
    area = uu * vv - uv * uv
    vertical = 0.75 * VV / np.where(np.isfinite(total), area, np.nan)
    return BaseCurvature(total + vertical, total, vertical)  # (1)
