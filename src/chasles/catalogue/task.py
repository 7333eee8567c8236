"""Operational space: the dynamics of rows of frames' velocities (dynamics/task_space.py)."""

from typing import Any

import numpy as np

from chasles import arrays
from chasles.catalogue import dynamics
from chasles.catalogue.entry import Options, declare
from chasles.catalogue.traceable import Traceable
from chasles.dynamics import jacobian as jacobians
from chasles.dynamics import manipulability as measures
from chasles.dynamics import task_space
from chasles.dynamics.matrices import Matrix, dot, product
from chasles.model.task import size
from chasles.scalar.leaf import Leaves


def _apply(A: Any, x: Any) -> Any:
    """A x, of arrays with any leading axes."""
    return (A @ x[..., None])[..., 0]


def _bias_from_parts(Lam: Any, free: Any) -> Any:
    return -_apply(Lam, free)


def _gravity_from_parts(Lam: Any, B: Any, g: Any) -> Any:
    return _apply(Lam, _apply(np.swapaxes(B, -1, -2), g))


def _projector_from_parts(Lam: Any, B: Any, J: Any) -> Any:
    return np.eye(B.shape[-2]) - B @ Lam @ J


def _frame_jacobians(robot: Traceable, options: Options, q: Leaves) -> list[tuple[Matrix, tuple[int, ...]]]:
    """The Jacobians (6, n) of the task's frames, with the rows that are chosen."""
    x, out = robot.coupling.coordinates(q), []
    for frame, rows in options.task:
        columns = jacobians.jacobian(robot.true, x, *robot.frame(frame), options.expressed)
        out.append((arrays.from_columns(robot.coupling.forces(columns), 6), rows))
    return out


def _task_space(robot: Traceable, options: Options, q: Leaves) -> tuple[Matrix, task_space.TaskSpace]:
    W = dynamics.mass_matrix_sqrt(robot, options, q)
    return W, task_space.task_space(W, _frame_jacobians(robot, options, q))


@declare("q", ("m", "n"), task=True)
def task_jacobian(robot: Traceable, options: Options, q: Leaves) -> Any:
    return [J[r] for J, rows in _frame_jacobians(robot, options, q) for r in rows]


@declare("q qd", ("m", "n"), task=True)
def task_jacobian_derivative(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    x, y, out = robot.coupling.coordinates(q), robot.coupling.velocities(qd), []
    for frame, rows in options.task:
        columns = jacobians.jacobian_derivative(robot.true, x, y, *robot.frame(frame), options.expressed)
        Jd = arrays.from_columns(robot.coupling.forces(columns), 6)
        out += [Jd[r] for r in rows]
    return out


@declare("q", ("m", "m"), needs="inverse", task=True)
def task_mobility(robot: Traceable, options: Options, q: Leaves) -> Any:
    return _task_space(robot, options, q)[1].A


@declare("q", ("m",), needs="inverse", task=True)
def task_scale(robot: Traceable, options: Options, q: Leaves) -> Any:
    return _task_space(robot, options, q)[1].S


@declare("q", (), needs="inverse", task=True)
def task_margin(robot: Traceable, options: Options, q: Leaves) -> Any:
    return task_space.inertia(_task_space(robot, options, q)[1])[1]


@declare("q", ("m", "m"), needs="inverse", task=True, together=lambda Lam: Lam)
def task_inertia(robot: Traceable, options: Options, q: Leaves) -> Any:
    return task_space.inertia(_task_space(robot, options, q)[1])[0]


@declare("q", ("n", "m"), needs="inverse", task=True)
def task_lift(robot: Traceable, options: Options, q: Leaves) -> Any:
    W, space = _task_space(robot, options, q)
    return task_space.lift(W, space.X)


@declare("q", ("n", "m"), needs="inverse", task=True, parts="task_lift", together=lambda Lam, B: B @ Lam)
def consistent_inverse(robot: Traceable, options: Options, q: Leaves) -> Any:
    return task_space.consistent_inverse(*_task_space(robot, options, q))


@declare("q", ("n", "n"), needs="inverse", task=True, parts="task_lift task_jacobian", together=_projector_from_parts)
def null_space_projector(robot: Traceable, options: Options, q: Leaves) -> Any:
    seen = product(consistent_inverse(robot, options, q), task_jacobian(robot, options, q))
    return [[(1.0 if i == j else 0.0) - x for j, x in enumerate(row)] for i, row in enumerate(seen)]


@declare("q qd", ("m",), needs="inverse", task=True)
def task_free_acceleration(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    W, space = _task_space(robot, options, q)
    force = task_space.whiten(W, dynamics.bias_forces(robot, options, q, qd))
    rates = task_jacobian_derivative(robot, options, q, qd)
    return [dot(rate, list(qd)) - dot(x, force) for rate, x in zip(rates, space.X, strict=True)]


@declare("q qd", ("m",), needs="inverse", task=True, parts="task_free_acceleration", together=_bias_from_parts)
def task_bias(robot: Traceable, options: Options, q: Leaves, qd: Leaves) -> Any:
    free = task_free_acceleration(robot, options, q, qd)
    return [-dot(row, free) for row in task_inertia(robot, options, q)]


@declare("q", ("m",), needs="inverse", task=True, parts="task_lift gravity_forces", together=_gravity_from_parts)
def task_gravity(robot: Traceable, options: Options, q: Leaves) -> Any:
    inverse = consistent_inverse(robot, options, q)
    force = dynamics.gravity_forces(robot, options, q)
    return [dot([row[k] for row in inverse], force) for k in range(size(options.task))]


@declare("q", (), task=True)
def manipulability(robot: Traceable, options: Options, q: Leaves) -> Any:
    return measures.manipulability(task_jacobian(robot, options, q))


@declare("q", (), needs="inverse", task=True)
def inertial_manipulability(robot: Traceable, options: Options, q: Leaves) -> Any:
    return measures.manipulability(_task_space(robot, options, q)[1].X)


@declare("q", ("m", "n"), needs="inverse", task=True)
def white_jacobian(robot: Traceable, options: Options, q: Leaves) -> Any:
    return _task_space(robot, options, q)[1].X
