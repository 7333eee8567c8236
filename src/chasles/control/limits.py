"""Limits of joints as bounds on velocities or accelerations, such that positions stay within theirs.

With a rate k, positions between l and u and speeds up to s:

    k (l - q) <= qd <= k (u - q),   |qd| <= s                                     (1)
    -k (qd + s) <= qdd <= k (s - qd)                                              (2)
    k^2 (l - q) - 2 k qd <= qdd <= k^2 (u - q) - 2 k qd                           (3)

(1) keeps q within its limits: u - q decays no faster than at the rate k. (3) keeps (1), as d/dt (qd - k (u - q)) <=
-k (qd - k (u - q)), so that a state that satisfies (1) goes on to do so; (2) keeps the speed. Accelerations have limits
of their own, which win over (2) and (3), and so do forces. Joints on groups have no limits of position.
[NguyenSreenath2016]
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import array, instance, positive, real, shown, vector
from chasles.control.law import Array
from chasles.errors import ModelError
from chasles.reprs import quoted
from chasles.robot import Robot


class Limits:
    """The bounds of a robot's joints, for the laws that resolve redundancy.

    position, velocity, effort: True for the robot's own, False for none, or numbers: position (lower, upper), numbers
    or (nq,) each; velocity, effort: a number or (n,). acceleration: a number or (n,) (default: none). rate: 1/s.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        position: Any = True,
        velocity: Any = True,
        effort: Any = True,
        acceleration: ArrayLike | None = None,
        rate: float = 10.0,
    ) -> None:
        self.robot, self.rate = instance(robot, "robot", Robot), positive(rate, "rate")
        own = robot.limits
        self.velocity = self._bound(velocity, own["velocity"], "velocity")
        self.effort = self._bound(effort, own["effort"], "effort")
        self.acceleration = self._bound(False if acceleration is None else acceleration, None, "acceleration")
        if isinstance(position, bool):
            given: Any = (own["lower"], own["upper"]) if position else (-np.inf, np.inf)
        elif isinstance(position, (tuple, list)) and len(position) == 2:
            given = position
        else:
            raise ModelError(f"position must be True, False or (lower, upper), got {shown(position)}")
        lower, upper = (self._one_or_each(x, robot.nq, "position") for x in given)
        if not (lower <= upper).all():
            raise ModelError("position: a lower limit is above its upper limit")
        self.places = _scalar_joints(robot)
        of_q, of_v = (np.array([pair[k] for pair in self.places], dtype=int) for k in (0, 1))
        self.of_q, self.of_v, self.lower, self.upper = of_q, of_v, lower[of_q], upper[of_q]

    def __repr__(self) -> str:
        return f"<Limits of {quoted(self.robot.name)}: rate {self.rate:.6g} 1/s>"

    def _bound(self, given: Any, own: Any, name: str) -> Array:
        if given is True and own is not None:
            return own
        if given is False:
            return np.full(self.robot.n, np.inf)
        out = self._one_or_each(given, self.robot.n, name)
        if not (out > 0.0).all():
            raise ModelError(f"{name} must be positive, got {shown(given)}")
        return out

    @staticmethod
    def _one_or_each(given: Any, size: int, name: str) -> Array:
        """(size,) of a number or of as many."""
        out = real(given, name)
        if np.isnan(out).any():
            raise ModelError(f"{name} has a nan")
        return np.broadcast_to(out, (size,)) if out.ndim == 0 else array(out, name, (size,))

    def room(self, q: ArrayLike) -> tuple[Array, Array]:
        """l - q and u - q, (..., n), infinite where there is no limit."""
        x = vector(q, "q", self.robot.nq)
        lower, upper = (np.full((*x.shape[:-1], self.robot.n), side) for side in (-np.inf, np.inf))
        lower[..., self.of_v] = self.lower - x[..., self.of_q]
        upper[..., self.of_v] = self.upper - x[..., self.of_q]
        return lower, upper

    def velocities(self, q: ArrayLike) -> tuple[Array, Array]:
        """(1), (..., n) each."""
        below, above = self.room(q)
        k, s = self.rate, self.velocity
        return _ordered(np.maximum(k * below, -s), np.minimum(k * above, s), s)

    def accelerations(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """(2) and (3), within the limits of acceleration, (..., n) each."""
        below, above = self.room(q)
        k, s, v = self.rate, self.velocity, vector(qd, "qd", self.robot.n)
        lower = np.maximum(k * k * below - 2.0 * k * v, -k * (v + s))
        upper = np.minimum(k * k * above - 2.0 * k * v, k * (s - v))
        return _ordered(lower, upper, self.acceleration)


def _ordered(lower: Array, upper: Array, most: Array) -> tuple[Array, Array]:
    """Bounds that do not cross, and that `most` allows: where they would, the middle."""
    crossed = lower > upper
    middle = np.where(crossed, (lower + upper) / 2.0, 0.0) if crossed.any() else 0.0
    lower, upper = np.where(crossed, middle, lower), np.where(crossed, middle, upper)
    return np.clip(lower, -most, most), np.clip(upper, -most, most)


def _scalar_joints(robot: Robot) -> list[tuple[int, int]]:
    """Where the joints of one degree of freedom are in q and in qd."""
    return [(own.q.start, own.v.start) for own in robot.mechanism.own_joints if own.joint.nq == 1]
