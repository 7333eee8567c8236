"""Motions as rollouts return them, and the laws that drive them: the types of `chasles.rollout` and `Robot.rollout`."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Law = Callable[..., Any]  # joint forces of traced (t, q, qd) and parameters


@dataclass(frozen=True, eq=False, repr=False)
class RolloutMotion:
    """Motions as a rollout returns them; leading axes are a batch.

    t: (T,). q: (..., T, nq), the start first. qd, tau: (..., T, n), tau the joint forces at each state; at the last,
    where they are given one a step, those of the last step. finite_steps: (...) how many steps a row made before its
    state was no longer finite, nan from there on.
    """

    t: Array
    q: Array
    qd: Array
    tau: Array
    finite_steps: NDArray[np.int64]

    def __repr__(self) -> str:
        rows = f"{self.finite_steps.shape} rows of " if self.finite_steps.ndim else ""
        return f"<RolloutMotion: {rows}{len(self.t)} states from {self.t[0]:g} to {self.t[-1]:g} s>"
