"""Checks of symbols' values when they arrive: each refuses, by name, and lets pass."""

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch

Z = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def one(link=None, home=None, screw=Z):
    """A robot of one link."""
    return ch.Robot.from_screws(
        [screw], [np.eye(4) if home is None else home], [link or ch.Link(1.0, inertia=(1.0, 1.0, 1.0))]
    )


def refused(robot, message, **values):
    with pytest.raises(ch.ModelError, match=message):
        robot.mass_matrix([0.1], **values)


def test_an_inertia():
    a, b = ch.symbols("a b")
    robot = one(ch.Link(1.0, inertia=[[2.0, a, 0.0], [b, 2.0, 0.0], [0.0, 0.0, 3.0]]))
    assert close(robot.mass_matrix([0.1], a=0.5, b=0.5), [[3.0]])
    refused(robot, "inertia matrix is not symmetric, with a = 0.5, b = 0.25", a=0.5, b=0.25)
    refused(robot, r"inertia has a negative eigenvalue \(-1\); the largest is 5", a=3.0, b=3.0)
    with pytest.warns(ch.ModelWarning, match="triangle inequality"):
        assert close(robot.mass_matrix([0.1], a=2.0, b=2.0), [[3.0]])  # on the edge


def test_ten_parameters():
    """Their inertia is about the origin: that about the centre of mass is less, and may be none."""
    x, c = ch.symbols("x c")
    robot = one(ch.Link.of([2.0, 2.0 * c, 0.0, 0.0, 0.1, 0.0, x, 0.0, 0.0, x]))
    assert close(robot.mass_matrix([0.1], x=2.0, c=0.5), [[2.0]])
    refused(robot, "negative eigenvalue", x=0.4, c=0.5)  # 2 c^2 = 0.5
    massless = one(ch.Link.of([x, c, 0.0, 0.0, 0.1, 0.0, 0.1, 0.0, 0.0, 0.1]))
    refused(massless, "mass is zero, and its first moment is not", x=0.0, c=0.5)
    assert np.isfinite(massless.mass_matrix([0.1], x=0.0, c=0.0)).all()


def test_a_home():
    a = ch.symbols("a")
    H = np.eye(4).astype(object)
    H[2, 2] = a
    robot = one(home=H)
    assert close(robot.mass_matrix([0.1], a=1.0), [[1.0]])
    refused(robot, "not a rigid motion: it is a reflection, with a = -1", a=-1.0)
    refused(robot, "not a rigid motion: rotation off by", a=1.1)
    refused(robot, r"nan or an infinity, with a = nan \(row 1\)", a=[1.0, np.nan])


def test_an_axis():
    a = ch.symbols("a")
    robot = one(screw=[0.0, 0.0, a, 0.0, 0.0, 0.5])
    assert close(robot.mass_matrix([0.1], a=1.0), [[1.25]])
    refused(robot, "its axis has no direction; of a prismatic joint the first three are the number 0", a=0.0)
    prismatic = one(screw=[0.0, 0.0, 0.0, 0.0, 0.0, a])
    assert close(prismatic.mass_matrix([0.1], a=2.0), [[4.0]])
    refused(prismatic, "screw of joint 'joint1' is zero", a=0.0)


def test_symbols_are_inputs_behind_all_others():
    """Those of kernel(parameters=...) first, then the robot's own, in their order."""
    z, a = ch.symbols("z a")
    robot = one(ch.Link(z, inertia=(1.0, 1.0, a))).with_gravity([0.0, -9.81, 0.0])
    names = [o.name for o in robot.kernel("inverse_dynamics").inputs]
    assert names == ["q", "qd", "qdd", *robot.symbols]
    links = [ch.Link(a, inertia=(1.0, 1.0, 1.0)), ch.Link(1.0, inertia=(1.0, 1.0, 1.0))]
    made = ch.Robot.from_screws([Z, Z], [np.eye(4)] * 2, links)
    kernel = made.kernel("inverse_dynamics", parameters=made.link_names[1])
    assert [o.name for o in kernel.inputs] == ["q", "qd", "qdd", "parameters", "a"]
