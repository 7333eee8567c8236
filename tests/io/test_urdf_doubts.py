"""What real URDF files have and should not: each loads, with a doubt that names it; what would be lost is refused."""

import re

import numpy as np
import pytest
from support.urdf_text import LIMIT, joint, link, robot

from chasles.errors import ModelError, ModelWarning
from chasles.io import urdf
from chasles.model.mechanism import Mechanism

ARM = robot(link("a"), link("b"), joint("j", "a", "b", "revolute", '<axis xyz="0 0 1"/>' + LIMIT))


def doubted(old: str, new: str, pattern: str) -> Mechanism:
    """The arm with a text replaced, which is one doubt, and a warning."""
    assert old in ARM
    with pytest.warns(ModelWarning, match=pattern):
        m = urdf.parse(ARM.replace(old, new, 1))
    assert len(m.doubts) == 1
    return m


def same(m: Mechanism) -> bool:
    return m.key == urdf.parse(ARM).key


@pytest.mark.parametrize(("mirrored", "key"), [("iyx", "ixy"), ("izx", "ixz"), ("izy", "iyz")])
def test_the_other_half_of_an_inertia(mirrored: str, key: str) -> None:
    value = re.search(rf'{key}="([^"]*)"', ARM)[1]  # type: ignore[index]
    again = f'{mirrored}="{float(value):.17e}"'
    m = doubted("<inertia ", f"<inertia {again} ", f"link 'a': <inertia> on line .* has {mirrored} besides {key}")
    assert same(m)
    with pytest.raises(
        ModelError, match=f"link 'a': {mirrored}=7 of <inertia> is not {key}=.*: an inertia is symmetric"
    ):
        urdf.parse(ARM.replace("<inertia ", f'<inertia {mirrored}="7" ', 1))
    with pytest.raises(ModelError, match=f"<inertia> has no '{key}'"):
        urdf.parse(ARM.replace(f'{key}="', f'{mirrored}="', 1))


def test_a_density_besides_a_mass() -> None:
    assert same(doubted("<mass ", '<density value="7"/><mass ', "link 'a': the <density> on line .* is not read"))
    with pytest.raises(ModelError, match=r"<mass> is missing|<density> does not belong"):
        urdf.parse(ARM.replace("<mass ", "<density ", 1))


def test_limits_the_other_way_round() -> None:
    m = doubted(
        'lower="-1"', 'lower="7"', "joint 'j': its lower limit 7 is above its upper .*: taken the other way round"
    )
    given = urdf.parse(ARM).limits["upper"][0]
    assert (m.limits["lower"][0], m.limits["upper"][0]) == (given, 7.0)


@pytest.mark.parametrize("tag", ["xacro:property", "xacro:arg"])
def test_what_is_left_from_xacro(tag: str) -> None:
    left = f'<{tag} name="x" value="1"/><{tag} name="y"><origin xyz="1 0 0"/></{tag}>'
    assert same(doubted("<link", f"{left}<link", f"<{tag}> on line 2 and 1 more: left from a xacro file, and not read"))
    inside = ARM.replace("<mass ", f'<{tag} name="x" value="1"/><mass ', 1)
    with pytest.warns(ModelWarning, match=f"<{tag}> on line"):
        assert same(urdf.parse(inside))
    for used in ('<material name="${x}"/><link', "<xacro:arm/><link", '<xacro:include filename="x"/><link'):
        with pytest.raises(ModelError, match="this is a xacro file"):
            urdf.parse(ARM.replace("<link", left + used, 1))


def test_links_inside_of_something_else() -> None:
    vendor = '<vendor><x><link name="c"><inertial/></link><joint name="k" type="fixed"/></x></vendor></robot>'
    m = doubted("</robot>", vendor, "<link> on line .* and 1 more inside of <vendor>: not read; .* into <robot> itself")
    assert same(m) and m.frames.keys() == urdf.parse(ARM).frames.keys()
    refers = ARM.replace("</robot>", '<vendor><link name="b"/><joint name="j"/></vendor></robot>')
    assert not urdf.parse(refers).doubts


def test_doubts_are_kept_with_the_robot() -> None:
    m = doubted('lower="-1"', 'lower="7"', "the other way round")
    assert np.isfinite(m.limits["lower"]).all() and "the other way round" in m.doubts[0]
