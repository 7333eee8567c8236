"""Paths, phase portraits, screw axes and coupler curves: lines whose data the library gives."""

import numpy as np
import pytest
from support.pictures import four_bar, is_drawn, line
from support.tolerances import close, small

import chasles as ch
from chasles.plot import coupler_curves, screw_axes

ARM = ch.load("planar_2r").with_gravity([0.0, -9.81, 0.0])
Q = np.array([0.4, 0.9])


def test_a_path_is_that_of_forward_kinematics():
    q = Q + np.linspace(0.0, 1.0, 20)[:, None] * [1.0, -0.5]
    ax = ch.plot.path(ARM, q).axes[0]
    assert close(line(ax), ARM.forward_kinematics(q)[:, :2, 3]) and is_drawn(ax)
    assert close(line(ax, 1)[0], line(ax)[0]) and close(line(ax, 2)[0], line(ax)[-1])


@pytest.mark.slow
def test_a_path_in_space():
    ur5 = ch.load("ur5")
    q = np.linspace(np.zeros(6), np.ones(6), 9)
    solid = ch.plot.path(ur5, q, "wrist_1_link", colour="black").axes[0]
    assert close(line(solid), ur5.forward_kinematics(q, "wrist_1_link")[:, :3, 3])


def test_a_path_needs_a_motion_and_a_frame():
    with pytest.raises(ch.ShapeError, match="path: q must have two configurations at least"):
        ch.plot.path(ARM, [Q])
    with pytest.raises(ch.ShapeError, match=r"path: q must have shape \(n, 2\)"):
        ch.plot.path(ARM, Q)
    with pytest.raises(ch.ModelError, match="colour must be one that matplotlib knows"):
        ch.plot.path(ARM, [Q, Q], colour="no colour")
    branched = ch.Robot.from_screws(
        [ch.screw([0, 0, 1])] * 2, [np.eye(4)] * 2, [ch.Link(1.0, (0.5, 0, 0), (1, 1, 1))] * 2, [-1, -1]
    )
    with pytest.raises(ch.FrameError, match="path: robot 'robot' is branched and has no tool: name a frame"):
        ch.plot.path(branched, [Q, Q])
    assert is_drawn(branched.plot(Q).axes[0])


def test_a_phase_portrait_is_velocity_over_position():
    t = np.linspace(0.0, 1.0, 9)[:, None]
    q = np.stack([np.sin(t) * [0.3, 0.4], np.cos(t) * [0.1, 0.2]])
    run = ch.Trajectory(t[:, 0], q, 2.0 * q, 0.0 * q, system=ARM)
    ax = ch.plot.phase_portrait(run, "joint2").axes[0]
    for k in (0, 1):
        assert close(line(ax, k), np.stack([run.q[k, :, 1], run.qd[k, :, 1]], axis=-1))
    assert ax.get_xlabel() == "position of joint2 (rad)" and ax.get_ylabel() == "velocity (rad/s)" and is_drawn(ax)
    with pytest.raises(ch.ModelError, match="joint must be one of joint1, joint2, or its index, got 'elbow'"):
        ch.plot.phase_portrait(run, "elbow")
    with pytest.raises(ch.ModelError, match="joint must be one of joint1, joint2"):
        ch.plot.phase_portrait(run)


def test_a_vector_field_is_that_of_the_dynamics():
    """Along every line that is drawn, d(qd)/dq = qdd / qd."""
    pendulum = ch.load("pendulum")
    damping = 0.5
    figure = ch.plot.vector_field(pendulum, (-3.0, 3.0), (1.0, 8.0), tau=lambda t, q, qd: -damping * qd, density=0.3)
    lines = figure.axes[0].collections[0].get_segments()
    middle = np.concatenate([(x[1:] + x[:-1]) / 2.0 for x in lines])
    step = np.concatenate([np.diff(x, axis=0) for x in lines])
    qdd = pendulum.forward_dynamics(middle[:, :1], middle[:, 1:], -damping * middle[:, 1:])[:, 0]
    across = step[:, 0] * qdd - step[:, 1] * middle[:, 1]
    size = np.linalg.norm(step, axis=1) * np.hypot(qdd, middle[:, 1])
    off = np.abs(across[size > 0.0]) / size[size > 0.0]
    assert len(off) > 50 and np.median(off) < 0.02 and is_drawn(figure.axes[0])


def test_a_vector_field_is_of_one_joint():
    with pytest.raises(ch.ModelError, match=r"must have one degree of freedom, and 'planar_2r' has 2: lock its other"):
        ch.plot.vector_field(ARM)
    with pytest.raises(ch.ModelError, match="q must go from a number to a larger one"):
        ch.plot.vector_field(ch.load("pendulum"), (1.0, 1.0))


@pytest.mark.parametrize("name", ["ur5", pytest.param("scara", marks=pytest.mark.slow)])
def test_screw_axes_are_those_of_the_space_jacobian(name, rng):
    """w along the axis, and no velocity of its points along anything else: columns of the space Jacobian."""
    robot = ch.load(name)
    q = robot.random(rng)
    J = robot.jacobian(q, expressed="space").T
    for (point, axis), S in zip(screw_axes.lines(robot, q).values(), J, strict=True):
        velocity = np.cross(S[:3], point) + S[3:]
        turning = np.linalg.norm(S[:3]) > 0.5
        assert close(S[:3] if turning else velocity, axis, 1e-9)
        assert small(np.cross(velocity, axis), 1e-9)  # of a helical joint, along its axis
    ax = ch.plot.screws(robot, q).axes[0]
    assert [text.get_text() for text in ax.texts] == [f"S{k + 1}" for k in range(robot.n)] and is_drawn(ax)


@pytest.mark.slow
def test_a_coupler_curve_is_closed_and_on_the_constraints():
    system = four_bar()
    q = system.consistent([1.0, -0.8, -0.9], np.zeros(3))[0]
    found = coupler_curves.curves(system, q)
    assert len(found) == 2  # crank and rocker: two assemblies, each with a whole turn of the crank
    for rows in found:
        assert small(system.residual(rows), 1e-9) and close(rows[-1], rows[0])
        crank = np.unwrap(rows[:-1, 0])
        assert 6.2 < abs(crank[-1] - crank[0]) < 2 * np.pi + 0.1
    side = [np.sign(np.sin(rows[:, 2])) for rows in found]
    assert np.ptp(side[0]) == np.ptp(side[1]) == 0 and side[0][0] != side[1][0]  # the rocker's two sides


def test_points_of_the_coupler_s_ends_describe_circles():
    system = four_bar()
    figure = ch.plot.coupler_curve(system, "link2", (0.5, 0.0, 0.0), branches=False)
    curve = line(figure.axes[0])
    assert len(curve) > 300 and close(curve[-1], curve[0])  # a whole turn
    assert close(np.linalg.norm(curve - [0.45, 0.0], axis=1), np.full(len(curve), 0.4), 1e-9)
    start = line(ch.plot.coupler_curve(system, "link2", branches=False).axes[0])
    assert close(np.linalg.norm(start, axis=1), np.full(len(start), 0.2), 1e-9) and is_drawn(figure.axes[0])


@pytest.mark.slow
def test_a_rocker_turns_back_and_the_curve_goes_on():
    """No bar of a triple rocker turns round: one closed curve through both assemblies."""
    system = four_bar((0.4, 0.5, 0.3), 0.7)
    q = coupler_curves.corrected(system, np.array([0.9, -1.0, -1.2]))
    assert q is not None
    rows = coupler_curves.followed(system, q)
    assert close(rows[-1], rows[0]) and np.ptp(rows[:, 0]) < 2 * np.pi
    assert (np.sin(rows[:, 2]) > 0.1).any() and (np.sin(rows[:, 2]) < -0.1).any()


def test_what_is_no_linkage_is_refused():
    with pytest.raises(ch.ModelError, match="system must be a ConstrainedSystem, a robot with its loop closed"):
        ch.plot.coupler_curve(ARM, "link2")  # type: ignore[arg-type]
    with pytest.raises(ch.FrameError, match="no frame 'rod'"):
        ch.plot.coupler_curve(four_bar(), "rod")
    with pytest.raises(
        ch.ModelError, match=r"'tool' does not move, it is held: give frame=, such as a link \('link1', "
    ):
        ch.plot.coupler_curve(four_bar(), branches=False)
    free = ch.ConstrainedSystem(ch.load("planar_3r"), ch.Constraint.loop_closure("base", "tool", "ty"))
    with pytest.raises(ch.ModelError, match=r"must have one degree of freedom, and '.*' has 2: hold the others"):
        ch.plot.coupler_curve(free, "tool")
