"""Systems that a page can show: robots, and robots under constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.arguments import array, instance, real, shown
from chasles.constrained import ConstrainedSystem
from chasles.errors import ModelError, ShapeError
from chasles.recorded_motion import Trajectory
from chasles.robot import Robot

UNIT = 1e-6  # how far from unit a quaternion may be: it is made so up to there
ASSEMBLIES = 50  # that are tried where home is not near one


def robot_of(system: Any) -> Robot:
    """The robot of a system: itself, or the one under the constraints; others are refused."""
    inner = system.system if isinstance(system, ConstrainedSystem) else system
    if not isinstance(inner, Robot):
        raise ModelError(
            f"{shown(getattr(inner, 'name', inner))} is no robot, and has no links to show: plot its motion, "
            "system.simulate(...).plot()"
        )
    if not inner.n:
        raise ModelError(f"robot {inner.name!r} has no joints: let it move, robot.with_base('free'), and show that")
    if inner.symbols:
        names, given = ", ".join(inner.symbols), ", ".join(f"{name}=..." for name in inner.symbols)
        raise ModelError(
            f"robot {inner.name!r} has the symbols {names}, and a page needs numbers: use robot.with_values({given})"
        )
    return inner


def start(system: Any, q: Any, trajectory: Trajectory | None) -> NDArray[np.float64]:
    """(nq,) where the page begins: q, or the start of a motion, or home, on the constraints."""
    if trajectory is not None:
        instance(trajectory, "trajectory", Trajectory, "a Trajectory")
        if trajectory.q.shape[-1] != system.nq:
            raise ModelError(
                f"trajectory has {trajectory.q.shape[-1]} coordinates, and {system.name!r} has {system.nq}"
            )
    if q is not None:
        given = configuration(robot_of(system), q)
        return system.project(given) if isinstance(system, ConstrainedSystem) else given
    if trajectory is not None:
        return trajectory.q.reshape(-1, system.nq)[0]
    return assembled(system) if isinstance(system, ConstrainedSystem) else system.neutral()


def configuration(robot: Robot, q: Any) -> NDArray[np.float64]:
    """(nq,) q as one configuration of finite numbers and unit quaternions."""
    given = real(q, "q", f"real numbers of shape ({robot.nq},)")
    if given.ndim > 1 and given.shape[-1] == robot.nq:
        raise ShapeError(
            f"q has shape {given.shape}, and a page shows one configuration: give one row, such as q[0], or make a "
            "motion of them and show that: trajectory.show()"
        )
    given = array(given, "q", (robot.nq,), finite=True)
    with np.errstate(all="ignore"):  # a quaternion of zeros
        unit = robot.normalize(given)
    if not np.abs(unit - given).max(initial=0.0) <= UNIT:
        raise ModelError("q has a quaternion that is not of unit length: use robot.normalize(q)")
    return unit


def assembled(system: ConstrainedSystem) -> NDArray[np.float64]:
    """(nq,) a configuration that satisfies the constraints: the one near home, or near another one."""
    rng = np.random.default_rng(0)
    for q in (system.neutral(), *(system.system.random(rng) for _ in range(ASSEMBLIES))):
        try:
            return system.project(q)
        except ModelError:
            continue
    raise ModelError(f"{system.name!r}: no configuration near home satisfies its constraints: give q, one that does")
