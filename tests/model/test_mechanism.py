"""Mechanisms: what is refused, what is doubted, what is tidied, and how fixed links merge."""

import math

import numpy as np
import pytest
from support.motions import array
from support.tolerances import ROUNDING, close, small

from chasles.dynamics.kinematics import frame_pose, poses
from chasles.errors import FrameError, ModelError, ModelWarning
from chasles.lie import SpatialInertia
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.poses import pose, twist
from chasles.model.screws import prismatic, screw, turn

BODY = Link(1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1))
Z = screw([0.0, 0.0, 1.0])


def at(*p, R=None):
    T = np.eye(4)
    T[:3, 3] = p
    if R is not None:
        T[:3, :3] = R
    return T


def chain(n=2, **changes):
    """A planar arm with something changed."""
    parts = {
        "screws": [screw([0, 0, 1], [i, 0, 0]) for i in range(n)],
        "homes": [at(i, 0, 0) for i in range(n)],
        "links": [BODY] * n,
    }
    return mechanism(**parts | changes)


def with_link(link):
    return chain(links=[BODY, link])


# Refusals


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"mass": math.nan}, "its mass has a nan or an infinity"),
        ({"mass": 1.0, "com": (0.0, math.inf, 0.0)}, "its com has a nan"),
        ({"mass": 1.0, "inertia": (1.0, math.nan, 1.0)}, "its inertia has a nan"),
        ({"mass": -1.0}, r"its mass is negative \(-1.0\)"),
        ({"mass": 1.0, "inertia": (1.0, 1.0, -0.5)}, r"its inertia has a negative eigenvalue \(-0.5\)"),
        ({"mass": 1.0, "inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, r"its inertia has a negative eigenvalue \(-1\)"),
    ],
)
def test_bad_links(link, message):
    """A link refuses what a robot refuses of one that was not looked at."""
    with pytest.raises(ModelError, match=f"^link 'hand': {message}"):
        Link(name="hand", **link)
    with pytest.raises(ModelError, match=f"^link: {message}"):
        Link(**link)
    with pytest.raises(ModelError, match=f"link 'link2': {message}"):
        with_link(Link(**link, checked=True))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"screws": [Z]}, r"screws must have shape \(2, 6\), got \(1, 6\)"),
        ({"screws": [Z, Z * math.nan]}, r"screws has a nan or an infinity \(entry 1\)"),
        ({"screws": [Z, "zzz"]}, "screws is not a rectangular array"),
        ({"homes": np.eye(4)}, r"homes must have shape \(2, 4, 4\), got \(4, 4\)"),
        ({"homes": [at(0, 0, 0), 2.0 * np.eye(4)]}, "home of link 'link2' is not a rigid motion"),
        ({"homes": [at(0, 0, 0), np.diag([1.0, 1.0, -1.0, 1.0])]}, "home of link 'link2' is not a rigid motion"),
        ({"homes": [at(0, 0, 0), at(0, 0, 0, R=np.eye(3) * 1.001)]}, "rotation off by 0.002"),
        ({"links": [BODY, "arm"]}, r"links\[1\] must be a chasles.Link\(mass, com, inertia\), got str"),
        ({"parents": [-1]}, "parents has 1 entries for 2 links"),
        ({"parents": [1, -1]}, "link 'link1': parent 1 must be -1 .* list parents first"),
        ({"parents": [-1, 1]}, "link 'link2': parent 1 must be -1"),
        ({"parents": [-1, -2]}, "link 'link2': parent -2 must be"),
        ({"link_names": ["a", "a"]}, "link_names: the name 'a' is taken"),
        ({"link_names": ["base", "a"]}, "link_names: the name 'base' is taken"),
        ({"link_names": ["a"]}, "link_names has 1 entries for 2 links"),
        ({"joint_names": ["j", "j"]}, "joint_names: the name 'j' is taken"),
        ({"limits": {"lower": [0.0, 2.0], "upper": [1.0, 1.0]}}, "joint 'joint2': its lower limit 2.0 is above"),
        ({"limits": {"velocity": [1.0, math.nan]}}, "joint 'joint2': its velocity limit is nan"),
        ({"limits": {"upper": [1.0]}}, r"limits\['upper'\] must have shape \(2,\), got \(1,\)"),
        ({"limits": {"upper": ["a", "b"]}}, r"limits\['upper'\] must be real numbers"),
        ({"limits": {"torque": [1.0, 1.0]}}, "limits: unknown key 'torque'; the keys are lower, upper"),
        ({"gravity": (0.0, 0.0)}, r"gravity must have shape \(3,\), got \(2,\)"),
        ({"frames": {"link1": ("link2", np.eye(4))}}, "frame 'link1' is already the name of a link"),
        ({"frames": {"eye": ("head", np.eye(4))}}, "no link 'head'; the links are link1, link2"),
        ({"frames": {"eye": (7, np.eye(4))}}, "no link 7; there are 2"),
        ({"frames": {"eye": ("link1", np.zeros((4, 4)))}}, "frame 'eye' is not a rigid motion"),
        ({"tool": np.eye(3)}, r"tool must have shape \(4, 4\), got \(3, 3\)"),
        ({"tool_link": "head"}, "no link 'head'"),
    ],
)
def test_bad_mechanisms(changes, message):
    with pytest.raises(ModelError, match=message):
        chain(**changes)


# Doubts


def test_triangle_inequality_is_doubted():
    with pytest.warns(
        ModelWarning, match=r"robot 'robot': link 'link2': its principal inertias .* triangle inequality"
    ):
        m = with_link(Link(1.0, inertia=(0.1, 0.1, 0.5)))
    assert len(m.doubts) == 1 and not m.notes


def test_zero_mass_is_doubted_where_it_moves():
    with pytest.warns(ModelWarning, match="link 'link2': its mass is zero"):
        with_link(Link())
    chain(3, screws=[Z, np.zeros(6), Z], links=[BODY, Link(), BODY])  # a massless fixed link is nothing to doubt
    chain(3, screws=[Z, Z, np.zeros(6)], links=[BODY, Link(), BODY])  # and a massless one that carries a fixed one


def test_flat_bodies_are_not_doubted():
    assert with_link(Link(1.0, inertia=(0.1, 0.2, 0.3))).doubts == ()


# Tidying


def test_snapping_is_noted():
    R = np.array([[math.cos(math.pi / 2), -1.0, 0.0], [1.0, math.cos(math.pi / 2), 0.0], [0.0, 0.0, 1.0]])
    m = chain(homes=[at(0, 0, 0), at(1, 0, 0, R=R)])
    assert np.array_equal(m.homes[1][:3, :3], turn(2, math.pi / 2))
    assert any("home of link 'link2': 2 numbers within 1e-12 of zero were set to it" in note for note in m.notes)
    tilted = screw([0, 0, 1])
    tilted[0] = 1e-14
    m = chain(screws=[tilted, Z])
    assert np.array_equal(m.screws[0], Z) and "screw of joint 'joint1'" in m.notes[0]
    assert chain().notes == ()


def test_a_sloppy_rotation_is_made_orthonormal_and_noted():
    R = np.round(turn(2, 0.3), 8)
    m = chain(homes=[at(0, 0, 0), at(1, 0, 0, R=R)])
    fixed = m.homes[1][:3, :3]
    assert close(fixed.T @ fixed, np.eye(3), ROUNDING)
    assert small(fixed - R, 1e-8) and "was made orthonormal" in m.notes[0]
    again = chain(homes=m.homes)
    assert again.notes == () and np.array_equal(again.homes, m.homes)


def test_everything_is_read_only():
    m = chain()
    for x in (m.screws, m.homes, m.gravity, *m.limits.values(), m.frames["link2"].pose):
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 0.0


def test_keys():
    assert chain().key == chain().key and hash(chain().key) == hash(chain().key)
    different = [
        {"name": "other"},
        {"gravity": (0, 0, -1.62)},
        {"limits": {"lower": [0, 0]}},
        {"tool": at(2, 0, 0)},
        {"frames": {"eye": ("link1", at(0, 0, 1))}},
        {"links": [BODY, Link(2.0)]},
        {"joint_names": ["a", "b"]},
        {"parents": [-1, -1]},
    ]
    keys = {chain(**changes).key for changes in [{}, *different]}
    assert len(keys) == len(different) + 1


# Fixed links


def arm_with_fixed_links():
    """Base mount (fixed) - shoulder - plate (fixed) - elbow - camera (fixed)."""
    rng = np.random.default_rng(0)
    homes = [at(*rng.normal(size=3), R=turn(i % 3, 0.3 * i)) for i in range(5)]
    links = [Link(1.0 + i, rng.normal(size=3), 1.0 + rng.random(3)) for i in range(5)]
    still = np.zeros(6)
    screws = [still, screw([0, 0, 1]), still, prismatic([1, 0, 0]), still]
    names = ["mount", "shoulder", "plate", "elbow", "camera"]
    limits = {"upper": [9.0, 1.0, 9.0, 3.0, 9.0]}
    return mechanism(screws, homes, links, link_names=names, limits=limits), homes, links


def test_fixed_links_merge():
    m, homes, links = arm_with_fixed_links()
    assert m.n == 2 and m.link_names == ("shoulder", "elbow") and m.joint_names == ("joint2", "joint4")
    assert m.parents == (-1, 0) and m.limits["upper"].tolist() == [1.0, 3.0]
    assert list(m.frames) == ["base", "shoulder", "elbow", "mount", "plate", "camera", "tool"]
    assert m.frames["mount"].body == -1 and m.frames["plate"].body == 0 and m.frames["camera"].body == 1
    assert sum("is fixed: merged into" in note for note in m.notes) == 3
    assert "link 'mount' is fixed: merged into 'base'" in m.notes
    for body, members in ((0, (1, 2)), (1, (3, 4))):
        total = SpatialInertia.zero()
        for k in members:
            total = total + links[k].spatial().moved(pose(homes[k]))
        there = m.links[body].spatial().moved(pose(m.homes[body]))
        assert close(array(there), array(total), ROUNDING, scale=10.0)


def test_fixed_links_stay_addressable_frames():
    m, homes, _ = arm_with_fixed_links()
    for name, home in zip(["mount", "shoulder", "plate", "elbow", "camera"], homes, strict=True):
        frame = m.frame(name)
        assert close(array(frame_pose(m.tree, [0.0, 0.0], frame.body, pose(frame.pose))), home, ROUNDING, scale=5.0)
    moved = array(frame_pose(m.tree, [0.4, 0.2], 1, pose(m.frame("camera").pose)))
    expected = _product(m.screws, [0.4, 0.2]) @ homes[4]
    assert close(moved, expected, ROUNDING, scale=10.0)
    assert close(m.tool.pose, m.frame("camera").pose, 0.0)  # the last link is the tool


def _product(screws, q):
    T = np.eye(4)
    for S, x in zip(screws, q, strict=True):
        T = T @ array(twist(S).exp(x))
    return T


def test_local_form_is_the_product_of_exponentials():
    m = chain(3)
    q = [0.3, -0.5, 1.1]
    for i, T in enumerate(poses(m.tree, m.tree.motions(q))):
        assert close(array(T), _product(m.screws[: i + 1], q[: i + 1]) @ m.homes[i], ROUNDING)


def test_no_joints():
    for m in (mechanism([], [], []), mechanism(np.zeros((2, 6)), [np.eye(4), at(0, 0, 1)], [BODY, BODY])):
        assert m.n == 0 and m.tree.n == 0 and m.screws.shape == (0, 6) and m.homes.shape == (0, 4, 4)
        assert m.tool is not None and m.tool.body == -1
    assert m.tool.pose[2, 3] == 1.0


# The tool


def test_tool_of_a_chain_is_its_last_link():
    m = chain()
    assert m.frame(None) is m.tool and m.tool.body == 1
    assert np.array_equal(m.tool.pose, np.eye(4))
    m = chain(homes=[at(0, 0, 0), at(1, 0, 0, R=turn(0, 0.3) @ turn(1, 0.7))])
    assert np.array_equal(m.tool.pose, np.eye(4))


def test_given_tools():
    assert np.array_equal(chain(tool=at(2, 0, 0)).tool.pose, at(1, 0, 0))
    assert chain(tool=at(2, 0, 0), tool_link="link1").tool.body == 0
    assert chain(tool_link=0).tool.body == 0
    assert np.array_equal(chain(3, tool_link=1).tool.pose, np.eye(4))
    m = chain(tool=at(2, 0, 0), tool_link="base")
    assert m.tool.body == -1 and m.tool.pose[0, 3] == 2.0
    assert np.array_equal(chain(tool_link="base").tool.pose, np.eye(4))
    assert chain(tool=at(2, 0, 0)).frame("tool") is not None


def test_a_sensor_listed_last_on_an_earlier_link_is_not_the_tool():
    links = dict(parents=[-1, 0, 0], screws=[Z, Z, np.zeros(6)], link_names=["a", "b", "sensor"])
    m = chain(3, **links)
    assert m.tool.body == 1 and np.array_equal(m.tool.pose, np.eye(4))
    assert chain(3, **links, tool=at(9, 0, 0)).tool.body == 1


def test_a_branched_robot_has_no_tool_of_its_own():
    m = chain(3, parents=[-1, 0, 0], name="fork")
    assert m.tool is None and "tool" not in m.frames
    with pytest.raises(FrameError, match=r"robot 'fork' is branched .* one of base, link1, link2, link3"):
        m.frame(None)
    with pytest.raises(ModelError, match="a tool on a branched robot needs its link"):
        chain(3, parents=[-1, 0, 0], tool=np.eye(4))
    assert chain(3, parents=[-1, 0, 0], tool_link="link3").tool.body == 2
    assert chain(3, parents=[-1, -1, -1]).tool is None


def test_unknown_frames_are_named():
    m = chain(frames={"camera": ("link1", np.eye(4))})
    with pytest.raises(FrameError, match=r"no frame 'camra'; did you mean 'camera'\? Its frames: base, link1, link2"):
        m.frame("camra")
    with pytest.raises(FrameError, match=r"no frame 'xyz'\. Its frames: base"):
        m.frame("xyz")
    assert m.frame("camera").body == 0
