"""Manipulability: the distance of a task from its singularities (dynamics/manipulability.py)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import one_of
from chasles.literals import Expressed, Metric
from chasles.model.task import Frames, Rows, task
from chasles.robot.methods.base import Array, Methods
from chasles.robot.methods.forward import forward_by


class ManipulabilityMethods(Methods):
    """frame, rows, expressed: see `TaskMethods`. Rows of turning and of sliding differ in unit: choose one kind.

    metric: what a joint velocity of length one is; "euclidean": |qd| = 1; "inertia": kinetic energy 1/2.
    """

    @forward_by("metric", {"euclidean": "manipulability", "inertia": "inertial_manipulability"})
    def manipulability(
        self,
        q: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        metric: Metric = "euclidean",
    ) -> Array:
        """(...) sqrt(det(J J^T)), or sqrt(det(J M^-1 J^T)) in the inertia metric: zero at singularities. q: (..., nq).

        Yoshikawa's measure. With more rows than joints it is that of J^T. Its gradient:
        `robot.kernel("manipulability").gradient("q")`.
        """
        ...

    def singular_values(
        self,
        q: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        metric: Metric = "euclidean",
    ) -> Array:
        """(..., min(m, n)) of J, or of J M^-1/2 in the inertia metric, largest first. q: (..., nq).

        The half axes of the ellipsoid of task velocities; the last one is the distance to the nearest matrix that is
        singular, the first over the last the condition number. A row of nan gives nan.
        """
        name = {"euclidean": "task_jacobian", "inertia": "white_jacobian"}[one_of(metric, "metric", Metric)]
        J = self._fused((name,), (q,), task(frame, rows), expressed)
        good = np.isfinite(J).all((-1, -2))
        values = np.linalg.svd(np.where(good[..., None, None], J, 0.0), compute_uv=False)
        return np.where(good[..., None], values, np.nan)
