"""Configurations of a robot: coordinates of its joints, the way between two of them, the limits they keep."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from chasles.arguments import generator
from chasles.robot.methods.base import Array, Methods
from chasles.robot.methods.forward import forward


class CoordinateMethods(Methods):
    """q has nq numbers, a velocity n: they differ where a joint's configurations are a group, such as rotations."""

    def neutral(self) -> Array:
        """(nq,) the home configuration: zeros, and quaternions (0, 0, 0, 1)."""
        return np.array([x for own in self._mechanism.own_joints for x in own.joint.neutral()])

    def random(self, rng: np.random.Generator | int | None = None) -> Array:
        """(nq,) a random configuration within the limits, those of mimic joints too where all can be kept at once;
        without limits uniform over rotations, [-pi, pi] or [-1, 1] m. rng: a generator or a seed."""
        chance = generator(rng)
        q = np.array([x for own in self._mechanism.own_joints for x in own.joint.random(chance)])
        lower, upper = self._mechanism.position_limits
        bounded = np.isfinite(lower) & np.isfinite(upper)
        q[bounded] = chance.uniform(lower[bounded], upper[bounded])
        return np.clip(q, lower, upper)

    @forward
    def integrate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., nq) where unit time at velocity v leads from q. q: (..., nq), v: (..., n) in the joints' frames."""
        ...

    @forward
    def coordinate_rates(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(..., nq) dq/dt at velocity v; v itself but for quaternions and planar joints. q: (..., nq), v: (..., n)."""
        ...

    @forward
    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """(..., n) the v with `integrate(q0, v)` the same configuration as q1; rotations the shorter way."""
        ...

    @forward
    def normalize(self, q: ArrayLike) -> Array:
        """(..., nq) the same configuration with unit quaternions.

        Of any length: a quaternion of 1e-170 or 1e200 too. A zero one is no rotation: its row comes back as nan, with
        NumPy's warning. All other functions take quaternions whose squared length neither overflows nor vanishes.
        """
        ...
