"""The forward map as a submersion (task/), lifts of paths and their holonomy (task/holonomy.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import together, vector
from chasles.errors import ModelError
from chasles.literals import Expressed
from chasles.model.task import ALL, Frames, Rows, size, task
from chasles.robot.methods.base import Array
from chasles.robot.methods.task import TaskMethods

if TYPE_CHECKING:
    from chasles.task import Agreement, BaseCurvature, Repeatability
    from chasles.task.holonomy import Holonomy, LiftedPath

Choice = Any  # "inertia", "moore-penrose", a weight (n, n), or a function of q that gives a weight or an inverse (n, m)


class SubmersionMethods(TaskMethods):
    """From configurations with the inertia metric to a task: to the pose of the tool, of a frame, or to rows of it.

    frame, rows and expressed choose the task, with Jacobian J (m, n), as for `task_inertia`. inverse: "inertia", the
    horizontal lift; "moore-penrose"; a weight W (n, n); or a function of q (nq,) that gives W, or an inverse (n, m).
    """

    def horizontal_lift(
        self,
        q: ArrayLike,
        V: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        damping: float | None = None,
    ) -> Array:
        """(..., n) the velocity of least kinetic energy with J qd = V. q: (..., nq), V: (..., m).

        M-orthogonal to the velocities that the task does not see; `lift_path` lifts a path.
        """
        X = self._vector("horizontal_lift", "V", V, size(task(frame, rows)))
        q = self._vector("horizontal_lift", "q", q, self.nq, traced=True)
        together("horizontal_lift", q=q, V=X)
        B = self.consistent_inverse(q, frame, rows, expressed=expressed, damping=damping)
        return np.einsum("...nm,...m->...n", B, X)

    def vertical_space(
        self, q: ArrayLike, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> Array:
        """(..., n, n - r) an M-orthonormal basis of ker J, r its rank, the same at all of q (..., nq).

        A row of nan, or one where M is singular, gives nan.
        """
        from chasles.task import vertical_space

        q = self._vector("vertical_space", "q", q, self.nq)
        return vertical_space(self, q, task(frame, rows), expressed)

    def horizontal_space(
        self, q: ArrayLike, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> Array:
        """(..., n, r) an M-orthonormal basis of what is M-orthogonal to ker J, as `vertical_space`."""
        from chasles.task import horizontal_space

        q = self._vector("horizontal_space", "q", q, self.nq)
        return horizontal_space(self, q, task(frame, rows), expressed)

    def jacobian_inverse(
        self,
        q: ArrayLike,
        inverse: Choice = "inertia",
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
    ) -> Array:
        """(..., n, m) B with J B = 1 where J has full rank: W^-1 J^T (J W^-1 J^T)^-1. q: (..., nq)."""
        from chasles.task import inverse_of

        x = self._vector("jacobian_inverse", "q", q, self.nq)
        return inverse_of(self, inverse, task(frame, rows), expressed).matrix(x)

    def inverses_agree(
        self,
        q: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        tolerance: float = 1e-9,
    ) -> Agreement:
        """Whether the Moore-Penrose inverse is the horizontal lift at q (..., nq): whether [M, J^+ J] = 0."""
        from chasles.task import inverses_agree

        x = self._vector("inverses_agree", "q", q, self.nq)
        return inverses_agree(self, x, task(frame, rows), expressed, tolerance)

    def submersion_residual(
        self,
        q: ArrayLike,
        W: ArrayLike | None = None,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
    ) -> Array:
        """(...) how far J M^-1 J^T is from W^-1, relative: 0 where the map is a Riemannian submersion. q: (..., nq).

        W: (m, m) the metric of the task (default: the identity). The number is the most that the squared length of a
        horizontal velocity differs from that of its image, and has no unit.
        """
        from chasles.task import submersion_residual

        q = self._vector("submersion_residual", "q", q, self.nq)
        return submersion_residual(self, q, W, task(frame, rows), expressed)

    def partial_isometry_residual(
        self,
        q: ArrayLike,
        W: ArrayLike | None = None,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
    ) -> Array:
        """(...) |K K^T K - K| / |K| of K = U J N^-1, M = N^T N, W = U^T U: 0 where it is a partial isometry, K^+ = K^T.

        As `submersion_residual` where J has full rank; where it has not, K may still keep the lengths that are left.
        """
        from chasles.task import partial_isometry_residual, whitened_jacobian

        q = self._vector("partial_isometry_residual", "q", q, self.nq)
        return partial_isometry_residual(whitened_jacobian(self, q, W, task(frame, rows), expressed))

    def workspace_acceleration(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
    ) -> Array:
        """(..., m) dV/dt = J M^-1 (tau - g) + (Jd - J M^-1 C) qd. q: (..., nq), qd, tau: (..., n). [RED-9]"""
        names = ("task_free_acceleration", "task_lift")
        force = self._vector("workspace_acceleration", "tau", tau, self.n)
        q = self._vector("workspace_acceleration", "q", q, self.nq, traced=True)
        qd = self._vector("workspace_acceleration", "qd", qd, self.n, traced=True)
        together("workspace_acceleration", q=q, qd=qd, tau=force)
        free, B = self._fused(names, (q, qd), task(frame, rows), expressed)
        return free + np.einsum("...nm,...n->...m", B, force)

    def reduced_acceleration(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, W: ArrayLike | None = None, frame: str | None = None
    ) -> Array:
        """(..., 6) Xd = W^-1 ad_X^T W X + J M^-1 tau, the Euler-Poincare equation of a body twist X = J qd.

        It is `workspace_acceleration`, without gravity, where the forward map is a Riemannian submersion with the
        metric W (6, 6) (default: the identity; `submersion_residual` is zero) and qd is horizontal; else it is not.
        """
        from chasles.task import reduced_acceleration

        force = self._vector("reduced_acceleration", "tau", tau, self.n)
        return reduced_acceleration(self, q, qd, force, W, frame)

    def task_gradient(
        self, q: ArrayLike, theta: Any, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> tuple[Array, Array]:
        """(..., n) each: the differential J^T eta and the gradient M^-1 J^T eta of a function of the task, at q.

        theta: a function of a pose (4, 4) that takes traced values, as `chasles.compile`, or its differential eta
        (..., m), the derivatives along the task's velocities. q: (..., nq).
        """
        from chasles.task import gradient

        return gradient(self, q, theta, task(frame, rows), expressed)

    def lifted_gradient(
        self,
        q: ArrayLike,
        theta: Any,
        W: ArrayLike | None = None,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
    ) -> Array:
        """(..., n) the horizontal lift of W^-1 eta, the gradient of theta by the metric W (m, m) of the task, at q.

        It is the gradient of `task_gradient` where the map is a Riemannian submersion; theta as there.
        """
        from chasles.task import lifted_gradient

        return lifted_gradient(self, q, theta, W, task(frame, rows), expressed)

    def base_curvature(
        self,
        q: ArrayLike,
        X: ArrayLike,
        Y: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
    ) -> BaseCurvature:
        """(base, total, vertical): the curvature of the task's space on the plane of X, Y (..., m), by O'Neill.

        base = total + vertical, total that of the robot on the lifted plane. It means what it says where the map is a
        Riemannian submersion. q: (..., nq).
        """
        from chasles.task import base_curvature

        return base_curvature(self, q, X, Y, task(frame, rows), expressed)

    def vertical_brackets(
        self,
        q: ArrayLike,
        inverse: Choice = "inertia",
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
    ) -> Array:
        """(..., n, m, m) the part in ker J of the brackets [B_i, B_j] of an inverse's columns, at [a, i, j].

        Zero wherever the lift is integrable. A loop of the task with small sides s along i, then t along j, moves the
        joints by s t times it. q: (..., nq).
        """
        from chasles.task import vertical_brackets

        x = self._vector("vertical_brackets", "q", q, self.nq)
        return vertical_brackets(self, x, inverse, task(frame, rows), expressed)

    def repeatability(
        self,
        inverse: Choice = "inertia",
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "mixed",
        samples: int = 16,
        seed: int = 0,
        tolerance: float = 1e-9,
    ) -> Repeatability:
        """Whether closed motions of the task give closed motions of the joints, from `vertical_brackets` at samples.

        rows are in the axes of space at the frame's origin, as those of `holonomy`, unless `expressed` says otherwise:
        other axes, of fewer than all rows of a kind, are another task.
        """
        from chasles.task import repeatability

        options = {"samples": samples, "seed": seed, "tolerance": tolerance}
        return repeatability(self, inverse, task(frame, rows), expressed, **options)  # type: ignore[arg-type]

    def lift_path(
        self,
        path: Any,
        q0: ArrayLike,
        inverse: Choice = "inertia",
        frame: str | None = None,
        rows: Rows = None,
        *,
        steps: int = 256,
    ) -> LiftedPath:
        """The path of the joints from q0 (..., nq) over a path of a frame (default: the tool), by an inverse.

        path: a function of t in [0, 1] that gives poses (4, 4), an array of poses (K, 4, 4), joined by screw motions,
        or a path of `chasles.paths`. rows: those that are followed, in the axes of space at the frame's origin, in
        which an inverse given as a function is too. steps: at least so many, of order 4.
        """
        from chasles.task.holonomy import lift_path

        return lift_path(self, path, q0, inverse, task(frame, rows), steps)

    def holonomy(
        self,
        loop: Any,
        inverse: Choice = "inertia",
        q0: ArrayLike | None = None,
        frame: str | None = None,
        rows: Rows = None,
        *,
        loops: int = 1,
        steps: int = 256,
    ) -> Holonomy:
        """The drift of the joints over a loop of a frame: how far from q0 (..., nq) they are when the frame is back.

        loop: as the path of `lift_path`, with its end at its start. loops: how often it is passed. q0: by default one
        of `inverse_kinematics`, of a task of all six rows. The result has the drift, in all and loop by loop, the path,
        how far the frame is from it at most, and `plot()`.
        """
        from chasles.task.holonomy import holonomy, starting_pose

        chosen = task(frame, rows)
        if q0 is None:
            if chosen[0][1] != ALL:
                raise ModelError("holonomy: q0 must be given for a task of fewer than six rows")
            q0, found, residual = self.inverse_kinematics(starting_pose(loop), frame=frame)  # type: ignore[attr-defined]
            if not found:
                raise ModelError(f"holonomy: no q0 found: the frame comes to {residual:.3g} from the start of the loop")
        return holonomy(self, loop, inverse, q0, chosen, loops=loops, steps=steps)  # type: ignore[arg-type]

    def _vector(self, function: str, name: str, x: ArrayLike, size: int, *, traced: bool = False) -> Array:
        return vector(x, f"{function}: {name}", size, symbols=traced)
