"""Operational space [Khatib 1987]: dynamics of a task, rows of the velocities of frames (dynamics/task_space.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import flag, positive
from chasles.errors import ShapeError
from chasles.lazy import lazy
from chasles.literals import Expressed
from chasles.model.task import Frames, Rows, task
from chasles.robot.methods.base import Array, Methods
from chasles.robot.methods.forward import forward


class TaskMethods(Methods):
    """A task is V = J qd, J (m, n): rows of the twists (angular, linear) of frames.

    frame: a name (default: the tool), or a sequence of names, whose rows are then stacked. rows: names of
    "rx ry rz tx ty tz" or indices 0 to 5, in the order wanted (default: all six); for several frames a sequence with
    one selection each. expressed: as for `jacobian`.

    Near singularities of J, and where m exceeds the rank of J, the task's inertia is truncated: directions in which the
    task does not move have none. With `damping`, a number without unit such as 0.05, it is damped instead
    (task/truncation.py). Neither gives nan, but where M itself is singular. On traced values nothing is truncated
    but zero pivots, and damping is refused.
    """

    @forward
    def task_jacobian(
        self, q: ArrayLike, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> Array:
        """(..., m, n) J. q: (..., nq)."""
        ...

    @forward
    def task_jacobian_derivative(
        self, q: ArrayLike, qd: ArrayLike, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> Array:
        """(..., m, n) dJ/dt along qd. q: (..., nq), qd: (..., n)."""
        ...

    @forward
    def task_mobility(
        self, q: ArrayLike, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> Array:
        """(..., m, m) J M^-1 J^T: the acceleration of the task by unit forces on it, from rest. q: (..., nq)."""
        ...

    @forward
    def task_inertia(
        self,
        q: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        damping: float | None = None,
    ) -> Array:
        """(..., m, m) Lam = (J M^-1 J^T)^-1, J^-T M J^-1 where J is square: F = Lam dV/dt + eta. q: (..., nq).

        V and F in the axes of `expressed`; eta is `task_bias`.
        """
        ...

    @forward
    def task_bias(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        gravity: bool = True,
        damping: float | None = None,
    ) -> Array:
        """(..., m) eta = Lam (J M^-1 b - Jd qd), b = `bias_forces`: the force on the task that leaves V as it is.

        tau = J^T F + N^T tau0 gives F = Lam dV/dt + eta for any tau0, N = `null_space_projector`. gravity: whether b
        has its part. q: (..., nq), qd: (..., n).
        """
        ...

    @forward
    def task_gravity(
        self,
        q: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        damping: float | None = None,
    ) -> Array:
        """(..., m) Lam J M^-1 g: the part of gravity in `task_bias`, J^-T g where J is square. q: (..., nq)."""
        ...

    @forward
    def task_free_acceleration(
        self, q: ArrayLike, qd: ArrayLike, frame: Frames = None, rows: Rows = None, *, expressed: Expressed = "body"
    ) -> Array:
        """(..., m) Jd qd - J M^-1 b: dV/dt where nothing drives the robot; eta is -Lam times it.

        q: (..., nq), qd: (..., n).
        """
        ...

    @forward
    def consistent_inverse(
        self,
        q: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        damping: float | None = None,
    ) -> Array:
        """(..., n, m) Jbar = M^-1 J^T Lam, the inverse of J of least kinetic energy. q: (..., nq).

        The dynamically consistent inverse: qd = Jbar V is the horizontal lift of V, F = Jbar^T tau the force on the
        task of joint forces tau.
        """
        ...

    @forward
    def null_space_projector(
        self,
        q: ArrayLike,
        frame: Frames = None,
        rows: Rows = None,
        *,
        expressed: Expressed = "body",
        damping: float | None = None,
    ) -> Array:
        """(..., n, n) N = 1 - Jbar J. q: (..., nq).

        N qd is the part of qd that the task does not see, M-orthogonal to the rest; forces N^T tau do not accelerate
        the task. Damped it is no projector.
        """
        ...

    def _guarded(self, key: tuple[Any, ...], arguments: tuple[Any, ...], damping: float | None) -> Any:
        """A function that needs Lam, damped, or where no kernel of it is kept."""
        if damping is not None:
            return self._from_parts(key, arguments, positive(damping, f"{key[0]}: damping"))[()]
        return self._truncated(key, arguments, *self._prepare(key)(*arguments))

    def _truncated(self, key: tuple[Any, ...], arguments: tuple[Any, ...], result: Any, margin: Any) -> Any:
        """The result of a kernel, but put together from its parts where the margin is that of a singularity."""
        from chasles.task.truncation import SAFE_MARGIN

        if isinstance(margin, float):  # of one configuration
            return result if margin > SAFE_MARGIN else self._from_parts(key, arguments, None)
        if not isinstance(margin, np.ndarray) or margin.dtype == object:  # traced
            return result
        near = ~(margin > SAFE_MARGIN)
        if near.any():
            given = (np.asarray(x, dtype=float) for x in arguments)
            rows = tuple(np.broadcast_to(x, (*near.shape, x.shape[-1]))[near] for x in given)
            result[near] = self._of_rows(near)._from_parts(key, rows, None)
        return result

    def _of_rows(self, chosen: np.ndarray) -> Any:
        """The robot of some rows: one for all, where its numbers are numbers."""
        return self

    def _from_parts(self, key: tuple[Any, ...], arguments: tuple[Any, ...], damping: float | None) -> Any:
        from chasles.catalogue import find

        name, frame, rows, expressed = key
        item = find(name)
        names = ("task_mobility", "task_scale", *item.parts)
        A, S, *parts = self._fused(names, arguments, task(frame, rows), expressed)
        if A.dtype == object:
            raise ShapeError(f"{name}: damping is not for traced values")
        from chasles.task.truncation import damped, truncated

        Lam = truncated(A, S) if damping is None else damped(A, S, damping)
        return item.together(Lam, *parts) if item.together else Lam

    def _with(self, function: str, gravity: bool) -> Any:
        """The robot, or without gravity the weightless one."""
        return self if flag(gravity, f"{function}: gravity") else self._weightless

    @lazy
    def _weightless(self) -> Any:
        """The robot without gravity."""
        return self._made(replace(self._mechanism, gravity=np.zeros(3)))
