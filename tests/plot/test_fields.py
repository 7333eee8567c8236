"""Maps over joints, workspaces and ellipsoids: their values are the library's."""

from typing import Any

import numpy as np
import pytest
from matplotlib.backend_bases import MouseEvent
from matplotlib.colors import to_hex
from support.pictures import is_drawn
from support.tolerances import close

import chasles as ch
from chasles.colour_scales import SIGNED, SIZES
from chasles.plot import ellipsoids, joint_plane

ARM = ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])
Q = np.array([0.4, 0.9])


def grid(robot: ch.Robot, joints: tuple[int, int], at: np.ndarray, size: int) -> np.ndarray:
    """(size^2, nq) the centres of the cells of a map over two joints that turn once or have limits."""
    known = {axis.coordinate: axis for axis in joint_plane.axes(robot)}
    points = [np.linspace(axis.lower, axis.upper, 2 * size + 1)[1::2] for axis in (known[k] for k in joints)]
    q = np.tile(at, (size, size, 1))
    q[..., joints[0]], q[..., joints[1]] = points[0][None, :], points[1][:, None]
    return q.reshape(-1, len(at))


def values(figure: Any) -> np.ndarray:
    return np.asarray(figure.axes[0].images[0].get_array()).ravel()


@pytest.mark.slow
def test_curvature_about_zero():
    figure = ch.plot.curvature_map(ARM, size=8)
    image = figure.axes[0].images[0]
    assert close(values(figure), ARM.scalar_curvature(grid(ARM, (0, 1), Q, 8)), 1e-9)
    low, high = image.get_clim()
    assert low == -high and close(high, np.abs(values(figure)).max())
    assert figure.axes[1].get_ylabel() == "scalar curvature (1/(kg·m²))" and is_drawn(figure.axes[0])
    assert [t.get_text() for t in (figure.axes[0].xaxis.label, figure.axes[0].yaxis.label)] == [
        "joint1 (rad)",
        "joint2 (rad)",
    ]


@pytest.mark.slow
def test_the_curvature_of_a_flat_robot_is_pale():
    slides = ch.Robot.from_screws(
        [ch.prismatic((1, 0, 0)), ch.prismatic((0, 1, 0))], [np.eye(4)] * 2, [ch.Link(1.0)] * 2, name="table"
    )
    figure = ch.plot.curvature_map(slides, size=4)
    assert np.abs(values(figure)).max() < 0.01 * figure.axes[0].images[0].get_clim()[1]


def test_manipulability_and_its_unit():
    figure = ch.plot.manipulability_map(ARM, size=6)
    expected = ARM.manipulability(grid(ARM, (0, 1), Q, 6), rows="tx ty", expressed="mixed")
    assert close(values(figure), expected) and figure.axes[1].get_ylabel() == "manipulability (m²)"
    far = ch.plot.manipulability_map(ARM, size=12).axes[0].images[0]
    assert far.get_clim()[0] == 0.0 < far.get_array().min()  # where it would begin near zero, a scale begins there


@pytest.mark.slow
def test_manipulability_of_other_rows_and_joints():
    scara = ch.load("scara")
    at = scara.neutral() + 0.1
    figure = ch.plot.manipulability_map(scara, ("elbow", "shoulder"), at=at, size=5, rows="tx ty")
    expected = scara.manipulability(grid(scara, (1, 0), at, 5), rows="tx ty", expressed="mixed")
    assert close(values(figure), expected) and figure.axes[1].get_ylabel() == "manipulability"


def test_holding_torques():
    figure = ch.plot.torque_map(ARM, size=6)
    forces = ARM.gravity_forces(grid(ARM, (0, 1), Q, 6))
    assert close(values(figure), forces[:, 0]) and figure.axes[1].get_ylabel() == "holding torque of joint1 (N·m)"
    assert close(values(ch.plot.torque_map(ARM, of="joint2", size=6)), forces[:, 1])
    low, high = figure.axes[0].images[0].get_clim()
    assert low == -high and close(high, np.abs(forces[:, 0]).max())
    with pytest.raises(ch.ModelError, match=r"has no gravity, give it some: robot.with_gravity"):
        ch.plot.torque_map(ARM.with_gravity([0.0, 0.0, 0.0]))


def lift(efforts: tuple[float, float], base: str = "fixed") -> ch.Robot:
    """A heavy slide that rises, and a light arm on it that turns about a level axis."""
    links = [ch.Link(9.0), ch.Link(1.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1))]
    screws, limits = [ch.prismatic((0, 0, 1)), ch.screw((0, 1, 0))], {"effort": efforts}
    robot = ch.Robot.from_screws(
        screws, [np.eye(4)] * 2, links, gravity=[0, 0, -10], limits=limits, joint_names=["up", "arm"]
    )
    return robot if base == "fixed" else robot.with_base("free")


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")  # the base has no mass
@pytest.mark.parametrize(
    ("efforts", "base", "said", "largest"),
    [
        ((np.inf, np.inf), "fixed", "holding torque of arm (N·m)", 5.0),
        ((1000.0, np.inf), "fixed", "holding torque of arm (N·m)", 5.0),
        ((1000.0, 10.0), "fixed", "holding torque of arm (N·m)", 5.0),
        ((200.0, 100.0), "fixed", "holding force of up (N)", 100.0),
        ((200.0, 100.0), "free", "holding force of up (N)", 100.0),
    ],
)
def test_the_joint_whose_force_is_shown(efforts, base, said, largest):
    """Newtons are not compared with newton metres, and what a base carries is no joint's."""
    figure = ch.plot.torque_map(lift(efforts, base), ("up", "arm"), size=9)
    assert figure.axes[1].get_ylabel() == said and close(np.abs(values(figure)).max(), largest, 1e-9)


def test_scales_leave_out_the_few_that_are_far_beyond():
    def spiked(q):
        return 1.0 + np.sin(q[:, 0]) + 1e6 * (np.arange(len(q)) == 7) * (len(q) == 400)

    figure = ch.plot.joint_map(ARM, spiked, (0, 1), size=20)
    low, high = figure.axes[0].images[0].get_clim()
    assert 1.8 < high < 2.1 and low < 0.1 and close(values(figure)[7], spiked(grid(ARM, (0, 1), Q, 20))[7])
    figure = ch.plot.joint_map(ARM, lambda q: np.where(q[:, 0] > 0.0, q[:, 1], np.nan), (0, 1), size=6)
    assert np.ma.getmaskarray(figure.axes[0].images[0].get_array()).sum() == 18


@pytest.mark.slow
def test_the_joints_that_matter_are_chosen():
    robot = ch.load("ur5")
    figure = ch.plot.joint_map(robot, lambda q: np.sin(q[:, 1]) * np.cos(q[:, 4]), size=4)
    assert figure.axes[0].get_xlabel().startswith(robot.joint_names[1])
    assert figure.axes[0].get_ylabel().startswith(robot.joint_names[4])


def test_maps_that_are_refused():
    with pytest.raises(ch.ModelError, match=r"'pendulum' has 1 joints of one degree .* a map needs two"):
        ch.plot.curvature_map(ch.load("pendulum"))
    with pytest.raises(ch.ModelError, match="joints must be of joint1, joint2, or an index of these, got 'elbow'"):
        ch.plot.curvature_map(ARM, ("joint1", "elbow"))
    with pytest.raises(ch.ModelError, match="joints must be two that move, one of them twice"):
        ch.plot.torque_map(ARM, joints=(0, 0))
    with pytest.raises(ch.ShapeError, match=r"values must return \(49,\) for q \(49, 2\), got \(49, 2\)"):
        ch.plot.joint_map(ARM, lambda q: q, size=7)
    with pytest.raises(ch.ModelError, match="there is no value on the whole map"):
        ch.plot.joint_map(ARM, lambda q: np.full(len(q), np.nan), size=3)
    held = ch.ConstrainedSystem(ARM, ch.Constraint.loop_closure("base", "tool", "ty"))
    with pytest.raises(ch.ModelError, match="under constraints its joints do not move one by one"):
        ch.plot.manipulability_map(held)  # type: ignore[arg-type]
    with pytest.raises(ch.ShapeError, match=r"at must have shape \(2,\), one configuration"):
        ch.plot.curvature_map(ARM, at=np.zeros((4, 2)))
    with pytest.raises(ch.ModelError, match="ax shows a robot"):
        ch.plot.curvature_map(ARM, size=3, ax=ARM.plot().axes[0])


def test_a_workspace_is_within_reach():
    figure = ch.plot.workspace(ARM, samples=20_000)
    ax, image = figure.axes[0], figure.axes[0].images[0]
    reach = np.linalg.norm(ARM.forward_kinematics([0.0, 0.0])[:2, 3])
    left, right, low, high = image.get_extent()
    assert 0.98 * reach < right <= 1.02 * reach and -1.02 * reach <= left < -0.98 * reach and low < 0.0 < high
    shown: Any = image.get_array()
    x, y = (
        np.linspace(a, b, 2 * n + 1)[1::2] for a, b, n in ((left, right, shown.shape[1]), (low, high, shown.shape[0]))
    )
    radius = np.hypot(*np.meshgrid(x, y))
    assert (radius[~np.ma.getmaskarray(shown)] < 1.05 * reach).all() and shown.max() == 1.0 and is_drawn(ax)
    assert not np.ma.getmaskarray(shown)[(radius > 0.3 * reach) & (radius < 0.95 * reach)].any()


def test_colours_are_those_of_all_maps():
    for about_zero, scale in ((True, SIGNED), (False, SIZES)):
        image = ch.plot.joint_map(ARM, lambda q: q[:, 0], (0, 1), size=4, about_zero=about_zero).axes[0].images[0]
        ends = [to_hex(image.cmap(x)) for x in (0.0, 1.0)]
        assert ends == [scale[0], scale[-1]]
    assert to_hex(ch.plot.workspace(ARM, samples=1000).axes[0].images[0].cmap(1.0)) == SIZES[-1]


def shown_at(ax: Any, x: float, y: float) -> Any:
    """The value of a picture's image at a place of its axes; None outside of it."""
    ax.figure.canvas.draw()
    place = ax.transData.transform((x, y))
    return ax.images[0].get_cursor_data(MouseEvent("motion_notify_event", ax.figure.canvas, *place))


def test_maps_have_their_axes_upwards():
    ax = ch.plot.joint_map(ARM, lambda q: q[:, 0] + 10.0 * q[:, 1], (0, 1), size=20).axes[0]
    for x, y in ((2.0, -1.0), (-1.0, 2.5)):
        assert abs(shown_at(ax, x, y) - (x + 10.0 * y)) < 11.0 * np.pi / 20.0


def test_a_workspace_has_its_axes_upwards():
    """A quarter of a ring: its middle is empty, below."""
    tool, limits = ARM.forward_kinematics(ARM.neutral()), {"lower": [0.0, 0.0], "upper": [np.pi / 2.0, 1.0]}
    quarter = ch.Robot.from_screws(ARM.screws, ARM.homes, ARM.links, tool=tool, limits=limits)
    ax = ch.plot.workspace(quarter, samples=20_000).axes[0]
    reach = float(np.linalg.norm(ARM.forward_kinematics([0.0, 0.0])[:2, 3]))
    assert shown_at(ax, 0.49 * reach, 0.85 * reach) > 0.0 and not shown_at(ax, 0.49 * reach, 0.15 * reach)


def test_a_section_is_thin():
    """Of a plane x = y between z = 0 and 1: a strip as wide as the section is thick, 3% of the reach."""
    screws = np.array([[0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 0, 1]])
    limits = {"lower": [0.0, 0.0], "upper": [1.0, 1.0]}
    slides = ch.Robot.from_screws(screws, [np.eye(4)] * 2, [ch.Link(1.0)] * 2, tool=np.eye(4), limits=limits)
    image = ch.plot.workspace(slides, view="xz", offset=0.5, samples=20_000).axes[0].images[0]
    left, right = image.get_extent()[:2]
    assert abs(left - 0.485) < 1e-3 and 0.514 < right < 0.515 + 1.0 / 140.0


@pytest.mark.slow
def test_a_section_through_the_workspace_of_a_robot_in_space():
    scara = ch.load("scara")
    height = float(scara.forward_kinematics(scara.neutral())[2, 3])
    figure = ch.plot.workspace(scara, view="xy", offset=height, samples=20_000)
    assert figure.axes[0].get_ylabel() == "y (m)" and is_drawn(figure.axes[0])
    assert ch.plot.workspace(scara, samples=5_000).axes[0].get_ylabel() == "z (m)"
    with pytest.raises(ch.ModelError, match="hardly any place is reached in the plane xy at 9 m"):
        ch.plot.workspace(scara, view="xy", offset=9.0, samples=1000)


@pytest.mark.parametrize("metric", ["euclidean", "inertia"])
def test_half_axes_are_the_singular_values(metric):
    A = ellipsoids.matrix(ARM, Q, "velocity", metric)
    half = np.sqrt(np.linalg.eigvalsh(A)[::-1])[:2]
    assert close(half, ARM.singular_values(Q, rows="tx ty", expressed="mixed", metric=metric))
    inverse = ellipsoids.matrix(ARM, Q, "force", metric)
    assert close(np.sqrt(np.linalg.eigvalsh(inverse)[::-1])[:2], 1.0 / half[::-1])


def test_the_ellipse_that_is_drawn():
    """|J^-1 x| = 1 on its outline; the legend has its half axes."""
    ax = ch.plot.ellipsoid(ARM, Q, scale=0.5).axes[0]
    outline = ax.collections[0].get_paths()[0].vertices - ARM.forward_kinematics(Q)[:2, 3]
    J = ARM.jacobian(Q, expressed="mixed")[3:5]
    assert close(np.linalg.norm(np.linalg.solve(J, outline.T / 0.5), axis=0), np.ones(len(outline)), 1e-9)
    half = ARM.singular_values(Q, rows="tx ty", expressed="mixed")
    (text,) = [t.get_text() for t in ax.get_legend().get_texts()]
    assert text == f"velocity: half axes {half[0]:.3g}, {half[1]:.3g} m/s" and is_drawn(ax)
    ch.plot.ellipsoid(ARM, Q, "force", ax=ax)
    assert len(ax.get_legend().get_texts()) == 2


@pytest.mark.slow
def test_an_ellipsoid_in_space():
    ur5, q = ch.load("ur5"), np.array([0.3, -1.2, 1.5, -0.4, 0.6, 0.2])
    ax = ch.plot.ellipsoid(ur5, q, scale=1.0).axes[0]
    J = ur5.jacobian(q, expressed="mixed")[3:]
    for one in ax.lines:
        away = np.stack(one.get_data_3d(), axis=-1) - ur5.forward_kinematics(q)[:3, 3]
        assert close(np.einsum("ki,ij,kj->k", away, np.linalg.inv(J @ J.T), away), np.ones(len(away)), 1e-9)
    assert len(ax.lines) == 3 and is_drawn(ax)
    with pytest.raises(ch.ModelError, match="q is singular, and forces without bound"):
        ch.plot.ellipsoid(ARM, [0.3, 0.0], "force")
