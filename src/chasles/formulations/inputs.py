"""Robots and arrays as the formulations take them; what a formulation does not cover is refused by name."""

from __future__ import annotations  # NumPy's array types are slow to evaluate

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import broadcast, is_whole, shown
from chasles.errors import FrameError, ModelError
from chasles.model.joint import ScrewJoint
from chasles.model.mechanism import Mechanism
from chasles.model.tree import Tree
from chasles.robot_like import RobotLike

Array = NDArray[np.float64]


def whole_tree(function: str, robot: RobotLike) -> Tree:
    """The tree of a robot of numbers whose joints follow none, without friction."""
    m = getattr(robot, "mechanism", None)
    if not isinstance(m, Mechanism):
        raise ModelError(f"{function}: robot must be a chasles.Robot, got {type(robot).__name__}")
    if m.symbols:
        values = ", ".join(f"{x.name}=..." for x in m.symbols)
        raise ModelError(f"{function}: robot {m.name!r} has symbols: use robot.with_values({values})")
    if m.has_friction:
        raise ModelError(f"{function}: robot {m.name!r} counts friction, and this formulation has none")
    for name, mimic in zip(m.joint_names, m.mimics, strict=True):
        if mimic is not None:
            raise ModelError(
                f"{function}: joint {name!r} of robot {m.name!r} mimics another: its equations are not a tree's"
            )
    return m.tree


def screw_tree(function: str, robot: RobotLike) -> Tree:
    """The same of a robot whose joints are screws: revolute, prismatic, helical."""
    tree = whole_tree(function, robot)
    for name, kind, body in zip(robot.mechanism.joint_names, robot.mechanism.kinds, tree.bodies, strict=True):
        if not isinstance(body.joint, ScrewJoint):
            raise ModelError(
                f"{function}: joint {name!r} of robot {robot.name!r} is {kind}: this formulation is for screws"
            )
    return tree


def vectors(function: str, **given: tuple[ArrayLike, int]) -> list[Array]:
    """Arrays (..., size) of real numbers, given by name with their sizes, broadcast over their leading axes."""
    return list(broadcast(function, **{name: (x, ("...", size)) for name, (x, size) in given.items()}))


def row_by_row(compute: Callable[..., Any], *given: Array) -> Array:
    """compute(row, ...) for each row of arrays (..., n) with the same leading axes, stacked; nan where not finite."""
    lead = given[0].shape[:-1]
    count = int(np.prod(lead))
    shape = np.shape(compute(*(np.zeros(x.shape[-1]) for x in given)))
    rows = [
        compute(*row) if all(np.isfinite(x).all() for x in row) else np.full(shape, np.nan)
        for row in zip(*(x.reshape(count, x.shape[-1]) for x in given), strict=True)
    ]
    return np.array(rows, dtype=float).reshape((*lead, *shape))[()]


def link_index(function: str, robot: RobotLike, link: str | int) -> int:
    """The number of a moving link by its name or number, -1 for the base."""
    m = robot.mechanism
    names = (m.base_name, *m.link_names)
    if isinstance(link, str) and link in names:
        return names.index(link) - 1
    if is_whole(link) and -1 <= int(link) < m.bodies:
        return int(link)
    raise FrameError(f"{function}: robot {robot.name!r} has no moving link {shown(link)}; it has {', '.join(names)}")
