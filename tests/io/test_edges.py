"""Numbers at the edges of what files hold: limits that are none, ranges of two sizes, lengths that are nearly 1."""

import math

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from support.urdf_text import quietly

import chasles as ch
from chasles.errors import ModelError
from chasles.io import mjcf, urdf
from chasles.io.mjcf_numbers import check_numbers

ARM = """<robot name="arm"><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="EFFORT" velocity="VELOCITY"/></joint></robot>"""
BODIES = """<mujoco><worldbody><body name="a"><joint name="j" FORCES/><geom size="0.1"/>
<body name="b" quat="0.5 0.5 0.5 0.5"><joint name="k" axis="0 1 0"/><geom size="0.1"/><site name="s"/></body>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("written", "read"),
    [("7.5", 7.5), ("1e20", 1e20), ("9e299", 9e299), ("1e300", math.inf), ("2e300", math.inf), ("1e308", math.inf)],
)
def test_efforts_and_speeds_beyond_bounds(written, read):
    """URDF has no infinity: from 1e300 on a limit is none, in a file and in a model of Pinocchio's."""
    text = ARM.replace("EFFORT", written).replace("VELOCITY", "3")
    m = urdf.parse(text)
    assert m.limits["effort"].tolist() == [read] and m.limits["velocity"].tolist() == [3.0]
    swapped = urdf.parse(ARM.replace("EFFORT", "3").replace("VELOCITY", written))
    assert swapped.limits["velocity"].tolist() == [read] and swapped.limits["effort"].tolist() == [3.0]
    again = quietly(ch.Robot.from_pinocchio, pin.buildModelFromXML(text))
    assert again.limits["effort"].tolist() == [read] and again.limits["velocity"].tolist() == [3.0]
    assert urdf.parse(urdf.write(m)).limits["effort"].tolist() == [read]


@pytest.mark.parametrize(
    ("given", "effort", "noted"),
    [("-5 5", 5.0, False), ("-1 2", math.inf, True), ("-2 1", math.inf, True), ("0 3", math.inf, True)],
)
def test_forces_that_are_not_symmetric(given, effort, noted):
    """An effort limit is one number: that of a range of two is not carried, and said."""
    m = mjcf.parse(BODIES.replace("FORCES", f"actuatorfrcrange='{given}'"))
    assert m.limits["effort"].tolist() == [effort, math.inf]
    assert any("'j': its actuatorfrcrange is not symmetric" in note for note in m.notes) == noted


@pytest.mark.parametrize(
    ("array", "place", "says"),
    [
        ("body_quat", 2, "body 'b': its quaternion is"),
        ("body_iquat", 1, "body 'a': the quaternion of its inertia is"),
        ("jnt_axis", 1, "joint 'k': its axis is"),
        ("site_quat", 0, "site 's': its quaternion is"),
    ],
)
@pytest.mark.parametrize("off", [1e-5, -1e-5, 1e-3, -0.5])
def test_lengths_that_are_not_1(array, place, says, off):
    """By more than the rounding of a file's digits: 1e-6 of the square."""
    model = mujoco.MjModel.from_xml_string(BODIES.replace("FORCES", ""))

    def named(kind, i):
        return model.body(i).name if kind == "body" else model.joint(i).name if kind == "joint" else model.site(i).name

    numbers = getattr(model, array)
    exact = numbers[place].copy()
    numbers[place] = exact * (1.0 + 2e-7)
    check_numbers(model, named)
    numbers[place] = exact * (1.0 + off)
    with pytest.raises(ModelError, match=f"{says} .*, which is not of length 1"):
        check_numbers(model, named)
    assert np.isfinite(numbers).all()
