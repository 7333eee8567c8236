"""Arguments of pictures: robots, alone or under constraints, their configurations, joints and frames, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chasles.arguments import array, is_whole, shown, vector
from chasles.constrained import ConstrainedSystem
from chasles.errors import ChaslesError, ModelError, ShapeError
from chasles.model.mechanism import OwnJoint
from chasles.robot import Robot

Array = NDArray[np.float64]
TRIES = 40  # random configurations from which one on the constraints is looked for
HELD = 1e-4  # how far from its constraints a configuration may be, m or rad


def robot_of(what: str, system: Any) -> Robot:
    """The robot that is given, or that is under the constraints that are given; without symbols."""
    inner = system.system if isinstance(system, ConstrainedSystem) else system
    if not isinstance(inner, Robot):
        name = f"{type(inner).__name__} {getattr(inner, 'name', '')!r}" if inner is not system else type(inner).__name__
        raise ModelError(f"{what}: robot must be a Robot, or a ConstrainedSystem of one, got {name}")
    if inner.symbols:
        given = ", ".join(f"{name}=..." for name in inner.symbols)
        raise ModelError(f"{what}: robot {inner.name!r} has symbols, give them numbers: robot.with_values({given})")
    if not inner.n:
        raise ModelError(f"{what}: robot {inner.name!r} has no joints that move")
    return inner


def configuration(what: str, system: Any, q: ArrayLike | None, name: str = "q") -> Array:
    """(nq,) that is given; else home, in the middle of limits that leave it out, on the constraints."""
    robot = robot_of(what, system)
    if q is None:
        return home(robot) if system is robot else _near_home(what, system, robot)
    given = vector(q, f"{what}: {name}", robot.nq, finite=True)
    if given.ndim != 1:
        raise ShapeError(
            f"{what}: {name} must have shape ({robot.nq},), one configuration, got {given.shape}"
            + "; others are drawn by ghosts=" * (what == "plot")
        )
    return held(what, system, given, name)


def _near_home(what: str, system: ConstrainedSystem, robot: Robot) -> Array:
    """(nq,) on the constraints, found from home, or where that is singular from random configurations."""
    rng = np.random.default_rng(0)
    for q in (home(robot), *(robot.random(rng) for _ in range(TRIES))):
        try:
            return held(what, system, system.consistent(q, np.zeros(robot.n))[0])
        except ChaslesError:
            continue
    raise ModelError(f"{what}: q must be given: none that satisfies {', '.join(system.constraint.names)} is found")


def configurations(what: str, system: Any, q: ArrayLike, name: str = "q") -> Array:
    """(T, nq), in their order."""
    robot = robot_of(what, system)
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


def home(robot: Robot) -> Array:
    """(nq,) home, but for joints whose limits leave it out: those in the middle of them."""
    lower, upper = robot.limits["lower"], robot.limits["upper"]
    q = robot.neutral()
    with np.errstate(invalid="ignore"):  # the middle of infinite limits
        middle = np.where(np.isfinite(lower) & np.isfinite(upper), (lower + upper) / 2.0, np.clip(q, lower, upper))
    return np.where((q < lower) | (q > upper), middle, q)


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
