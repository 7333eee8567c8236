"""Search boxes: where attempts begin."""

import numpy as np
import pytest

import chasles as ch
from chasles.ik.search_box import SearchBox


@pytest.mark.parametrize(("lower", "upper"), [(0.5, np.inf), (-np.inf, -3.0), (-0.2, 0.9), (-np.inf, np.inf)])
@pytest.mark.parametrize("screw", [ch.prismatic([0, 0, 1]), ch.screw([0, 0, 1])], ids=["slider", "hinge"])
def test_starts_are_within_the_limits(screw, lower, upper):
    link = ch.Link(1.0, inertia=(1.0, 1.0, 1.0))
    robot = ch.Robot.from_screws([screw], [np.eye(4)], [link], limits={"lower": [lower], "upper": [upper]})
    box = SearchBox.of(robot, True)
    starts = box.starts(50)
    assert ((starts >= lower) & (starts <= upper)).all() and len(np.unique(starts)) == 50
