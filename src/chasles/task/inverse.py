"""Inverses of a task's Jacobian, with their derivatives: Moore-Penrose, horizontal lift, weighted.

For a weight W on joint velocities, symmetric and positive definite,

    B = W^-1 J^T Lam,   Lam = (J W^-1 J^T)^-1:   J B = 1                          (1)  [RED-1]

B X is the velocity of least qd^T W qd with J qd = X. W = M gives the horizontal lift, of least kinetic energy:
M-orthogonal to ker J, with (B X)^T M (B X) = X^T Lam X. W = 1 gives the Moore-Penrose inverse. With P = 1 - B J,
the projector to ker J, the derivative along a field e_k of configuration space is

    e_k(B) = P W^-1 (e_k(J)^T Lam - e_k(W) B) - B e_k(J) B                         (2)

Where J loses rank, small eigenvalues are left out (task/truncation.py), with rows scaled by all six of their frame,
whether chosen or not. Where W has no inverse, all is nan.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import array, real
from chasles.arguments import function as function_of
from chasles.errors import ChaslesError, ModelError
from chasles.linear_algebra import rowwise
from chasles.literals import Expressed
from chasles.model.task import ALL, Task, size
from chasles.robot_like import RobotLike
from chasles.task.truncation import row_scales, truncated

Array = NDArray[np.float64]
NAMES = ("inertia", "moore-penrose")
Choice = Any  # one of NAMES, a weight (n, n), or a function of q that gives a weight or an inverse (n, m)


@dataclass(frozen=True, eq=False)
class Inverse:
    """An inverse of a task's Jacobian. weight: W at (..., nq); direct: B itself, where it is given; their slopes."""

    robot: RobotLike
    task: Task
    expressed: Expressed
    name: str
    weight: Callable[[Array], Array]
    weight_slope: Callable[[Array], Any] | None = None
    direct: Callable[[Array], Array] | None = None
    direct_slope: Callable[[Array], Any] | None = None

    def jacobian(self, q: Array) -> Array:
        """(..., m, n) J."""
        return self.robot.task_jacobian(q, *split(self.task), expressed=self.expressed)

    def jacobian_slope(self, q: Array) -> Array:
        """(..., n, m, n): e_k(J) at [k]."""
        one = np.eye(self.robot.n)
        at = np.asarray(q)[..., None, :]
        return self.robot.task_jacobian_derivative(at, one, *split(self.task), expressed=self.expressed)

    def matrix(self, q: Array) -> Array:
        """(..., n, m) B."""
        if self.direct is not None:
            return self.direct(q)
        if self.name == "inertia":
            return self.robot.consistent_inverse(q, *split(self.task), expressed=self.expressed)
        return self._parts(q)[2]

    def vertical_slope(self, q: Array) -> tuple[Array, Array, Array]:
        """B, P and the vertical part of e_k(B): (..., n, m), (..., n, n) and (..., n, m, n), k last."""
        n = self.robot.n
        if self.direct is not None:
            B, J, slope = self.direct(q), self.jacobian(q), self.direct_slope
            P = np.eye(n) - B @ J
            if slope is None:
                raise ModelError(f"inverse: {self.name} must take traced values, as chasles.compile, to be derived")
            return B, P, np.einsum("...ab,...bjk->...ajk", P, slope(q))
        H, lam, B, J = self._parts(q)
        P = np.eye(n) - B @ J
        dJ = self.jacobian_slope(q)
        turned = np.swapaxes(dJ, -1, -2) @ lam[..., None, :, :]  # [k, a, j]
        dW = self._weight_slope(q)
        if dW is not None:
            turned = turned - np.moveaxis(dW, -1, -3) @ B[..., None, :, :]
        return B, P, np.moveaxis((P @ H)[..., None, :, :] @ turned, -3, -1)  # (2)

    def _weight_slope(self, q: Array) -> Any:
        if self.name in ("moore-penrose", "a weight"):
            return None  # constant
        if self.weight_slope is None:
            raise ModelError(f"inverse: {self.name} must take traced values, as chasles.compile, to be derived")
        return self.weight_slope(q)

    def _parts(self, q: Array) -> tuple[Array, Array, Array, Array]:
        """W^-1, Lam, B and J."""
        J, H, A, S = self._mobility(q)
        lam = truncated(A, S)
        return H, lam, H @ np.swapaxes(J, -1, -2) @ lam, J  # (1)

    def _mobility(self, q: Array) -> tuple[Array, Array, Array, Array]:
        """J, W^-1, J W^-1 J^T and the scales (..., m) of its rows."""
        frames = [frame for frame, _ in self.task]
        full = self.robot.task_jacobian(q, frames, [ALL] * len(frames), expressed=self.expressed)
        H = rowwise(np.linalg.inv, self.weight(q)).astype(float)
        square = np.einsum("...ia,...ab,...ib->...i", full, H, full)
        S = np.concatenate([row_scales(square[..., 6 * k : 6 * k + 6]) for k in range(len(frames))], axis=-1)
        chosen = [6 * k + r for k, (_, rows) in enumerate(self.task) for r in rows]
        J = full[..., chosen, :]
        return J, H, J @ H @ np.swapaxes(J, -1, -2), S[..., chosen]

    def distance(self, q: Array) -> Array:
        """(...) the least singular value of the scaled rows of J W^-1/2: 0 where the task is singular."""
        _, _, A, S = self._mobility(q)
        least = rowwise(np.linalg.eigvalsh, A * S[..., :, None] * S[..., None, :])[..., 0]
        return np.sqrt(np.maximum(least, 0.0))


def inverse_of(robot: RobotLike, inverse: Choice, task: Task, expressed: Expressed = "body") -> Inverse:
    """The inverse that is meant.

    inverse: "inertia" (the horizontal lift), "moore-penrose", a weight W (n, n), or a function of q (nq,) that gives W
    (n, n) or an inverse (n, m) of the task's Jacobian.
    """
    n, m = robot.n, size(task)
    if isinstance(inverse, str):
        if inverse == "inertia":
            return Inverse(robot, task, expressed, inverse, robot.mass_matrix, robot.mass_matrix_derivatives)
        if inverse == "moore-penrose":
            return Inverse(robot, task, expressed, inverse, lambda q: np.eye(n))
        raise ModelError(f"inverse must be one of {', '.join(NAMES)}, a weight or a function of q, got {inverse!r}")
    if callable(inverse):
        at, slope = _function(robot, function_of(inverse, "q", "inverse"))
        tried = at(robot.random(0))
        shape = np.shape(tried)
        if shape == (n, n):
            _positive(tried, n)
            return Inverse(robot, task, expressed, "the function", at, slope)
        if shape == (n, m):
            return Inverse(robot, task, expressed, "the function", robot.mass_matrix, None, at, slope)
        raise ModelError(f"inverse: the function must give a weight ({n}, {n}) or an inverse ({n}, {m}), got {shape}")
    W = _positive(inverse, n)
    return Inverse(robot, task, expressed, "a weight", lambda q: W)


def split(task: Task) -> tuple[list[str | None], list[tuple[int, ...]]]:
    """frame and rows, as the robot's methods take them."""
    return [frame for frame, _ in task], [rows for _, rows in task]


def _function(robot: RobotLike, function: Any) -> tuple[Any, Any]:
    """A function of q on batches, and its derivative along the fields of the joints, None if it cannot be traced."""
    from chasles.function.compile import compile

    try:
        kernel = compile(lambda q: function(q), q=robot.nq)
        slope = kernel.jacobian("q")
    except (ChaslesError, TypeError, ValueError, AttributeError):

        def each(q: Array) -> Array:
            rows = np.asarray(q, dtype=float)
            out = [np.asarray(function(row), dtype=float) for row in rows.reshape(-1, robot.nq)]
            return np.stack(out).reshape(*rows.shape[:-1], *out[0].shape)

        return each, None

    def along(q: Array) -> Array:
        rates = robot.coordinate_rates(np.asarray(q)[..., None, :], np.eye(robot.n))  # [k, coordinate]
        return np.einsum("...abc,...kc->...abk", slope(q), rates)

    return kernel, along


def _positive(W: Any, n: int) -> Array:
    form = f"one of {', '.join(NAMES)}, a weight or a function of q"
    out = array(real(W, "inverse", form, error=ModelError), "inverse: a weight", (n, n), error=ModelError)
    if not np.isfinite(out).all() or not np.allclose(out, out.T) or np.linalg.eigvalsh(out)[0] <= 0.0:
        raise ModelError("inverse: a weight must be symmetric and positive definite")
    return out
