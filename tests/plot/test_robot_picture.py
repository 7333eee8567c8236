"""Pictures of robots: shapes are where forward kinematics has them, in the view that suits the robot."""

import numpy as np
import pytest
from support import loops
from support.pictures import four_bar, is_drawn, line
from support.tolerances import close, small
from support.urdf_text import example_files

import chasles as ch
from chasles import zoo
from chasles.drawn_systems import home
from chasles.model.drawn_shapes import JOINT, TOOL, joint_point
from chasles.plot import systems
from chasles.plot.closed_loops import closures
from chasles.plot.robot_picture import solids_of
from chasles.plot.views import plane_of

ARM = ch.load("planar_2r")
Q = np.array([0.4, 0.9])


def test_shapes_are_where_the_links_are():
    """Joints at their axes, the tool at its pose."""
    solids = solids_of(ARM, Q, 0.0)
    joints = np.array([s.pose[:3, 3] for s in solids if s.part.look == JOINT])
    moved = ARM.link_poses(Q) @ np.linalg.inv(ARM.homes)
    assert close(joints, [(moved[k] @ [*joint_point(ARM.mechanism, k), 1.0])[:3] for k in range(2)])
    (tool,) = [s.pose[:3, 3] for s in solids if s.part.look == TOOL]
    assert close(tool, ARM.forward_kinematics(Q)[:3, 3])


def test_the_same_in_the_picture():
    ax = ARM.plot(Q).axes[0]
    centres = np.array([path.vertices[:-1].mean(axis=0) for path in ax.collections[0].get_paths()])
    tool = ARM.forward_kinematics(Q)[:2, 3]
    assert np.linalg.norm(centres - tool, axis=1).min() < 1e-9
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x (m)", "y (m)") and is_drawn(ax)


@pytest.mark.parametrize("name, plane", [("planar_2r", "xy"), ("pendulum", None), ("scara", None), ("panda", None)])
def test_a_planar_robot_has_its_plane(name, plane):
    found = plane_of(ch.load(name).mechanism)
    assert found == plane if name != "pendulum" else found in ("xy", "xz", "yz")


def test_planes_of_other_axes():
    for axis, plane in (((1, 0, 0), "yz"), ((0, 1, 0), "xz"), ((0, 0, -1), "xy"), ((1, 1, 0), None)):
        robot = ch.Robot.from_screws([ch.screw(axis)], [np.eye(4)], [ch.Link(1.0, (0.1, 0.2, 0.3))])
        assert plane_of(robot.mechanism) == plane
    slide = ch.Robot.from_screws([ch.prismatic((0, 0, 1))], [np.eye(4)], [ch.Link(1.0)])
    assert plane_of(slide.mechanism) == "xz"


@pytest.mark.slow
def test_three_dimensions_at_equal_scales():
    ax = ch.load("scara").plot().axes[0]
    spans = np.ptp([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1)
    assert close(spans / ax._box_aspect, np.full(3, (spans / ax._box_aspect)[0]), 1e-9) and is_drawn(ax)


def test_other_views_ghosts_and_frames():
    scara = ch.load("scara")
    ax = scara.plot(view="xz", frames=["tool", "base"], ghosts=[scara.neutral() + 0.1]).axes[0]
    T = scara.forward_kinematics(scara.neutral())
    assert close(line(ax)[0], T[[0, 2], 3]) and len(ax.lines) == 6
    assert [text.get_text() for text in ax.texts] == ["tool", "base"]
    ghost, robot = ax.collections
    assert np.mean(ghost.get_facecolor()[:, :3]) > np.mean(robot.get_facecolor()[:, :3])
    assert ghost.get_zorder() < robot.get_zorder()


def test_a_loop_is_closed():
    system = four_bar()
    q = system.consistent([1.0, -0.8, -0.9], np.zeros(3))[0]
    (found,) = closures(system, q)
    assert set(found.frames) == {"pin", "tool"} and set(found.links) == {-1, 2}
    ax = system.plot(q).axes[0]
    centres = np.array([path.vertices[:-1].mean(axis=0) for path in ax.collections[0].get_paths()])
    assert np.linalg.norm(centres - [0.45, 0.0], axis=1).min() < 1e-6


@pytest.mark.slow
def test_a_point_that_a_function_holds_is_a_joint_too():
    robot = loops.four_bar()
    system = ch.ConstrainedSystem(robot, loops.pinned(robot), start=loops.four_bar_angles(1.0))
    (found,) = closures(system, loops.four_bar_angles(1.0))
    assert found.frames[1] == "tip0" and found.links == (-1, 2)


@pytest.mark.slow
def test_frames_that_meet_anyhow_are_no_loop():
    """Those of a Panda's wrist, wherever it is."""
    panda = ch.load("panda")
    held = ch.ConstrainedSystem(panda, ch.Constraint.fixed({"panda_joint1": 0.2}), start=np.full(7, 0.2))
    assert not closures(held, np.full(7, 0.2))


def test_home_is_drawn_where_nothing_is_said():
    panda = ch.load("panda")
    assert small(home(panda)[:3], 1e-12) and home(panda)[3] < -1.0
    system = four_bar()
    q = systems.configuration("plot", system, None)
    assert small(system.residual(q), 1e-9)


def test_what_is_refused():
    with pytest.raises(
        ch.ShapeError, match=r"plot: q must have shape \(2,\), one configuration, got \(3, 2\): .*; others"
    ):
        ARM.plot(np.zeros((3, 2)))
    with pytest.raises(ch.FrameError, match="no frame 'hand'"):
        ARM.plot(frames="hand")
    with pytest.raises(ch.ModelError, match="view must be one of 3d, xy, xz, yz, got 'top'"):
        ARM.plot(view="top")
    with pytest.raises(ch.ModelError, match=r"off the constraints closure by .*system.consistent"):
        ch.plot.robot(four_bar(), [0.0, 0.0, 0.0])
    with pytest.raises(ch.ModelError, match=r"needs axes in three dimensions, ch.plot.figure\(views=\"3d\"\)"):
        ARM.plot(ax=ch.plot.figure()[1][0, 0], view="3d")
    with pytest.raises(ch.ModelError, match="ax shows the view 'xy', and 'xz' does not fit"):
        ARM.plot(ax=ARM.plot().axes[0], view="xz")
    swing = ch.LagrangianSystem(1, lambda q, qd: qd @ qd)
    with pytest.raises(ch.ModelError, match="plot: 'system' is no robot, and has no links to show"):
        ch.plot.robot(swing)  # type: ignore[arg-type]
    symbolic = ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link(ch.symbols("m"))])
    with pytest.raises(
        ch.ModelError, match=r"has the symbols m, and this needs numbers: use robot.with_values\(m=...\)"
    ):
        symbolic.plot()


def draws(name: str) -> None:
    robot = ch.load(name)
    figure = robot.plot(robot.random(0))
    assert is_drawn(figure.axes[0])


@pytest.mark.parametrize("name", ["pendulum", pytest.param("ur5", marks=pytest.mark.slow)])
def test_a_robot_of_the_zoo(name):
    draws(name)


@pytest.mark.sweep
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
@pytest.mark.parametrize("name", zoo.names())
def test_every_robot_of_the_zoo(name):
    draws(name)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_a_quadruped_on_a_free_base():
    robot = ch.load(example_files()["solo_description/robots/solo12.urdf"]).with_base("free")
    assert is_drawn(robot.plot(robot.neutral(), frames=robot.link_names[-1]).axes[0])
