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
        both[3]  # type: ignore[index]
    for step in (-1, 0):
        with pytest.raises(ch.ModelError, match="the step of a slice must be a positive integer"):
            both[::step]
    assert (both.row(-1, -3).q == both.q[1, 0]).all()
    for wrong in ((2,), (0, 0, 0), (-3,), (0, 3), (True,)):
        with pytest.raises(ch.ModelError, match="place"):
            both.row(*wrong)


def test_it_travels(swing):
    again = pickle.loads(pickle.dumps(swing))
    assert (again.q == swing.q).all() and (again.tool_path == swing.tool_path).all() and again.labels == swing.labels


def test_it_travels_without_functions(bars):
    """A system of functions stays behind: what it says of the motion does not."""
    cs = bars.system
    rolled = cs.rollout(bars.q[0], bars.qd[0], dt=1e-3, steps=5)
    again = pickle.loads(pickle.dumps(rolled))
    assert again.system is None and again.multipliers.shape == (6, len(cs.row_names))
    for name in ("multipliers", "kinetic", "potential"):
        assert (getattr(again, name) == getattr(rolled, name)).all()
        assert (getattr(again[2:4], name) == getattr(rolled, name)[2:4]).all()
    assert repr(again) == repr(rolled) and (pickle.loads(pickle.dumps(again)).energy == rolled.energy).all()
    with pytest.raises(ch.ModelError, match="reactions: the trajectory has no system"):
        _ = again.reactions


def test_one_of_arrays_alone(tmp_path):
    bare = ch.Trajectory(np.arange(3.0), np.ones((3, 3)), np.ones((3, 2)), np.zeros((3, 2)))
    assert repr(bare) == "<Trajectory '': 3 samples over 2 s>" and bare.multipliers is None
    assert bare.labels.q == ("q1", "q2", "q3") and bare.labels.qd == ("v1", "v2") and len(bare.plot().axes) == 3
    with pytest.raises(ch.ModelError, match="kinetic: the trajectory has no system"):
        _ = bare.energy
    for ending in (".npz", ".csv"):
        bare.save(tmp_path / f"bare{ending}")
        again = ch.Trajectory.load(tmp_path / f"bare{ending}")
        assert (again.q == bare.q).all() and again.labels == bare.labels and repr(again) == repr(bare)


def test_a_batch_of_none():
    none = ch.load("planar_2r").rollout(np.zeros((0, 2)), np.zeros(2), dt=1e-3, steps=5)
    assert "0 motions of 6 samples over 0.005 s" in repr(none)
    with pytest.raises(ch.ModelError, match=r"plot: the batch \(0,\) has no motion"):
        none.plot()
    with pytest.raises(ch.ModelError, match="place must be of a batch that has motions"):
        none.row(0)


def test_events_of_slices_and_rows():
    ball = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 - 9.81 * q[0])
    top = ch.Event(lambda t, q, qd: qd[0], "top")
    both = ch.simulate(ball, [[0.0], [0.0]], [[1.0], [2.0]], duration=0.3, dt=0.01, events=[top])
    assert [e.row for e in both.events] == [(0,), (1,)]  # at 0.102 and 0.204
    assert [e.row for e in both[:15].events] == [(0,)] and [e.row for e in both[15:].events] == [(1,)]
    assert both[:5].events == both[:0].events == () and [e.t for e in both.row(-1).events] == [both.events[1].t]


def test_steps_are_counted_from_the_start_of_a_rollout():
    slider = ch.LagrangianSystem(1, lambda q, qd: qd @ qd / 2)
    with pytest.warns(RuntimeWarning, match="no longer finite after 51"):
        motion = slider.rollout([0.0], [1.0], lambda t, q, qd: qd**3, dt=0.01, steps=100)
    assert motion.finite_steps == motion[40:].finite_steps == 51 and np.isfinite(motion.q[:52]).all()


def test_interpolation_with_symbols():
    """The value of each row is that row's, at times of any shape."""
    mass = ch.symbols("m")
    robot = ch.load("planar_2r").with_payload("tool", mass)
    values = np.array([0.5, 2.0, 4.0])
    motion = robot.rollout(np.full((3, 2), 0.3), np.zeros(2), dt=1e-3, steps=5, m=values)
    expected = ch.load("planar_2r").with_payload("tool", 2.0).rollout([0.3, 0.3], np.zeros(2), dt=1e-3, steps=5)
    for t in (0.0012, np.full((4, 5), 0.0012)):
        q, qd = motion(t)
        assert q.shape == qd.shape == (3, *np.shape(t), 2)
        for found, right in zip((q, qd), expected(t), strict=True):
            assert close(found[1], right, 1e-12)
    assert close(motion.row(1)(0.0012)[0], motion(0.0012)[0][1], EXACT)


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
        "position (rad)",
        "velocity (rad/s)",
        "force (N·m)",
        "energy (J)",
    ]
    assert [axis.get_legend() is not None for axis in figure.axes] == [True, False, False, True]
    shown = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert shown == list(swing.system.joint_names) and figure.axes[-1].get_xlabel() == "time (s)"
    assert (figure.axes[1].lines[1].get_ydata() == swing.qd[:, 1]).all()
    assert (figure.axes[3].lines[2].get_ydata() == swing.energy).all()
    assert len(bars.plot(["q", "multipliers"]).axes) == 2 and len(bars.plot("energy").axes) == 1
    for wrong in ("speed", ["q", "speed"]):
        with pytest.raises(ch.ModelError, match="what must be of q, qd, tau, energy, got 'speed'"):
            swing.plot(wrong)
