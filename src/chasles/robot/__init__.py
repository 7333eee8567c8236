"""Robot: what users hold. Its methods, by subject, are in robot/methods."""

from chasles.robot.robot import SYMBOLIC_CLASS, Robot

__all__ = ["Robot"]


def _symbolic() -> type[Robot]:
    """The class of robots with symbols: above `Robot`, and imported with the compiler when there is such a robot."""
    from chasles.robot.symbolic import SymbolicRobot

    return SymbolicRobot


SYMBOLIC_CLASS.append(_symbolic)
