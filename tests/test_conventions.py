"""Between the conventions of libraries: orders of components, and the velocities of planar, spherical, free joints."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from support.eager import Eager
from support.random_trees import random_link, random_pose
from support.tolerances import close
from support.urdf_text import example_files

from chasles import conventions
from chasles.errors import ModelError, ShapeError
from chasles.model.building import mechanism
from chasles.model.joint import rotation

KINDS = {
    "pinocchio": ("free", "planar", "screw", "spherical"),
    "drake": ("screw", "free", "planar", "screw"),
    "mujoco": ("free", "spherical", "screw", "free"),
}


def chain(kinds, **options):
    rng = np.random.default_rng(0)
    n = len(kinds)
    links = [random_link(rng) for _ in range(n)]
    return mechanism([[0, 0, 1.0, 0, 0, 0]] * n, [random_pose(rng)] * n, links, kinds=kinds, **options)


def moved(m, q, v):
    """Where unit time at v leads from q."""
    parts = [b.joint.integrate(q[b.q : b.q + b.joint.nq], v[b.v : b.v + b.joint.nv]) for b in m.tree.bodies]
    return np.concatenate(parts)


def test_halves():
    V = np.arange(12.0).reshape(2, 6)
    assert conventions.swap_halves(V)[1].tolist() == [9, 10, 11, 6, 7, 8]
    assert np.array_equal(conventions.swap_halves(conventions.swap_halves(V)), V)
    assert np.array_equal(conventions.swap_halves(V.T, -2), conventions.swap_halves(V).T)
    assert np.array_equal(conventions.swap_halves(V.T, 0), conventions.swap_halves(V).T)
    X = np.arange(36.0).reshape(6, 6)
    assert np.array_equal(conventions.swap_matrix(X), X[np.ix_([3, 4, 5, 0, 1, 2], [3, 4, 5, 0, 1, 2])])
    for wrong in (np.zeros(5), 1.0, ["a"] * 6, np.zeros((6, 5))):
        with pytest.raises(ShapeError, match="x must"):
            conventions.swap_halves(wrong)


def test_quaternions():
    x = np.array([[1.0, 2.0, 3.0, 4.0]])
    assert conventions.to_wxyz(x).tolist() == [[4, 1, 2, 3]]
    assert np.array_equal(conventions.from_wxyz(conventions.to_wxyz(x)), x)


@pytest.mark.parametrize("library", KINDS)
def test_coordinates_and_velocities(library):
    m = chain(KINDS[library])
    rng, ours = np.random.default_rng(0), Eager(m)
    q, v = np.array([ours.random(rng) for _ in range(6)]).reshape(2, 3, -1), rng.normal(size=(2, 3, m.n))
    theirs = conventions.to_coordinates(m, q, library)
    assert theirs.shape[:2] == (2, 3)
    assert close(conventions.from_coordinates(m, theirs, library), q)
    X = conventions.velocity_map(m, q, library)
    assert close(X @ np.swapaxes(X, -1, -2), np.broadcast_to(np.eye(m.n), X.shape))
    drift, h = conventions.velocity_drift(m, q, v, library), 1e-6
    for i in np.ndindex(2, 3):
        ahead, behind = (moved(m, q[i], sign * h * v[i]) for sign in (1, -1))
        rate = [conventions.velocity_map(m, x, library) @ v[i] for x in (ahead, behind)]
        assert close(drift[i], (rate[0] - rate[1]) / (2 * h), 1e-6, 1.0)


@pytest.mark.parametrize("library", KINDS)
def test_order_of_joints(library):
    """With names, each joint's numbers are those it has alone, in the order of the names."""
    m, rng = chain(KINDS[library]), np.random.default_rng(0)
    q, v = np.array([Eager(m).random(rng) for _ in range(3)]), rng.normal(size=(3, m.n))
    names = {"joint_names": ["joint3", "joint1", "joint4", "joint2"]}
    alone, rates, drifts = [], [], []
    for name in names["joint_names"]:
        body = m.tree.bodies[m.joint_names.index(name)]
        own, at = slice(body.q, body.q + body.joint.nq), slice(body.v, body.v + body.joint.nv)
        single = chain([m.kinds[m.joint_names.index(name)]])
        alone.append(conventions.to_coordinates(single, q[:, own], library))
        rates.append((conventions.velocity_map(single, q[:, own], library) @ v[:, at, None])[..., 0])
        drifts.append(conventions.velocity_drift(single, q[:, own], v[:, at], library))
    theirs = conventions.to_coordinates(m, q, library, **names)
    assert np.array_equal(theirs, np.concatenate(alone, -1))
    assert close(conventions.from_coordinates(m, theirs, library, **names), q)
    X = conventions.velocity_map(m, q, library, **names)
    assert close((X @ v[..., None])[..., 0], np.concatenate(rates, -1))
    assert close(conventions.velocity_drift(m, q, v, library, **names), np.concatenate(drifts, -1))
    same = {"joint_names": m.joint_names}
    for f, x in (
        (conventions.to_coordinates, (q,)),
        (conventions.velocity_map, (q,)),
        (conventions.velocity_drift, (q, v)),
    ):
        assert np.array_equal(f(m, *x, library, **same), f(m, *x, library))


def test_joints_that_mimic():
    """Named, they have a coordinate that follows; not named, they have none."""
    m = chain(["free", "screw", "screw", "screw"], mimics={"joint2": ("joint4", -2.0, 0.5)})
    q, rng = np.r_[0, 0, 0, 0, 0, 0, 1.0, 0.3, 0.7], np.random.default_rng(0)
    some, every = ["joint4", "joint3", "joint1"], ["joint4", "joint2", "joint1", "joint3"]
    x = conventions.to_coordinates(m, q, "mujoco", joint_names=some)
    y = conventions.to_coordinates(m, q, "mujoco", joint_names=every)
    assert x.tolist() == [0.7, 0.3, 0, 0, 0, 1, 0, 0, 0]
    assert close(y, [0.7, 0.5 - 2.0 * 0.7, 0, 0, 0, 1, 0, 0, 0, 0.3])
    assert close(conventions.from_coordinates(m, x, "mujoco", joint_names=some), q)
    assert close(conventions.from_coordinates(m, y, "mujoco", joint_names=every), q)
    v = rng.normal(size=m.n)
    assert conventions.velocity_map(m, q, "mujoco", joint_names=some).shape == (8, 8)
    rates = conventions.velocity_map(m, q, "mujoco", joint_names=every) @ v
    assert close(rates[[0, 1, 8]], [v[7], -2.0 * v[7], v[6]]) and rates.shape == (9,)
    drift = conventions.velocity_drift(m, q, v, "mujoco", joint_names=every)
    assert drift.shape == (9,) and drift[1] == 0.0 and drift[2:5].all()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["joint1", "jiont2", "joint3"], "has no moving joint 'jiont2'; did you mean 'joint2'"),
        (["joint1", "joint2", "wheel"], "has no moving joint 'wheel'; its moving joints are joint1, joint3, joint2"),
        (["joint1", "joint3", "joint1"], "'joint1' is there twice"),
        (["joint2", "joint2", "joint1", "joint3"], "'joint2' is there twice"),
        (["joint1", "joint2"], "joint 'joint3' of robot 'robot' is missing"),
        ([], "joint 'joint1' of robot 'robot' is missing"),
        ("joint1", "must be a list of names"),
    ],
)
def test_names_refused(names, message):
    m = chain(["screw"] * 3, mimics={"joint2": ("joint1", 1.0, 0.0)})
    for f, x in (
        (conventions.to_coordinates, ([0.0] * 2,)),
        (conventions.from_coordinates, ([0.0] * 2,)),
        (conventions.velocity_map, ([0.0] * 2,)),
        (conventions.velocity_drift, ([0.0] * 2, [0.0] * 2)),
    ):
        with pytest.raises(ModelError, match=f"joint_names.*{message}"):
            f(m, *x, "drake", joint_names=names)


@pytest.mark.parametrize("library", ["drake", "mujoco"])
def test_linear_velocity_is_that_of_the_position(library):
    """Both keep the velocity of a free body's origin in the parent's axes; Drake its angular velocity too."""
    m, rng = chain(["free"]), np.random.default_rng(0)
    q, v, h = Eager(m).random(rng), rng.normal(size=6), 1e-6
    y = conventions.velocity_map(m, q, library) @ v
    linear, angular = (y[3:], y[:3]) if library == "drake" else (y[:3], y[3:])
    ahead, behind = moved(m, q, h * v), moved(m, q, -h * v)
    assert close(linear, (ahead[:3] - behind[:3]) / (2 * h), 1e-6)
    x = conventions.to_coordinates(m, q, library)
    place, turn = (x[4:], x[:4]) if library == "drake" else (x[:3], x[3:])
    assert np.array_equal(place, q[:3]) and np.array_equal(conventions.from_wxyz(turn), q[3:])
    R = np.array([[*row] for row in rotation(q[3:]).matrix])
    assert close(angular, R @ v[:3] if library == "drake" else v[:3])


def test_refused():
    with pytest.raises(ModelError, match="joint 'joint1' is planar: MuJoCo has two slides"):
        conventions.velocity_map(chain(["planar"]), np.zeros(3), "mujoco")
    with pytest.raises(ModelError, match="joint 'joint1' is spherical: Drake"):
        conventions.to_coordinates(chain(["spherical"]), np.zeros(4), "drake")
    with pytest.raises(ModelError, match="library must be one of pinocchio, drake, mujoco"):
        conventions.to_coordinates(chain(["free"]), np.zeros(7), "bullet")
    with pytest.raises(ShapeError, match="q must have 7 entries"):
        conventions.to_coordinates(chain(["free"]), np.zeros(6), "drake")


def test_robots_too():
    class Holder:
        mechanism = chain(["screw"])

    assert conventions.velocity_map(Holder(), [0.0], "drake").tolist() == [[1.0]]


PAGE = (Path(__file__).parent.parent / "docs/conventions.md").read_text(encoding="utf-8")


def test_the_examples_of_the_page_hold(tmp_path, monkeypatch):
    """They assert what they say; the quadruped's file is here without its meshes."""
    root = ElementTree.parse(example_files()["a1_description/urdf/a1.urdf"]).getroot()
    for link in root.iterfind("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shape)
    ElementTree.ElementTree(root).write(tmp_path / "a1.urdf")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert len(blocks) == 2 and all("assert np.allclose" in block for block in blocks)
    for block in blocks:
        exec(block, {})
