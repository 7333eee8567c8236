"""MJCF files: mass matrix, bias, poses and Jacobians are MuJoCo's; what is not carried is said."""

import sys
import warnings

import mujoco
import numpy as np
import pytest
from support.eager import Eager
from support.tolerances import close

import chasles as ch
from chasles.conventions import from_coordinates, from_mujoco_jacobian, to_coordinates, velocity_drift, velocity_map
from chasles.errors import ModelError, ModelWarning
from chasles.io.mjcf import from_mujoco, parse, read

PENDULUM = """<mujoco model="pendulum">
  <option gravity="1 2 -9"/>
  <worldbody>
    <body name="pole" pos="0 0 1" euler="10 20 30">
      <joint name="hinge" axis="1 2 3" pos="0.1 0.2 0.3" ref="30" range="-90 45" armature="0.1" damping="0.3"
        frictionloss="0.2" actuatorfrcrange="-5 5"/>
      <geom type="capsule" fromto="0 0 0 0.3 0.2 0.5" size="0.05"/>
      <site name="tip" pos="0.3 0.2 0.5" euler="0 90 0"/>
      <body name="bob" pos="0.3 0.2 0.5"><geom type="box" size="0.1 0.2 0.3" euler="5 10 15" pos="0.1 0 0"/></body>
    </body>
  </worldbody>
</mujoco>"""

CART = """<mujoco>
  <compiler angle="radian" autolimits="false"/>
  <default><joint armature="0.02" damping="0.1"/><default class="wrist"><joint armature="0.5"/></default></default>
  <worldbody>
    <body pos="0.1 0.2 0.3" euler="0.3 0.2 0.1">
      <joint type="slide" axis="1 0 0" name="x" ref="0.4"/>
      <joint type="slide" axis="0 1 0.5" name="y"/>
      <joint axis="0 0 1" pos="0.1 0.2 0" name="turn" ref="0.7"/>
      <geom type="box" size="0.1 0.2 0.3" density="300"/>
      <body name="arm" pos="0.2 0 0.1" quat="0.5 0.5 -0.5 0.5">
        <joint type="ball" pos="0.05 -0.1 0.2"/>
        <joint type="slide" axis="0 1 1" class="wrist"/>
        <inertial pos="0.1 0.2 0.1" mass="2" fullinertia="0.3 0.4 0.5 0.01 0.02 0.03"/>
      </body>
      <body name="shelf" pos="0 0 0.5"><geom size="0.1"/><site name="tool" pos="0 0 0.1"/></body>
    </body>
    <body name="post" pos="1 1 0"><geom size="0.1"/></body>
  </worldbody>
</mujoco>"""

HUMANOID = """<mujoco model="humanoid">
  <default><joint armature="0.01" damping="0.2" limited="false"/><geom density="900"/></default>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="torso" pos="0 0 1.3" quat="0.8 0.1 0.2 0.3">
      <freejoint name="root"/>
      <geom type="capsule" fromto="0 -0.1 0 0 0.1 0" size="0.1"/>
      <geom type="sphere" pos="0 0 0.25" size="0.09"/>
      <site name="imu" pos="0.1 0 0" euler="10 0 20"/>
      <body name="waist" pos="-0.01 0 -0.26" euler="0 5 0">
        <joint name="abdomen_z" axis="0 0 1" pos="0 0 0.06"/>
        <joint name="abdomen_y" axis="0 1 0" pos="0 0 0.06"/>
        <geom type="capsule" fromto="0 -0.06 0 0 0.06 0" size="0.06"/>
        <body name="right_thigh" pos="0 -0.1 -0.04">
          <joint name="right_hip" type="ball"/>
          <geom type="capsule" fromto="0 0 0 0 0.01 -0.34" size="0.06"/>
          <body name="right_shin" pos="0 0.01 -0.4">
            <joint name="right_knee" axis="0 -1 0" pos="0 0 0.02"/>
            <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.05"/>
          </body>
        </body>
        <body name="left_thigh" pos="0 0.1 -0.04">
          <joint name="left_hip" type="ball" pos="0 0 0.03"/>
          <geom type="capsule" fromto="0 0 0 0 -0.01 -0.34" size="0.06"/>
          <body name="left_shin" pos="0 -0.01 -0.4">
            <joint name="left_knee" axis="0 -1 0" pos="0 0 0.02"/>
            <geom type="ellipsoid" size="0.05 0.06 0.15" pos="0 0 -0.15"/>
            <site name="left_foot" pos="0 0 -0.3"/>
          </body>
        </body>
      </body>
    </body>
    <body name="ball" pos="1 0 1"><freejoint/><geom size="0.11"/></body>
  </worldbody>
</mujoco>"""
ROBOTS = {"pendulum": PENDULUM, "cart": CART, "humanoid": HUMANOID}


def quietly(f, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return f(*args)


def contact(doubts):
    """Whether all there is to doubt is that contacts are lost."""
    return len(doubts) == 1 and doubts[0].startswith("contacts are not carried")


def wrap(inside, before=""):
    """A body 'b' with what is given inside it, on line 2."""
    return f"<mujoco>{before}<worldbody><body name='b'>\n<geom size='0.1'/>{inside}</body></worldbody></mujoco>"


@pytest.mark.parametrize("name", ROBOTS)
def test_agrees_with_mujoco(name):
    m, model = quietly(parse, ROBOTS[name]), mujoco.MjModel.from_xml_string(ROBOTS[name])
    ours, data, rng = Eager(m), mujoco.MjData(model), np.random.default_rng(0)
    assert (m.n, m.coupling.nq) == (model.nv, model.nq)
    for _ in range(5):
        q, v = ours.random(rng), rng.normal(size=m.n)
        X, drift = velocity_map(m, q, "mujoco"), velocity_drift(m, q, v, "mujoco")
        data.qpos, data.qvel = to_coordinates(m, q, "mujoco"), X @ v
        assert close(from_coordinates(m, data.qpos, "mujoco"), q)
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        assert close(ours.M(q), X.T @ M @ X, 1e-9)
        assert close(ours.bias(q, v), X.T @ (data.qfrc_bias + M @ drift), 1e-9)
        names = [("body", model.body(b).name) for b in range(model.nbody)] + [
            ("site", model.site(s).name) for s in range(model.nsite)
        ]
        for what, frame in names:
            if not frame:
                continue
            at = getattr(data, what)(frame)
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = at.xmat.reshape(3, 3), at.xpos
            assert close(ours.pose(q, frame), T, 1e-9)
            J = np.zeros((2, 3, model.nv))
            getattr(mujoco, f"mj_jac{what.title()}")(model, data, *J, getattr(model, what)(frame).id)
            assert close(ours.J(q, frame, "mixed"), from_mujoco_jacobian(*J) @ X, 1e-9, 1.0)


def test_numbers_and_names():
    m = parse(PENDULUM)
    assert (m.name, m.joint_names, m.link_names, m.base_name) == ("pendulum", ("hinge",), ("pole",), "world")
    assert set(m.frames) == {"world", "pole", "bob", "tip", "tool"}
    assert close(m.gravity, [1, 2, -9]) and close(m.limits["effort"], [5.0])
    assert close(m.limits["lower"], [-np.pi / 2]) and close(m.limits["upper"], [np.pi / 4])
    assert (m.armature, m.damping, m.friction) == (0.1, 0.3, 0.2)
    assert any("merged" in note and "'bob'" in note for note in m.notes)
    m = quietly(parse, CART)
    assert contact(m.doubts)  # alone: the links between joints of one body have no mass, and no file said so
    assert m.joint_names == ("x", "y", "turn", "arm_joint1", "arm_joint2")
    assert m.link_names == ("body1_after_x", "body1_after_y", "body1", "arm_after_arm_joint1", "arm")
    assert {"shelf", "post"} <= set(m.frames) and m.tool is not None and m.tool.body == 2
    assert close(m.armature, [0.02, 0.02, 0.02, 0.02, 0.5]) and np.isinf(m.limits["lower"]).all()
    m = quietly(parse, HUMANOID)
    assert m.kinds[0] == "free" and m.link_names[5:7] == ("left_thigh_ball", "left_shin") and "left_thigh" in m.frames
    assert any("'torso' is free" in note for note in m.notes)
    assert contact(m.doubts) and m.joint_names[-1] == "ball_joint"


def test_gravity_may_be_off():
    assert not parse(wrap("<joint/>", "<option><flag gravity='disable'/></option>")).gravity.any()


TWO = "<joint name='a'/><body name='c' pos='0 0 1'><geom size='0.1'/><joint name='d' ref='90'/><site name='s'/></body>"
DOUBTS = {
    "equality 'e' (joint), which says d = 2 a + 1.6708": (
        TWO,
        "<equality><joint name='e' joint1='d' joint2='a' polycoef='0.1 2 0 0 0'/></equality>",
    ),
    "equality 0 (joint), on joint 'a'": (TWO, "<equality><joint joint1='a'/></equality>"),
    "equality 0 (weld) is not carried": (TWO, "<equality><weld body1='b' body2='world'/></equality>"),
    "tendon 't': tendons are not carried": (
        TWO,
        "<tendon><fixed name='t'><joint joint='a' coef='1'/></fixed></tendon>",
    ),
    "joint 'a': its spring is not carried": ("<joint name='a' stiffness='3'/>", ""),
    "joint 'a': the part of its damping that is not linear": ("<joint name='a' damping='3 1'/>", ""),
    "body 'c': its gravity compensation": (TWO.replace("<body ", "<body gravcomp='1' "), ""),
    "the forces of the fluid around": (TWO, "<option density='1.2' viscosity='1e-5'/>"),
    "body 'm': its motion from outside (mocap)": (
        "<joint/></body><body name='m' mocap='true'><geom size='0.1'/>",
        "",
    ),
    "joint 'f': the armature of a free joint": ("<joint type='free' name='f' armature='1'/>", ""),
}


@pytest.mark.parametrize("doubt", DOUBTS)
def test_doubts(doubt):
    inside, outside = DOUBTS[doubt]
    with pytest.warns(ModelWarning) as caught:
        m = parse(wrap(inside, outside))
    assert any(text.startswith(doubt) for text in m.doubts), m.doubts
    assert any(doubt in str(warning.message) for warning in caught)


def test_notes():
    m = parse(
        wrap(
            "<joint name='a' actuatorfrcrange='-1 2'/><body name='c'><geom type='ellipsoid' size='0.1 0.2 0.3'/>"
            "<joint type='ball' name='s' range='0 60'/></body>",
            "<actuator><motor name='drive' joint='a'/></actuator><sensor><jointpos joint='a'/></sensor>"
            "<keyframe><key qpos='0 1 0 0 0'/></keyframe>",
        )
    )
    for text in (
        "actuator 'drive'",
        "1 sensors",
        "1 keyframes",
        "joint 's': the range of a ball",
        "1 geoms",
        "'a': its act",
    ):
        assert any(text in note for note in m.notes), text
    assert not m.doubts


WRONG = {
    "": r"f\.xml:1: not XML: the file is empty",
    "<mujoco>\n<worldbody>": r"f\.xml:2: not XML: no element found",
    "<robot name='r'/>": r"f\.xml:1: the root of an MJCF file is <mujoco>, this one's is <robot>: a URDF file",
    "<!DOCTYPE a [<!ENTITY b 'c'>]><mujoco/>": "document type",
    "<mujoco>\n<worldbody/><worldbod/></mujoco>": r"f\.xml:2: MuJoCo: .*worldbod",
    "<mujoco a='1' a='2'/>": "duplicate attribute",
    wrap("<joint type='ball' type='free'/>"): "duplicate attribute",
    wrap("<joint axis='0 0 0'/>"): r"f\.xml:2: MuJoCo: ",
    wrap("<joint type='square'/>"): r"f\.xml:2: MuJoCo: .*square",
    wrap(
        "<inertial pos='0 0 0' mass='inf' diaginertia='1 1 1'/><joint/>"
    ): "f.xml:2: <inertial> mass='inf' is not finite",
    wrap("<joint armature='nan'/>"): "f.xml:2: <joint> armature='nan' is not finite",
    wrap(
        "<inertial pos='0 0 nan' mass='1' diaginertia='1 1 1'/><joint/>"
    ): "f.xml:2: <inertial> pos='0 0 nan' is not finite",
    "<mujoco><include file='/nope/nothing.xml'/></mujoco>": "nothing.xml",
    "\0": "NUL",
    "<mujoco/>\udc80": "not XML",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_mistakes(text):
    with pytest.raises(ModelError, match=WRONG[text]), warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        parse(text, "f.xml")


def test_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "robots" / "arm.xml"
    path.parent.mkdir()
    path.write_text("<mujoco><!-- a -- b --><include file='rest.xml'/></mujoco>")
    (path.parent / "rest.xml").write_text(wrap("<joint/>"))
    m = read(path)
    assert (m.name, m.joint_names) == ("arm", ("b_joint",))
    assert read(str(path)).joint_names == ("b_joint",)
    path.write_bytes(wrap("<joint name='a'/>").encode("utf-8-sig"))
    assert read(path).joint_names == ("a",)
    for bad, message in ((tmp_path, "folder"), (tmp_path / "none.xml", "cannot be read")):
        with pytest.raises(ModelError, match=message):
            read(bad)
    path.write_bytes(b"<mujoco>\n\xff\xfe</mujoco>")
    with pytest.raises(ModelError, match=r"arm\.xml:2: not UTF-8"):
        read(path)
    for part in ("<joint pos='nan 0 0'/>", "<geom size='.1' mass='nan'/>", "<joint range='-inf 1'/>"):
        with pytest.raises(ModelError, match=r"<text>:\d+: <.*> .* is not finite"):
            parse(wrap(part))
    for part in ("<include file='/etc/passwd'/>", "<include file='../../x.xml'/>"):
        with pytest.raises(ModelError, match="outside of the robot's own folder"):
            parse(f"<mujoco>{part}</mujoco>")
    assert not list(tmp_path.glob("MUJOCO_LOG*"))


def test_other_models(monkeypatch):
    model = mujoco.MjModel.from_xml_string(wrap("<joint name='a'/>"))
    assert from_mujoco(model).name == "robot" and from_mujoco(model, name="n").name == "n"
    with pytest.raises(ModelError, match=r"mujoco.MjModel is needed, got int"):
        from_mujoco(3)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ModelError, match="pip install mujoco"):
        parse("<mujoco/>")


def test_names_that_are_given_come_before_those_that_are_not():
    """An unnamed body or site takes none from one that has a name, wherever they stand."""
    m = quietly(
        parse,
        """<mujoco><worldbody>
          <body pos="1 0 0"><joint/><geom size=".1"/><site pos="0 0 1"/>
            <body name="body1" pos="5 0 0"><joint/><geom size=".1"/><site name="site0" pos="0 0 2"/>
              <body pos="0 7 0"><joint type="slide"/><geom size=".1"/></body>
            </body>
          </body>
        </worldbody></mujoco>""",
    )
    assert m.link_names == ("body1_2", "body1", "body3")
    assert m.joint_names == ("body1_2_joint", "body1_joint", "body3_joint")
    home = {name: m.homes[frame.body] @ frame.pose for name, frame in m.frames.items() if frame.body >= 0}
    assert home["body1"][:3, 3].tolist() == [6, 0, 0] and home["body1_2"][:3, 3].tolist() == [1, 0, 0]
    assert home["site0"][:3, 3].tolist() == [6, 0, 2] and home["site0_2"][:3, 3].tolist() == [1, 0, 1]
    assert not any("shares its name" in note for note in m.notes)


def test_a_robot_of_a_compiled_model():
    model = mujoco.MjModel.from_xml_string(PENDULUM)
    robot = quietly(ch.Robot.from_mujoco, model)
    assert robot.mechanism.key == quietly(parse, PENDULUM).key
    with pytest.raises(ch.ModelError, match=r"a mujoco\.MjModel is needed, got str"):
        ch.Robot.from_mujoco("pendulum.xml")


def test_doubts_stay_with_the_robot():
    robot = quietly(ch.Robot.from_mujoco, mujoco.MjModel.from_xml_string(CART))
    assert contact(robot.doubts) and robot.with_gravity([0, 0, 0]).with_locked({"x": 0.1}).doubts == robot.doubts
