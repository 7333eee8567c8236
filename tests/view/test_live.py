"""A robot live in a browser: links where the library says, at a port of this machine that is free again in the end."""

import _thread
import socket
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.mesh_files import robot as robot_with_meshes
from support.mesh_files import stl
from support.tolerances import close
from support.wrong_things import wrong_things

import chasles as ch
from chasles import live_view
from chasles.errors import ModelError, ShapeError
from chasles.view import live
from chasles.view.triangles import creased

ARM = ch.load("planar_2r")
STATES = np.array([[0.3, 0.5], [0.2, 0.4], [0.1, 0.3]])
MOTION = ch.Trajectory(np.array([0.0, 0.05, 0.1]), STATES, STATES, STATES, system=ARM)


@pytest.fixture
def view(capsys):
    """Of the arm, at any free port; closed in the end, with all its threads."""
    before = set(threading.enumerate())
    with ARM.view(port=0) as made:
        yield made
    assert not [thread for thread in set(threading.enumerate()) - before if not thread.name.startswith("ThreadPool")]


def placed(view):
    """(links, 4, 4) where viser has the links."""
    handles = view.server.scene._handle_from_node_name
    T = np.tile(np.eye(4), (len(ARM.link_names), 1, 1))
    for i, pose in enumerate(T):
        w, x, y, z = handles[f"/robot/{i}"].wxyz
        pose[:3, 3] = handles[f"/robot/{i}"].position
        pose[0, :3] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
        pose[1, :3] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
        pose[2, :3] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    return T


def soon(true):
    """Wait until something is so, which it must be within some seconds."""
    end = time.monotonic() + 10.0
    while not true():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.005)


def at(view, q):
    return lambda: np.abs(placed(view) - ARM.link_poses(np.array(q))).max() < 1e-6


def test_links_are_where_the_library_says(view, rng):
    assert close(placed(view), ARM.link_poses(ARM.neutral()), 1e-6)
    for q in rng.uniform(-3.0, 3.0, (3, 2)):
        view.q = q
        assert close(view.q, q, 1e-15)
        soon(at(view, q))
    view.update([0.1, 0.2])
    soon(at(view, [0.1, 0.2]))
    view.q[0] = 5.0  # a copy
    assert list(view.q) == [0.1, 0.2]


def test_colours_are_those_of_all_pictures_or_of_the_file(view, tmp_path, capsys):
    def colours(view):
        nodes = view.server.scene._handle_from_node_name.items()
        return {x.color for name, x in nodes if name.startswith("/robot/") and hasattr(x, "color")}

    assert colours(view) == {(0, 114, 178), (201, 206, 214), (213, 94, 0)}
    (tmp_path / "box.stl").write_bytes(stl())
    red = '<material name="red"><color rgba="1 0.2 0 1"/></material>'
    with robot_with_meshes(tmp_path, "box.stl", rest=red).view(port=0, open=False) as other:
        assert colours(other) == {(255, 51, 0)}


def test_states_that_come_too_fast_are_left_out_but_for_the_last(view, monkeypatch):
    sent, place = [], view._place
    monkeypatch.setattr(view, "_place", lambda q: (sent.append(q), place(q)))
    start = time.monotonic()
    for k in range(200):
        view.q = [k / 1000.0, 0.0]
        time.sleep(0.001)
    soon(at(view, [0.199, 0.0]))
    assert len(sent) <= live_view.RATE * (time.monotonic() - start) + 2


def test_sliders_follow_and_lead(view):
    first, second = view.sliders.values()
    assert list(view.sliders) == list(ARM.joint_names)
    view.q = [0.5, -0.25]
    soon(lambda: abs(first.value - 0.5) < 1e-9 and abs(second.value + 0.25) < 1e-9)
    follow = second._impl.update_cb[0]

    class Event:
        client, target = object(), second

    second._impl.value = 1.25  # as the browser sets it
    follow(Event)
    assert list(view.q) == [0.5, 1.25]
    soon(at(view, [0.5, 1.25]))
    Event.client = None  # a program moved it
    second._impl.value = 0.0
    follow(Event)
    assert list(view.q) == [0.5, 1.25]


def test_sliders_follow_less_often_than_links(view, monkeypatch):
    followed = []
    monkeypatch.setattr(view, "_follow", lambda q: followed.append(float(q[0])))
    start = time.monotonic()
    while time.monotonic() - start < 0.4:
        view.q = [time.monotonic() - start, 0.0]
        time.sleep(0.005)
    assert 0 < len(followed) <= live_view.SLIDER_RATE * (time.monotonic() - start) + 1
    soon(lambda: followed[-1] == view.q[0])


def test_what_goes_wrong_while_a_state_is_sent_is_told_at_the_next(view, monkeypatch):
    def broken(q):
        raise RuntimeError("no window")

    place = view._place
    for tell in (lambda: view.update([0.1, 0.1]), view.wait, lambda: view.play(MOTION)):
        monkeypatch.setattr(view, "_place", broken)
        view.q = [0.0, 0.0]
        soon(lambda: view._error is not None)
        monkeypatch.setattr(view, "_place", place)
        with pytest.raises(ModelError, match="of 'planar_2r' could not show a state: no window"):
            tell()
    view.q = [0.2, 0.3]  # and then goes on
    soon(at(view, [0.2, 0.3]))


def test_a_motion_ends_when_its_view_is_closed_even_by_what_sends_it(view, monkeypatch):
    monkeypatch.setattr(view, "_place", lambda q: view.close())
    view.play(MOTION, speed=1e-3)
    assert view.closed and view._error is None
    view._sender.join(10.0)
    assert not view._sender.is_alive()


def test_a_view_that_closes_between_two_states_of_a_motion_says_nothing(view, monkeypatch):
    asked = []

    def monotonic():
        if threading.current_thread() is threading.main_thread():
            asked.append(1)
            if len(asked) == 2:
                view.close()
        return time.monotonic()

    monkeypatch.setattr(live_view, "time", SimpleNamespace(monotonic=monotonic, sleep=time.sleep))
    view.play(MOTION)
    assert view.closed


def test_a_port_that_is_taken_is_left_for_the_next(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with ARM.view(port=port) as view:
            other = view.server.get_port()
            assert view.server.get_host() == "127.0.0.1" and port < other < port + 100
            said = capsys.readouterr().out
            assert said == f"port {port} is taken: {ARM.name} is at {view.address}\n{view.address}\n"
            assert (
                view.address == f"http://127.0.0.1:{other}"
                and repr(view) == f"<LiveView of {ARM.name!r}, {view.address}>"
            )
            assert view.server.request_share_url() is None
    socket.create_server(("127.0.0.1", other)).close()  # free again
    assert "viser" not in capsys.readouterr().out


def test_a_closed_view_says_so(view):
    view.close()
    view.close()
    assert view.closed and repr(view) == f"<LiveView of {ARM.name!r}, closed>"
    with pytest.raises(ModelError, match=r"is closed: make another with robot\.view"):
        view.q = [0.0, 0.0]


def test_ctrl_c_ends_waiting(view):
    threading.Timer(0.05, _thread.interrupt_main).start()
    view.wait()
    assert view.closed


def test_motions_are_played(view, monkeypatch):
    monkeypatch.setattr(live_view, "RATE", 1000.0)
    start = time.monotonic()
    view.play(MOTION, speed=4.0)
    assert time.monotonic() - start > 0.02 and close(view.q, MOTION.q[-1], 1e-15)
    with pytest.raises(ShapeError, match="play one motion"):
        view.play(ch.rollout(ARM, np.zeros((2, 2)), np.zeros((2, 2)), dt=0.1, steps=2))


def test_a_wrong_q_is_named(view):
    wrong: Any = (
        ([0.0], "q must have shape"),
        (np.zeros((5, 2)), r"q must have shape \(2,\), one configuration, got \(5, 2\)"),
        ([0.0, np.nan], "q has a nan"),
        (None, "q must be real numbers"),
        ("q", "q must be real numbers"),
    )
    for given, said in wrong:
        with pytest.raises(ch.ChaslesError, match=said):
            view.q = given


def test_what_cannot_be_shown_starts_no_server(monkeypatch):
    monkeypatch.setattr(live, "_server", None)
    wrong: Any = (
        ({"q": [0.0]}, "q must have shape"),
        ({"port": 70_000}, "port must be at most 65535"),
        ({"port": -1}, "port must be an integer"),
        ({"folders": ["/nonesuch"]}, r"folders\[0\] must be a folder"),
        ({"open": "yes"}, "open must be"),
    )
    for given, said in wrong:
        with pytest.raises(ch.ChaslesError, match=said):
            ARM.view(**given)


@pytest.mark.parametrize("name", ["q", "port", "open", "meshes", "folders"])
def test_the_zoo_of_wrong_things_starts_no_server_or_is_refused_by_name(monkeypatch, name):
    class Started(Exception):
        pass

    def started(*_):
        raise Started

    monkeypatch.setattr(live, "_server", started)
    right = {"q": [0.0, 0.0], "port": 0, "open": False, "meshes": False, "folders": ()}
    refused = 0
    for what, wrong in wrong_things(right[name]):
        try:
            ARM.view(**(right | {name: wrong}))
        except ch.ChaslesError as error:
            assert name in str(error), what
            refused += 1
        except Started:
            pass
    assert refused > 20


def test_without_viser_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ModelError, match=r'a live view needs the package viser: pip install "chasles\[live\]"'):
        ARM.view()


def test_meshes_and_doubts_are_those_of_the_page(tmp_path, capsys):
    (tmp_path / "box.stl").write_bytes(stl())
    made = robot_with_meshes(tmp_path, "box.stl", "gone.stl")
    with made.view(port=0, open=False) as view:
        nodes = view.server.scene._handle_from_node_name
        assert nodes["/robot/0/0"]._impl.props.vertices.shape == (24, 3)  # split at all edges
        assert nodes["/robot/0/0"].position.tolist() == [0.1, 0.0, 0.0]
        assert "/robot/1/0" in nodes
    said = capsys.readouterr().out
    assert "link 'b': its mesh 'gone.stl' is not shown: there is no such file" in said and view.address in said


def test_surfaces_are_smooth_but_at_creases():
    corners, faces = live.revolved(*live._profile("cylinder", (1.0, 2.0)))
    a, b, c = np.moveaxis(corners[faces], 1, 0)
    assert (a * np.cross(b, c)).sum() / 6.0 == pytest.approx(2.0 * np.pi, rel=0.01)
    split = creased((corners, faces))
    assert len(split[0]) == len(corners) + 2 * live.ROUND  # both rims twice
    assert close(split[0][split[1]], corners[faces], 1e-15)
    ball = live.revolved(*live._profile("sphere", (1.0,)))
    assert len(creased(ball)[0]) == len(ball[0])
