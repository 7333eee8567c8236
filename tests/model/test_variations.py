"""Mechanisms made from mechanisms: what travels with them, and where the tool is."""

import warnings

import numpy as np
import pytest
from support.eager import Eager
from support.random_trees import random_mechanism
from support.tolerances import close
from support.urdf_text import LIMIT, joint, link, robot

from chasles.errors import ModelError, ModelWarning
from chasles.io import urdf
from chasles.model.building import mechanism
from chasles.model.link import Link
from chasles.model.screws import screw
from chasles.model.variations import (
    subtree,
    with_base,
    with_friction,
    with_gravity,
    with_locked,
    with_payload,
    with_tool,
)

Z = screw([0, 0, 1])
BODY = Link(1.0, (0.1, 0, 0), (1, 1, 1))
ODD = Link(1.0, (0, 0, 0), (0.1, 0.1, 0.5))
LOAD = Link(2.0, (0, 0, 0.1), (0.1, 0.1, 0.1))


def at(x, y, z):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def arm(*links, n=2, **more):
    links = links or (BODY,) * n
    homes = [at(k, 0, 0) for k in range(len(links))]
    return mechanism([Z] * len(links), homes, links, base=Link(1.0, name="base"), **more)


def quietly(make, *args, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return make(*args, **more)


# Doubts


def test_doubts_travel_and_are_told_once():
    lost = "equality 'grip' (connect) is not carried"
    with pytest.warns(ModelWarning) as told:
        m = arm(BODY, ODD, doubts=[lost])
    assert len(told) == 2 and m.doubts[0] == lost
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for change in (
            lambda x: with_gravity(x, [0, 0, 0]),
            lambda x: with_tool(x, at(1, 0, 0)),
            lambda x: with_payload(x, "link1", LOAD),
            lambda x: with_locked(x, {"joint1": 0.5}),
            lambda x: with_base(x, "free"),
            lambda x: subtree(x, "link1"),
            with_friction,
            lambda x: with_base(with_tool(with_gravity(x, [0, 0, 1]), at(0, 0, 1)), "planar"),
        ):
            assert change(m).doubts == m.doubts


def test_a_doubt_is_told_when_it_arises_and_goes_with_its_reason():
    m = arm()
    with pytest.warns(ModelWarning, match="link 'link2': its mass is zero") as told:
        m = arm(BODY, Link())
    assert len(told) == 1
    assert with_payload(m, "link2", LOAD).doubts == ()
    thin = Link(1.0, (0, 0, 0), (0.1, 0.1, 0.5))
    with pytest.warns(ModelWarning, match="payload on link 'link1': its principal inertias") as told:
        odd = with_payload(arm(), "link1", thin)
    assert len(told) == len(odd.doubts) == 1 and with_gravity(odd, [0, 0, 0]).doubts == odd.doubts
    with pytest.warns(ModelWarning, match="joint 'joint1' is locked at 5"):
        locked = with_locked(arm(limits={"upper": [1.0, 1.0]}), {"joint1": 5.0})
    assert with_base(locked, "free").doubts == locked.doubts


def test_doubts_of_what_is_left_behind_stay_there():
    m = quietly(arm, ODD, BODY, BODY, doubts=["joint 'joint1' squeaks", "joint 'joint1', 'joint3': wear", "contacts"])
    assert len(m.doubts) == 4
    assert subtree(m, "link2").doubts == ("joint 'joint1', 'joint3': wear", "contacts")


# Payloads


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (
            Link(1.0, inertia=(-1e-3, 0, 0), checked=True),
            r"^payload on link 'link1': its inertia has a negative eigenvalue",
        ),
        (
            Link(1.0, inertia=(np.nan, 1, 1), checked=True),
            r"^payload on link 'link1': its inertia has a nan or an infinity",
        ),
        (Link(1.0, (np.nan, 0, 0), checked=True), r"^payload on link 'link1': its com has a nan"),
        (Link(-1.0, checked=True), r"^payload on link 'link1': its mass must be finite and not negative"),
    ],
)
def test_payloads_that_are_no_bodies_are_refused(load, message):
    with pytest.raises(ModelError, match=message):
        with_payload(arm(), "link1", load)


# The tool


def tipped(*names):
    """The URDF text of one joint with links of these names fixed at its tip, each 1 m further."""
    fixed = [joint(f"to_{x}", "b", x, "fixed", "", f'xyz="{k + 1} 0 0"') for k, x in enumerate(names)]
    return robot(link("a"), link("b"), *(link(x, "") for x in names), joint("j", "a", "b", origin=""), *fixed)


def test_a_tool_is_moved_in_the_frame_that_it_hangs_on():
    m = urdf.parse(tipped("ee", "tool0"))
    assert m.tool.parent == "tool0" and m.tool.pose[0, 3] == 2.0
    assert "the tool is at 'tool0', the last of the links at the tip; others: 'b', 'ee'" in m.notes
    assert close(with_tool(m, np.eye(4)).tool.pose, m.tool.pose)
    moved = with_tool(m, at(0, 0, 0.5))
    assert moved.tool.pose[:3, 3].tolist() == [2.0, 0.0, 0.5] and moved.tool.parent == "tool0"
    assert with_tool(moved, at(0, 0, 0.25)).tool.pose[2, 3] == 0.25  # not on top of the first
    assert with_tool(moved, at(0, 0, 0.25), "tool").tool.pose[2, 3] == 0.75
    assert with_tool(m, np.eye(4), "ee").tool.pose[0, 3] == 1.0
    assert with_tool(with_tool(m, np.eye(4), "ee"), at(0, 1, 0)).tool.pose[:3, 3].tolist() == [1.0, 1.0, 0.0]
    assert not any("the tool is at" in note for note in arm().notes)


def test_a_link_called_tool_is_the_tool_unless_another_is_given():
    m = urdf.parse(tipped("tool", "zed"))
    assert m.tool.pose[0, 3] == m.frames["tool"].pose[0, 3] == 1.0 and m.tool.parent == "tool"
    fork = arm(n=3, parents=[-1, 0, 0], link_names=["a", "tool", "b"])
    assert fork.tool is not None and fork.tool.body == fork.frames["tool"].body == 1
    assert with_base(fork, "free").tool.body == 2
    assert subtree(m, "a").tool.pose[0, 3] == 1.0


def test_a_tool_that_is_not_where_the_link_called_tool_is_is_doubted():
    m = urdf.parse(tipped("tool", "zed"))
    assert with_tool(m, np.eye(4)).doubts == ()
    words = "a link is called 'tool', and that is the frame 'tool'; the tool, on 'zed', is the frame None"
    with pytest.warns(ModelWarning, match=words) as told:
        other = with_tool(m, np.eye(4), "zed")
    assert len(told) == 1 and other.doubts == (words,)
    assert other.frame("tool").pose[0, 3] == 1.0 and other.frame(None).pose[0, 3] == 2.0
    assert with_gravity(other, [0, 0, 0]).doubts == (words,)
    assert with_tool(other, np.eye(4), "tool").doubts == ()
    with pytest.warns(ModelWarning, match="on 'tool', is the frame None"):
        with_tool(m, at(0, 0, 1))
    given = arm(link_names=["tool", "b"], tool=at(2, 0, 0))
    assert any("a link is called 'tool'" in note for note in given.notes) and given.doubts == ()


# Names


def test_names_that_are_taken():
    m = arm(link_names=["world", "b"], joint_names=["root_joint", "c"])
    freed = with_base(m, "free")
    assert freed.base_name == "world_2" and freed.joint_names == ("root_joint_2", "root_joint", "c")


def test_a_free_base_keeps_frames_limits_and_losses():
    text = robot(link("a"), link("b"), link("c"), joint("j", "a", "b", inside=LIMIT), joint("k", "b", "c", "fixed"))
    m = urdf.parse(text)
    freed = with_base(m, "free")
    assert freed.link_names == ("a", "b") and freed.kinds == ("free", "screw") and freed.parents == (-1, 0)
    assert freed.frames["c"].body == 1 and close(freed.frames["c"].pose, m.frames["c"].pose, 1e-14)
    assert freed.limits["upper"].tolist() == [np.inf, 2.0] and freed.links[0].mass == 2.0
    assert freed.frames["c"].joint == m.frames["c"].joint == "k"


@pytest.mark.parametrize("seed", [20, 21, 24])
def test_a_part_weighs_in_its_own_axes(seed):
    """With the joints above at zero, those of the part feel what they feel in the whole: gravity is turned too."""
    m = random_mechanism(seed, n=6)
    name = next(name for i, name in enumerate(m.link_names) if m.parents.count(i))
    part, q = subtree(m, name), np.zeros(m.n)
    own = [m.joint_names.index(joint) for joint in part.joint_names]
    q[own] = np.random.default_rng(seed).normal(size=len(own))
    zero = np.zeros(m.n)
    assert close(Eager(part).tau(q[own], zero[own], zero[own]), Eager(m).tau(q, zero, zero)[own])
