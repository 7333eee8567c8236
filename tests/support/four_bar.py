"""A four-bar: three bars in a row, the last one's tip pinned to the ground."""

from functools import cache

import numpy as np

import chasles as ch

LENGTHS, GROUND = (0.2, 0.5, 0.4), 0.45


def at(x):
    T = np.eye(4)
    T[0, 3] = x
    return T


@cache
def four_bar(gravity=(0.0, -9.81, 0.0)):
    """The system, its multipliers those of the pin in the plane."""
    feet = np.cumsum([0.0, *LENGTHS])
    bars = [ch.Link(l, (l / 2, 0.0, 0.0), (0.0, l**3 / 12, l**3 / 12)) for l in LENGTHS]
    robot = ch.Robot.from_screws(
        [ch.screw((0, 0, 1), (x, 0.0, 0.0)) for x in feet[:-1]],
        [at(x) for x in feet[:-1]],
        bars,
        tool=at(feet[-1]),
        frames={"pin": ("base", at(GROUND))},
        gravity=gravity,
        name="four-bar",
    )
    return ch.ConstrainedSystem(robot, ch.Constraint.loop_closure("pin", "tool", "tx ty tz", name="pin"))


def state():
    """A configuration that is closed, and velocities that keep it so."""
    return four_bar().consistent([1.0, -0.8, -0.9], [2.0, 0.0, 0.0])
