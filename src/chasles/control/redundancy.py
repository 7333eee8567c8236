"""Which of the joint motions that serve a task: the least one, what to do with the rest, and limits.

x is qd or qdd, J x = b the task, x0 what the joints would do without one. In a metric M, the robot's inertia or 1,

    x = x0 + J# (b - J x0) = J# b + N x0,   N = 1 - J# J                          (1)

is the nearest to x0 of all that serve it. With M = W W^T, Y = S J W^-T = U diag(s) V^T, and S scales rows of turning
and of sliding to unit trace of Y Y^T each, so that units do not matter,

    J# = W^-T V diag(h(s)) U^T S,   h(s) = 1/s,  but s / d^2 below d              (2)

exact where the smallest s is above d, and bounded by 1/d where the task is singular. Where x1 of (1) breaks a bound,

    |S J (x - x1)|^2 + SMALL^2 |W^T (x - x0)|^2  least, with lower <= x <= upper, |M x + bias| <= effort     (3)

so that the task goes on as long as other joints can serve it, and then as well as can be. If forces cannot keep the
other bounds, those of force are kept.

x0 of a potential f(q) with a gain k and a damping d is -k M^-1 df/dq at velocities, -k M^-1 df/dq - d qd at
accelerations.                                                                    (4)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from chasles.constrained.reduced import down, times
from chasles.control.law import Array
from chasles.control.limits import Limits
from chasles.control.quadratic_program import quadratic_program
from chasles.errors import ModelError
from chasles.robot import Robot

SMALL = 1e-4
SLACK = 1e-9  # relative, by which a bound may be broken
Inverse = Literal["inertia", "moore-penrose"]


class Redundancy:
    """(1) to (3) for rows of a frame's velocity."""

    def __init__(self, robot: Robot, rows: list[int], inverse: str, damping: float, limits: Limits | bool) -> None:
        if inverse not in ("inertia", "moore-penrose"):
            raise ModelError(f"inverse must be 'inertia' or 'moore-penrose', got {inverse!r}")
        if isinstance(damping, bool) or not isinstance(damping, (int, float)) or not 0.0 <= damping < 1.0:
            raise ModelError(f"damping must be a number from 0 to 1, got {damping!r}")
        if not isinstance(limits, (bool, Limits)):
            raise ModelError(f"limits must be True, False or control.Limits, got {type(limits).__name__}")
        self.robot, self.rows, self.inertial, self.damping = robot, rows, inverse == "inertia", float(damping)
        self.limits = Limits(robot) if limits is True else limits or None

    def metric(self, q: Array) -> Any:
        """(..., n, n) M of (1)."""
        return self.robot.mass_matrix(q) if self.inertial else np.eye(self.robot.n)

    def raised(self, q: Array, gradient: Array) -> Array:
        """(..., n) M^-1 of a gradient."""
        return np.linalg.solve(self.metric(q), gradient[..., None])[..., 0] if self.inertial else gradient

    def nearest(
        self, q: Array, J: Array, b: Array, x0: Array, bounds: tuple[Array, Array] | None, forces: Any = None
    ) -> Array:
        """(..., n) x of (1), or of (3) where that is out of bounds. J: (..., 6, n), b: (..., 6), all their rows.

        forces: (M, bias, effort) where efforts are limited.
        """
        W: Any = self.robot.mass_matrix_sqrt(q) if self.inertial else np.eye(self.robot.n)
        white: Any = np.swapaxes(np.linalg.solve(W, np.swapaxes(J, -1, -2)), -1, -2)
        S = _scales(white)[..., self.rows]
        white, lack = S[..., None] * white[..., self.rows, :], S * (b - times(J, x0))[..., self.rows]
        U, s, Vt = np.linalg.svd(white, full_matrices=False)
        y = down(Vt, _filtered(s, self.damping) * down(U, lack))  # (2)
        x = x0 + np.linalg.solve(np.swapaxes(W, -1, -2), y[..., None])[..., 0]  # (1)
        if bounds is not None:
            self._keep(x, white, y, W, x0, bounds, forces)
        return x

    def _keep(self, x: Array, white: Array, y: Array, W: Array, x0: Array, bounds: Any, forces: Any) -> None:
        """Put (3) into x where a bound is broken."""
        lower, upper = (np.broadcast_to(side, x.shape) for side in bounds)
        broken = ((x < lower - SLACK * (1.0 + np.abs(lower))) | (x > upper + SLACK * (1.0 + np.abs(upper)))).any(-1)
        own = [(white, 2), (y, 1), (W, 2), (x0, 1)]
        if forces is not None:
            M, bias, effort = forces
            broken |= (np.abs(times(M, x) + bias) > effort * (1.0 + SLACK)).any(-1)
            own += [(M, 2), (bias, 1), (effort, 1)]
        parts = [np.broadcast_to(a, (*x.shape[:-1], *a.shape[a.ndim - k :])) for a, k in own]
        for index in map(tuple, np.argwhere(broken)):
            Y, z, w, start, *rest = (part[index] for part in parts)
            x[index] = _bounded(Y, z, w, start, lower[index], upper[index], rest)


def _scales(white: Array) -> Array:
    """(..., 6) S of (2), of the six rows of J W^-T."""
    square = np.einsum("...ij,...ij->...i", white, white)
    traces = np.stack([square[..., :3].sum(-1), square[..., 3:].sum(-1)], axis=-1)
    scale = np.where(traces > 1e-24, 1.0 / np.sqrt(np.where(traces > 1e-24, traces, 1.0)), 0.0)
    return np.repeat(scale, 3, axis=-1)


def _filtered(s: Array, damping: float) -> Array:
    """h of (2)."""
    least = np.maximum(damping, 1e-10)
    return np.where(s >= least, 1.0 / np.where(s >= least, s, 1.0), s / least**2 if damping else 0.0)


def _bounded(Y: Array, free: Array, W: Array, x0: Array, lower: Array, upper: Array, forces: list[Array]) -> Array:
    """(3) at one configuration, in y = W^T (x - x0), without bounds `free`. forces: M, bias, effort, if any."""
    n = len(x0)
    H, f = Y.T @ Y + SMALL**2 * np.eye(n), -Y.T @ (Y @ free)
    C = np.linalg.inv(W).T  # x - x0 = C y
    sides = [(C, lower - x0, upper - x0)]
    if forces:
        M, bias, effort = forces
        at = M @ x0 + bias
        sides.append((M @ C, -effort - at, effort - at))
    for chosen in (sides, sides[1:]):
        if chosen:
            y = quadratic_program(H, f, *(np.concatenate(parts) for parts in zip(*chosen, strict=True)))
            if y is not None:
                return x0 + C @ y
    return np.clip(x0 + C @ free, lower, upper)


class Objective:
    """A potential of the configuration, by a function of a traced q, with its gradient by joint motions."""

    def __init__(self, robot: Robot, function: Callable[[Any], Any]) -> None:
        if not callable(function):
            raise ModelError(f"objective must be a function of q, got {type(function).__name__}")
        from chasles.function import compile

        def moved(q: Any, x: Any) -> Any:
            return function(robot.integrate(q, x))

        self.kernel = compile(moved, q=robot.nq, x=robot.n)
        self.slope, self.zero = self.kernel.gradient("x"), np.zeros(robot.n)

    def __call__(self, q: Array) -> Array:
        """(...) its value."""
        return self.kernel(q, self.zero)

    def gradient(self, q: Array) -> Array:
        """(..., n) df/dq; on groups, by motions in the joints' frames."""
        return self.slope(q, self.zero)


def centring(robot: Robot) -> Callable[[Any], Any]:
    """An objective: half the squared distance of the joints from the middle of their limits, relative to the range."""
    limits = Limits(robot, velocity=False, effort=False)
    ranged = np.isfinite(limits.lower) & np.isfinite(limits.upper) & (limits.upper > limits.lower)
    if not ranged.any():
        raise ModelError(f"robot {robot.name!r} has no joint with a lower and an upper limit")
    where = limits.of_q[ranged]
    middle, width = (limits.lower + limits.upper)[ranged] / 2.0, (limits.upper - limits.lower)[ranged]

    def potential(q: Any) -> Any:
        x = (q[where] - middle) / width
        return x @ x / 2.0

    return potential
