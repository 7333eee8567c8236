"""URDF files that are written: other tools load them, and so do we."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tolerances import close
from urdf_text import LIMIT, arm, pinocchio_q, pose, quietly, rotation

from chasles import zoo
from chasles.dynamics.newton_euler import newton_euler
from chasles.errors import ModelError, ModelWarning
from chasles.io import toml, urdf
from chasles.io.urdf_xml import rpy
from chasles.model.link import Link
from chasles.model.mechanism import mechanism
from chasles.model.screws import prismatic, screw


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
    pin = pytest.importorskip("pinocchio")
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
    with pytest.raises(ModelError, match=r"'a\\x07b' cannot be written to an XML file"):
        urdf.write(serial(prismatic([0, 0, 1]), name="a\ab"))


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
    names = ["a b", "<&>\"'", "\u00e9\u20ac\U0001f916", "x\ny"]
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
    mujoco = pytest.importorskip("mujoco")
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
