"""First poses of pages: that which is given, the start of a motion, or home."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import instance
from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import configuration, first_pose, robot_of
from chasles.errors import ModelError
from chasles.recorded_motion import Trajectory


def start(system: Any, q: Any, trajectory: Trajectory | None) -> NDArray[np.float64]:
    """(nq,) where the page begins, and goes back to: q, or the start of a motion, or home, on the constraints."""
    if trajectory is not None:
        instance(trajectory, "trajectory", Trajectory, "a Trajectory")
        if trajectory.q.shape[-1] != system.nq:
            raise ModelError(
                f"trajectory has {trajectory.q.shape[-1]} coordinates, and {system.name!r} has {system.nq}"
            )
    if q is not None:
        given = configuration(
            robot_of(system), q, instead=", or make a motion of them and show that: trajectory.show()"
        )
        return system.project(given) if isinstance(system, ConstrainedSystem) else given
    if trajectory is not None:
        return trajectory.q.reshape(-1, system.nq)[0]
    return first_pose(system)
