"""Robot files: every robot of the zoo, and the way there and back to the last bit."""

import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.motions import array, directions, motions, numbers
from support.tolerances import ROUNDING, close

from chasles import zoo
from chasles.errors import CONTROL, ModelError, ModelWarning
from chasles.io import toml
from chasles.model.building import mechanism
from chasles.model.joint import KINDS
from chasles.model.link import Link
from chasles.model.mechanism import LOSSES
from chasles.model.screws import prismatic, screw, turn

ROBOT = Path(__file__).with_name("arm.toml").read_text(encoding="utf-8")


def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return toml.read(zoo.path(name))


def reread(m):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return toml.parse(toml.write(m))


# The zoo


def test_names_of_the_zoo():
    assert zoo.names() == sorted(zoo.names()) and len(zoo.names()) >= 10
    assert {"panda", "ur5", "puma560", "pendulum", "scara"} <= set(zoo.names())
    with pytest.raises(ModelError, match=r"no built-in robot 'pand'; there are .*panda"):
        zoo.path("pand")


@pytest.mark.parametrize("name", zoo.names())
def test_zoo_loads_and_round_trips(name):
    m = load(name)
    assert m.name == name and m.n >= 1 and m.source and m.description and m.tool is not None
    assert m.notes == ()
    again = reread(m)
    assert again.key == m.key
    assert (again.source, again.description) == (m.source, m.description)
    assert toml.write(again) == toml.write(m)


@pytest.mark.parametrize(("name", "doubts"), [("pendulum", 0), ("spherical_pendulum", 1), ("puma560", 3), ("ur5", 0)])
def test_doubtful_robots_warn(name, doubts):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        m = toml.read(zoo.path(name))
    assert len(m.doubts) == len(caught) == doubts
    assert all(issubclass(w.category, ModelWarning) for w in caught)


def test_files_look_like_those_of_the_zoo():
    """What `write` gives for the Panda is the zoo's own file."""
    assert toml.write(load("panda")) == zoo.path("panda").read_text(encoding="utf-8")


# Reading


def test_read(tmp_path):
    file = tmp_path / "arm.toml"
    file.write_text(ROBOT, encoding="utf-8")
    m = toml.read(file)
    assert toml.read(str(file)).key == m.key
    assert (m.name, m.n, m.link_names, m.joint_names) == ("arm", 2, ("upper", "fore"), ("shoulder", "elbow"))
    assert m.source.startswith("[[links]]") and m.description == "two links and a camera"
    assert np.array_equal(m.screws, [screw([0, 0, 1]), screw([0, 0, 1], [1, 0, 0], 0.01)])
    assert m.limits["upper"].tolist() == [2.0, math.inf] and m.limits["lower"][0] == -math.inf
    assert m.links[0].com.tolist() == [0.5, 0.0, 0.0] and m.links[1].mass == 2.5
    assert m.frames["plate"].body == 1 and m.frames["camera"].body == 0
    assert np.array_equal(m.frames["camera"].pose[:3, :3], turn(0, math.pi / 2))
    assert m.tool.body == 1 and m.tool.pose[0, 3] == 1.0


def test_defaults():
    text = """
    [[links]]
    name = "a"
    home = {}
    mass = 1
    joint = {type = "prismatic", axis = [0, 0, 2]}
    """
    m = toml.parse(text, "some/robot.toml")
    assert (m.name, m.joint_names, m.gravity.tolist()) == ("robot", ("joint1",), [0.0, 0.0, -9.81])
    assert np.array_equal(m.screws[0], prismatic([0, 0, 1])) and np.array_equal(m.homes[0], np.eye(4))
    assert m.notes == ("joint 'joint1': its axis, of length 2, was normalised",)
    assert toml.parse(text.replace("\n", "\r\n"), "robot.toml").key == m.key
    assert toml.parse("\ufeff" + text, "robot.toml").key == m.key


def test_roll_pitch_yaw():
    r, p, y = 0.3, -0.4, 1.2
    text = ROBOT.replace("rpy = [0.0, 0.0, 0.0]", f"rpy = [{r}, {p}, {y}]")
    assert close(toml.parse(text).homes[0][:3, :3], turn(2, y) @ turn(1, p) @ turn(0, r), ROUNDING)


def test_screws_and_poses_as_they_are():
    text = ROBOT.replace("axis = [0.0, 0.0, 1.0], point = [0.0, 0.0, 0.0]", "screw = [0.0, 0.0, 2.0, 0.1, 0.2, 0.0]")
    text = text.replace('link = "fore"\nhome', 'link = "fore"\npose')
    m = toml.parse(text)
    assert m.screws[0].tolist() == [0.0, 0.0, 2.0, 0.1, 0.2, 0.0]
    assert m.tool.pose[0, 3] == 2.0 and m.frames["tool"] is m.tool
    m = toml.parse(text.replace('link = "fore"\npose', 'link = "plate"\npose'))
    assert close(m.tool.pose[0, 3], 2.5, ROUNDING)


def test_a_pose_is_seen_from_its_link():
    """Of a link that is merged and turned: not the moving link's."""
    text = ROBOT.replace('link = "fore"\nhome', 'link = "plate"\npose')
    turned = text.replace("{position = [1.5, 0.0, 0.0]}", "{position = [1.5, 0.0, 0.0], rpy = [0.0, 0.0, 1.1]}")
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = turn(2, 1.1), [0.5 + 2.0 * math.cos(1.1), 2.0 * math.sin(1.1), 0.0]
    assert close(toml.parse(turned).tool.pose, T)


def test_parents_by_name():
    text = ROBOT.replace('name = "plate"', 'name = "plate"\nparent = "base"')
    assert toml.parse(text).frames["plate"].body == -1


# There and back


@st.composite
def bodies(draw):
    A = np.array(draw(numbers(9))).reshape(3, 3)
    J = np.trace(A @ A.T) * np.eye(3) - A @ A.T
    return Link(draw(st.floats(0.01, 9.0)), draw(numbers(3)), (J + J.T) / 2)


@st.composite
def mechanisms(draw):
    n = draw(st.integers(0, 5))
    screws, homes, links, parents, kinds = [], [], [], [], []
    for i in range(n):
        s, c = draw(directions()), draw(numbers(3))
        kind = draw(
            st.sampled_from(["revolute", "prismatic", "helical", "fixed", "gear", "planar", "spherical", "free"])
        )
        kinds.append(kind if kind in KINDS else "screw")
        rate = 1.7 if kind == "gear" else 1.0
        S = {"prismatic": prismatic(s), "fixed": np.zeros(6)}.get(kind, screw(s, c, 0.3 * (kind == "helical")) * rate)
        screws.append(S)
        homes.append(array(draw(motions())))
        links.append(draw(bodies()))
        parents.append(draw(st.integers(-1, i - 1)))
    base = draw(st.one_of(st.none(), st.builds(replace, bodies(), name=st.sampled_from(["world", "base", None]))))
    moving = [f"joint{i + 1}" for i in range(n) if kinds[i] == "screw" and screws[i].any()]
    mimics = {}
    if moving:
        numbers2 = st.tuples(*[st.floats(-9.0, 9.0)] * 2)
        mimics = {x: (moving[0], *draw(numbers2)) for x in moving[1:] if draw(st.booleans())}
    link = st.one_of(st.just((base and base.name) or "base"), st.integers(-1, n - 1))
    names = draw(st.lists(st.text(max_size=5).filter(lambda x: not CONTROL.search(x)), max_size=3, unique=True))
    names = [x for x in names if x not in ("base", "world", "", "tool") and not x.startswith("link")]
    limits = {
        k: [draw(st.sampled_from([s * math.inf, s * 1.5])) for _ in range(n)] for k, s in (("lower", -1), ("upper", 1))
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return mechanism(
            screws,
            homes,
            links,
            parents,
            name=draw(st.text(max_size=5)),
            limits=limits,
            frames={x: (draw(link), array(draw(motions()))) for x in names},
            tool_link=draw(st.one_of(st.none(), link)),
            kinds=kinds,
            mimics=mimics,
            base=base,
            has_friction=draw(st.booleans()),
            **{k: [draw(st.sampled_from([0.0, 0.1, 3.0])) for _ in range(n)] for k in LOSSES},
            source=draw(st.text(max_size=200)),
            description=draw(st.text(max_size=20)),
        )


@given(mechanisms())
def test_any_mechanism_round_trips_to_the_last_bit(m):
    again = reread(m)
    assert again.key == m.key
    assert list(again.frames) == list(m.frames)
    assert (again.source, again.description) == (m.source, m.description)


def test_shapes():
    text = """
[[shapes]]
frame = "plate"
mesh = "package://arm/plate.stl"
scale = [1.0, 2.0, 3.0]
pose = {position = [0.1, 0.0, 0.0], rpy = [0.0, 0.0, 0.3]}
name = "the plate"
colour = [1.0, 0.0, 0.0, 0.5]
texture = "wood.png"

[[shapes]]
frame = "base"
role = "collision"
capsule = [0.1, 2.0]

[[shapes]]
frame = "camera"
sphere = 0.5
"""
    m = toml.parse(ROBOT + text)
    plate, base, camera = m.visuals
    assert (plate.frame, plate.role, plate.kind, plate.size) == ("plate", "visual", "mesh", (1.0, 2.0, 3.0))
    assert (plate.file, plate.name, plate.texture) == ("package://arm/plate.stl", "the plate", "wood.png")
    assert plate.colour == (1.0, 0.0, 0.0, 0.5)
    assert np.array_equal(np.array(plate.pose)[:3, :3], turn(2, 0.3)) and plate.pose[0][3] == 0.1
    assert (base.role, base.kind, base.size, base.colour) == ("collision", "capsule", (0.1, 2.0), None)
    assert (camera.kind, camera.size) == ("sphere", (0.5,)) and np.array_equal(camera.pose, np.eye(4))
    assert reread(m).visuals == m.visuals


def test_a_merged_link_may_be_called_tool():
    text = ROBOT.replace('name = "plate"', 'name = "tool"')
    m = toml.parse(text)
    assert m.frames["tool"] is not m.tool and m.tool.pose[0, 3] == 1.0
    again = reread(m)
    assert again.key == m.key and again.frames["tool"].pose[0, 3] == 0.5


def test_infinite_limits_are_left_out_and_frames_are_kept():
    text = toml.write(toml.parse(ROBOT))
    assert "inf" not in text and "lower" not in text and "upper = 2.0" in text
    assert 'name = "plate"' in text and 'name = "camera"' in text


def test_long_sources_are_folded():
    source = "A long sentence, " * 20 + "ends."
    m = mechanism([], [], [], source=source)
    text = toml.write(m)
    assert toml.parse(text).source == source and max(map(len, text.splitlines())) <= 120
