"""The peer's robots, and the same robots in chasles, from the same numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import chasles as ch


def ur5() -> Any:
    """The UR5 of example-robot-data as a pin.Model."""
    return pin.buildModelFromUrdf(str(folder() / "ur_description/urdf/ur5_robot.urdf"))


def panda() -> Any:
    """The Panda arm of example-robot-data, fingers locked, as a pin.Model."""
    model = pin.buildModelFromUrdf(str(folder() / "panda_description/urdf/panda.urdf"))
    fingers = [model.getJointId(f"panda_finger_joint{k}") for k in (1, 2)]
    return pin.buildReducedModel(model, fingers, pin.neutral(model))


def robot(model: Any) -> ch.Robot:
    """The chasles robot of a pin.Model whose joints each have one degree of freedom and q = 0 as neutral."""
    data = model.createData()
    pin.computeJointJacobians(model, data, pin.neutral(model))
    screws, homes, links = [], [], []
    for j in range(1, model.njoints):
        if model.joints[j].nq != 1:
            raise ValueError(
                f"joint {model.names[j]!r} has {model.joints[j].nq} coordinates; only 1 is understood here"
            )
        linear_first = pin.getJointJacobian(model, data, j, pin.WORLD)[:, model.joints[j].idx_v]
        screws.append(np.r_[linear_first[3:], linear_first[:3]])
        homes.append(data.oMi[j].homogeneous)
        inertia = model.inertias[j]
        links.append(ch.Link(inertia.mass, inertia.lever, inertia.inertia))
    names = list(model.names)[1:]
    parents = [model.parents[j] - 1 for j in range(1, model.njoints)]
    return ch.Robot.from_screws(
        screws, homes, links, parents, name=model.name, joint_names=names, gravity=model.gravity.linear
    )


def folder() -> Path:
    """Where the wheel example-robot-data keeps its robots."""
    return Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
