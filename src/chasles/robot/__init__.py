"""Robot: what users hold. Its methods, by subject, are in robot/methods."""

from chasles.robot.robot import Robot

__all__ = ["Robot"]
