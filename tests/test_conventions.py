"""Between the conventions of libraries: orders of components, and the velocities of planar, spherical, free joints."""

import numpy as np
import pytest
from eager import Eager
from random_trees import random_link, random_pose
from tolerances import close

from chasles import conventions
from chasles.errors import ModelError, ShapeError
from chasles.model.joint import rotation
from chasles.model.mechanism import mechanism

KINDS = {
    "pinocchio": ("free", "planar", "screw", "spherical"),
    "drake": ("screw", "free", "planar", "screw"),
    "mujoco": ("free", "spherical", "screw", "free"),
}


def chain(kinds):
    rng = np.random.default_rng(0)
    n = len(kinds)
    return mechanism(
        [[0, 0, 1.0, 0, 0, 0]] * n, [random_pose(rng)] * n, [random_link(rng) for _ in range(n)], kinds=kinds
    )


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
