"""Motions as they are recorded, and what drives them: the types of `chasles.simulate` and `Robot.simulate`."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Control = Callable[[float, Array, Array], ArrayLike]
Method = Literal["rk4", "semi_implicit"]


@dataclass(frozen=True, eq=False)
class Simulation:
    """A motion sampled in time; leading axes are a batch.

    t: (T,). q: (..., T, nq). qd, tau: (..., T, n). multipliers: (..., T, k) of the constraints, None without.
    kinetic, potential: (..., T), joules.
    """

    t: Array
    q: Array
    qd: Array
    tau: Array
    multipliers: Array | None
    kinetic: Array
    potential: Array

    @property
    def energy(self) -> Array:
        """(..., T) kinetic and potential."""
        return self.kinetic + self.potential
