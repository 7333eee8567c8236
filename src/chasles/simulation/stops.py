"""Joint stops: springs and dampers of one side, where the limits of a robot's joints are.

    f = -max(0, k x + c xd)  where x > 0,   x = q - upper or lower - q            (1)
    k = I / T^2,   c = 2 I / T                                                    (2)

    I = r / max of (M^-1)_ii over q,   r = min(1, 1.75 / max of the eigenvalues of M^-1 diag(I / r) over q)       (3)

(M^-1)_ii is what a force at the joint accelerates it by, with the others free: I is the least inertia that a stop
meets, over configurations q that fill the limits evenly. The eigenvalues are those of all joints at their stops at
once: with 1.75 steps of T/2 are stable, explicit ones too. T, the time constant, says how hard a stop is. A single
joint that hits it comes to rest in a few T, as at a critically damped spring, and sinks in by at most 0.37 T times its
speed; one that carries others meets it with more than I and sinks in deeper. Joints of one coordinate have limits,
others do not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.errors import ModelError
from chasles.graph.array import where
from chasles.robot import Robot

Array = NDArray[np.float64]
TIME_CONSTANT = 0.01  # s
CONFIGURATIONS = 256  # at which inertias are looked at
LARGEST_RATE = 1.75  # r of (3)
LONGEST_STEP = 0.5  # of a time constant: beyond it steps are too long for the spring


class Stops:
    """(1) and (2) of a robot."""

    def __init__(self, robot: Any, time_constant: float, dt: float) -> None:
        if not isinstance(robot, Robot):
            raise ModelError(f"stops: {robot.name!r} is no robot, and its joints have no limits")
        if dt > LONGEST_STEP * time_constant:
            raise ModelError(
                f"stops: steps of dt = {dt:g} are too long for stops of {time_constant:g} s: take dt of at most "
                f"{LONGEST_STEP * time_constant:g}, or softer stops, as stops={2.0 * dt:g}"
            )
        own = [x for x in robot.mechanism.own_joints if x.joint.nq == 1]
        lower, upper = robot.limits["lower"], robot.limits["upper"]
        own = [x for x in own if np.isfinite([lower[x.q.start], upper[x.q.start]]).any()]
        self.of_q, self.of_v = [x.q.start for x in own], [x.v.start for x in own]
        self.lower, self.upper = lower[self.of_q], upper[self.of_q]
        inertia = self._inertia(robot) if own else np.ones(0)
        self.k, self.c = inertia / time_constant**2, 2.0 * inertia / time_constant  # (2)
        self.n, self.key = robot.n, time_constant

    def _inertia(self, robot: Robot) -> Array:
        """I of (3), for each joint that has limits."""
        made = vars(robot).setdefault("_steps", {})
        if "inertia at stops" not in made:
            lower = np.where(np.isfinite(self.lower), self.lower, self.upper - np.pi)
            lower = np.where(np.isfinite(lower), lower, -np.pi)
            upper = np.where(np.isfinite(self.upper), self.upper, lower + np.pi)
            q = np.tile(robot.neutral(), (CONFIGURATIONS, 1))
            q[:, self.of_q] = lower + (upper - lower) * _evenly(CONFIGURATIONS, len(self.of_q))
            inverse = np.linalg.inv(robot.mass_matrix(q))[:, self.of_v][:, :, self.of_v]
            inertia = 1.0 / np.diagonal(inverse, axis1=-2, axis2=-1).max(axis=0)
            root = np.sqrt(inertia)
            rate = np.linalg.eigvalsh(inverse * root * root[:, None]).max()
            made["inertia at stops"] = inertia * min(1.0, LARGEST_RATE / rate)
        return made["inertia at stops"]

    def forces(self, q: Any, v: Any) -> Any:
        """(..., n) of (1), numbers or traced."""
        if not self.of_q:
            return np.zeros(np.shape(v))
        at, rate = q[..., self.of_q], v[..., self.of_v]
        over, under = at - self.upper, self.lower - at
        f = self._pushed(under, -rate) - self._pushed(over, rate)
        spread = np.zeros((len(self.of_v), self.n))
        spread[range(len(self.of_v)), self.of_v] = 1.0
        return f @ spread

    def _pushed(self, x: Any, rate: Any) -> Any:
        return where(x > 0.0, np.maximum(self.k * x + self.c * rate, 0.0), 0.0)  # (1)


def _evenly(many: int, d: int) -> Array:
    """(many, d) numbers between 0 and 1 that fill the cube evenly, the first in its middle: fractional parts of
    multiples of x^-1, ..., x^-d, where x^(d + 1) = x + 1."""
    x = 2.0
    for _ in range(60):
        x = (1.0 + x) ** (1.0 / (d + 1))
    return (0.5 + np.arange(many)[:, None] * x ** -np.arange(1.0, d + 1.0)) % 1.0
