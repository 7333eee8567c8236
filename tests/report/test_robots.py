"""Reports of robots of all kinds: nothing raises, and what does not apply is absent or says so."""

import warnings

import numpy as np
import pytest
from support.html import value
from support.reports import main, maps, rows, sections, words
from support.tolerances import close
from support.urdf_text import example_files

import chasles as ch
from chasles import zoo
from chasles.report.subject import Subject

FILES = (
    "talos_data/robots/talos_reduced.urdf",
    "solo_description/robots/solo12.urdf",
    "panda_description/urdf/panda.urdf",
    "iris_description/robots/iris.urdf",
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "ur_description/urdf/ur3_gripper.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
)
SCREW = ch.screw([0, 0, 1], [0, 0, 0])
ROD = ch.Link(1.0, [0.5, 0.0, 0.0], [0.01, 0.1, 0.1])


def report(robot, **options):
    html = robot.report(**{"speed": False, "meshes": False, **options}).html
    found = sections(html)
    text = words(main(html))
    assert "nan" not in text.split() and "None" not in text and "inf" not in text.split()
    return found, text


def test_the_command_for_more_equations_can_be_pasted():
    arm = ch.load("planar_2r")
    assert "chasles equations planar_2r jacobian --latex" in report(arm)[1]
    assert "chasles equations FILE jacobian --latex" in report(from_screws([SCREW], [ROD]))[1]


def from_screws(screws, links, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ch.ModelWarning)
        return ch.Robot.from_screws(screws, [np.eye(4)] * len(screws), links, **options)


def test_one_joint():
    """A rod of 1 kg that turns about y, its centre at 0.5 m: 4.905 N m when it is level."""
    link = ch.Link(1.0, [0.5, 0.0, 0.0], [[0.2, 0.1, 0.0], [0.1, 0.2, 0.0], [0.0, 0.0, 0.25]])  # 0.1, 0.25, 0.3
    rod = from_screws([ch.screw([0, 1, 0], [0, 0, 0])], [link], name="rod", limits={"effort": [4.0]})
    found, text = report(rod)
    assert "rod is a single revolute joint: one degree of freedom." in text
    assert "A robot with fewer than two degrees of freedom has no curvature." in text
    assert not any(maps(one) for one in found.values())
    _, row = rows(found["Inertias"])
    assert close([value(x) for x in row[5:8]], [0.1, 0.25, 0.3], 1e-3)
    _, row = rows(found["Torques of gravity"])
    assert close([value(x) for x in row[1:]], [4.905, 4.0, 122.6], 1e-3)
    assert "There are poses that the joints cannot hold." in text
    assert "To hold it against gravity takes up to 123 % of the effort allowed to joint1." in text


@pytest.mark.parametrize(
    ("limits", "expected"),
    [((-10.0, 10.0), (-np.pi, np.pi)), ((1.0, 20.0), (1.0, 1.0 + 2.0 * np.pi)), ((-1.0, 2.0), (-1.0, 2.0))],
)
def test_maps_span_one_turn(limits, expected):
    robot = from_screws([SCREW], [ROD], limits={"lower": [limits[0]], "upper": [limits[1]]})
    (axis,) = Subject(robot, False, False, ()).axes
    assert close([axis.lower, axis.upper], expected, 1e-12)


@pytest.mark.slow
def test_two_slides_without_gravity():
    robot = from_screws([ch.prismatic([1, 0, 0]), ch.prismatic([0, 1, 0])], [ROD, ROD], gravity=[0, 0, 0])
    _, text = report(robot)
    assert "The robot is flat" in text and "The robot is balanced" in text and "is without gravity" in text
    assert "a gantry of two prismatic joints" in text


@pytest.mark.slow
def test_links_without_mass():
    _, text = report(from_screws([SCREW, ch.screw([0, 1, 0], [0, 0, 0])], [ch.Link(), ROD]))
    assert "massless" in text and "doubt" in text
    _, text = report(from_screws([SCREW, ch.screw([0, 1, 0], [0, 0, 0])], [ch.Link(), ch.Link()]))
    assert "The robot has no mass" in text and "Not told: " in text


@pytest.mark.slow
def test_an_inertia_that_no_body_has_is_named():
    bad = ch.Link(1.0, [0.5, 0.0, 0.0], [0.01, 0.01, 1.0], checked=True)
    _, text = report(from_screws([SCREW], [bad], link_names=["odd"]))
    assert "No distribution of mass has the inertia of odd" in text and "One doubt about the robot's data" in text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["spherical", "free", "planar"])
def test_joints_of_several_degrees(kind):
    found, text = report(from_screws([np.zeros(6)], [ROD], kinds=[kind]))
    assert "no workspace to sample" in words(found["Workspace"]) and "Not told" not in text


@pytest.mark.slow
def test_an_arm_on_a_moving_base():
    robot = from_screws([SCREW, ch.screw([0, 1, 0], [0, 0, 0])], [ROD, ROD], base=ch.Link(3.0, inertia=[0.1] * 3))
    _, text = report(robot.with_base("free"))
    assert "a body that moves freely, with two joints in one limb" in text and "Not told" not in text


@pytest.mark.sweep
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
@pytest.mark.parametrize("name", zoo.names())
def test_the_zoo(name):
    found, text = report(ch.load(name), speed=True)
    assert "Measured speed" in found and "Not told" not in text


@pytest.mark.sweep
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
@pytest.mark.parametrize("name", FILES)
def test_files(name):
    robot = ch.load(example_files()[name])
    _, text = report(robot)
    assert "Not told" not in text or "singular" in text
