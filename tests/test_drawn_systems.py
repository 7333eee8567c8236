"""Systems that are drawn: pages, pictures and reports begin at the same place, within the limits."""

import numpy as np
import pytest
from support.pictures import four_bar
from support.tolerances import close, small

import chasles as ch
from chasles.drawn_systems import assembled, configuration, first_pose, home, robot_of
from chasles.plot import systems as plotted
from chasles.report.subject import Subject
from chasles.view.systems import start


def arm(lower, upper) -> ch.Robot:
    link = ch.Link(1.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1))
    slide = ch.prismatic((1, 0, 0))
    return ch.Robot.from_screws(
        [ch.screw((0, 0, 1)), slide], [np.eye(4)] * 2, [link] * 2, limits={"lower": lower, "upper": upper}
    )


@pytest.mark.parametrize(
    ("lower", "upper", "q"),
    [
        ([-1.0, -1.0], [1.0, 2.0], [0.0, 0.0]),
        ([-3.0, 0.2], [-1.0, 0.6], [-2.0, 0.4]),
        ([0.5, -np.inf], [np.inf, -0.3], [0.5, -0.3]),
    ],
)
def test_home_is_within_the_limits(lower, upper, q):
    assert close(home(arm(lower, upper)), q)


def test_all_begin_there():
    robot = arm([-3.0, 0.2], [-1.0, 0.6])
    q = [-2.0, 0.4]
    assert close(start(robot, None, None), q)
    assert close(plotted.configuration("plot", robot, None), q)
    assert close(Subject(robot, False, False, ()).at, q)


def test_under_constraints_it_is_put_together():
    loop = four_bar()
    assert close(assembled(loop), first_pose(loop)) and small(loop.residual(first_pose(loop)), 1e-9)
    assert close(first_pose(loop), plotted.configuration("plot", loop, None))


def test_quaternions_are_unit_in_pictures_too():
    ball = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [ch.Link(1.0, (0.5, 0.0, 0.0))], kinds=["spherical"])
    assert close(configuration(ball, ball.neutral() * (1.0 + 1e-9)), ball.neutral(), 1e-15)
    with pytest.raises(ch.ModelError, match=r"^plot: q has a quaternion that is not of unit length"):
        ball.plot(2.0 * ball.neutral())


def test_what_is_no_robot():
    with pytest.raises(ch.ModelError, match=r"^plot: robot must be a Robot, or a ConstrainedSystem of one, got 5"):
        robot_of(5, "plot")
