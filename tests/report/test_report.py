"""Reports: their numbers are those of the library, their text is whole, harmless and the same each time."""

import pkgutil
import re
from functools import cache
from html import unescape as html_unescaped
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import hostile_names
from support.html import parsed, value
from support.reports import SVG, frames, main, maps, pixels, rows, sections, what_runs, words
from support.tolerances import close

import chasles as ch
import chasles.report.sections as section_modules
from chasles.drawn_systems import home
from chasles.markup import Markup
from chasles.plot.joint_plane import axes, grid
from chasles.report import report
from chasles.report.reach import reach
from chasles.report.sections import SECTIONS, base_parameters, joints, workspace
from chasles.report.sections import speed as speed_section
from chasles.report.subject import Subject

ARM = ch.load("planar_2r")
UNMEASURED = [section.TITLE for section in SECTIONS if section is not speed_section]


@cache
def arm():
    return ARM.report(speed=False).html


def test_every_section_is_there_and_contents_lead_to_it():
    html = arm()
    assert [*sections(html)] == UNMEASURED
    links = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a></li>', html)
    assert [title for _, title in links] == UNMEASURED
    assert [anchor for anchor, _ in links] == [one.get("id") for one in main(html).iter("section")]


def test_the_page_is_one_file_that_loads_nothing():
    html = arm()
    assert html.startswith("<!doctype html>") and what_runs(html) == ["iframe", "script"]
    assert "{{" not in html.split("<iframe")[0] and not re.search(r"url\(|@import|https?:", main_text(html))


def main_text(html):
    """The page without the frame, which has a test of its own, and without names of namespaces."""
    return re.sub(r'srcdoc="[^"]*"|xmlns="[^"]*"', "", html)


def test_the_frame_holds_the_robots_page():
    assert frames(arm()) == [ARM.page(home(ARM)).html]
    assert next(main(arm()).iter("iframe")).get("title") == "planar_2r, live"


def test_the_head_tells_what_the_robot_is():
    head = words(next(main(arm()).iter("header")))
    assert "planar_2r is a planar arm of two revolute joints with parallel axes: two degrees of freedom." in head
    far = reach(ARM)["metres"]
    assert f"It moves {ARM.total_mass:g} kg and its tool gets {far:.3g} m away from the first axis." in head
    assert "No doubts were found while reading the robot's data." in head
    assert f"{ARM.base_parameters().count} of 20 base parameters" in head


def test_screws_and_inertias_are_the_robots():
    found = sections(arm())
    screws = np.array([[value(x) for x in row[1:]] for row in rows(found["Joints and screws"], 1)[1:]])
    assert close(screws, ARM.screws, 1e-3)
    table = rows(found["Inertias"])
    for row, link in zip(table[1:], ARM.links, strict=True):
        shown = [value(x) for x in row[1:8]]
        assert close(shown, [link.mass, *link.com, *np.linalg.eigvalsh(link.inertia)], 1e-3)
        assert row[-1] == "yes"


def test_torques_are_those_that_hold_the_robot():
    found = sections(arm())["Torques of gravity"]
    (shown,) = maps(found)
    x, y = axes(ARM)
    q = grid(x, y, home(ARM), 48)
    expected = np.abs(ARM.gravity_forces(q)[:, 0]).reshape(48, 48)
    assert close(np.array(shown["values"]), expected, 1e-3)
    assert shown["x"] == [x.label, x.lower, x.upper] and shown["unit"] == "N m"
    stretched = np.abs(ARM.gravity_forces([0.0, 0.0]))
    for row, most in zip(rows(found)[1:], stretched, strict=True):
        assert 0.99 * most < value(row[1]) <= 1.001 * most


def test_maps_are_the_library_s_functions():
    found = sections(arm())
    x, y = axes(ARM)
    q = grid(x, y, home(ARM), 48)
    (shown,) = maps(found["Manipulability and singularities"])
    assert close(np.array(shown["values"]).ravel(), ARM.manipulability(q, rows="tx ty tz"), 1e-3)
    assert shown["unit"] == "m^2"
    (shown,) = maps(found["Curvature and flatness"])
    curvature = ARM.sectional_curvature(q, [1.0, 0.0], [0.0, 1.0])
    assert close(np.array(shown["values"]).ravel(), curvature, 1e-3)
    said = words(found["Curvature and flatness"])
    assert "The map is of the sectional curvature" in said and "of two joints twice as much" in said
    assert close(ARM.scalar_curvature(q), 2.0 * curvature, 1e-9)


def test_points_are_drawn_where_the_tool_gets():
    """The tool of two rods of 1 and 0.8 m gets as near as 0.2 and as far as 1.8 m."""
    (picture,) = (one for one in sections(arm())["Workspace"].iter(f"{SVG}svg"))
    image = pixels(next(picture.iter(f"{SVG}image")).get("href"))
    edge = 1.8 * 1.08  # with a margin of 4% of both sides
    places = (np.arange(len(image)) + 0.5) / len(image) * 2.0 * edge - edge
    r = np.hypot(*np.meshgrid(places, places))
    drawn = image[..., 3] > 0
    assert not drawn[(r > 1.86) | (r < 0.14)].any() and drawn[(r > 0.3) & (r < 1.7)].mean() > 0.99


def test_points_are_drawn_across_and_up():
    points = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    svg = parsed(workspace._picture(workspace.View("", "x", "y", lambda p: p[..., :2]), points, []))
    drawn = pixels(next(svg.iter(f"{SVG}image")).get("href"))[..., 3] > 0
    high, wide = drawn.shape
    assert wide > 1.8 * high and drawn.sum() == 3
    assert drawn[-high // 8 :, : wide // 8].any() and drawn[-high // 8 :, -wide // 8 :].any()
    assert drawn[: high // 8, : wide // 8].any()


def test_singular_values_are_those_of_random_poses():
    subject = Subject(ARM, False, False, ())
    values = ARM.singular_values(subject.samples, rows="tx ty tz")[:, 1]
    row = rows(sections(arm())["Manipulability and singularities"])[1]
    assert row[:2] == ["position / m", "2"]
    assert close([value(x) for x in row[2:4]], [np.median(values), values.min()], 1e-3)
    lower, upper = ARM.limits["lower"], ARM.limits["upper"]
    assert ((subject.samples >= lower) & (subject.samples <= upper)).all() and np.ptp(subject.samples) > 6.0


def test_flatness_balance_and_counterweights():
    found = sections(arm())
    said = words(found["Curvature and flatness"])
    assert "The robot is curved" in said
    assert close(value(re.findall(r"frame, that 64 random poses show is (\S+)", said)[0]), ARM.flatness().worst, 1e-2)
    table = rows(found["Balance"])
    assert [row[0] for row in table[1:]] == [*ARM.balance().breaks]
    assert close([value(row[1]) for row in table[1:]], [*ARM.balance().breaks.values()], 1e-3)
    weights = rows(found["Balance"], 1)
    (weight,) = ARM.counterweights(round(0.25 * reach(ARM)["metres"], 2))
    assert weights[1][0] == weight.link and close(value(weights[1][1]), weight.mass, 1e-3)


def test_base_parameters_are_in_words_and_numbers():
    base = ARM.base_parameters()
    found = sections(arm())["Base parameters"]
    assert f"show {base.count} combinations, the base parameters" in words(found)
    table = rows(found, 1)[1:]
    assert [row[0].replace("\u2212", "-") for row in table] == base.describe()
    assert close([value(row[1]) for row in table], base.reduce(ARM.inertial_parameters), 1e-3)
    signs = {
        (row[0], name): sign for row in rows(found)[1:] for name, sign in zip(rows(found)[0][1:], row[1:], strict=True)
    }
    never = np.flatnonzero(~(base.map != 0.0).any(axis=0))
    assert never.size
    for k, name in enumerate(base.all_names):
        parameter, link = name[:-1].split("[")
        assert (signs[link, parameter] == "\u25cb") == (k in never)


def test_operations_are_counted():
    table = rows(sections(arm())["Operations"])
    for name, total, *_ in table[1:]:
        assert int(total) == ARM.kernel(name).operations.total


def test_the_same_robot_gives_the_same_page():
    assert ARM.report(speed=False).html == arm()


def test_names_in_tables_are_text():
    robot = hostile_names.robot()
    subject = Subject(robot, False, False, ())
    for section in (joints, base_parameters):
        html = section.body(subject)
        parsed(html)
        assert what_runs(html) == [] and hostile_names.NAMES[1] in html_unescaped(html)


@pytest.mark.slow
def test_names_are_escaped():
    robot = hostile_names.robot()
    html = robot.report(speed=False).html
    assert what_runs(html) == ["iframe", "script"]
    head = words(next(main(html).iter("header")))
    assert hostile_names.NAMES[0] in head and [row[0] for row in rows(sections(html)["Joints and screws"])[1:]] == [
        *hostile_names.NAMES
    ]


def test_measured_speeds_are_marked(monkeypatch):
    measured: dict[str, Any] = {
        "version": "0.1.0",
        "peers": [
            {"name": "pinocchio", "version": "4.1.0", "why_not": None},
            {"name": "mujoco", "version": None, "why_not": "not installed"},
        ],
        "functions": [
            {
                "name": "mass_matrix",
                "single_s": 2e-7,
                "batch_s": 5e-9,
                "peers": {"pinocchio": {"single_s": 1e-6, "batch_s": 2.5e-6, "looped": True, "difference": 0.0}},
            }
        ],
    }
    monkeypatch.setattr(speed_section, "benchmark", lambda *a, **k: measured)
    monkeypatch.setattr("chasles.report.assembly.SECTIONS", (speed_section,))
    found = sections(ARM.report().html)["Measured speed"]
    assert rows(found)[1] == ["mass_matrix", "0.2", "1", "5.0"]
    assert rows(found, 1)[1] == ["mass_matrix", "5", "2\u202f500*", "500.0"]
    assert rows(found)[0] == ["function", "chasles", "pinocchio", "\u00d7 chasles"]
    assert "mujoco: not installed." in words(found) and "\u2020" not in words(found)
    marked = next(one for one in found.iter("div") if one.get("class") == "measured")
    assert words(found) == f"Measured speed {words(marked)}"  # all but the heading may differ the next time
    assert not sections(ARM.report(speed=False).html)
    for off in (1e-3, np.nan):
        measured["functions"][0]["peers"]["pinocchio"]["difference"] = off
        found = sections(ARM.report().html)["Measured speed"]
        assert rows(found)[1][2] == "1\u2020" and "\u2020 pinocchio has another mass_matrix" in words(found)


def test_a_robot_without_joints_has_what_applies():
    html = ch.Robot.from_screws([], [], [], name="slab").report(speed=True).html
    found = sections(html)
    assert [*found] == ["The robot", "Joints and screws", "Inertias", "Workspace", "Curvature and flatness"]
    assert "slab is a structure without joints" in words(main(html)) and not [*main(html).iter("iframe")]


def test_a_robot_with_symbols_is_refused_with_what_to_do():
    with pytest.raises(ch.ModelError, match=r"report: .* symbols m, and this needs numbers: .*with_values\(m=...\)"):
        symbolic().report()


def symbolic():
    m = ch.symbols("m")
    return ch.Robot.from_screws([ch.screw([0, 0, 1], [0, 0, 0])], [np.eye(4)], [ch.Link(m, [0.5, 0, 0])])


def test_a_section_that_fails_says_why(monkeypatch):
    def refused(subject):
        raise ch.ModelError("there is <none>")

    monkeypatch.setattr(speed_section, "body", refused)
    monkeypatch.setattr("chasles.report.assembly.SECTIONS", (speed_section,))
    found = sections(ARM.report().html)
    assert words(found["Measured speed"]) == "Measured speed Not told: there is <none>"


def test_options_are_checked():
    given: list[dict[str, Any]] = [{"speed": 1}, {"meshes": "no"}, {"folders": 3}]
    for wrong in given:
        with pytest.raises(ch.ChaslesError, match=next(iter(wrong))):
            ARM.report(**wrong)


def test_what_is_no_robot_is_refused():
    for wrong in (5, None, "panda", ARM.mechanism):
        with pytest.raises(ch.ModelError, match=r"report: robot must be a chasles.Robot, got "):
            report(wrong)
    with pytest.raises(ch.ModelError, match=r"symbols, give them numbers: robot.with_values\(m=\.\.\.\)"):
        report(symbolic())


def test_a_new_section_is_a_module_in_the_list(monkeypatch):
    """It has its heading and its place in the contents; one that does not apply has neither."""

    def section(title, made):
        return SimpleNamespace(TITLE=title, body=lambda subject: Markup(made))

    listed = (section("Equations of motion", "<p>two</p>"), section("Absent", ""))
    monkeypatch.setattr("chasles.report.assembly.SECTIONS", listed)
    html = ARM.report(speed=False).html
    assert [*sections(html)] == ["Equations of motion"] and "Absent" not in html
    assert '<li><a href="#equations-of-motion">Equations of motion</a></li>' in html


def test_every_section_is_in_the_list_once():
    modules = {getattr(section_modules, one.name) for one in pkgutil.iter_modules(section_modules.__path__)}
    assert modules == {*SECTIONS} and len(modules) == len(SECTIONS)
    assert len({one.TITLE.lower() for one in SECTIONS}) == len(SECTIONS)


def test_no_pixel_is_left_without_a_number():
    """Of maps of planar_2r all cells are known."""
    for element in sections(arm()).values():
        for shown in maps(element):
            values = np.array(shown["values"], dtype=float)
            assert np.isfinite(values).all() and np.ptp(values) > 0.0
