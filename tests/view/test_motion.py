"""Trajectories as the data of a page: thinned, encoded, ended where they end; mistakes are named."""

import base64
import json
import re
from functools import cache

import numpy as np
import pytest
from support.four_bar import four_bar, state
from support.tolerances import close

import chasles as ch
from chasles.view import motion as view_motion
from chasles.view.encoding import encoded
from chasles.view.motion import MOST_ROWS, extremes, motion, names, thinned


@cache
def swing():
    return ch.load("planar_2r").simulate([0.3, 0.2], [0.0, 0.0], duration=0.05, dt=0.005)


def decoded(given):
    ((kind, text),) = given.items()
    return np.frombuffer(base64.b64decode(text), dtype=np.dtype(kind).newbyteorder("<"))


def test_samples_and_curves_of_a_short_motion_are_all_there():
    t = swing()
    (row,) = motion(t)["rows"]
    assert row["count"] == len(t) == 11 and row["tau"] is None and row["events"] == []
    assert decoded(row["t"]).tolist() == t.t.tolist()
    assert decoded(row["q"]).reshape(11, 2).tolist() == t.q.tolist()
    assert decoded(row["qd"]).reshape(11, 2).tolist() == t.qd.tolist()
    assert list(row["panels"]) == ["q", "qd", "energy"]
    energy = row["panels"]["energy"]
    assert energy["names"] == ["kinetic", "potential", "total"] and energy["unit"] == "J"
    assert close(decoded(energy["values"]).reshape(3, -1)[2], t.energy, 1e-6, scale=1.0)


def test_forces_multipliers_signals_and_events_are_there_where_they_were_recorded():
    def low(t, q, qd):
        return q[0]

    q, qd = state()
    loop = four_bar().simulate(
        q,
        qd,
        lambda t, q, qd: [0.1, 0.0, 0.0],
        duration=0.01,
        dt=1e-3,
        record={"power": lambda t, q, qd, tau: tau @ qd},
    )
    (row,) = motion(loop)["rows"]
    assert list(row["panels"]) == ["q", "qd", "tau", "energy", "multipliers", "power"]
    assert row["panels"]["multipliers"]["names"] == list(four_bar().row_names)
    assert row["panels"]["multipliers"]["unit"] == names(four_bar())["multipliers_unit"] == "N"
    assert decoded(row["tau"]).reshape(11, 3)[:, 0].tolist() == [0.1] * 11
    robot = ch.load("planar_2r")
    fallen = robot.simulate([0.01, 0.0], [-1.0, 0.0], duration=0.05, dt=0.005, events=[low])
    assert [event["name"] for event in motion(fallen)["rows"][0]["events"]] == ["low"]


def test_extremes_keep_every_peak_and_both_ends():
    t = np.linspace(0.0, 1.0, 10_001)
    values = np.sin(40.0 * t)[None] * 0.0 + 1e-3 * t
    values = np.concatenate([values, -values])
    values[0, 777], values[1, 4321] = 5.0, -7.0
    times, found = extremes(t, values, 100)
    assert found.shape == (2, len(times)) and len(times) <= 100
    assert found.max(axis=1).tolist() == values.max(axis=1).tolist()
    assert found.min(axis=1).tolist() == values.min(axis=1).tolist()
    assert (np.diff(times) > 0.0).all() and times[0] == 0.0 and times[-1] == 1.0
    assert abs(times[np.argmax(found[0])] - t[777]) < 0.03  # where it was


def test_extremes_come_in_the_order_in_which_they_occur():
    """Also where a stretch ends higher than it began, and where some of it is not known."""
    t = np.arange(8.0)
    values = np.array([[0.0, 5.0, -5.0, 1.0, 1.0, -5.0, 5.0, 0.0], [1.0, 3.0, np.nan, 2.0, *[np.nan] * 4]])
    _, found = extremes(t, values, 4)
    assert found[0].tolist() == [5.0, -5.0, -5.0, 5.0]
    assert found[1, :2].tolist() == [1.0, 3.0] and np.isnan(found[1, 2:]).all()


def test_few_points_are_left_as_they_are():
    t, values = np.arange(5.0), np.arange(10.0).reshape(2, 5)
    times, found = extremes(t, values, 5)
    assert times is t and found is values


@pytest.mark.parametrize("count, most", [(11, 100), (100, 100), (101, 100), (1_000_001, 5000)])
def test_thinning_keeps_the_first_and_the_last(count, most):
    places = thinned(count, most)
    assert places[0] == 0 and places[-1] == count - 1 and len(places) <= most + 1
    assert (len(places) == count) == (count <= most)


def test_a_million_samples_are_a_small_page_that_says_so():
    many = 1_000_001
    t = np.linspace(0.0, 100.0, many)
    q = np.stack([np.sin(t), np.cos(t)], axis=-1)
    long = ch.Trajectory(t, q, q, q, system=ch.load("planar_2r"), known={"kinetic": t, "potential": -t})
    data = motion(long)
    assert len(json.dumps(data)) < 2_000_000
    assert any("1,000,001 samples" in note for note in data["notes"])
    assert decoded(data["rows"][0]["t"])[-1] == 100.0


def test_a_motion_that_is_not_finite_ends_where_it_ends():
    t = swing()
    broken = ch.Trajectory(t.t, t.q.copy(), t.qd.copy(), t.tau, system=t.system)
    broken.q[7:], broken.qd[7:] = np.nan, np.nan
    data = motion(broken)
    assert data["rows"][0]["count"] == 7 and "0.03 s" in data["notes"][0]
    broken.q[:] = np.nan
    with pytest.raises(ch.ModelError, match="not finite at its first sample"):
        motion(broken)


def test_the_first_motions_of_a_batch_are_shown_and_the_page_says_so():
    start = np.linspace([0.1, 0.0], [0.5, 0.0], 12)
    batch = ch.load("planar_2r").rollout(start, 0 * start, dt=0.01, steps=5)
    data = motion(batch)
    assert len(data["rows"]) == MOST_ROWS and data["rows"][1]["name"] == "row 1"
    assert "8 of 12 motions" in data["notes"][0]
    assert decoded(data["rows"][3]["q"]).reshape(-1, 2)[0].tolist() == start[3].tolist()
    with pytest.raises(ch.ModelError, match="no motion"):
        motion(ch.load("planar_2r").rollout(start[:0], start[:0], dt=0.01, steps=5))


def test_rows_share_the_room_there_is(monkeypatch):
    monkeypatch.setattr(view_motion, "SAMPLE_BYTES", 8 * 7 * 20)
    start = np.linspace([0.1, 0.0], [0.5, 0.0], 2)
    batch = ch.load("planar_2r").rollout(start, 0 * start, dt=0.01, steps=100)
    assert [row["count"] for row in motion(batch)["rows"]] == [11, 11]


def test_encodings():
    assert decoded(encoded([1.0, -2.5])).tolist() == [1.0, -2.5]
    assert decoded(encoded([0.1], "float32")).tolist() == [float(np.float32(0.1))]
    assert encoded([1.0]) == {"float64": "AAAAAAAA8D8="}  # little-endian, as every browser's arrays are
    assert decoded(encoded([1e300], "float32")).tolist() == [np.inf]


def test_a_trajectory_has_a_page_with_its_name():
    page = swing().page()
    assert page.name == "planar_2r" and '"motion": {"rows"' in page.html
    assert re.search(r'"step": 0\.001', page.html)


def test_a_trajectory_without_a_system_says_how_to_give_it_one(tmp_path):
    swing().save(tmp_path / "swing.npz")
    alone = ch.Trajectory.load(tmp_path / "swing.npz")
    for ask in (alone.page, alone.show):
        with pytest.raises(ch.ModelError, match=r"the trajectory has no system.*Trajectory\.load\(path, system\)"):
            ask()
    again = ch.Trajectory.load(tmp_path / "swing.npz", ch.load("planar_2r"))
    assert again.page().html == swing().page().html


def test_a_motion_of_a_batch_is_named_where_it_is_taken_for_a_sample():
    batch = ch.load("planar_2r").rollout(np.zeros((3, 2)), np.zeros((3, 2)), dt=0.01, steps=2)
    with pytest.raises(ch.ModelError, match=r"by slices, as \[10:20\], got 0; one motion of a batch is trajectory.row"):
        batch[0]  # type: ignore[index]


def test_what_has_no_links_is_told_to_be_plotted():
    particle = ch.LagrangianSystem(1, lambda q, qd: qd @ qd / 2)
    with pytest.raises(ch.ModelError, match="has no links to show: plot its motion"):
        particle.simulate([0.0], [1.0], duration=0.1, dt=0.05).show()


def test_a_trajectory_of_another_robot_is_refused():
    from chasles.view.page import page_of as page

    with pytest.raises(ch.ModelError, match="trajectory has 2 coordinates, and 'scara' has 4"):
        page(ch.load("scara"), trajectory=swing())
    with pytest.raises(ch.ModelError, match="trajectory must be a Trajectory"):
        page(ch.load("scara"), trajectory=3)  # type: ignore[arg-type]


def test_a_motion_begins_where_it_begins():
    from chasles.view.page import page_of as page

    with pytest.raises(ch.ModelError, match="q is for a page without a trajectory"):
        page(ch.load("planar_2r"), [0.1, 0.2], trajectory=swing())


def test_a_system_under_constraints_begins_on_them():
    from chasles.view.systems import start

    loop = four_bar()
    for q in (None, [1.0, -0.8, -0.9]):
        assert np.abs(loop.residual(start(loop, q, None))).max() < 1e-9


def test_a_pose_that_is_moved_onto_the_constraints_is_a_doubt():
    loop, far = four_bar(), np.array([1.0, -0.8, -0.9])
    near = loop.project(far)
    off = np.abs(near - far).max()
    [doubt] = loop.page(far).doubts
    assert f"the page begins {off:.3g} (rad or m) from it" in doubt and doubt in loop.page(far).html
    assert loop.page(near).doubts == loop.page(near + 1e-5).doubts == loop.page().doubts == ()


def test_surfaces_of_contacts_are_nets_on_what_carries_them():
    from chasles.view.constraints import constraints

    body = ch.Link(1.0, (0.0, 0.0, 0.01), (0.01, 0.01, 0.01))
    ball = ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [body], kinds=["free"], tool=np.eye(4))
    touch = ch.Constraint.point_contact("tool", 0.1, ch.Surface.sphere(0.5))
    q = ball.neutral()
    q[2] = 0.6
    data = constraints(ch.ConstrainedSystem(ball, touch, start=q), ball)
    assert data["rows"] == ["contact.normal"] and data["units"] == ["N"]
    assert data["marks"] == [{"name": "contact", "kind": "contact", "count": 1}]
    globe, tip = data["surfaces"]
    for surface, body, radius in ((globe, -1, 0.5), (tip, 0, 0.1)):
        points = decoded(surface["points"]).reshape(-1, 3)
        assert surface["body"] == body and len(points) == surface["rows"] * surface["columns"]
        assert close(np.linalg.norm(points, axis=1), np.full(len(points), radius), 1e-6)


def test_rods_and_wheels_say_where_they_act():
    robot = ch.load("planar_2r")
    q = np.array([0.3, 0.4])
    rod = ch.Constraint.distance("base", "tool", 1.5, point_a=(0.1, 0.0, 0.0)).parts[0].place
    body = ch.Link(1.0, (0.0, 0.0, 0.0), (0.01, 0.02, 0.01))
    cart = ch.Robot.from_screws(np.zeros((1, 6)), [np.eye(4)], [body], kinds=["free"], tool=np.eye(4))
    wheel = ch.Constraint.wheel("tool", 0.25).parts[0].place
    assert rod is not None and wheel is not None and (rod.kind, wheel.kind) == ("rod", "contact")
    assert close(rod.points(robot, q), [[0.1, 0.0, 0.0], robot.forward_kinematics(q)[:3, 3]], 1e-12)
    assert close(wheel.points(cart, cart.neutral()), [[0.0, 0.0, -0.25]], 1e-12)
