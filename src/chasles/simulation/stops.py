"""Joint stops: springs and dampers of one side, where the limits of a robot's joints are.

    f = -max(0, k x + c xd)  where x > 0,   x = q - upper or lower - q            (1)
    k = I / T^2,   c = 2 I / T                                                    (2)

I is the inertia that the joint moves with the others at rest, M_ii, where all joints are in the middle of their limits;
T, the time constant, says how hard a stop is: what hits it comes to rest in a few T, as at a critically damped spring,
and sinks in by at most 0.37 T times its speed. Joints of one coordinate have limits, others do not.
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
        middle = robot.neutral()
        both = np.isfinite(self.lower) & np.isfinite(self.upper)
        middle[self.of_q] = np.where(both, (np.where(both, self.lower, 0.0) + np.where(both, self.upper, 0.0)) / 2, 0.0)
        inertia = np.diagonal(robot.mass_matrix(middle))[self.of_v]
        self.k, self.c = inertia / time_constant**2, 2.0 * inertia / time_constant  # (2)
        self.n = robot.n
        self.key = time_constant

    def forces(self, q: Any, v: Any) -> Any:
        """(..., n) of (1), numbers or traced."""
        if not self.of_q:
            return np.zeros(self.n)
        at, rate = q[..., self.of_q], v[..., self.of_v]
        over, under = at - self.upper, self.lower - at
        f = self._pushed(under, -rate) - self._pushed(over, rate)
        spread = np.zeros((len(self.of_v), self.n))
        spread[range(len(self.of_v)), self.of_v] = 1.0
        return f @ spread

    def _pushed(self, x: Any, rate: Any) -> Any:
        return where(x > 0.0, np.maximum(self.k * x + self.c * rate, 0.0), 0.0)  # (1)
