"""The workspace in reports: points are drawn where they are, and said to be as many, and taken as they were."""

import numpy as np
import pytest
from support.html import parsed
from support.reports import SVG, pixels, words

import chasles as ch
from chasles.markup import tag
from chasles.report.sections import workspace
from chasles.report.subject import Subject

ROD = ch.Link(1.0, [0.5, 0.0, 0.0], [0.01, 0.1, 0.1])
TOOL = np.array([[1.0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def placed(view, reached):
    """(rows, columns) cells of a picture of points that are drawn, the first row on top."""
    svg = parsed(workspace._picture(view, reached, []))
    return pixels(next(svg.iter(f"{SVG}image")).get("href"))[..., 3] > 0


def made(screws, homes=None, **options):
    robot = ch.Robot.from_screws(screws, homes or [np.eye(4)] * len(screws), [ROD] * len(screws), **options)
    return Subject(robot, False, False, ())


@pytest.mark.parametrize(("way", "labels"), [([1, 0, 0], "xz"), ([0, 1, 0], "yz"), ([0, 0, 1], "xz")])
def test_a_line_is_drawn_along_itself(way, labels):
    reached = np.linspace(0.0, 1.0, 400)[:, None] * np.array(way)
    (view,) = workspace._views(made([ch.prismatic(way)]), np.array(way, dtype=bool))
    assert view.x[0] + view.y[0] == labels
    drawn = placed(view, reached)
    filled = drawn.any(axis=1 if labels[1] == "xyz"[np.argmax(way)] else 0)
    assert filled.mean() > 0.9 and drawn.sum() == filled.sum() and min(drawn.shape) >= 0.28 * max(drawn.shape)


def test_sections_through_the_first_axis_are_upright():
    """The tool 1 m from an upright axis and from 0.5 to 1 m above the base, which is on it."""
    limits = {"lower": [-3.0, 0.5], "upper": [3.0, 1.0]}
    subject = made([ch.screw([0, 0, 1], [0, 0, 0]), ch.prismatic([0, 0, 1])], tool=TOOL, limits=limits)
    views = workspace._views(subject, np.ones(3, dtype=bool))
    assert views[0].title == "From above" and views[1].y == "along it (m)"
    reached = np.concatenate([subject.robot.forward_kinematics(subject.configurations(64))[:, :3, 3], np.zeros((1, 3))])
    drawn = placed(views[1], reached)
    high, wide = drawn.shape
    assert drawn[: high // 2, wide // 2 :].any() and drawn[-high // 8 :, : wide // 8].any()
    assert not drawn[3 * high // 5 :, wide // 2 :].any()


def test_points_and_ranges_are_as_they_were_taken():
    level, slide = ch.screw([0, 1, 0], [0, 0, 0]), ch.prismatic([0, 1, 0])
    limits = {"lower": [-1.0, -np.inf], "upper": [1.0, np.inf]}
    said = [
        words(parsed(tag("div", workspace.body(one)))[0])
        for one in (
            made([level, level], tool=TOOL),
            made([level, level], tool=TOOL, limits=limits),
            made([level, slide], tool=TOOL, limits=limits),
            made([level, level], [TOOL, TOOL], parents=[-1, -1]),
            made([slide], tool=TOOL),
            made([level], tool=TOOL, limits={"lower": [0.0], "upper": [1.0]}),
        )
    ]
    everywhere = "The tool was placed at 65 536 points by joints taken at random"
    chosen = "Where a joint that slides has no limits, they were chosen:"
    assert f"{everywhere} over one turn." in said[0]
    assert f"{everywhere} within their limits, over one turn where they have none." in said[1]
    assert f"{everywhere} within their limits. {chosen} joint2 from \u22121 to 1 m." in said[2]
    assert "each of its two tips was placed at 4 096 points by joints taken at random over one turn." in said[3]
    assert f"{everywhere}. {chosen} joint1 from \u22121 to 1 m." in said[4]
    assert f"{everywhere} within their limits." in said[5]
