"""Curvature near configurations where M is singular: right, or nan; and sectional curvature in two ways."""

import math

import numpy as np
import pytest
from support.fields import configuration, without_rotors
from support.random_trees import random_kinds, random_mechanism, random_pose
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.dynamics.composite_body import mass_matrix
from chasles.geometry.curvature import riemann_curvature
from chasles.geometry.gauss import sectional_curvature
from chasles.model.screws import screw
from chasles.robot.methods import kernels

pytestmark = pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
X, Y, Z = np.eye(3)
DISTANCES = np.array([1e-1, 1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-13])
SECOND = ("christoffel_symbols_second_kind", "riemann_curvature", "ricci_curvature", "scalar_curvature")


def pendulum(base: np.ndarray, own: np.ndarray) -> ch.Robot:
    """A spherical pendulum of mass 1 and length 1, K = 1, in a base and a link frame of their own."""
    R, p = base[:3, :3], base[:3, 3]
    com = (np.linalg.inv(own) @ [1.0, 0.0, 0.0, 1.0])[:3]
    links = [ch.Link(0.0), ch.Link(1.0, com)]
    return ch.Robot.from_screws([screw(R @ Z, p), screw(R @ Y, p)], [base, base @ own], links)


def at(p: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = p
    return T


def point_arm() -> ch.Robot:
    """A point mass at the tip of a spatial 3R: flat, its three coordinates are those of space; singular stretched."""
    screws = [screw(Z), screw(Y), screw(Y, X)]
    links = [ch.Link(0.0), ch.Link(0.0), ch.Link(1.0, 2.0 * X)]
    return ch.Robot.from_screws(screws, [np.eye(4)] * 3, links, tool=at(2.0 * X))


@pytest.fixture(params=["straight", "turned"])
def near_pole(request, rng):
    turned = request.param == "turned"
    robot = pendulum(*((random_pose(rng), random_pose(rng)) if turned else (np.eye(4), np.eye(4))))
    return robot, np.column_stack([np.full(len(DISTANCES), 0.3), math.pi / 2 - DISTANCES])


@pytest.fixture(params=["kernel", "by links"])
def way(request, monkeypatch):
    """How tensors are computed: compiled, or as for large robots."""
    if request.param == "by links":
        monkeypatch.setattr(kernels, "TENSOR_LIMIT", 0)


def test_sectional_curvature_keeps_its_digits(near_pole, way) -> None:
    robot, q = near_pole
    with np.errstate(all="ignore"):
        K = robot.sectional_curvature(q, [1.0, 0.0], [0.0, 1.0])
    assert close(K[DISTANCES >= 1e-9], np.ones((DISTANCES >= 1e-9).sum()), 1e-6)
    assert (np.isnan(K) | (np.abs(K - 1.0) < 1e-4)).all()
    assert np.isnan(K[-1])
    slanting = robot.sectional_curvature(q[:3], [1.0, 0.3], [-0.2, 1.0])  # nearly parallel in the metric
    assert close(slanting, np.ones(3), 1e-8)


def test_tensors_are_right_or_nan(near_pole, way) -> None:
    robot, q = near_pole
    with np.errstate(all="ignore"):
        M, R = robot.mass_matrix(q), robot.riemann_curvature(q)
        K = R[:, 0, 1, 0, 1] / np.linalg.det(M)
        ricci = robot.ricci_curvature(q)[:, [0, 1], [0, 1]] / M[:, [0, 1], [0, 1]]
        scalar = robot.scalar_curvature(q) / 2.0
    for found in (K, *ricci.T, scalar):
        assert close(found[DISTANCES >= 1e-5], np.ones(3), 1e-5)
        assert (np.isnan(found) | (np.abs(found - 1.0) < 1e-4)).all()
        assert np.isnan(found[DISTANCES <= 1e-7]).all()


def test_a_flat_arm_is_flat_or_unknown(way) -> None:
    robot = point_arm()
    q = np.column_stack([np.full((len(DISTANCES), 2), [0.3, 0.4]), DISTANCES])
    with np.errstate(all="ignore"):
        M, R, ricci = robot.mass_matrix(q), robot.riemann_curvature(q), robot.ricci_curvature(q)
        curved = [robot.sectional_curvature(q, [0.4, 1.0, -0.3], [0.2, 0.1, 1.0]), robot.scalar_curvature(q)]
        d = np.sqrt(np.einsum("bii->bi", M))
        curved += [np.abs(R / np.einsum("bi,bj,bk,bl->bijkl", d, d, d, d)).max(axis=(1, 2, 3, 4))]
        curved += [np.abs(ricci / np.einsum("bi,bj->bij", d, d)).max(axis=(1, 2))]
    for found in curved:
        assert close(found[0], 0.0, 1e-8, 1.0)
        assert (np.isnan(found) | (np.abs(found) < 1e-3)).all()
        assert np.isnan(found[DISTANCES <= 1e-8]).all()


def test_the_second_kind_is_right_or_nan(way) -> None:
    """Of a point in space: the tip stays, x'' = 0, with joint accelerations -Gamma(qd, qd)."""
    robot, qd = point_arm(), np.array([0.3, -0.2, 0.5])
    for e in DISTANCES:
        q = np.array([0.3, 0.4, e])
        with np.errstate(all="ignore"):
            qdd = -np.einsum("ijk,j,k->i", robot.christoffel_symbols(q, kind=2), qd, qd)
        if e >= 1e-5:
            J = robot.jacobian(q, expressed="mixed")[3:]
            drift = robot.classical_acceleration(q, qd, np.zeros(3), expressed="mixed")[3:]
            assert close(J @ qdd, -drift, 1e-4)
        elif e <= 1e-7:
            assert np.isnan(qdd).all()


@pytest.mark.parametrize("seed", sweep(range(12), [5]))
@pytest.mark.parametrize("make", [random_mechanism, random_kinds])
def test_sectional_curvature_is_that_of_the_tensor(make, seed: int, rng) -> None:
    """[CUR-4]; joints of every kind, branches and gears."""
    m = make(seed) if make is random_kinds else make(seed, 5)
    tree, q = without_rotors(m), configuration(m.tree, seed)
    if m.n < 2:
        return
    x = list(q)
    M, R = m.coupling.matrix(mass_matrix(tree, x)), np.array(riemann_curvature(tree, x, m.coupling), dtype=float)
    u, v = rng.normal(size=(2, m.n))
    area = u @ M @ u * (v @ M @ v) - (u @ M @ v) ** 2
    expected = np.einsum("ijkl,i,j,k,l->", R, u, v, u, v) / area
    found = sectional_curvature(tree, m.coupling, M, x, u.tolist(), v.tolist())
    assert close(found, expected, 1e-9 * max(1.0, float(np.linalg.cond(np.array(M, dtype=float))) / 1e3), scale=1.0)


def test_rotors_count() -> None:
    """Armature enters by M^-1 alone; in Gauss' equation it is a coordinate that is its own."""
    robot = ch.Robot.from_screws(
        [screw(Z), screw(Y, X), screw(X, Y)],
        [np.eye(4)] * 3,
        [ch.Link(1.0, (0.2, 0.3, 0.1), (0.1, 0.2, 0.2))] * 3,
        armature=[0.3, 0.2, 0.1],
    )
    q, (u, v) = np.array([0.3, 0.5, -0.7]), np.array([[1.0, 0.2, -0.4], [0.3, -1.0, 0.5]])
    M, R = robot.mass_matrix(q), robot.riemann_curvature(q)
    expected = np.einsum("ijkl,i,j,k,l->", R, u, v, u, v) / (u @ M @ u * (v @ M @ v) - (u @ M @ v) ** 2)
    assert close(robot.sectional_curvature(q, u, v), expected, 1e-11)


def test_joints_that_mimic_count(rng) -> None:
    link = ch.Link(1.0, (0.2, 0.3, 0.1), (0.1, 0.2, 0.2))
    screws = [screw(Z), screw(Y, X), screw(X, Y), 2.0 * screw(Z + X, X + Y)]
    mimics = {"joint3": ("joint1", -0.5, 0.2)}
    robot = ch.Robot.from_screws(screws, [np.eye(4)] * 4, [link] * 4, mimics=mimics)
    q, u, v = rng.normal(size=(3, robot.n))
    M, R = robot.mass_matrix(q), robot.riemann_curvature(q)
    expected = np.einsum("ijkl,i,j,k,l->", R, u, v, u, v) / (u @ M @ u * (v @ M @ v) - (u @ M @ v) ** 2)
    assert close(robot.sectional_curvature(q, u, v), expected, 1e-10)


def test_light_parts_do_not_hide_curvature(rng) -> None:
    """A hand of 1e-15 of the arm's inertia is curved, and known to be."""
    arm = ch.Link(1.0, (0.2, 0.3, 0.1), (0.1, 0.2, 0.2))
    hand = ch.Link(1e-13, (0.1, 0.02, 0.0), 1e-15 * np.array([1.0, 2.0, 2.0]))
    screws = [screw(Y), screw(X, X + 0.1 * Y), screw(Z, 1.1 * X)]
    robot = ch.Robot.from_screws(screws, [np.eye(4), at(X), at(X)], [arm, hand, hand])
    q = rng.uniform(0.3, 1.2, (4, 3))
    for name in SECOND:
        assert np.isfinite(robot.kernel(name)(q)).all(), name
    K = robot.sectional_curvature(q, [0.0, 1.0, 0.2], [0.0, 0.3, 1.0])
    assert np.isfinite(K).all() and np.abs(K).min() > 1e12


def test_arms_are_known_everywhere(rng) -> None:
    robot = ch.load("planar_3r")
    q = rng.uniform(-3.0, 3.0, (500, robot.n))
    assert all(np.isfinite(robot.kernel(name)(q)).all() for name in SECOND)
    u, v = rng.normal(size=(2, 500, robot.n))
    assert np.isfinite(robot.sectional_curvature(q, u, v)).all()


def test_flatness_skips_what_is_not_known(monkeypatch) -> None:
    robot = pendulum(np.eye(4), np.eye(4))
    ends = iter([[0.1, 0.4], [0.2, math.pi / 2 - 1e-9], [0.3, -0.5]])
    monkeypatch.setattr(ch.Robot, "random", lambda self, rng=None: np.array(next(ends)))
    found = robot.flatness(samples=3)
    assert not found.is_flat and found.skipped == 1 and found.samples == 2
    assert close(found.worst, 1.0)
    monkeypatch.setattr(ch.Robot, "random", lambda self, rng=None: np.array([0.2, math.pi / 2 - 1e-9]))
    with pytest.raises(ch.ModelError, match="no curvature can be told"):
        robot.flatness(samples=2)
