"""Motions as they are recorded, and what drives them: the types of `chasles.simulate` and `Robot.simulate`."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.recorded_motion.events import Event, Occurrence
from chasles.recorded_motion.sampling import Sampling
from chasles.recorded_motion.trajectory import Trajectory

__all__ = ["Control", "Event", "Law", "Occurrence", "Sampling", "Signal", "Trajectory"]

Control = Callable[[float, NDArray[np.float64], NDArray[np.float64]], ArrayLike]
Law = Callable[..., Any]  # of traced values
Signal = Callable[[float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], ArrayLike]
