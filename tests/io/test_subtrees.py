"""Subtrees of links that were merged, compared with files from which all else was cut by hand."""

import warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from support.tolerances import EXACT, close
from support.urdf_text import example_files

from chasles.dynamics.newton_euler import newton_euler
from chasles.errors import ModelError, ModelWarning
from chasles.io import toml, urdf
from chasles.model.link import Link
from chasles.model.variations import subtree, with_base, with_gravity, with_locked, with_payload

FILES = example_files()
BAXTER = "baxter_description/urdf/baxter.urdf"
PARTS = [  # links that are merged, but the last two
    (BAXTER, "torso"),
    (BAXTER, "left_arm_mount"),
    (BAXTER, "right_gripper_base_link"),
    ("talos_data/robots/talos_full_v2.urdf", "gripper_left_base_link"),
    ("romeo_description/urdf/romeo.urdf", "body"),
    ("talos_data/robots/talos_full_v2.urdf", "torso_2_link"),
    (BAXTER, "left_upper_shoulder"),
]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        yield


def cut(name, root, fixed=()):
    """The text of a file with the link `root` and all beyond it alone; `fixed`: joints made fixed."""
    robot = ET.parse(FILES[name]).getroot()
    joints = [joint for joint in robot.findall("joint") if joint.find("parent") is not None]
    children: dict[str, list[str]] = {}
    for joint in joints:
        children.setdefault(joint.find("parent").get("link"), []).append(joint.find("child").get("link"))
    kept, stack = set(), [root]
    while stack:
        kept.add(link := stack.pop())
        stack += children.get(link, [])
    for joint in robot.findall("joint"):
        if joint not in joints or joint.find("parent").get("link") not in kept:
            robot.remove(joint)
        elif joint.get("name") in fixed:
            joint.set("type", "fixed")
    for link in robot.findall("link"):
        if link.get("name") not in kept:
            robot.remove(link)
    for other in robot.findall("transmission") + robot.findall("gazebo"):
        robot.remove(other)
    return ET.tostring(robot, encoding="unicode")


def same(part, alone):
    """Whether a part is the robot of a file: names, what can be seen of it, and forces on a base that moves."""
    for what in ("joint_names", "link_names", "parents", "kinds", "mimics", "base_name"):
        assert getattr(part, what) == getattr(alone, what), what
    assert set(part.frames) - {"tool"} == set(alone.frames) - {"tool"}
    assert {x.frame for x in part.visuals} == {x.frame for x in alone.visuals}
    for name, frame in alone.frames.items():
        if name != "tool":
            assert part.frames[name].parent == frame.parent and part.frames[name].body == frame.body
            assert close(part.frames[name].pose, frame.pose, 1e-12, 1.0)
            ours, theirs = part.frames[name].load or Link(), frame.load or Link()
            assert close(ours.mass, theirs.mass, EXACT)
            assert close(ours.inertia, theirs.inertia, 1e-12, 1e-3)
    ours, theirs = with_base(part, "free"), with_base(with_gravity(alone, part.gravity), "free")
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (3, ours.tree.nq))
    q, v, a = x[0].tolist(), x[1][: ours.tree.n].tolist(), x[2][: ours.tree.n].tolist()
    tau = newton_euler(theirs.tree, q, v, a).tau
    return close(newton_euler(ours.tree, q, v, a).tau, tau, 1e-12)


@pytest.mark.parametrize(("name", "link"), PARTS)
def test_a_part_is_what_a_file_of_it_is(name, link):
    assert same(subtree(urdf.read(FILES[name]), link), urdf.parse(cut(name, link)))


@pytest.mark.slow
def test_parts_of_parts_and_of_files_written():
    m = urdf.read(FILES[BAXTER])
    alone = urdf.parse(cut(BAXTER, "left_arm_mount"))
    assert same(subtree(subtree(m, "torso"), "left_arm_mount"), alone)
    assert same(subtree(toml.parse(toml.write(m)), "left_arm_mount"), alone)
    assert same(subtree(urdf.parse(urdf.write(m)), "left_arm_mount"), alone)
    assert same(subtree(with_base(m, "free"), "left_arm_mount"), alone)
    assert same(subtree(m, m.base_name), m)


def test_parts_of_a_robot_with_locked_joints():
    """Of merged links, and of one that is merged because its joint is locked."""
    m = with_locked(urdf.read(FILES[BAXTER]), {"left_s0": 0.0, "left_e1": 0.0, "left_w0": 0.0})
    for link in ("torso", "left_arm_mount", "left_upper_shoulder", "left_lower_elbow"):
        alone = urdf.parse(cut(BAXTER, link, fixed=("left_s0", "left_e1", "left_w0")))
        assert same(subtree(m, link), alone)
    assert toml.parse(toml.write(m)).key == m.key


def test_parts_of_a_robot_with_a_payload():
    """It rides on the part that has its link, however that was merged."""
    load = Link(2.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25))
    m = urdf.read(FILES[BAXTER])
    for link in ("left_gripper_base_link", "left_arm_mount", "left_upper_shoulder"):
        assert same(
            subtree(with_payload(m, link, load), "left_arm_mount"),
            with_payload(subtree(m, "left_arm_mount"), link, load),
        )
    other = with_payload(m, "right_arm_mount", load)
    assert same(subtree(other, "left_arm_mount"), subtree(m, "left_arm_mount"))
    assert close(subtree(other, "torso").base.mass, subtree(m, "torso").base.mass + 2.0)


def test_nothing_hangs_on_a_hand():
    m = urdf.read(FILES[BAXTER])
    with pytest.raises(ModelError, match="nothing moves beyond 'left_gripper' of robot 'baxter'"):
        subtree(m, "left_gripper")
