"""The reach of a robot: from its first axis, wherever that is, over whole turns, of geared joints too."""

import numpy as np
from support.tolerances import close

import chasles as ch
from chasles.model.facts import axis
from chasles.report.reach import reach


def arm(first, second, limits=None):
    """Two joints about z, at (5, 0, 0) and (6, 0, 0), at these rates; the tool at (6, 1, 0), the elbow bent."""
    screws = np.array([first * ch.screw([0, 0, 1], [5, 0, 0]), second * ch.screw([0, 0, 1], [6, 0, 0])])
    homes = np.tile(np.eye(4), (2, 1, 1))
    homes[:, 0, 3] = 5.0, 6.0
    tool = np.eye(4)
    tool[:3, 3] = 6.0, 1.0, 0.0
    links = [ch.Link(1.0, inertia=(1.0, 1.0, 1.0))] * 2
    return ch.Robot.from_screws(screws, homes, links, tool=tool, limits=limits)


def test_geared_joints_turn_all_the_way():
    for first, second in ((2.0, 0.25), (0.5, 4.0)):
        found = reach(arm(first, second))["metres"]
        assert 1.999 < found <= 2.0 + 1e-12


def test_limits_keep_it_bent():
    """The elbow between home and 45 degrees further: as far as it is at home, sqrt(2)."""
    limits = {"lower": [-1.0, 0.0], "upper": [1.0, np.pi / 4]}
    assert close(reach(arm(1.0, 1.0, limits))["metres"], np.sqrt(2.0), 1e-3)


def test_axes():
    direction, point, pitch, rate = axis(2.0 * ch.screw([0, 0, 1], [5, 0, 0]) + [0, 0, 0, 0, 0, 0.6], np.eye(4))
    assert close(direction, [0, 0, 1]) and close(point, [5, 0, 0]) and close(pitch, 0.3) and rate == 2.0
    home = np.eye(4)
    home[:3, 3] = 1.0, 2.0, 3.0
    direction, point, pitch, rate = axis(np.array([0, 0, 0, 0, 3.0, 0]), home)
    assert close(direction, [0, 1, 0]) and close(point, [1, 2, 3]) and pitch == 0.0 and rate == 3.0


def test_where_there_is_none():
    link, sliding = ch.Link(1.0, inertia=(1.0, 1.0, 1.0)), ch.prismatic([1, 0, 0])
    slider = ch.Robot.from_screws([sliding], [np.eye(4)], [link])
    assert reach(slider) == {"metres": None, "how": "joint 'joint1' slides without limits"}
    ball = ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [link], kinds=["spherical"])
    assert reach(ball) == {"metres": None, "how": "joint 'joint1' is spherical"}
