"""Redundancy resolution: of the joint motions that serve a task the least, what to do with the null space, and limits.

x is qd or qdd, J x = b the task, x0 what the joints would do without one. In a metric M, the robot's inertia (J# is
then the dynamically consistent inverse) or 1 (the Moore-Penrose one),

    x = x0 + J# (b - J x0) = J# b + N x0,   N = 1 - J# J                          (1)

is the nearest to x0 of all that serve it, but near singularities, where J# of task_inverse.py (1) serves it in part.
                                                                                  (2)
Where x1 of (1) breaks a bound, with the scales S and M = W W^T of that file,

    |S J (x - x1)|^2 + c^2 |W^T (x - x0)|^2  least, with lower <= x <= upper, |M x + bias| <= effort         (3)

with a small c, FREE_MOTION_WEIGHT, so that the task goes on as long as other joints can serve it, and then as well as
can be. Bounds on x alone are always kept. Where no x keeps those of force too, the bounds that give way are first those
that limits.py makes of positions and speeds, then those of acceleration, never those of force: each gives way to the x
nearest to them,

    |e|^2  least, with lower <= x + e <= upper,  |x| <= most,  |M x + bias| <= effort                        (4)

and other joints keep to theirs.

x0 of a potential f(q) with a gain k and a damping d is -k M^-1 df/dq at velocities, -k M^-1 df/dq - d qd at
accelerations.                                                                    (5)

Where q is not finite, or M singular, x is nan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from chasles.arguments import between, not_negative, one_of
from chasles.arguments import function as function_of
from chasles.control.law import Array
from chasles.control.limits import Limits
from chasles.control.quadratic_program import quadratic_program
from chasles.control.task_inverse import TaskInverse
from chasles.errors import ModelError
from chasles.linear_algebra import rowwise, times
from chasles.robot import Robot

HORIZON = 0.05  # seconds, unless told: at 2 rad/s a task is served in full up to 0.1 rad from a singularity
FREE_MOTION_WEIGHT = 1e-4  # of the motion that the task leaves free, beside the task in (3)
LARGEST_VIOLATION = 1e-9  # relative, by which a bound may be broken
Inverse = Literal["inertia", "moore-penrose"]


class Redundancy:
    """(1) to (3) for rows of a frame's velocity."""

    def __init__(
        self,
        robot: Robot,
        frame: str | None,
        rows: list[int],
        inverse: str,
        damping: float,
        limits: Limits | bool,
        horizon: float = 0.0,
    ) -> None:
        one_of(inverse, "inverse", ("inertia", "moore-penrose"))
        if between(damping, "damping", 0.0, 1.0) == 1.0:
            raise ModelError("damping must be a number from 0 to 1, 1 itself excluded")
        if not isinstance(limits, (bool, Limits)):
            raise ModelError(f"limits must be True, False or control.Limits, got {type(limits).__name__}")
        self.robot, self.frame, self.rows = robot, frame, rows
        self.inertial, self.damping = inverse == "inertia", float(damping)
        self.limits = Limits(robot) if limits is True else limits or None
        self.horizon = not_negative(horizon, "horizon", "of seconds")

    def metric(self, q: Array) -> Any:
        """(..., n, n) M of (1)."""
        return self.robot.mass_matrix(q) if self.inertial else np.eye(self.robot.n)

    def raised(self, q: Array, gradient: Array) -> Array:
        """(..., n) M^-1 of a gradient."""
        return rowwise(np.linalg.solve, self.metric(q), gradient[..., None])[..., 0] if self.inertial else gradient

    def inverse(self, q: Array, J: Array) -> TaskInverse:
        """J# of (2) at q."""
        W: Any = self.robot.mass_matrix_sqrt(q) if self.inertial else np.eye(self.robot.n)
        return TaskInverse(W, J, lambda qd: self._rate(q, qd), self.rows, self.damping, self.horizon)

    def _rate(self, q: Array, qd: Array) -> Array:
        """(..., k, 6, n) dJ/dt of several velocities (..., k, n) at q."""
        return self.robot.jacobian_derivative(q[..., None, :], qd, self.frame)

    def nearest(
        self,
        q: Array,
        J: Array,
        b: Array,
        x0: Array,
        bounds: tuple[Array, Array] | None,
        forces: Any = None,
        order: int = 1,
    ) -> Array:
        """(..., n) x of (1), or of (3) where that is out of bounds. J: (..., 6, n), b: (..., 6), all their rows.

        forces: (M, bias, effort, most) where efforts are limited, most the limits of acceleration. order: of x as a
        derivative of q, 1 or 2.
        """
        by = self.inverse(q, J)
        c = by.components(b, x0)
        y, step = by.moved(c, by.gains(c, order))  # (2)
        x = x0 + step  # (1)
        return x if bounds is None else self._kept(x, by.white, y, by.W, x0, bounds, forces)

    def _kept(self, x: Array, white: Array, y: Array, W: Array, x0: Array, bounds: Any, forces: Any) -> Array:
        """x, or (3) where a bound is broken."""
        lower, upper = (np.broadcast_to(side, x.shape) for side in bounds)
        below = x < lower - LARGEST_VIOLATION * (1.0 + np.abs(lower))
        above = x > upper + LARGEST_VIOLATION * (1.0 + np.abs(upper))
        broken = (below | above).any(-1)
        own = [(white, 2), (y, 1), (W, 2), (x0, 1)]
        if forces is not None:
            M, bias, effort, most = forces
            broken |= (np.abs(times(M, x) + bias) > effort * (1.0 + LARGEST_VIOLATION)).any(-1)
            own += [(M, 2), (bias, 1), (effort, 1), (most, 1)]
        parts = [np.broadcast_to(a, (*x.shape[:-1], *a.shape[a.ndim - k :])) for a, k in own]
        out = np.clip(x, lower, upper)
        for index in map(tuple, np.argwhere(broken & np.isfinite(x).all(axis=-1))):
            Y, z, w, start, *rest = (part[index] for part in parts)
            out[index] = _bounded(Y, z, w, start, lower[index], upper[index], rest)
        return out


def _bounded(Y: Array, free: Array, W: Array, x0: Array, lower: Array, upper: Array, forces: list[Array]) -> Array:
    """(3) at one configuration, in y = W^T (x - x0), without bounds `free`. forces: M, bias, effort, most, if any."""
    H, f = Y.T @ Y + FREE_MOTION_WEIGHT**2 * np.eye(len(x0)), -Y.T @ (Y @ free)
    C: Any = np.linalg.inv(W).T  # x - x0 = C y

    def best(lower: Array, upper: Array) -> Array | None:
        sides = [(C, lower - x0, upper - x0)]
        if forces:
            M, bias, effort, _ = forces
            at = M @ x0 + bias
            sides.append((M @ C, -effort - at, effort - at))
        y = quadratic_program(H, f, *_stacked(sides))
        return None if y is None else np.clip(x0 + C @ y, lower, upper)

    x = best(lower, upper)
    if x is None and forces:
        near = _nearest_of_forces(lower, upper, forces)  # (4)
        x = best(np.minimum(lower, near), np.maximum(upper, near))
        x = near if x is None else x
    return np.clip(x0 + C @ free, lower, upper) if x is None else x


def _nearest_of_forces(lower: Array, upper: Array, forces: list[Array]) -> Array:
    """x of (4); without `most`, where forces cannot keep to it."""
    M, bias, effort, most = forces
    n = len(bias)
    one, none = np.eye(n), np.zeros((n, n))
    H = np.diag(np.concatenate([np.full(n, FREE_MOTION_WEIGHT**2), np.ones(n)]))  # of (x, e)
    sides = [(np.hstack([one, one]), lower, upper), (np.hstack([M, none]), -effort - bias, effort - bias)]
    for more in ([(np.hstack([one, none]), -most, most)], []):
        found = quadratic_program(H, np.zeros(2 * n), *_stacked(sides + more))
        if found is not None:
            return np.clip(found[:n], -most, most) if more else found[:n]
    none_at_all: Any = -np.linalg.solve(M, bias)
    return none_at_all


def _stacked(sides: list[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    rows, lower, upper = (np.concatenate(parts) for parts in zip(*sides, strict=True))
    return rows, lower, upper


class Objective:
    """A potential of the configuration, by a function of a traced q, with its gradient by joint motions."""

    def __init__(self, robot: Robot, function: Callable[[Any], Any]) -> None:
        function_of(function, "q", "objective")
        from chasles.function.compile import compile

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
