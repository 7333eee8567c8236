"""Systems that pages, pictures and reports draw: robots, alone or under constraints, and where they begin.

Nothing else has links. Errors begin with `what`, the function that was called, where it is told.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import array, real, shown
from chasles.constrained import ConstrainedSystem
from chasles.errors import ModelError, ShapeError
from chasles.robot import Robot

Array = NDArray[np.float64]
UNIT = 1e-6  # how far from unit a quaternion may be: it is made so up to there
ASSEMBLIES = 50  # random configurations that are tried where home is not near one on the constraints


def robot_of(system: Any, what: str = "") -> Robot:
    """The robot of a system: itself, or the one under the constraints; with joints, and without symbols."""
    inner, told = system.system if isinstance(system, ConstrainedSystem) else system, _told(what)
    if not isinstance(inner, Robot):
        if not hasattr(inner, "simulate"):
            raise ModelError(f"{told}robot must be a Robot, or a ConstrainedSystem of one, got {shown(inner)}")
        raise ModelError(
            f"{told}{shown(inner.name)} is no robot, and has no links to show: plot its motion, "
            "system.simulate(...).plot()"
        )
    if not inner.n:
        raise ModelError(
            f"{told}robot {inner.name!r} has no joints: let it move, robot.with_base('free'), and show that"
        )
    if inner.symbols:
        names, given = ", ".join(inner.symbols), ", ".join(f"{name}=..." for name in inner.symbols)
        raise ModelError(
            f"{told}robot {inner.name!r} has the symbols {names}, and this needs numbers: "
            f"use robot.with_values({given})"
        )
    return inner


def home(robot: Robot) -> Array:
    """(nq,) home, but for joints whose limits leave it out: those in the middle of them."""
    lower, upper = robot.limits["lower"], robot.limits["upper"]
    q = robot.neutral()
    with np.errstate(invalid="ignore"):  # the middle of infinite limits
        middle = np.where(np.isfinite(lower) & np.isfinite(upper), (lower + upper) / 2.0, np.clip(q, lower, upper))
    return np.where((q < lower) | (q > upper), middle, q)


def first_pose(system: Any, what: str = "") -> Array:
    """(nq,) where a system is drawn if nothing else is said: `home`, on the constraints."""
    robot = robot_of(system, what)
    return assembled(system, what) if isinstance(system, ConstrainedSystem) else home(robot)


def assembled(system: ConstrainedSystem, what: str = "") -> Array:
    """(nq,) a configuration that satisfies the constraints: the one near home, or near another one."""
    robot, rng = robot_of(system, what), np.random.default_rng(0)
    for q in (home(robot), *(robot.random(rng) for _ in range(ASSEMBLIES))):
        try:
            return system.project(q)
        except ModelError:
            continue
    raise ModelError(
        f"{_told(what)}{system.name!r}: no configuration near home satisfies its constraints: give q, one that does"
    )


def configuration(robot: Robot, q: Any, name: str = "q", instead: str = "") -> Array:
    """(nq,) q as one configuration of finite numbers and unit quaternions. instead: what to do with several of them."""
    given = real(q, name, f"real numbers of shape ({robot.nq},)")
    if given.ndim > 1 and given.shape[-1] == robot.nq:
        raise ShapeError(
            f"{name} must have shape ({robot.nq},), one configuration, got {given.shape}: give one row, such as "
            f"{name.rpartition(' ')[2]}[0]{instead}"
        )
    given = array(given, name, (robot.nq,), finite=True)
    with np.errstate(all="ignore"):  # a quaternion of zeros
        unit = robot.normalize(given)
    if not np.abs(unit - given).max(initial=0.0) <= UNIT:
        raise ModelError(f"{name} has a quaternion that is not of unit length: use robot.normalize(q)")
    return unit


def _told(what: str) -> str:
    return f"{what}: " if what else ""
