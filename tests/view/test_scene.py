"""A robot as the data of a page: joints with their ranges, limbs, what can be dragged, and where up is."""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.tolerances import close, small

import chasles as ch
from chasles.view.scene import scene

ASSETS = Path(__file__).parents[2] / "src" / "chasles" / "view" / "assets"
KINDS = ("screw", "spherical", "planar", "free")


@cache
def kinds():
    """A robot with a joint of each kind, in a row."""
    homes = np.stack([np.eye(4)] * 4)
    homes[:, 0, 3] = 0.3 * np.arange(4)
    links = [ch.Link(1.0, [0.15, 0.0, 0.0], 0.01 * np.eye(3))] * 4
    screws = np.zeros((4, 6))
    screws[0, 3] = 1.0
    return ch.Robot.from_screws(screws, homes, links, kinds=KINDS)


def tree(limbs, length):
    """Limbs on one base, joints about y, named limb0_1, limb0_2, ..."""
    count = limbs * length
    homes = np.stack([np.eye(4)] * count)
    homes[:, 0, 3] = np.repeat(np.arange(limbs), length)
    homes[:, 2, 3] = np.tile(0.2 * np.arange(length), limbs)
    screws = np.zeros((count, 6))
    screws[:, 1] = 1.0
    screws[:, 3:] = -np.cross(screws[:, :3], homes[:, :3, 3])
    parents = [-1 if k % length == 0 else k - 1 for k in range(count)]
    names = [f"limb{k // length}_{k % length + 1}_joint" for k in range(count)]
    links = [ch.Link(1.0, [0.0, 0.0, 0.1], 0.01 * np.eye(3))] * count
    return ch.Robot.from_screws(screws, homes, links, parents, joint_names=names)


@pytest.mark.parametrize("name", ["panda", "scara", "kinds"])
def test_the_data_is_plain_and_has_a_row_a_velocity(name):
    robot = kinds() if name == "kinds" else ch.load(name)
    data = scene(robot)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert len(data["joints"]) == robot.n == len(data["effort"]) and len(data["links"]) == robot.mechanism.bodies


def test_joints_of_several_velocities_have_names_that_say_what_they_do():
    joints = scene(kinds())["joints"]
    assert [joint["name"].partition(" ")[2] for joint in joints] == (
        ["", "turn x", "turn y", "turn z", "x", "y", "turn", "turn x", "turn y", "turn z", "x", "y", "z"]
    )
    assert [joint["unit"] for joint in joints] == ["m", *["rad"] * 3, "m", "m", "rad", *["rad"] * 3, *["m"] * 3]
    assert [joint["q"] for joint in joints] == [0, 1, 1, 1, 5, 5, 5, 8, 8, 8, 8, 8, 8]


def test_ranges_are_the_limits_and_say_where_there_are_none():
    panda = ch.load("panda")
    lower, upper = panda.mechanism.position_limits
    for joint, low, high in zip(scene(panda)["joints"], lower, upper, strict=True):
        assert (joint["lower"], joint["upper"]) == (low, high) and joint["limited"] == [True, True]
    planar = scene(ch.load("planar_2r"))["joints"][0]
    assert planar["limited"] == [False, False] and planar["upper"] == np.pi


def test_columns_are_the_velocities_of_links(rng):
    """A link moves against its parent, in its own frame, by its columns times its rates."""
    robot, h = kinds(), 1e-5
    links, q, v = scene(robot)["links"], robot.random(rng), rng.normal(size=robot.n)
    before, now, after = (robot.link_poses(robot.integrate(q, x * v)) for x in (-h, 0.0, h))
    for i, link in enumerate(links):
        T0, T, T1 = (x[i] if i == 0 else np.linalg.inv(x[link["parent"]]) @ x[i] for x in (before, now, after))
        rate = np.linalg.inv(T) @ (T1 - T0) / (2.0 * h)
        twist = [rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]]
        own = np.array(link["columns"]).T @ v[link["v"] : link["v"] + len(link["columns"])]
        assert small(twist - own, 1e-6)


def test_many_joints_are_grouped_by_limb():
    data = scene(tree(4, 4))
    assert [group["name"] for group in data["groups"]] == ["limb0", "limb1", "limb2", "limb3"]
    assert [group["joints"] for group in data["groups"]] == [list(range(4 * k, 4 * k + 4)) for k in range(4)]
    assert scene(tree(2, 4))["groups"] is None


def test_what_can_be_dragged_is_the_tool_or_the_end_of_each_limb():
    tool, (tip,) = ch.load("panda").mechanism.tool, scene(ch.load("panda"))["tips"]
    assert tool and tip["name"] == "tool" and close(tip["at"], tool.pose[:3, 3], 1e-12, scale=1.0)
    tips = scene(tree(3, 2))["tips"]
    assert [tip["link"] for tip in tips] == [1, 3, 5] and all(close(tip["at"], [0.0, 0.0, 0.2], 1e-12) for tip in tips)


def test_a_tool_that_no_joint_moves_is_not_dragged_but_the_tip_is():
    turn, slide = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    link = ch.Link(1.0, [0.0, 0.0, -0.2], 0.01 * np.eye(3))
    (tip,) = scene(ch.Robot.from_screws([turn], [np.eye(4)], [link]))["tips"]
    assert tip["name"] != "tool" and close(tip["at"], [0.0, 0.0, -0.4], 1e-12)
    (tip,) = scene(ch.Robot.from_screws([slide], [np.eye(4)], [link]))["tips"]
    assert tip["name"] == "tool"


def test_up_is_against_gravity_and_planar_robots_are_seen_along_their_axes():
    data = scene(ch.load("planar_2r"))
    assert close(data["up"], [0.0, 1.0, 0.0], 1e-12) and close(np.abs(data["across"]), [0.0, 0.0, 1.0], 1e-12)
    assert scene(ch.load("panda"))["across"] is None
    weightless = scene(ch.load("planar_2r").with_gravity([0.0, 0.0, 0.0]))
    assert close(weightless["up"], [0.0, 0.0, 1.0], 1e-12) and weightless["across"] is None


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_a_robot_stands_where_its_base_is():
    assert all(scene(ch.load(name))["floor"] == 0.0 for name in ("panda", "ur5", "scara"))
    assert all(scene(ch.load(name))["floor"] is None for name in ("pendulum", "planar_2r", "spherical_pendulum"))
    assert scene(kinds())["floor"] is None and scene(tree(2, 2))["floor"] is None
    lying = ch.load("planar_2r").with_gravity([0.0, 0.0, -9.81])
    assert scene(lying)["floor"] == 0.0
    hung = ch.load("panda").with_gravity([0.0, 0.0, 9.81])
    assert scene(hung)["floor"] is None


@pytest.mark.parametrize("drop", [0.0, 0.2])
def test_a_robot_far_from_the_origin_stands_at_its_first_joint(drop):
    """Unless others hang below it: then the floor is found in the page."""
    homes = np.stack([np.eye(4)] * 2)
    homes[:, 2, 3] = 2.3, 2.6 - 3.0 * drop
    screws = [ch.screw([0, 0, 1]), ch.screw([0, 1, 0], homes[1, :3, 3])]
    robot = ch.Robot.from_screws(screws, homes, [ch.Link(1.0, [0.0, 0.0, 0.15], [0.01] * 3)] * 2)
    assert scene(robot)["floor"] == (2.3 if drop == 0.0 else None)


def test_all_data_is_read_by_the_scripts():
    text = "".join(path.read_text(encoding="utf-8") for path in ASSETS.glob("*.js") if path.name != "three.min.js")
    data = scene(ch.load("panda"))
    for owner in (data, data["base"], data["links"][0], data["joints"][0], data["tips"][0]):
        taken = "DATA" if owner is data else "\\w+"
        for key in owner:
            assert re.search(rf"\b{taken}\.{key}\b|\{{[^{{}}]*\b{key}\b[^{{}}]*\}}(?: =|\)|, k\))", text), key


def test_the_ellipsoid_of_a_link_has_its_inertia():
    for link, given in zip(scene(ch.load("panda"))["links"], ch.load("panda").mechanism.links, strict=True):
        half = np.array(link["ellipsoid"]["half"])
        R = np.array(link["ellipsoid"]["pose"]).reshape(4, 4).T[:3, :3]
        moments = given.mass / 5.0 * (np.sum(half**2) - half**2)
        assert close((R * moments) @ R.T, np.asarray(given.inertia, dtype=float), 1e-6, scale=1e-3)
