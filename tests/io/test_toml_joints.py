"""Robot files with joints of every kind, mimics, losses and a base: what they mean, how they fail."""

import re

import numpy as np
import pytest
from support.tolerances import ROUNDING, close

import chasles as ch
from chasles import zoo
from chasles.errors import ModelError, ModelWarning
from chasles.io import toml
from chasles.model import variations
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.screws import prismatic, screw, turn

ROBOT = """name = "walker"
friction = true

[base] # line 4
name = "world"
mass = 3.0
com = [0.0, 0.0, 0.1]
inertia = [0.1, 0.2, 0.2]

[tool]
link = "foot"

[[links]] # line 13
name = "base"
parent = "world"
home = {position = [0.0, 0.0, 1.0]}
mass = 5.0
inertia = [0.1, 0.1, 0.1]
joint = {name = "root", type = "free", damping = 0.5}

[[links]] # line 21
name = "thigh"
home = {position = [0.0, 0.0, 0.9]}
mass = 1.0
inertia = [0.1, 0.1, 0.1]

[links.joint] # line 27
name = "hip"
type = "universal"
axis = [1.0, 0.0, 0.0]
axis2 = [0.0, 2.0, 0.0]
point = [0.0, 0.0, 0.9]
lower = [-1.0, -2.0]
upper = [1.0, inf]
armature = [0.1, 0.2]

[[links]] # line 37
name = "shin"
home = {position = [0.0, 0.0, 0.5]}
mass = 1.0
com = [0.0, 0.0, -0.2]
inertia = [0.1, 0.1, 0.1]

[links.joint] # line 44
name = "knee"
type = "revolute"
axis = [0.0, 1.0, 0.0]
point = [0.0, 0.0, 0.5]
armature = 0.3
damping = 0.4
friction = 0.5

[[links]] # line 53
name = "foot"
home = {position = [0.0, 0.0, 0.1]}
mass = 0.5
com = [0.1, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]

[links.joint] # line 60
name = "ankle"
type = "revolute"
axis = [0.0, 1.0, 0.0]
point = [0.0, 0.0, 0.1]
mimic = {joint = "knee", factor = -0.5, offset = 0.25} # line 65

[[links]] # line 67
name = "ball"
parent = "base"
home = {position = [0.0, 0.0, 1.4]}
mass = 0.5
com = [0.1, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
joint = {name = "neck", type = "spherical"}

[[links]] # line 76
name = "plug"
parent = "world"
home = {position = [0.0, 3.0, 1.4]}
mass = 0.5
com = [0.1, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
joint = {name = "bore", type = "cylindrical", axis = [0.0, 0.0, 1.0], point = [0.0, 3.0, 0.0], effort = [9.0, 8.0]}

[[links]] # line 85
name = "puck"
parent = "world"
home = {position = [0.0, 5.0, 0.0]}
mass = 0.5
inertia = [0.1, 0.1, 0.1]
joint = {name = "ice", type = "planar"}
"""


def test_every_joint():
    m = toml.parse(ROBOT)
    assert m.link_names == ("base", "thigh_cross", "thigh", "shin", "foot", "ball", "plug_sleeve", "plug", "puck")
    assert m.joint_names == ("root", "hip", "hip2", "knee", "ankle", "neck", "bore", "bore2", "ice")
    assert m.kinds == ("free", *("screw",) * 4, "spherical", "screw", "screw", "planar")
    assert m.parents == (-1, 0, 1, 2, 3, 0, -1, 6, -1)
    assert m.n == 6 + 3 + 3 + 2 + 3
    assert np.array_equal(m.screws[1:3], [screw([1, 0, 0], [0, 0, 0.9]), screw([0, 1, 0], [0, 0, 0.9])])
    assert np.array_equal(m.screws[6:8], [screw([0, 0, 1], [0, 3, 0]), prismatic([0, 0, 1])])
    assert np.array_equal(m.homes[1], m.homes[2]) and m.links[1].mass == 0.0
    assert m.limits["lower"][1:3].tolist() == [-1.0, -2.0] and m.limits["upper"][1:3].tolist() == [1.0, np.inf]
    assert m.limits["effort"][6:8].tolist() == [9.0, 8.0]
    assert m.mimics == (None, None, None, None, (3, -0.5, 0.25), None, None, None, None)
    assert m.armature.tolist() == [0.0, 0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert (m.damping[0], m.damping[3], m.friction[3]) == (0.5, 0.4, 0.5)
    assert (m.base_name, m.base.mass, m.base.com[2], m.base.inertia[2, 2]) == ("world", 3.0, 0.1, 0.2)
    assert m.has_friction
    assert m.notes == ("joint 'hip': its axis2, of length 2, was normalised",)
    text = toml.write(m)
    again = toml.parse(text)
    assert again.key == m.key and toml.write(again) == text
    assert "universal" not in text and "cylindrical" not in text


def test_a_file_says_nothing_of_what_it_does_not_have():
    text = toml.write(toml.read(zoo.path("ur5")))
    for key in ("[base]", "friction", "armature", "damping", "mimic", "inf"):
        assert key not in text


def test_mimics_may_point_forward_and_follow_each_other():
    text = ROBOT.replace("armature = 0.3", 'mimic = {joint = "ankle"}').replace(
        'mimic = {joint = "knee", factor = -0.5, offset = 0.25}', 'mimic = {joint = "hip", factor = 2}'
    )
    m = toml.parse(text)
    assert m.mimics[3] == m.mimics[4] == (1, 2.0, 0.0)


def test_only_links_of_the_file_are_doubted():
    """The one inside a universal or cylindrical joint has no mass, and the file did not say so."""
    m = toml.parse(ROBOT)
    assert m.links[1].inserted and m.links[6].inserted and sum(link.inserted for link in m.links) == 2
    for again in (m, variations.with_gravity(m, [0, 0, -1.0]), variations.with_locked(m, {"hip": 0.5})):
        assert again.doubts == ()
    light = ROBOT.replace("mass = 1.0", "mass = 0.0", 1)
    with pytest.warns(ModelWarning, match="link 'thigh': its mass is zero"):
        m = toml.parse(light)
    assert m.doubts == ("link 'thigh': its mass is zero",)
    with pytest.warns(ModelWarning, match="link 'thigh_cross': its mass is zero"):  # the thigh is merged into it
        variations.with_locked(m, {"hip2": 0.5})


def test_point_masses_far_from_the_base():
    """Merged, they leave inertias of rounding alone, some of them negative."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        homes = np.tile(np.eye(4), (2, 1, 1))
        homes[:, :3, 3] = rng.normal(size=(2, 3)) * 30.0
        m = mechanism([np.zeros(6), screw([0, 0, 1])], homes, [Link(3.0), Link(1.0, (1.0, 0.0, 0.0))])
        assert toml.parse(toml.write(m)).key == m.key


@pytest.mark.parametrize("kind", ["free", "planar", "spherical"])
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_robots_set_free_round_trip(kind):
    m = variations.with_base(toml.read(zoo.path("panda")), kind)
    assert (m.base_name, m.kinds[0], m.link_names[0]) == ("world", kind, "base")
    again = toml.parse(toml.write(m))
    assert again.key == m.key and list(again.frames) == list(m.frames)
    again = toml.parse(toml.write(variations.with_friction(m)))
    assert again.has_friction and again.key != m.key


def test_a_universal_joint_turns_about_both_axes():
    text = ROBOT.replace('type = "free", damping = 0.5', 'type = "fixed"')
    robot = ch.Robot(toml.parse(text))
    q = robot.neutral()
    q[:2] = [0.3, 0.4]
    T = robot.forward_kinematics(q, "thigh")
    assert close(T[:3, :3], turn(0, 0.3) @ turn(1, 0.4), ROUNDING)
    assert close(T[:3, 3], [0.0, 0.0, 0.9], ROUNDING)


HIP = "axis2 = [0.0, 2.0, 0.0]\n"
COMPLAINTS = {
    # what is replaced: by what, the line, the message
    "friction": ("friction = true", "friction = 0.5", 2, "a robot: friction must be true or false, got 0.5"),
    "key of the base": ("com = [0.0, 0.0, 0.1]", "cmo = 3", 7, "the base: unknown key 'cmo'; did you mean 'com'?"),
    "kind of base": (
        ROBOT[: ROBOT.index("[tool]")],
        "base = 3\n",
        1,
        "the base must be a table with the keys name, mass",
    ),
    "name of the base": ('name = "world"', "name = 3", 5, "the base: name must be a string, got 3"),
    "empty name of the base": ('name = "world"', 'name = ""', 5, "the base: its name is empty"),
    "mass of the base": ("mass = 3.0", "mass = -3.0", 4, r"link 'world': its mass is negative \(-3.0\)"),
    "inertia of the base": ("[0.1, 0.2, 0.2]", "[0.1]", 8, "the base: inertia, .* must be 3 rows of 3 numbers"),
    "link like the base": ('name = "shin"', 'name = "world"', 38, "link name 'world' is taken; .* not 'world' or ''"),
    "base without a name": ('name = "world"', "", 15, "link 'base': parent: no link 'world'; the links are base"),
    "parent": ('parent = "world"', 'parent = "wrld"', 15, "link 'base': parent: no link 'wrld'; did you mean 'world'?"),
    "axis of a free joint": ('"free"', '"free", axis = [0, 0, 1]', 19, "joint 'root': a free joint takes no axis"),
    "screw of a ball": ('"spherical"', '"spherical", screw = 3', 74, "joint 'neck': a spherical joint takes no screw"),
    "mimic of a plane": (
        '"planar"',
        '"planar", mimic = {joint = "knee"}',
        91,
        "joint 'ice': a planar joint takes no mimic",
    ),
    "mimic of two": (HIP, HIP + 'mimic = {joint = "knee"}\n', 32, "joint 'hip': a universal joint takes no mimic"),
    "one axis": (HIP, "", 27, "the key 'axis2' is missing; a universal joint needs axis, axis2, point"),
    "zero axis": (HIP, "axis2 = [0, 0, 0]\n", 31, "joint 'hip': its axis2 is zero"),
    "parallel axes": (HIP, "axis2 = [-2, 0, 0]\n", 31, "joint 'hip': its two axes are parallel"),
    "axis of a knee": ("armature = 0.3", "axis2 = [0, 1, 0]", 49, "joint 'knee': a revolute joint takes no axis2"),
    "screw of two": (
        "effort =",
        "screw = [0,0,1,0,0,0], effort =",
        83,
        "joint 'bore': a cylindrical joint takes no screw",
    ),
    "one limit for two": ("lower = [-1.0, -2.0]", "lower = -1.0", 33, "joint 'hip': lower must be 2 numbers, one for"),
    "two limits for one": ("armature = 0.3", "upper = [1.0, 2.0]", 49, "joint 'knee': upper must be a number, got"),
    "limits of two": ("lower = [-1.0, -2.0]", "lower = [2.0, 0.0]", 21, "joint 'hip': its lower limit 2.0 is above"),
    "armature": ("armature = 0.3", "armature = -0.3", 49, "joint 'knee': armature must be finite and not negative"),
    "damping": ("damping = 0.4", "damping = inf", 50, "joint 'knee': damping must be finite and not negative"),
    "dry friction": ("friction = 0.5", "friction = true", 51, "joint 'knee': friction must be a number, got True"),
    "kind of mimic": (
        "mimic = {joint",
        'mimic = "knee" # {joint',
        65,
        "joint 'ankle': mimic must be a table with the keys",
    ),
    "key of a mimic": ("factor = -0.5", "facter = 2", 65, "mimic: unknown key 'facter'; did you mean 'factor'?"),
    "no joint": ('{joint = "knee", ', "{", 65, "joint 'ankle': mimic: the key 'joint' is missing"),
    "factor": ("factor = -0.5", "factor = nan", 65, "joint 'ankle': mimic: factor has a nan or an infinity"),
    "offset": ("offset = 0.25", "offset = [1]", 65, r"joint 'ankle': mimic: offset must be a number, got \[1\]"),
    "unknown joint": (
        'joint = "knee"',
        'joint = "kne"',
        65,
        "joint 'ankle': mimic: no joint 'kne'; did you mean 'knee'?",
    ),
    "own joint": ('joint = "knee"', 'joint = "ankle"', 53, "joints mimic each other in a circle: ankle -> ankle"),
    "circle": ("armature = 0.3", 'mimic = {joint = "ankle"}', 37, "in a circle: knee -> ankle -> knee"),
    "mimic of a ball": (
        'joint = "knee"',
        'joint = "neck"',
        53,
        "joint 'ankle' mimics 'neck': 'neck' has several degrees",
    ),
    "second joint": ('name = "root"', 'name = "hip2"', 28, "joint name 'hip2', for the second axis of joint 'hip', is"),
    "link between": (
        'name = "base"',
        'name = "thigh_cross"',
        22,
        "link name 'thigh_cross', for the link inside the joint",
    ),
}


@pytest.mark.parametrize("case", COMPLAINTS)
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_complaints_name_file_and_line(case):
    old, new, line, message = COMPLAINTS[case]
    assert ROBOT.count(old) >= 1
    with pytest.raises(ModelError) as error:
        toml.parse(ROBOT.replace(old, new, 1), "walker.toml")
    where, _, said = str(error.value).partition(": ")
    assert where == f"walker.toml:{line}", error.value
    assert re.search(message, said), error.value
