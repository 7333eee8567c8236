"""Sentences of reports are true: of units, limits that are missing, what is held, what is constant, what is one."""

import warnings

import numpy as np
import pytest
from support.html import parsed, value
from support.reports import maps, rows, words
from support.tolerances import close

import chasles as ch
from chasles.markup import tag
from chasles.plot.joint_plane import Slice, axes
from chasles.report import report
from chasles.report.heat_map import Scale
from chasles.report.joint_map import joint_map
from chasles.report.sections import base_parameters, inertias, live, manipulability, torques
from chasles.report.subject import Subject
from chasles.report.summary import head

UPRIGHT, LEVEL = ch.screw([0, 0, 1], [0, 0, 0]), ch.screw([0, 1, 0], [0, 0, 0])
LIFT = ch.prismatic([0, 0, 1])
ROD = ch.Link(1.0, [0.5, 0.0, 0.0], [0.01, 0.1, 0.1])


def robot(screws, links=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return ch.Robot.from_screws(screws, [np.eye(4)] * len(screws), links or [ROD] * len(screws), **options)


def subject(*given, **options):
    return Subject(robot(*given, **options), False, False, ())


def element(markup):
    return parsed(tag("div", markup))[0]


def said(markup):
    return words(element(markup))


def test_forces_and_torques_are_not_compared():
    """A lift of 2 kg, 19.6 N, carries a rod that takes 4.9 N m."""
    made = element(torques.body(subject([LIFT, LEVEL])))
    assert "4.905 N m at joint2 and 19.62 N at joint1. No joint has a limit of effort." in words(made)
    (shown,) = maps(made)
    assert shown["unit"] == "N m" and close(np.max(shown["values"]), 4.905, 1e-2)
    assert "Torque of joint2" in words(made) and "Of the joints that turn, the one that gravity loads most." in words(
        made
    )


def test_a_force_has_its_unit_alone():
    made = element(torques.body(subject([LIFT, UPRIGHT])))
    assert "random poses: 19.62 N at joint1." in words(made) and "Force of joint1" in words(made)
    assert "It is the same everywhere: 19.6 N." in words(made) and "varies much" not in words(made)


def test_joints_without_a_limit_leave_no_verdict():
    """joint1 turns upright and has a limit, joint2 is loaded and has none: nothing is known, and no map of shares."""
    made = subject([UPRIGHT, LEVEL], limits={"effort": [1.0, np.inf]})
    found = element(torques.body(made))
    text = words(found)
    assert "of the joints that have such a limit, they are nothing." in text
    assert "Whether the joints can hold all of the poses is not known: joint2 has no limit of effort." in text
    assert "can hold all of the poses." not in text and [one["unit"] for one in maps(found)] == ["N m"]
    assert "against gravity" not in said(head(made))


def test_a_limit_that_is_exceeded_is_told_whatever_the_others_have():
    limits = {"effort": [np.inf, 4.0]}
    made = subject([LEVEL, ch.screw([0, 1, 0], [1, 0, 0])], [ROD, ch.Link(1.0, [1.5, 0, 0], [0.01] * 3)], limits=limits)
    found = element(torques.body(made))
    assert "There are poses that the joints cannot hold." in words(found)
    assert [one["unit"] for one in maps(found)] == ["N m"]
    assert "takes up to 123 % of the effort allowed to joint2, of the joints that have such a limit." in said(
        head(made)
    )


def test_limits_of_all_give_a_verdict_and_shares():
    made = element(torques.body(subject([LIFT, LEVEL], limits={"effort": [100.0, 10.0]})))
    assert "they are up to 49 % of that of joint2. The joints can hold all of the poses." in words(made)
    (shown,) = maps(made)
    assert shown["unit"] == "%" and close(np.max(shown["values"]), 49.05, 1e-2)
    assert close([value(row[-1]) for row in rows(made)[1:]], [19.62, 49.05], 1e-2)


def test_what_is_held_is_told():
    made = robot([UPRIGHT, LEVEL], base=ch.Link(3.0, inertia=[0.1] * 3), limits={"effort": [9.0, 9.0]})
    floating = Subject(made.with_base("free"), False, False, ())
    assert "at rest, its base held as at home, at their largest" in said(torques.body(floating))
    assert "To hold it, its base held as at home, against gravity takes" in said(head(floating))
    ball = subject([np.zeros(6), LEVEL], kinds=["spherical", "screw"])
    assert "its joints of several degrees of freedom held as at home" in said(torques.body(ball))


@pytest.mark.parametrize("screw", [UPRIGHT, ch.prismatic([1, 0, 0])])
def test_joints_that_feel_no_gravity(screw):
    text = said(torques.body(subject([screw])))
    assert "No joint feels gravity" in text and "its axis is upright" not in text


@pytest.mark.parametrize("varied", [False, True])
def test_a_constant_is_not_said_to_vary(varied):
    made = subject([UPRIGHT, LEVEL, LEVEL])
    x, y, _ = axes(made.robot)
    values = np.full((3, 3), 2.0)
    values[0, 0] += 1.0 if varied else 1e-12
    text = said(joint_map(made, Slice(x, y, made.at, values), Scale(0.0, 3.0, "m"), "Size", "."))
    assert ("varies much" in text) is varied and ("largest: " in text) is varied


def test_the_cross_is_where_the_other_joints_are_at_home():
    """The middle of limits that leave zero out: (2, -1), a tenth from the left and a quarter from the bottom."""
    made = subject([UPRIGHT, LEVEL], limits={"lower": [1.0, -1.5], "upper": [3.0, -0.5]})
    x, y = axes(made.robot)
    wide = Slice(
        type(x)(x.name, 1, 0, "rad", 0.0, 20.0), type(y)(y.name, 2, 1, "rad", -2.0, 2.0), made.at, np.ones((2, 2))
    )
    (cross,) = (
        one for one in element(joint_map(made, wide, Scale(0.0, 1.0), "Size", "")).iter() if one.get("class") == "mark"
    )
    across, up = (float(x) for x in cross.attrib["transform"][len("translate(") : -1].split())
    assert close([across, up], [62 + 0.1 * 272, 22 + 0.75 * 272], 1e-3)


def test_lengths_are_in_units_that_are_told():
    made = subject([LIFT, LEVEL], tool=np.eye(4))
    assert made.reach["metres"] is None and made.length == 1.0
    text = said(manipulability.body(made))
    assert "lengths in units of 1 m" in text and "the reach" not in text
    row = rows(element(manipulability.body(made)))[1]
    assert row[0] == "position / m" and close(value(row[2]), 1.0, 1e-3)  # the lift, though links are in one place


def test_a_tool_is_dragged_where_there_is_one():
    tree = subject([UPRIGHT, LEVEL, LEVEL], parents=[-1, 0, 0])
    assert not tree.has_tool and "drag" not in said(live.body(tree))
    assert "drag the tool" in said(live.body(subject([UPRIGHT], tool=np.eye(4))))


def test_one_is_one():
    one = subject([UPRIGHT])
    text = said(base_parameters.body(one))
    assert "The link has 10 inertial parameters. Of these the joint forces show one combination, the base" in text
    assert "condition number" not in text
    tiles = [words(tile) for tile in element(head(one)).iter("dt")]
    assert "degree of freedom" in tiles and "degrees of freedom" not in tiles


def test_parameters_found_by_themselves():
    """Those that are a line of their own and in no other line."""
    base = ch.load("planar_2r").base_parameters()
    found = element(base_parameters._seen([f"link{k}" for k in (1, 2)], base))
    signs = [sign for row in rows(found)[1:] for sign in row[1:]]
    lines = base.describe()
    expected = [name in lines and sum(name in line for line in lines) == 1 for name in base.all_names]
    assert [sign == "\u25cf" for sign in signs] == expected and any(expected) and not all(expected)


def test_an_inertia_that_no_body_has():
    bad = ch.Link(1.0, [0.5, 0.0, 0.0], [0.01, 0.01, 1.0], checked=True)
    assert not inertias.consistent(bad) and inertias.consistent(ROD)
    made = element(inertias.body(subject([UPRIGHT, LEVEL], [ROD, bad], link_names=["good", "odd"])))
    assert "No distribution of mass has the inertia of odd." in words(made)
    assert [row[-1] for row in rows(made)[1:]] == ["yes", "no"]


def test_no_reach_where_the_tool_is_on_the_first_axis():
    """Rounding is no reach, and lengths are not measured in it."""
    turned = ch.screw([0.6, 0.0, 0.8], [0.1, 0.2, 0.3])
    tool = np.eye(4)
    tool[:3, 3] = np.array([0.1, 0.2, 0.3]) + 0.7 * np.array([0.6, 0.0, 0.8])
    one = subject([turned], tool=tool)
    assert 0.0 <= one.reach["metres"] < 1e-9 and one.length == 1.0
    assert "reach" not in said(head(one)) and "its tool gets" not in said(head(one))


def test_a_base_that_is_held_is_told_with_its_mass():
    made = robot([UPRIGHT], base=ch.Link(3.0, inertia=[0.1] * 3))
    assert "It moves 1 kg on a base of 3 kg that is held" in said(head(Subject(made, False, False, ())))
    assert "on a base of" not in said(head(Subject(made.with_base("free"), False, False, ())))
    assert "on a base of" not in said(head(subject([UPRIGHT])))


def test_the_pose_of_maps_is_told_once():
    """Where limits leave zero out, the joints that are elsewhere are named with the live robot, and maps lead there."""
    limits = {"lower": [-1.0, -1.0, -3.0], "upper": [1.0, 1.0, -1.0]}
    made = subject([UPRIGHT, LEVEL, LEVEL], limits=limits)
    assert "It begins at home but for joint3 = \u22122 rad; maps keep" in said(live.body(made))
    text = said(torques.body(made))
    assert "the others in the pose shown above" in text and "joint3 = -2" not in text
    plain = subject([UPRIGHT, LEVEL, LEVEL])
    assert "the others at home" in said(torques.body(plain)) and "It begins" not in said(live.body(plain))


def test_many_joints_of_a_pose_are_counted():
    n = 14
    limits = {"lower": [1.0] * n, "upper": [2.0] * n}
    assert subject([UPRIGHT] * n, limits=limits).pose.endswith("joint12 = 1.5\u202frad and two joints more")


def test_systems_under_constraints_have_the_report_of_their_robot():
    made = robot([UPRIGHT, LEVEL])
    system = ch.ConstrainedSystem(made, ch.Constraint.holonomic(lambda q: q[0] - q[1]))
    with pytest.raises(ch.ModelError, match=r"got ConstrainedSystem") as caught:
        report(system)
    assert "system.system.report()" in str(caught.value)
