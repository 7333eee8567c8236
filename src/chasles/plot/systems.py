"""Arguments of pictures: configurations, on the constraints where there are some, joints and frames, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array, is_whole, shown
from chasles.constrained import ConstrainedSystem
from chasles.drawn_systems import configuration as one_configuration
from chasles.drawn_systems import first_pose, robot_of
from chasles.errors import ChaslesError, ModelError
from chasles.model.mechanism import OwnJoint
from chasles.robot import Robot

Array = NDArray[np.float64]
HELD = 1e-4  # how far from its constraints a configuration may be, m or rad


def configuration(what: str, system: Any, q: ArrayLike | None, name: str = "q") -> Array:
    """(nq,) that is given; else home, in the middle of limits that leave it out, on the constraints."""
    if q is None:
        return first_pose(system, what)
    instead = "; others are drawn by ghosts=" * (what == "plot")
    return held(what, system, one_configuration(robot_of(system, what), q, f"{what}: {name}", instead), name)


def configurations(what: str, system: Any, q: ArrayLike, name: str = "q") -> Array:
    """(T, nq), in their order."""
    robot = robot_of(system, what)
    return held(what, system, array(q, f"{what}: {name}", (-1, robot.nq), finite=True), name)


def held(what: str, system: Any, q: Array, name: str = "q") -> Array:
    """The same; refused where the constraints do not hold."""
    if isinstance(system, ConstrainedSystem) and q.size:
        off = float(np.abs(system.residual(q)).max())
        if not off < HELD:
            raise ModelError(
                f"{what}: {name} is off the constraints {', '.join(system.constraint.names)} by {off:.2g}; "
                "system.consistent(q, qd) gives one that satisfies them"
            )
    return q


def one_joint(what: str, robot: Robot, given: Any, name: str) -> OwnJoint:
    """A joint of one degree of freedom, by its name or its index in `joint_names`."""
    names = robot.joint_names
    places: dict[Any, int] = {name: k for k, name in enumerate(names)}
    places |= {k: k for k in range(len(names))}
    k = places.get(given) if isinstance(given, str) or is_whole(given) else None
    if k is None:
        raise ModelError(f"{what}: {name} must be of {', '.join(names)}, or an index of these, got {shown(given)}")
    own = robot.mechanism.own_joints[k]
    if own.joint.nq != 1:
        raise ModelError(f"{what}: joint {own.name!r} has several degrees of freedom, choose one that has one")
    return own


def frame_poses(what: str, robot: Robot, q: Array, frame: str | None) -> Array:
    """(..., 4, 4) of a frame, by default the tool; a robot without says which frames it has."""
    try:
        return robot.forward_kinematics(q, frame)
    except ChaslesError as error:
        raise type(error)(f"{what}: {error}") from None
