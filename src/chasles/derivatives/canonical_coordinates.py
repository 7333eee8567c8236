"""Canonical coordinates of a step: q = integrate(q_k, x), on joints that are groups, and the rates of x.

With v the joint velocities and [x, v] the bracket of the joints' groups, zero for screws, to the order of a method of
order 4, where x is as long as a step:

    dx/dt = v + [x, v] / 2 + [x, [x, v]] / 12                                     (1)
    v = dx/dt - [x, dx/dt] / 2 + [x, [x, dx/dt]] / 6                              (2)

the first terms of dexp_{-x}^-1 and of dexp_{-x}.
"""

from __future__ import annotations  # NumPy's array types are slow to evaluate

import numpy as np
from numpy.typing import NDArray

from chasles.riemann.structure_constants import structure_constants
from chasles.robot_like import RobotLike

Array = NDArray[np.float64]


class CanonicalRates:
    """(1) and (2) for a robot's joints; what they need is found once and kept with the robot."""

    def __init__(self, robot: RobotLike) -> None:
        kept = vars(robot).setdefault("_canonical_rates", {})
        if not kept:
            self._find(robot)
            kept.update(vars(self))
        vars(self).update(kept)

    def _find(self, robot: RobotLike) -> None:
        constants = structure_constants(robot)
        places, self.j, self.k = np.nonzero(constants)
        self.terms = constants[places, self.j, self.k]
        self.sums = np.zeros((len(places), len(constants)))  # which terms make an entry
        self.sums[range(len(places)), places] = 1.0
        self.flat = not len(places)

    def bracket(self, x: Array, v: Array) -> Array:
        """(..., n) [x, v]."""
        return (self.terms * x[..., self.j] * v[..., self.k]) @ self.sums

    def rate(self, x: Array, v: Array) -> Array:
        """(..., n) dx/dt of (1)."""
        if self.flat:
            return v
        once = self.bracket(x, v)
        return v + once / 2.0 + self.bracket(x, once) / 12.0  # (1)

    def velocity(self, x: Array, xd: Array, xdd: Array) -> tuple[Array, Array]:
        """(..., n) each: v of (2) and dv/dt, from x and its derivatives by time."""
        if self.flat:
            return xd, xdd
        once, second = self.bracket(x, xd), self.bracket(x, xdd)
        v = xd - once / 2.0 + self.bracket(x, once) / 6.0  # (2)
        return v, xdd - second / 2.0 + (self.bracket(xd, once) + self.bracket(x, second)) / 6.0
