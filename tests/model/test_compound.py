"""Universal and cylindrical joints in Python: the robots that a .toml file gives."""

import numpy as np
import pytest

import chasles as ch
from chasles.io import toml
from chasles.model.link import Link

FILE = """
[tool]
link = "plug"
home = {position = [0.0, 0.0, 2.0]}

[[links]]
name = "post"
home = {position = [0.0, 0.0, 0.2]}
mass = 3.0
inertia = [0.1, 0.1, 0.1]
joint = {name = "turn", type = "revolute", axis = [0, 0, 1], point = [0, 0, 0]}

[[links]]
name = "thigh"
home = {position = [0.0, 0.0, 0.9]}
mass = 2.0
com = [0.0, 0.1, -0.2]
inertia = [0.1, 0.2, 0.25]
joint = {name = "hip", type = "universal", axis = [1, 0, 0], axis2 = [0, 2, 0], point = [0, 0, 0.9], \
lower = [-1, -2], upper = [1, 2], armature = [0.1, 0.2]}

[[links]]
name = "plug"
home = {position = [0.0, 0.3, 1.5]}
mass = 1.0
inertia = [0.1, 0.1, 0.1]
joint = {name = "bore", type = "cylindrical", axis = [0, 0, 1], point = [0, 0.3, 0]}

[[links]]
name = "fin"
parent = "thigh"
home = {position = [0.5, 0.0, 0.9]}
mass = 0.5
inertia = [0.1, 0.1, 0.1]
joint = {name = "fold", type = "prismatic", axis = [1, 0, 0]}

[[frames]]
name = "eye"
link = "thigh"
home = {position = [0.5, 0.0, 1.9]}
"""


def at(*p):
    T = np.eye(4)
    T[:3, 3] = p
    return T


def parts(**changes):
    inf = np.inf
    return {
        "screws": [
            ch.screw([0, 0, 1]),
            ch.universal([1, 0, 0], [0, 2, 0], [0, 0, 0.9]),
            ch.cylindrical([0, 0, 1], [0, 0.3, 0]),
            ch.prismatic([1, 0, 0]),
        ],
        "homes": [at(0, 0, 0.2), at(0, 0, 0.9), at(0, 0.3, 1.5), at(0.5, 0, 0.9)],
        "links": [
            Link(3.0, inertia=[0.1] * 3),
            Link(2.0, [0.0, 0.1, -0.2], [0.1, 0.2, 0.25]),
            Link(1.0, inertia=[0.1] * 3),
            Link(0.5, inertia=[0.1] * 3),
        ],
        "parents": [-1, 0, 1, 1],
        "joint_names": ["turn", "hip", "bore", "fold"],
        "link_names": ["post", "thigh", "plug", "fin"],
        "limits": {"lower": [-inf, [-1, -2], [-inf, -inf], -inf], "upper": [inf, (1, 2), [inf, inf], inf]},
        "armature": [0.0, [0.1, 0.2], [0.0, 0.0], 0.0],
        "tool": at(0, 0, 2),
        "tool_link": 2,
        "frames": {"eye": (1, at(0.5, 0, 1.9))},
        **changes,
    }


def test_the_robot_of_the_file():
    robot = ch.Robot.from_screws(**parts())
    assert robot.link_names == ("post", "thigh_cross", "thigh", "plug_sleeve", "plug", "fin")
    assert robot.joint_names == ("turn", "hip", "hip2", "bore", "bore2", "fold")
    assert robot == ch.Robot(toml.parse(FILE, "robot.toml")) and robot.doubts == ()


def test_a_serial_robot_and_its_names():
    given = {key: parts()[key] for key in ("screws", "homes", "links")}
    robot = ch.Robot.from_screws(**given)
    assert robot.joint_names == ("joint1", "joint2", "joint22", "joint3", "joint32", "joint4")
    assert robot.link_names == ("link1", "link2_cross", "link2", "link3_sleeve", "link3", "link4")
    assert robot.parents == (-1, 0, 1, 2, 3, 4)
    alone = ch.Robot.from_screws([ch.universal([1, 0, 0], [0, 1, 0])], [np.eye(4)], [Link(1.0, [0, 0, 1], [1, 1, 1])])
    assert alone.n == 2 and alone.doubts == ()


def test_names_left_to_us_are_free():
    """The second joint of the first of twelve is not joint12, which is the twelfth's."""
    screws = [ch.universal([1, 0, 0], [0, 1, 0]), *[ch.screw([0, 0, 1])] * 11]
    robot = ch.Robot.from_screws(screws, [np.eye(4)] * 12, [Link(1.0, [0, 0, 1], [1, 1, 1])] * 12)
    assert robot.joint_names[:3] == ("joint1", "joint12_2", "joint2") and robot.joint_names[-1] == "joint12"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"armature": [0.0, 0.1, [0.0, 0.0], 0.0]},
            "armature: joint 'hip' is of two screws: give two numbers, got 0.1",
        ),
        ({"limits": {"upper": [1.0] * 4}}, r"limits\['upper'\]: joint 'hip' is of two screws"),
        ({"limits": {"upper": [1.0] * 3}}, r"limits\['upper'\] has 3 entries for 4 links"),
        ({"limits": {"torque": [1.0, [1.0, 1.0], [1.0, 1.0], 1.0]}}, "limits: unknown key 'torque'"),
        ({"homes": [np.eye(4)]}, "homes has 1 entries for 4 links"),
        ({"parents": [-1, 0, 2, 1]}, "link 'plug_sleeve': parent 4 must be -1"),
        ({"kinds": ["screw", "universal", "screw", "screw"]}, r"a universal joint is a pair of screws: .*universal\("),
        ({"kinds": ["screw", "free", "screw", "screw"]}, "joint 'hip' is of two screws: its kind cannot be 'free'"),
        ({"link_names": ["thigh_cross", "thigh", "plug", "fin"]}, "the name 'thigh_cross' is taken"),
        ({"joint_names": ["hip2", "hip", "bore", "fold"]}, "the name 'hip2' is taken"),
    ],
)
def test_mistakes(changes, message):
    with pytest.raises(ch.ModelError, match=message):
        ch.Robot.from_screws(**parts(**changes))


def test_parallel_axes():
    with pytest.raises(ch.ModelError, match="its two axes are parallel"):
        ch.universal([1, 0, 0], [-2, 0, 0])
