"""URDF files that are written: other tools load them, and so do we."""

import math
import warnings
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tolerances import close
from support.urdf_text import (
    INERTIAL,
    LIMIT,
    arm,
    example_files,
    joint,
    link,
    pinocchio_q,
    pose,
    quietly,
    robot,
    rotation,
)

from chasles import zoo
from chasles.dynamics.newton_euler import newton_euler
from chasles.errors import ModelError, ModelWarning
from chasles.io import toml, urdf
from chasles.io.urdf_xml import rpy
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.merged_links import descendants, own_inertias
from chasles.model.screws import prismatic, screw
from chasles.model.variations import subtree, with_tool


def serial(*screws, homes=None, **more):
    n = len(screws)
    homes = np.array([pose([0, 0, k], (0.1 * k, 0.2, 0.3)) for k in range(n)]) if homes is None else homes
    return mechanism(screws, homes, [Link(1.0 + k, [0.1, 0.2, 0.3], [1, 2, 2.5]) for k in range(n)], **more)


def same_forces(m, again, tol=1e-12):
    """Forces by name, at a random state."""
    x, v, a = np.random.default_rng(3).uniform(-1, 1, (3, m.bodies))
    at = [again.joint_names.index(name) for name in m.joint_names]
    turned = [np.empty(m.bodies) for _ in range(3)]
    for out, y in zip(turned, (x, v, a), strict=True):
        out[at] = y
    ours = newton_euler(again.tree, *(y.tolist() for y in turned)).tau
    return close([ours[k] for k in at], newton_euler(m.tree, x.tolist(), v.tolist(), a.tolist()).tau, tol)


def test_links_away_from_their_axes_are_moved_to_them():
    m = serial(
        screw([0, 0, 1], [3, 1, 0]), screw([1, 0, 0], [0, -2, 1]), screw([0, 1, 0], [0, 5, 7]), prismatic([0, 1, 0])
    )
    again = urdf.parse(urdf.write(m))
    assert set(again.link_names) == {"link1_axis", "link2_axis", "link3_axis", "link4"}
    assert set(again.frames) == {*m.frames, "link1_axis", "link2_axis", "link3_axis"}
    assert same_forces(m, again)
    for name in m.frames:
        T, T_again = (
            (np.eye(4) if x.frames[name].body < 0 else x.homes[x.frames[name].body]) @ x.frames[name].pose
            for x in (m, again)
        )
        assert close(T, T_again, 1e-14)
    assert urdf.parse(urdf.write(again)).link_names == again.link_names


@pytest.mark.parametrize("name", sorted({*zoo.names()} - {"scara"}))
def test_the_zoo_is_written(name):
    """But the SCARA arm, whose spindle is helical."""
    import pinocchio as pin

    m = quietly(toml.read, zoo.path(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        text = urdf.write(m)
        again = urdf.parse(text)
    assert again.joint_names == m.joint_names and set(m.frames) <= {*again.frames, "tool"}
    bent = replace(again, gravity=m.gravity)
    assert same_forces(m, bent)
    model = pin.buildModelFromXML(text)
    model.gravity.linear = m.gravity
    x, v, a = np.random.default_rng(3).uniform(-1, 1, (3, m.bodies))
    expected = newton_euler(m.tree, x.tolist(), v.tolist(), a.tolist()).tau
    assert close(pin.rnea(model, model.createData(), pinocchio_q(model, x), v, a), expected, 1e-12)


def test_several_degrees_of_freedom_are_written():
    for text in (arm(("floating", ""), ("planar", '<axis xyz="0 0 1"/>')), arm(("planar", '<axis xyz="0.6 0 0.8"/>'))):
        m = urdf.parse(text)
        again = urdf.parse(urdf.write(m))
        assert (again.kinds, again.link_names, again.joint_names) == (m.kinds, m.link_names, m.joint_names)
        assert close(again.homes, m.homes, 1e-14) and set(again.frames) == set(m.frames)


MIMIC = f'<axis xyz="0 0 1"/>{LIMIT}<mimic joint="j2" multiplier="2" offset="0.5"/>'


def test_mimics_and_losses_are_written():
    text = arm(("revolute", MIMIC + '<dynamics damping="1" friction="2"/>'), ("continuous",), ("fixed", ""))
    m = urdf.parse(text)
    again = urdf.parse(urdf.write(m))
    assert (
        again.mimics == m.mimics and np.array_equal(again.damping, m.damping) and np.array_equal(again.friction, [2, 0])
    )
    assert all(np.array_equal(again.limits[key], m.limits[key]) for key in m.limits)
    unbounded = urdf.parse(urdf.write(serial(prismatic([0, 0, 1]), limits={"lower": [-np.inf], "upper": [2.0]})))
    assert (unbounded.limits["lower"][0], unbounded.limits["upper"][0]) == (-np.inf, 2.0)


def test_joints_that_urdf_does_not_have_are_refused():
    with pytest.raises(ModelError, match=r"joint 'joint2' is helical, with a pitch of 0.01 m/rad: URDF has no"):
        urdf.write(serial(prismatic([0, 0, 1]), screw([0, 0, 1], [1, 0, 0], 0.01)))
    for geared in (2 * screw([0, 0, 1], [1, 0, 0]), 2 * prismatic([0, 0, 1])):
        with pytest.raises(ModelError, match=r"joint 'joint1' is geared, its screw has length 2"):
            urdf.write(serial(geared))
    with pytest.raises(ModelError, match=r"joint 'joint1' is spherical: URDF has no such joint"):
        urdf.write(serial(np.zeros(6), kinds=["spherical"]))
    with pytest.raises(ModelError, match=r"'a\\ufffeb' cannot be written to an XML file"):
        urdf.write(serial(prismatic([0, 0, 1]), name="a\ufffeb"))


def test_what_urdf_cannot_hold_is_left_out_with_a_warning():
    with pytest.warns(ModelWarning, match=r"URDF cannot hold the rotor inertia of joint 'joint1'"):
        urdf.write(serial(prismatic([0, 0, 1]), armature=[1.0]))
    with pytest.warns(ModelWarning, match=r"URDF cannot hold its gravity, \[0.0, 0.0, 0.0\]"):
        urdf.write(serial(prismatic([0, 0, 1]), gravity=[0, 0, 0]))
    with pytest.warns(ModelWarning, match=r"URDF cannot hold that damping and friction count: .* with_friction\(\)"):
        text = urdf.write(serial(prismatic([0, 0, 1]), has_friction=True, damping=[0.5]))
    again = urdf.parse(text)
    assert again.damping.tolist() == [0.5] and not again.has_friction
    screws = [prismatic([0, 0, 1])] * 4
    with pytest.warns(ModelWarning, match=r"URDF cannot hold joints in another order than depth first"):
        again = urdf.parse(urdf.write(serial(*screws, parents=[-1, -1, 0, 1])))
    assert again.joint_names == ("joint1", "joint3", "joint2", "joint4")


def test_order_is_kept_by_mounts():
    screws, names = [prismatic([0, 0, 1])] * 4, ["c", "b", "a", "B"]
    m = serial(*screws, parents=[-1, 0, 1, 0], joint_names=names)
    again = urdf.parse(urdf.write(m))
    assert again.joint_names == m.joint_names and same_forces(m, again)
    assert set(again.frames) - set(m.frames) == {"link1_mount1", "link1_mount2"}
    assert set(urdf.parse(urdf.write(again)).frames) == set(again.frames)


def test_names_of_all_kinds_are_written():
    names = ["a b", "<&>\"'", "\u00e9\u20ac\U0001f916", "x\u00a0y"]
    m = serial(*[prismatic([0, 0, 1])] * 4, link_names=names, joint_names=names[::-1], name="\u00e9<")
    again = urdf.parse(urdf.write(m))
    assert (again.name, set(again.link_names), set(again.joint_names)) == (m.name, set(names), set(names))
    assert urdf.parse(urdf.write(m).encode()).name == m.name


ANGLE = st.floats(-7, 7) | st.sampled_from([k * math.pi / 2 + e for k in range(-4, 5) for e in (0.0, 1e-9, -1e-15)])


@given(ANGLE, ANGLE, ANGLE)
def test_angles_of_a_rotation(roll, pitch, yaw):
    R = rotation(roll, pitch, yaw)
    assert close(rotation(*rpy(R)), R, 1e-14)  # `rotation` takes what is within 6e-15 of a quarter turn for one


def test_mujoco_loads_what_is_written():
    import mujoco

    text = arm(
        ("revolute", '<axis xyz="0.6 0 0.8"/>' + LIMIT), ("prismatic",), ("fixed", ""), ("continuous",), ("revolute",)
    )
    m = urdf.parse(text)
    model = mujoco.MjModel.from_xml_string(urdf.write(m))
    data = mujoco.MjData(model)
    x, v, a = np.random.default_rng(5).uniform(-1, 1, (3, m.bodies))
    data.qpos[:], data.qvel[:], data.qacc[:] = x, v, a
    mujoco.mj_inverse(model, data)
    expected = newton_euler(m.tree, x.tolist(), v.tolist(), a.tolist()).tau
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k) for k in range(model.njnt)]
    assert names == list(m.joint_names)
    assert close(data.qfrc_inverse, expected, 1e-9)


# The tree as it was given


def same_tree(m, again):
    """Whether two have the same frames: what they hang on, by what fixed joint, where, and with what load."""
    assert set(again.frames) == set(m.frames) and again.link_names == m.link_names
    for name, frame in m.frames.items():
        other = again.frames[name]
        assert (other.parent, other.joint, other.body) == (frame.parent, frame.joint, frame.body), name
        assert close(other.pose, frame.pose, 1e-12, 1.0)
        ours, theirs = frame.load or Link(), other.load or Link()
        assert close(theirs.mass, ours.mass, 1e-12)
        assert close(theirs.inertia, ours.inertia, 1e-12, 1e-3)
    assert (m.tool is None) == (again.tool is None)
    return m.tool is None or (m.tool.parent, m.tool.body) == (again.tool.parent, again.tool.body)


ROUND_TRIP = [
    "baxter_description/urdf/baxter.urdf",
    "centauro_description/urdf/centauro.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
    "ur_description/urdf/ur5_robot.urdf",
]


@pytest.mark.parametrize("name", ROUND_TRIP)
def test_files_keep_their_tree(name):
    """Names of fixed joints, the inertias of merged links, what joints hang on; and no link that is not in the file."""
    files = example_files()
    m = quietly(urdf.read, files[name])
    text = urdf.write(m)
    again = quietly(urdf.parse, text)
    assert same_tree(m, again) and same_forces(m, again) and again.joint_names == m.joint_names
    assert again.doubts == m.doubts
    masses = {name: body.mass for name, body in own_inertias(again).items()}
    for element in ET.parse(files[name]).getroot().findall("link"):
        mass = element.find("inertial/mass")
        own = 0.0 if mass is None else float(mass.get("value", "0"))
        assert close(masses.get(element.get("name"), 0.0), own, 1e-12, scale=1.0)


def test_own_inertias_of_merged_links_are_written():
    text = arm(("fixed", ""), ("revolute",), ("fixed", ""), ("fixed", ""), ("revolute",))
    m = urdf.parse(text)
    again = urdf.parse(urdf.write(m))
    assert same_tree(m, again) and urdf.write(m).count('<mass value="2"/>') == 6
    part = subtree(again, "d")
    assert part.base.mass == 4.0 and part.joint_names == ("j5",) == subtree(m, "d").joint_names


def test_loads_heavier_than_what_they_ride_on_stay_in_it():
    m = urdf.parse(arm(("revolute",), ("fixed", "")))
    text = toml.write(m).replace("load = {mass = 2.0,", "load = {mass = 9.0,")
    again = urdf.parse(urdf.write(toml.parse(text)))
    assert "mass = 9.0" in text and again.links[0].mass == 4.0 and again.frames["c"].load is None


def test_links_may_be_called_mounts():
    """A name says nothing: what a link is called by is kept, with its inertia and its looks."""
    look = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    torso = joint("fix", "torso", "torso_mount1", "fixed", "", "")
    m = urdf.parse(
        robot(link("a"), link("torso"), link("torso_mount1", INERTIAL + look), joint("j", "a", "torso"), torso)
    )
    again = urdf.parse(urdf.write(m))
    assert same_tree(m, again) and again.frames["torso_mount1"].joint == "fix"
    assert again.frames["torso_mount1"].load.mass == 2.0 and again.visuals == m.visuals != ()


def test_orders_that_merged_links_stand_in_the_way_of():
    """Joints 1 and 3 hang on a merged link, joint 2 beside it: depth first they would come in another order."""
    still, slide = np.zeros(6), prismatic([0, 0, 1])
    m = serial(slide, still, slide, slide, slide, parents=[-1, 0, 1, 0, 1], joint_names=["r", "f", "a", "b", "c"])
    again = urdf.parse(urdf.write(m))
    assert again.joint_names == m.joint_names == ("r", "a", "b", "c") and same_forces(m, again)
    m = serial(slide, still, slide, slide, slide, parents=[-1, 0, 1, 1, 0], joint_names=["r", "z", "b", "a", "c"])
    again = urdf.parse(urdf.write(m))
    assert again.joint_names == ("r", "b", "a", "c") and same_forces(m, again)
    assert descendants(m, "link2") <= descendants(again, "link2")  # mounts are between


# The tool


def test_the_tool_is_written():
    m = urdf.parse(arm(("revolute",), ("fixed", ""), ("revolute",), ("fixed", "")))
    assert '"tool"' not in urdf.write(m)  # a reader finds it
    for T, on in ((pose([0, 0, 0.5]), "e"), (np.eye(4), "b"), (pose([1, 0, 0]), "c"), (pose([0, 1, 0]), "a")):
        moved = with_tool(m, T, on)
        again = urdf.parse(urdf.write(moved))
        assert again.tool.body == moved.tool.body and close(again.tool.pose, moved.tool.pose, 1e-14)
        assert again.frame("tool").parent == on and again.doubts == ()
        assert set(urdf.parse(urdf.write(again)).frames) == set(again.frames)
    fork = serial(*[prismatic([0, 0, 1])] * 3, parents=[-1, 0, 0], tool_link="link2")
    assert urdf.parse(urdf.write(fork)).tool.body == 1


def test_a_tool_that_cannot_be_written_is_warned_of():
    m = urdf.parse(
        robot(link("a"), link("b"), link("tool"), joint("j", "a", "b"), joint("k", "b", "tool", "fixed", ""))
    )
    assert urdf.parse(urdf.write(m)).tool.parent == "tool"
    other = quietly(with_tool, m, np.eye(4), "b")
    with pytest.warns(ModelWarning, match="URDF cannot hold its tool, as a link of another place is called 'tool'"):
        urdf.write(other)
