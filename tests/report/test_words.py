"""Words, aligned numbers and heat maps of reports."""

import numpy as np
import pytest
from support.html import parsed
from support.reports import pixels
from support.tolerances import close

import chasles as ch
from chasles.report.heat_map import Mark, Range, Scale, heat_map, ticks
from chasles.report.typeset import aligned, in_words, listing
from chasles.report.words import kind_of_robot, tips

KINDS = {
    "panda": "a serial arm of seven revolute joints",
    "ur5": "a serial arm of six revolute joints",
    "puma560": "a serial arm of six revolute joints, its last three axes meeting in a point",
    "stanford": "a serial arm of five revolute and one prismatic joints, its last three axes meeting in a point",
    "scara": "an arm of the SCARA kind, two revolute, one prismatic and one helical joints with parallel axes",
    "planar_3r": "a planar arm of three revolute joints with parallel axes",
    "pendulum": "a single revolute joint",
    "iiwa14": "a serial arm of seven revolute joints, its last three axes meeting in a point",
}


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
@pytest.mark.parametrize("name", KINDS)
def test_the_kind_of_a_robot(name):
    assert kind_of_robot(ch.load(name)) == KINDS[name]


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_robots_that_move():
    assert (
        kind_of_robot(ch.load("pendulum").with_base("free")) == "a body that moves freely, with one joint in one limb"
    )
    assert kind_of_robot(ch.load("planar_3r").with_base("planar")).startswith(
        "a body that moves on a plane, with three"
    )


def test_branches_and_gantries():
    links = [ch.Link(1.0, [0.0, 0.0, 0.1], [0.1] * 3)] * 3
    slides = [ch.prismatic(axis) for axis in np.eye(3)]
    assert kind_of_robot(ch.Robot.from_screws(slides, [np.eye(4)] * 3, links)) == "a gantry of three prismatic joints"
    turns = [ch.screw([0, 0, 1], [0, 0, 0])] * 3
    tree = ch.Robot.from_screws(turns, [np.eye(4)] * 3, links, parents=[-1, 0, 0])
    assert kind_of_robot(tree) == "a branched robot of three revolute joints with two tips" and tips(tree) == [1, 2]


def test_numbers_stand_below_each_other():
    shown = aligned([1.5, -12.25, 0.0, None, 100.0], 5)
    assert len({len(text) for text in shown}) == 1
    assert [text.strip("\u2007\u2008") for text in shown] == ["1.50", "\u221212.25", "0", "\u2013", "100.00"]
    assert len({text.rstrip("\u2007").find(".") for text in shown if "." in text}) == 1
    assert aligned([87.0, 12.0]) == ["87", "12"]
    assert aligned([1e-9, 3.0]) == ["1\u202f\u00d7\u202f10\u207b\u2079", "3"]


def test_counts_and_lists():
    assert [in_words(k, "axis", "axes") for k in (0, 1, 2, 13)] == ["no axes", "one axis", "two axes", "13 axes"]
    assert listing(["a", "<b>", "c"]) == "a, &lt;b&gt; and c" and listing(["a"]) == "a"


@pytest.mark.parametrize(("lower", "upper"), [(-3.14, 3.14), (0.0, 1e-9), (-0.07, -0.01), (5.0, 5e6), (0.1, 0.3)])
def test_ticks_are_round_and_inside(lower, upper):
    found = ticks(lower, upper)
    assert 2 <= len(found) <= 7 and found == sorted(found)
    assert min(found) >= lower - 1e-9 * abs(lower) and max(found) <= upper + 1e-9 * abs(upper)
    steps = np.diff(found)
    assert close(steps, np.full(len(steps), steps[0]), 1e-9)
    assert f"{steps[0]:.3e}"[:5] in ("1.000", "2.000", "2.500", "5.000")
    assert ticks(1.0, 1.0) == []


def test_colours_are_those_of_the_scale():
    values = np.array([[0.0, 1.0], [np.nan, 2.0]])
    scale = Scale(0.0, 2.0, "kg m^2")
    made = heat_map(values, Range("a (rad)", -1.0, 1.0), Range("b & c (m)", 0.0, 2.0), scale, title="<map>")
    svg = parsed(made)[0]
    image = next(svg.iter("{http://www.w3.org/2000/svg}image"))
    found = pixels(image.get("href"))
    assert found.shape == (2, 2, 4)
    assert found[1, 0].tolist() == [0x00, 0x22, 0x4E, 255] and found[0, 1].tolist() == [0xFE, 0xE8, 0x38, 255]
    assert found[0, 0, 3] == 0  # the first row is the lowest
    text = " ".join(svg.itertext())
    assert "<map>" in text and "b & c (m)" in text and "kg\u202fm\u00b2" in text


def test_signed_scales_have_their_zero_in_the_middle():
    low, zero, high = Scale(-3.0, 3.0, signed=True).coloured(np.array([-3.0, 0.0, 99.0])).tolist()
    assert zero[:3] == [0xF4] * 3 and low[2] > low[0] and high[0] > high[2]


def test_marks_are_where_their_numbers_say():
    x, y = Range("x", 0.0, 10.0), Range("y", 0.0, 10.0)
    made = heat_map(np.ones((4, 4)), x, y, Scale(0.0, 1.0), title="t", marks=[Mark(10.0, 0.0, "ring", "largest")])
    assert "translate(334.0 294.0)" in made and "<title>largest</title>" in made
