"""Forces that are held: of controllers with a clock, asked once a period, with what encoders see; late and in steps.

tau(t) = u_j  where  j period + delay <= t < (j + 1) period + delay           (1)
u_j = control(j period, q, qd)  of the state there, each rounded to its resolution                (2)
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import instance, is_number, positive
from chasles.errors import ModelError
from chasles.recorded_motion import Sampling

Array = NDArray[np.float64]


def sampling(given: Any) -> Sampling | None:
    """What is meant by `sample`: a number of seconds, a Sampling, or None."""
    if given is None or isinstance(given, Sampling):
        return given
    if not is_number(given):
        return instance(given, "sample", Sampling, "a number of seconds or a Sampling")
    return Sampling(positive(given, "sample", "of seconds"))


def in_steps(seconds: float, dt: float, what: str) -> int:
    """A time as a whole number of steps."""
    number = round(seconds / dt)
    if abs(number * dt - seconds) > 1e-6 * dt:
        raise ModelError(f"sample: {what} must be a whole number of steps of dt = {dt:g}, got {seconds:g}")
    return number


def rounded(x: Array, resolution: float) -> Array:
    """The nearest multiples."""
    return resolution * np.rint(x / resolution) if resolution else x


class Held:
    """The joint forces that act, from step to step, and until which step they are held. run: a `FixedSteps`."""

    def __init__(self, run: Any, given: Sampling | None, steps: int, shape: tuple[int, ...]) -> None:
        self.run, self.given, self.steps = run, given, steps
        self.tau = np.zeros(shape)
        self.coming: deque[tuple[int, Array]] = deque()
        self.period, self.delay, self.own = steps + 1, 0, []
        if given is not None:
            self.period = in_steps(given.period, run.dt, "period")
            if self.period < 1:
                raise ModelError(f"sample: period = {given.period:g} is shorter than a step of dt = {run.dt:g}")
            self.delay = in_steps(given.delay, run.dt, "delay")
            inner = getattr(run.system, "system", run.system)
            mechanism = getattr(inner, "mechanism", None)
            joints = () if mechanism is None else mechanism.own_joints
            quaternions = {k for x in joints if x.joint.nq > x.joint.nv for k in range(x.q.start, x.q.stop)}
            self.own = [k for k in range(run.system.nq) if k not in quaternions]

    def at(self, k: int, t: float, q: Array, v: Array) -> Array:
        """(..., n) what acts from step k on; the control is asked where its clock says so."""
        if self.given is not None and k % self.period == 0:
            seen = q
            if self.given.position_resolution:
                seen = q.copy()
                seen[..., self.own] = rounded(q[..., self.own], self.given.position_resolution)
            tau = self.run.asked(t, seen, rounded(v, self.given.velocity_resolution))
            tau = self.run.limited(rounded(tau, self.given.torque_resolution))
            self.coming.append((k + self.delay, tau))
        while self.coming and self.coming[0][0] <= k:
            self.tau = self.coming.popleft()[1]
        return self.tau

    @property
    def longest(self) -> float:
        """How many steps forces are held at most."""
        return np.inf if self.given is None else self.period

    def until(self, k: int) -> int:
        """The next step at which something changes."""
        asked = k - k % self.period + self.period if self.given is not None else self.steps
        return min(asked, self.coming[0][0] if self.coming else asked, self.steps)
