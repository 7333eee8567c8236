"""Motion and functions of the task, seen from the robot: dynamics in workspace, gradients pulled back.

Of a tool with body twist X, in general

    Xd = J M^-1 (tau - g) + (Jd - J M^-1 C) qd                                    (1)  [RED-9]

in which qd is not a function of X: the motion of the task does not close. Where the forward map is a Riemannian
submersion to SE(3) with a metric W of body twists, isometry.py (1), and qd is horizontal, it does:

    Xd = W^-1 ad_X^T W X + f,   f = J M^-1 tau,  g = 0                            (2)  [RED-8,9]

the equation of Euler and Poincare. A vertical velocity breaks it [RED-9b].

A function theta of poses has the differential eta, eta_i = d/ds theta(T exp(s e_i)). Of vartheta(q) = theta(T(q))

    d vartheta = J^T eta,   grad vartheta = M^-1 J^T eta                          (3)  [RED-16]

(the paper prints J^+ for J^T). The lift of the gradient on SE(3), B W^-1 eta, is the same for every eta exactly where
the map is a Riemannian submersion [RED-17].
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array, together, vector
from chasles.arguments import function as function_of
from chasles.errors import ModelError
from chasles.literals import Expressed
from chasles.model.task import TOOL, Task, size
from chasles.robot_like import RobotLike
from chasles.task.inverse import split
from chasles.task.isometry import task_metric

Array = NDArray[np.float64]
Theta = Any  # a function of a pose (4, 4), or its differential (..., m)


def reduced_acceleration(
    robot: RobotLike, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, W: ArrayLike | None, frame: str | None = None
) -> Array:
    """(..., 6) Xd by (2), without gravity; true where the map is a Riemannian submersion and qd horizontal."""
    metric = task_metric("reduced_acceleration", W, 6)
    q, qd = vector(q, "reduced_acceleration: q", robot.nq), vector(qd, "reduced_acceleration: qd", robot.n)
    together("reduced_acceleration", q=q, qd=qd, tau=tau)
    X = robot.velocity(q, qd, frame)
    B = robot.kernel("task_lift", frame=frame)(q)
    force = np.einsum("...nm,...n->...m", B, np.asarray(tau, dtype=float))
    turned = np.einsum("...ji,...j->...i", ad(X), X @ metric)
    return turned @ np.linalg.inv(metric) + force  # (2)


def ad(V: Array) -> Array:
    """(..., 6, 6) ad_V of twists (..., 6)."""
    out = np.zeros((*V.shape[:-1], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = _skew(V[..., :3])
    out[..., 3:, :3] = _skew(V[..., 3:])
    return out


def differential(theta: Callable[..., Any], T: ArrayLike) -> Array:
    """(..., 6) eta of a function of a pose, at poses T (..., 4, 4). theta takes traced values, as chasles.compile."""
    from chasles.function.compile import compile

    slope = compile(lambda T: theta(T), T=(4, 4)).gradient("T")
    at = array(T, "differential: T", ("...", 4, 4))
    return np.einsum("...ab,...ac,icb->...i", slope(at), at, _BASIS)


def gradient(
    robot: RobotLike, q: ArrayLike, theta: Theta, task: Task, expressed: Expressed = "body"
) -> tuple[Array, Array]:
    """(..., n) each: d vartheta and grad vartheta of (3)."""
    q = vector(q, "task_gradient: q", robot.nq, symbols=True)
    eta = _eta(robot, "task_gradient", q, theta, task, expressed)
    together("task_gradient", q=q, theta=eta)
    frame, rows = split(task)
    J, B = robot.kernel(["task_jacobian", "task_lift"], frame=frame, rows=rows, expressed=expressed)(q)
    return np.einsum("...mn,...m->...n", J, eta), np.einsum("...nm,...m->...n", B, eta)  # (3)


def lifted_gradient(
    robot: RobotLike, q: ArrayLike, theta: Theta, W: ArrayLike | None, task: Task, expressed: Expressed = "body"
) -> Array:
    """(..., n) B W^-1 eta, the horizontal lift of the gradient by the metric W of the task. [RED-17]"""
    q = vector(q, "lifted_gradient: q", robot.nq, symbols=True)
    eta = _eta(robot, "lifted_gradient", q, theta, task, expressed)
    metric = task_metric("lifted_gradient", W, size(task))
    together("lifted_gradient", q=q, theta=eta)
    B = robot.consistent_inverse(q, *split(task), expressed=expressed)
    return np.einsum("...nm,...m->...n", B, np.linalg.solve(metric, eta[..., None])[..., 0])


def _eta(robot: RobotLike, function: str, q: ArrayLike, theta: Theta, task: Task, expressed: Expressed) -> Array:
    if callable(theta):
        if len(task) != 1 or task[0][1] != TOOL[0][1] or expressed != "body":
            raise ModelError(f"{function}: a function theta of a pose is for all six rows of one frame, in body axes")
        function_of(theta, "T", f"{function}: theta")
        return differential(theta, robot.forward_kinematics(q, task[0][0]))
    return vector(theta, f"{function}: theta", size(task))


def _skew(w: Array) -> Array:
    out = np.zeros((*w.shape[:-1], 3, 3))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = w[..., 0], w[..., 1], w[..., 2]
    return out - np.swapaxes(out, -1, -2)


_BASIS = np.zeros((6, 4, 4))
_BASIS[:3, :3, :3] = _skew(np.eye(3))
_BASIS[3:, :3, 3] = np.eye(3)
