"""Trajectories: poses, reactions, interpolation of measured order, slices, rows, pictures."""

import pickle

import numpy as np
import pytest
from support.floating import floating
from support.loops import four_bar, four_bar_angles, pinned
from support.tolerances import EXACT, close

import chasles as ch


@pytest.fixture(scope="module")
def swing():
    robot = ch.load("planar_2r")
    return ch.simulate(robot, [0.3, 0.4], [0.0, 0.1], lambda t, q, v: -0.3 * v, duration=0.05, dt=1e-3)


@pytest.fixture(scope="module")
def bars():
    robot = four_bar()
    cs = ch.ConstrainedSystem(robot, pinned(robot))
    return ch.simulate(cs, *cs.consistent(four_bar_angles(0.7), [2.0, 0.0, 0.0]), duration=0.05)


def test_what_it_is(swing):
    assert isinstance(swing, ch.Trajectory) and ch.Trajectory is ch.results.Trajectory and len(swing) == 51
    assert "'planar_2r': 51 samples over 0.05 s, rk4, dt 0.001 s, energy changes by up to" in repr(swing)
    assert swing.signals == {} and swing.system.name == "planar_2r"
    with pytest.raises(AttributeError, match="did you mean 'Trajectory'"):
        getattr(ch, "Simulation")  # noqa: B009


def test_poses(swing, bars):
    robot = swing.system
    assert close(swing.tool_path, robot.forward_kinematics(swing.q), EXACT) and swing.tool_path.shape == (51, 4, 4)
    assert close(swing.poses("link1"), robot.forward_kinematics(swing.q, "link1"), EXACT)
    assert close(bars.poses(bars.system.system.frame_names[-1]).shape, (51, 4, 4))
    particle = ch.simulate(ch.LagrangianSystem(1, lambda q, v: v @ v / 2), [0.0], [1.0], duration=0.01)
    with pytest.raises(ch.ModelError, match="poses: 'system' is no robot"):
        particle.poses()
    with pytest.raises(ch.FrameError, match="no_frame"):
        swing.poses("no_frame")


def test_reactions(bars, swing):
    """They do no work, and are what the equations of motion lack without them."""
    cs = bars.system
    assert close(np.einsum("ti,ti->t", bars.reactions, bars.qd), np.zeros(51), 1e-9, np.abs(bars.reactions).max())
    qdd = cs.forward_dynamics(bars.q, bars.qd, bars.tau).qdd
    assert close(cs.system.inverse_dynamics(bars.q, bars.qd, qdd), bars.reactions, 1e-9)
    with pytest.raises(ch.ModelError, match="under no constraints"):
        _ = swing.reactions


KINDS = {
    "screw": lambda: ch.load("planar_2r"),
    **{
        kind: lambda kind=kind: ch.Robot.from_screws(
            [np.zeros(6)], [np.eye(4)], [ch.Link(1.0, (0.1, 0.2, 0.0), (0.3, 0.2, 0.4))], kinds=(kind,)
        )
        for kind in ("spherical", "planar", "free")
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_interpolation(kind, rng):
    """Half the distance of samples: a sixteenth of the error of q, an eighth of that of qd."""
    robot = KINDS[kind]()
    q, v = robot.random(rng), rng.normal(size=robot.n) * 3.0
    exact = ch.simulate(robot, q, v, duration=0.32, dt=1e-3)
    errors = []
    for gap in (32, 16, 8):
        found, rate = exact[::gap](exact.t)
        errors.append([np.abs(robot.difference(exact.q, found)).max(), np.abs(rate - exact.qd).max()])
        assert close(found[::gap], exact.q[::gap], 1e-12) and close(rate[::gap], exact.qd[::gap], 1e-12)
    ratios = np.array(errors[:-1]) / errors[1:]
    assert (ratios[:, 0] > 12.0).all() and (ratios[:, 1] > 6.5).all()


def test_shapes_of_interpolation(rng):
    robot = ch.load("planar_2r")
    both = ch.simulate(robot, rng.normal(size=(3, 2)), np.zeros(2), duration=0.02)
    q, qd = both(0.0105)
    assert q.shape == qd.shape == (3, 2)
    q, qd = both(np.full((4, 5), 0.0105))
    assert q.shape == qd.shape == (3, 4, 5, 2)
    assert close(q[1, 2, 3], both.row(1)(0.0105)[0], EXACT)
    for outside in (-0.001, 0.0201, np.nan):
        with pytest.raises(ch.ModelError, match=r"t must be between 0 and 0\.02 s"):
            both([0.01, outside])
    with pytest.raises(ch.ModelError, match="one sample"):
        both[:1](0.0)


def test_slices_and_rows(rng):
    robot = ch.load("planar_2r")
    both = ch.simulate(
        robot, rng.normal(size=(2, 3, 2)), np.zeros(2), duration=0.02, record={"x": lambda t, q, v, u: q}
    )
    part = both[5:15:2]
    assert len(part) == 5 and close(part.t, both.t[5:15:2]) and (part.q == both.q[..., 5:15:2, :]).all()
    assert (part.energy == both.energy[..., 5:15:2]).all() and (part.signals["x"] == part.q).all()
    one = both.row(1, 2)
    assert one.q.shape == (21, 2) and (one.q == both.q[1, 2]).all() and (one.signals["x"] == one.q).all()
    assert both.row(1).q.shape == (3, 21, 2) and "6 motions of 21 samples" in repr(both)
    with pytest.raises(ch.ModelError, match="by slices"):
        both[3]
    for step in (-1, 0):
        with pytest.raises(ch.ModelError, match="the step of a slice must be a positive integer"):
            both[::step]
    for wrong in ((2,), (0, 0, 0), (-1,)):
        with pytest.raises(ch.ModelError, match="place"):
            both.row(*wrong)


def test_it_travels(swing):
    again = pickle.loads(pickle.dumps(swing))
    assert (again.q == swing.q).all() and (again.tool_path == swing.tool_path).all() and again.labels == swing.labels


def test_labels(swing, bars):
    joints = swing.system.joint_names
    assert swing.labels.q == swing.labels.qd == joints and swing.labels.forces() == ("N m", "N m")
    assert bars.labels.rows == bars.system.row_names and bars.labels.name == "four-bar"
    robot = floating()
    labels = ch.simulate(robot, robot.neutral(), np.zeros(robot.n), duration=0.001).labels
    assert labels.q[2:5] == ("base.z", "base.qx", "base.qy") and labels.q_units[:4] == ("m", "m", "m", "1")
    assert labels.qd[0] == "base[0]" and labels.rates()[:6] == ("rad/s",) * 3 + ("m/s",) * 3
    assert labels.q_units[7:] == ("m", "rad") and labels.forces()[6:] == ("N", "N m")
    assert len(labels.q) == robot.nq and len(labels.qd) == robot.n


def test_plot(swing, bars):
    figure = swing.plot()
    assert [axis.get_ylabel() for axis in figure.axes] == [
        "position, rad",
        "velocity, rad/s",
        "force, N m",
        "energy, J",
    ]
    assert [axis.get_legend() is not None for axis in figure.axes] == [True, False, False, True]
    shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert shown == list(swing.system.joint_names) and figure.axes[-1].get_xlabel() == "t, s"
    assert (figure.axes[1].lines[1].get_ydata() == swing.qd[:, 1]).all()
    assert (figure.axes[3].lines[2].get_ydata() == swing.energy).all()
    assert len(bars.plot(["q", "multipliers"]).axes) == 2 and len(bars.plot("energy").axes) == 1
    for wrong in ("speed", ["q", "speed"]):
        with pytest.raises(ch.ModelError, match="what must be of q, qd, tau, energy, got 'speed'"):
            swing.plot(wrong)
