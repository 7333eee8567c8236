"""Robots whose tensors are computed link by link, whatever their size: a few configurations, nothing compiled."""

from __future__ import annotations

from functools import partial
from typing import Any

from chasles.riemann import by_links, tensors
from chasles.robot import Robot
from chasles.robot_like import RobotLike

_SAMPLES = 64  # configurations, as many as `Robot.flatness` and `Robot.balance` look at
_SLOW_SAMPLES, _SLOW = 3, 12  # configurations, where each takes long: above so many degrees of freedom


class _LinkByLink:
    """A robot as it is, but for its tensors."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def __getattr__(self, name: str) -> Any:
        if name in by_links.AXES:
            return partial(getattr(tensors, name), self._robot)
        return getattr(self._robot, name)


def link_by_link(robot: Robot) -> RobotLike:
    """The robot, for functions that ask it for tensors."""
    made: Any = _LinkByLink(robot)
    return made


def samples(robot: Robot) -> int:
    """How many configurations are looked at in a report."""
    return _SAMPLES if robot.n <= _SLOW else _SLOW_SAMPLES
