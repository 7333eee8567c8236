"""URDF files, feature by feature, and what is written of them."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import close
from urdf_text import INERTIAL, LIMIT, arm, joint, link, pinocchio_q, robot

from chasles import zoo
from chasles.dynamics.kinematics import poses
from chasles.dynamics.newton_euler import newton_euler
from chasles.errors import ModelError, ModelWarning
from chasles.io import toml, urdf
from chasles.io.urdf_xml import rpy
from chasles.model.link import Link
from chasles.model.mechanism import matrix, mechanism
from chasles.model.screws import prismatic, screw, turn
from chasles.model.shape import Shape


def rotation(roll, pitch, yaw):
    return turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)


def pose(position, angles=(0, 0, 0)):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation(*angles), position
    return T


def one(type="revolute", inside='<axis xyz="0 0 1"/>' + LIMIT, **more):
    """The mechanism of a robot with one joint."""
    return urdf.parse(robot(link("a"), link("b"), joint("j", "a", "b", type, inside, **more)))


def quietly(f, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return f(*args)


# Links


def test_inertia_is_turned_into_the_link_frame():
    m = one()
    body = m.links[0]
    J = np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]])
    R = rotation(0.3, 0.2, 0.1)
    assert body.mass == 2.0 and np.array_equal(body.com, [0.1, 0.2, 0.3])
    assert close(body.inertia, R @ J @ R.T, 1e-15) and np.array_equal(body.inertia, body.inertia.T)
    assert m.base_name == "a" and m.base.mass == 2.0 and close(m.base.inertia, R @ J @ R.T, 1e-15)


def test_without_an_inertial_a_link_has_no_mass():
    with pytest.warns(ModelWarning, match="link 'b': its mass is zero"):
        m = urdf.parse(robot(link("a", ""), link("b", ""), joint("j", "a", "b")))
    assert m.links[0].mass == 0.0 and m.base.mass == 0.0
    fixed = urdf.parse(
        robot(link("a", ""), link("b"), link("c", ""), joint("j", "a", "b"), joint("k", "b", "c", "fixed"))
    )
    assert fixed.doubts == () and set(fixed.frames) == {"a", "b", "c", "tool"}


def test_fixed_links_are_merged():
    m = urdf.parse(
        robot(
            *map(link, "abcd"),
            joint("k", "a", "b", "fixed", ""),
            joint("j", "b", "c"),
            joint("l", "c", "d", "fixed", "", 'rpy="0 0 1.5707963267948966"'),
        )
    )
    assert (m.link_names, m.joint_names, m.base_name) == (("c",), ("j",), "a")
    assert m.base.mass == m.links[0].mass == 4.0
    assert np.array_equal(m.frames["d"].pose, pose([0, 0, 0], (0, 0, math.pi / 2))) and m.frames["d"].body == 0
    assert m.frames["b"].body == -1 and close(m.frames["b"].pose, pose([1, 2, 3], (0.1, 0.2, 0.3)), 1e-15)


def test_any_link_may_be_called_base():
    m = urdf.parse(
        robot(link("world", ""), link("base"), link("tool"), joint("j", "world", "base"), joint("k", "base", "tool"))
    )
    assert m.link_names == ("base", "tool") and m.base_name == "world" and set(m.frames) == {"world", "base", "tool"}


# Joints


@pytest.mark.parametrize("type", ["revolute", "continuous", "prismatic"])
@pytest.mark.parametrize("axis", ["0 0 1", "1 0 0", "0 -1 0", "0.6 0 -0.8"])
def test_screws(type, axis):
    m = one(type, f'<axis xyz="{axis}"/>{LIMIT}')
    a = np.array(axis.split(), float)
    R = rotation(0.1, 0.2, 0.3)
    expected = prismatic(R @ a) if type == "prismatic" else screw(R @ a, [1, 2, 3])
    assert close(m.screws[0], expected, 1e-15) and close(m.homes[0], pose([1, 2, 3], (0.1, 0.2, 0.3)), 1e-15)
    assert m.kinds == ("screw",)
    lower, upper = (-math.inf, math.inf) if type == "continuous" else (-1.0, 2.0)
    assert [m.limits[k][0] for k in ("lower", "upper", "effort", "velocity")] == [lower, upper, 10.0, 3.0]


def test_the_default_axis_is_x():
    assert close(one("revolute", LIMIT, origin="").screws[0], [1, 0, 0, 0, 0, 0], 0.0)


def test_axes_are_normalised_with_a_note():
    m = one("revolute", '<axis xyz="0 3 4"/>' + LIMIT, origin="")
    assert close(m.screws[0][:3], [0, 0.6, 0.8], 1e-15)
    assert "joint 'j': its axis, of length 5, was normalised" in m.notes and m.doubts == ()


def test_quarter_turns():
    """Exact where given to the last digit, as given otherwise."""
    exact = one(origin='rpy="1.5707963267948966 0 3.141592653589793"').homes[0][:3, :3]
    assert np.array_equal(exact, rotation(math.pi / 2, 0, math.pi)) and np.array_equal(exact, np.rint(exact))
    rough = one(origin='rpy="1.5707963 0 0"').homes[0]
    assert rough[1, 1] == math.cos(1.5707963) != 0.0


def test_quaternions():
    s = math.sqrt(0.5)
    assert close(one(origin=f'quat_xyzw="0 0 {s!r} {s!r}"').homes[0][:3, :3], rotation(0, 0, math.pi / 2), 1e-15)
    with pytest.raises(ModelError, match=r":4: joint 'j': <origin> has both rpy and quat_xyzw"):
        one(origin='rpy="0 0 0" quat_xyzw="0 0 0 1"')
    with pytest.raises(ModelError, match=r":4: joint 'j': <origin> quat_xyzw has length 2"):
        one(origin='quat_xyzw="0 0 0 2"')


def test_floating():
    m = one("floating", "")
    assert m.kinds == ("free",) and not m.screws.any() and m.n == 6
    assert close(m.homes[0], pose([1, 2, 3], (0.1, 0.2, 0.3)), 1e-15)


@pytest.mark.parametrize("axis", ["0 0 1", "0 0 -1"])
def test_planar_across_z(axis):
    m = one("planar", f'<axis xyz="{axis}"/>')
    assert m.kinds == ("planar",) and m.link_names == ("b",) and m.n == 3


@pytest.mark.parametrize("axis", ["1 0 0", "0 1 0", "0 0.6 -0.8", "0.48 0.64 0.6"])
def test_planar_across_any_axis(axis):
    m = one("planar", f'<axis xyz="{axis}"/>')
    assert m.link_names == ("b_plane",) and m.joint_names == ("j",) and m.frames["b"].body == 0 and m.n == 3
    a, H = np.array(axis.split(), float), pose([1, 2, 3], (0.1, 0.2, 0.3))

    def at(q):
        (T,) = poses(m.tree, m.tree.motions(q))
        return np.linalg.inv(H) @ matrix(T) @ m.frames["b"].pose

    assert close(at([0.0, 0.0, 0.0]), np.eye(4), 1e-14)
    T = at([0.7, -0.4, 0.5])
    assert abs(T[:3, 3] @ a) < 1e-14 and close(np.linalg.norm(T[:3, 3]), math.hypot(0.7, 0.4), 1e-14)
    assert close(T[:3, :3] @ a, a, 1e-14) and close(np.trace(T[:3, :3]), 1 + 2 * math.cos(0.5), 1e-14)
    assert close(m.links[0].mass, 2.0)


def test_planar_without_an_axis_says_so():
    m = one("planar", "")
    assert m.link_names == ("b_plane",) and "joint 'j': without an <axis> its plane is that across" in m.notes[0]


def test_limits_that_are_not_there():
    m = one("prismatic", "")
    assert (m.limits["lower"][0], m.limits["upper"][0]) == (-math.inf, math.inf)
    assert any("it has no <limit>" in note for note in m.notes)
    with pytest.warns(ModelWarning, match="a lower limit equal to the upper, no room to move: joint 'j'"):
        m = one("prismatic", '<limit effort="1" velocity="2"/>')
    assert (m.limits["lower"][0], m.limits["upper"][0]) == (0.0, 0.0)
    m = one("revolute", '<limit lower="-1e308" upper="1.7976931348623157e308"/>')
    assert all(math.isinf(m.limits[key][0]) for key in m.limits)


def test_limits_of_zero_are_doubted():
    with pytest.warns(ModelWarning, match=r"no (effort|velocity) is allowed, its limit is zero: joint 'j'"):
        m = one("revolute", '<limit effort="0" velocity="0" lower="0" upper="1"/>')
    assert len(m.doubts) == 2


def test_dynamics_are_kept():
    m = one("revolute", LIMIT + '<dynamics damping="0.5" friction="0.25"/>')
    assert (m.damping[0], m.friction[0]) == (0.5, 0.25)
    m = one("revolute", LIMIT + '<dynamics friction="0.25" K="3"/>')
    assert (m.damping[0], m.friction[0]) == (0.0, 0.25) and "ignored: 'K' of <dynamics> (line 4)" in m.notes


# Mimics


def mimic(name, multiplier=1.0, offset=0.0):
    return f'<axis xyz="0 0 1"/>{LIMIT}<mimic joint="{name}" multiplier="{multiplier}" offset="{offset}"/>'


def test_mimics():
    m = urdf.parse(arm(("revolute", mimic("j2", 2, 0.5)), ("revolute",), ("prismatic", f'{LIMIT}<mimic joint="j1"/>')))
    assert m.mimics == ((1, 2.0, 0.5), None, (1, 2.0, 0.5)) and m.n == 1


def test_mimics_of_mimics():
    m = urdf.parse(arm(("revolute", mimic("j3", -2, 1)), ("revolute",), ("revolute", mimic("j2", 3, 0.5))))
    assert m.mimics == ((1, -6.0, 0.0), None, (1, 3.0, 0.5))


def test_mimics_of_what_does_not_move():
    m = urdf.parse(arm(("revolute", mimic("j2", 2, 0.5)), ("fixed", ""), ("revolute",)))
    assert m.joint_names == ("j3",) and m.n == 1
    expected = pose([1, 2, 3], (0.1, 0.2, 0.3)) @ pose([0, 0, 0], (0, 0, 0.5))
    assert close(m.frames["b"].pose, expected, 1e-15)
    assert "joint 'j1' mimics 'j2' and so never moves: fixed at 0.5" in m.notes
    m = urdf.parse(arm(("prismatic", mimic("j2", 0, 0.25)), ("revolute",)))
    assert m.joint_names == ("j2",) and close(m.frames["b"].pose @ [0, 0, -0.25, 1], [1, 2, 3, 1], 1e-15)
    m = urdf.parse(
        arm(("revolute", mimic("j2", 4, 1)), ("revolute", mimic("j3", 3, 0.5)), ("fixed", ""), ("revolute",))
    )
    assert "joint 'j1' mimics 'j2' and so never moves: fixed at 3" in m.notes


def test_a_mimic_of_nothing_moves_on_its_own():
    with pytest.warns(ModelWarning, match="joint 'j1' mimics 'left', which does not exist: it moves on its own"):
        m = urdf.parse(arm(("revolute", mimic("left"))))
    assert m.mimics == (None,)


def test_a_fixed_joint_mimics_nothing():
    m = urdf.parse(arm(("fixed", mimic("j2")), ("revolute",)))
    assert m.n == 1 and "ignored: <mimic> of a fixed joint (line 5)" in m.notes


# Order


NAMES = st.text("aB1_z\u00e9\u20ac", min_size=1, max_size=4)


@settings(max_examples=40)
@given(st.lists(NAMES, min_size=1, max_size=9, unique=True), st.randoms(use_true_random=False))
def test_the_order_is_pinocchios(names, random):
    pin = pytest.importorskip("pinocchio")
    links = [f"l{k}" for k in range(len(names) + 1)]
    joints = [
        joint(name, links[random.randrange(k + 1)], links[k + 1], random.choice(["revolute", "fixed", "prismatic"]))
        for k, name in enumerate(names)
    ]
    parts = [*map(link, links), *joints]
    random.shuffle(parts)
    text = robot(*parts)
    model, m = pin.buildModelFromXML(text), urdf.parse(text)
    assert list(m.joint_names) == list(model.names)[1:]
    again = quietly(urdf.parse, urdf.write(m))
    assert again.joint_names == m.joint_names and again.link_names == m.link_names
    assert list(pin.buildModelFromXML(urdf.write(m)).names) == list(model.names)
    assert set(urdf.parse(urdf.write(again)).frames) == set(again.frames)


# What is not dynamics


def test_shapes():
    inside = (
        '<visual name="v"><origin xyz="1 2 3"/><geometry><mesh filename="package://x/../../etc/passwd" scale="2 2 2"/>'
        '</geometry><material name="red"/></visual>'
        '<visual><geometry><box size="1 2 3"/></geometry><material name="own"><color rgba="0 0 1 1"/></material>'
        "</visual>"
        '<visual><geometry><sphere radius="1"/></geometry><material name="own"/></visual>'
        '<collision><geometry><cylinder radius="1" length="2"/></geometry></collision>'
        '<collision><geometry><capsule radius="1" length="2"/></geometry></collision>'
        "<collision><geometry/></collision><visual><geometry><cone/></geometry></visual>"
    )
    red = '<material name="red"><color rgba="1 0 0 0.5"/><texture filename="t.png"/></material>'
    m = urdf.parse(robot(link("a", inside), red))
    I, rows = tuple(map(tuple, np.eye(4))), tuple(map(tuple, pose([1, 2, 3])))
    assert m.visuals == (
        Shape("a", "visual", "mesh", (2, 2, 2), rows, "package://x/../../etc/passwd", "v", (1, 0, 0, 0.5), "t.png"),
        Shape("a", "visual", "box", (1, 2, 3), I, colour=(0, 0, 1, 1)),
        Shape("a", "visual", "sphere", (1,), I, colour=(0, 0, 1, 1)),
        Shape("a", "collision", "cylinder", (1, 2), I),
        Shape("a", "collision", "capsule", (1, 2), I),
    )
    assert "ignored: <collision> without a geometry that is known (line 2)" in m.notes
    assert urdf.parse(urdf.write(m)).visuals == m.visuals


def test_what_is_unknown_is_noted():
    m = urdf.parse(robot(link("a", "<contact/>"), "<gazebo/>", "<gazebo><link/></gazebo>", "words", '<link name="b"/>',
                         joint("j", "a", "b", "fixed", "<safety_controller/>")))  # fmt: skip
    assert m.notes[:4] == (
        "ignored: <gazebo> in <robot>, 2 times, first on line 3",
        "ignored: text inside <robot> (line 1)",
        "ignored: <contact> in <link> (line 2)",
        "ignored: <safety_controller> in <joint> (line 7)",
    )


def test_a_robot_without_a_name_is_called_after_its_file(tmp_path):
    file = tmp_path / "shy.urdf"
    file.write_text('<robot><link name="a"/></robot>')
    assert urdf.read(file).name == urdf.read(str(file)).name == "shy"
    assert urdf.read(file).n == 0


# Writing


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


def test_mimics_and_losses_are_written():
    text = arm(
        ("revolute", mimic("j2", 2, 0.5) + '<dynamics damping="1" friction="2"/>'), ("continuous",), ("fixed", "")
    )
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
    assert close(rotation(*rpy(R)), R, 1e-15)


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


def test_inertial_text_is_a_valid_one():
    assert urdf.parse(robot(link("a", INERTIAL))).doubts == ()
