"""URDF files, feature by feature."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tolerances import close, small
from support.urdf_text import LIMIT, arm, joint, link, pose, quietly, robot, rotation

from chasles.dynamics.kinematics import poses
from chasles.errors import ModelError, ModelWarning
from chasles.io import urdf
from chasles.model.poses import matrix
from chasles.model.screws import prismatic, screw
from chasles.model.shape import Shape


def one(type="revolute", inside='<axis xyz="0 0 1"/>' + LIMIT, **more):
    """The mechanism of a robot with one joint."""
    return urdf.parse(robot(link("a"), link("b"), joint("j", "a", "b", type, inside, **more)))


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
    assert small(T[:3, 3] @ a, 1e-14) and close(np.linalg.norm(T[:3, 3]), math.hypot(0.7, 0.4), 1e-14)
    assert close(T[:3, :3] @ a, a, 1e-14) and close(np.trace(T[:3, :3]), 1 + 2 * math.cos(0.5), 1e-14)
    assert close(m.links[0].mass, 2.0)


def test_planar_without_an_axis_says_so():
    m = one("planar", "")
    assert m.link_names == ("b_plane",) and "joint 'j': without an <axis> its plane is that across" in m.notes[0]


def test_limits_that_are_not_there():
    for kind in ("revolute", "prismatic"):
        with pytest.warns(ModelWarning, match=f"no <limit>, which URDF wants of a {kind} joint, .*: joint 'j'"):
            m = one(kind, "")
        assert (m.limits["lower"][0], m.limits["upper"][0]) == (-math.inf, math.inf)
    assert not one("continuous", "").doubts
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


def test_a_mimic_of_nothing_is_refused():
    with pytest.raises(ModelError, match=r":\d+: joint 'j1' mimics 'left', which is no joint of this file$"):
        urdf.parse(arm(("revolute", mimic("left"))))
    with pytest.raises(ModelError, match=r"joint 'j1' mimics 'j', which is no joint of this file; did you mean 'j1'\?"):
        urdf.parse(arm(("revolute", mimic("j"))))


def test_a_fixed_joint_mimics_nothing():
    m = urdf.parse(arm(("fixed", mimic("j2")), ("revolute",)))
    assert m.n == 1 and "ignored: <mimic> of a fixed joint (line 5)" in m.notes


# Order


NAMES = st.text("aB1_z\u00e9\u20ac", min_size=1, max_size=4)


@settings(max_examples=40)
@given(st.lists(NAMES, min_size=1, max_size=9, unique=True), st.randoms(use_true_random=False))
def test_the_order_is_pinocchios(names, random):
    import pinocchio as pin

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


def test_what_is_unknown_in_shapes_is_noted():
    inside = (
        '<visual group="x"><geometry name="g"><mesh filename="a" unit="mm"/></geometry><shade/>'
        '<material name="none"/></visual>'
        '<visual><geometry><sphere radius="1" lod="2"/></geometry><material name="m"><color rgba="1 0 0 1" hue="3"/>'
        "<gloss/></material></visual>"
        '<collision><geometry><box size="1 1 1"/></geometry><material name="m"/></collision>'
    )
    m = urdf.parse(robot(link("a", inside)))
    assert {note.removeprefix("ignored: ").removesuffix(" (line 2)") for note in m.notes if "ignored" in note} == {
        "'group' of <visual>",
        "'name' of <geometry>",
        "'unit' of <mesh>",
        "<shade> in <visual>",
        "material 'none', which is described nowhere",
        "'lod' of <sphere>",
        "'hue' of <color>",
        "<gloss> in <material>",
        "<material> in <collision>",
    }
    assert len(m.visuals) == 3


def test_a_robot_without_a_name_is_called_after_its_file(tmp_path):
    file = tmp_path / "shy.urdf"
    file.write_text('<robot><link name="a"/></robot>')
    assert urdf.read(file).name == urdf.read(str(file)).name == "shy"
    assert urdf.read(file).n == 0
