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


def hinge_and_slider(lower, upper, **options):
    """A hinge about z of those limits, and a slider within 0.1 and 0.6."""
    link = ch.Link(1.0, inertia=(1.0, 1.0, 1.0))
    limits = {"lower": [lower, 0.1], "upper": [upper, 0.6]}
    screws = [ch.screw([0, 0, 1]), ch.prismatic([1, 0, 0])]
    return SearchBox.of(ch.Robot.from_screws(screws, [np.eye(4)] * 2, [link] * 2, limits=limits, **options), True)


@pytest.mark.parametrize(("lower", "upper"), [(-np.inf, np.inf), (0.0, 2 * np.pi), (-1.0, 1.0)])
@pytest.mark.parametrize("angle", [0.3, -2.0, 3.0])
def test_mirrored(lower, upper, angle):
    """Of a hinge -x, x + pi and pi - x, within half a turn of the centre; a slider has no mirror."""
    box = hinge_and_slider(lower, upper)
    found = box.mirrored(np.array([angle, 0.4]))
    assert found.shape == (3, 2) and (found[:, 1] == 0.4).all()
    assert (np.abs(found[:, 0] - box.centre[0]) <= np.pi + 1e-12).all()
    for new, expected in zip(found[:, 0], (-angle, angle + np.pi, np.pi - angle), strict=True):
        assert abs(np.exp(1j * new) - np.exp(1j * expected)) < 1e-12


def test_the_box_is_that_of_the_limits():
    """A hinge that can take every angle has no walls; starts span no more than a turn, or the limits."""
    round_about, turn, less = (hinge_and_slider(*x) for x in ((-np.inf, np.inf), (0.0, 2 * np.pi), (-1.0, 1.2)))
    assert round_about.span.tolist() == turn.span.tolist() == [2 * np.pi, 0.5] and less.span.tolist() == [2.2, 0.5]
    assert turn.centre.tolist() == [np.pi, 0.35] and abs(less.centre[0] - 0.1) < 1e-15
    assert [box.walls[0][0] for box in (round_about, turn, less)] == [-np.inf, -np.inf, -1.0]
    assert [box.walls[1][0] for box in (round_about, turn, less)] == [np.inf, np.inf, 1.2]
    assert turn.lower[0] == 0.0 and turn.walls[1][1] == 0.6 and turn.going_round.tolist() == [0]


def test_the_nearest_turn_within_the_limits():
    box = hinge_and_slider(-4.0, 8.0)
    q = np.array([[0.3, 0.4], [0.3 + 2 * np.pi, 0.4], [-3.5, 0.4], [7.9, 0.4]])
    assert np.array_equal(box.nearest(q, q), q)  # to the bit
    near = box.nearest(q, np.array([6.0, 0.0]))
    assert np.allclose(near[:, 0], [0.3 + 2 * np.pi, 0.3 + 2 * np.pi, -3.5 + 2 * np.pi, 7.9], atol=1e-14)
    assert box.holds(q[0]) and not box.holds(np.array([8.1, 0.4])) and not box.holds(np.array([0.0, 0.0]))
    full = hinge_and_slider(-np.pi, np.pi)
    edge = full.nearest(np.array([-3 * np.pi - 1e-13, 0.4]), np.array([-0.3, 0.4]))
    assert edge[0] == -np.pi  # the dust of a turn is no reason to go round, and is taken off
    beyond = np.array([np.pi + 1e-13, 0.4])
    assert np.array_equal(full.nearest(beyond, beyond), beyond)  # what is not turned is not touched


def test_a_joint_that_another_follows_does_not_go_round():
    """Another turn of it is another place of the one that follows at half its speed."""
    link = ch.Link(1.0, inertia=(1.0, 1.0, 1.0))
    options = {"joint_names": ["j", "k"], "mimics": {"k": ("j", 0.5, 0.0)}}
    robot = ch.Robot.from_screws([ch.screw([0, 0, 1])] * 2, [np.eye(4)] * 2, [link] * 2, **options)
    assert SearchBox.of(robot, False).going_round.size == 0
