"""Closest points of two surfaces: as placed, by differences, and in either order."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.contact import CAP, DISH, EGG, PIPE, ROUND, TURN, placed
from support.sweeps import sweep
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

import chasles as ch
from chasles.surface.closest_points import closest_points
from chasles.surface.contact_coordinates import contact_pose
from chasles.surface.surface import Surface

SADDLE = Surface.of(lambda u, v: np.stack([u, v, 0.1 * u * v]), lambda p: p[2] - 0.1 * p[0] * p[1], name="saddle")
PAIRS = {  # the tip, and what it touches
    "egg on plane": (EGG, Surface.plane()),
    "plane on egg": (Surface.plane(), EGG),
    "egg on ball": (EGG, Surface.sphere(1.9)),
    "ball beside egg": (Surface.sphere(0.2).at(TURN), EGG.at(TURN)),
    "egg on cylinder": (EGG, PIPE),
    "cylinder on egg": (PIPE, EGG),
    "crossing cylinders": (Surface.cylinder(0.3), PIPE),
    "egg on ellipsoid": (EGG.at(TURN), ROUND),
    "egg in a bowl": (EGG, Surface.sphere(1.9).inside()),
    "egg in an egg": (EGG, Surface.ellipsoid(1.9, 1.5, 2.0).inside().at(TURN)),
    "egg in a dish": (EGG, DISH),
    "egg on saddle": (EGG, SADDLE),
    "cap on plane": (CAP, Surface.plane()),
    "cap on cylinder": (CAP, PIPE),
    "cap on ellipsoid": (CAP, ROUND),
    "cap in a dish": (CAP, DISH),
    "cap on saddle": (CAP, SADDLE),
}
every = pytest.mark.parametrize("name", PAIRS)


@every
def test_surfaces_are_found_as_they_are_placed(name: str):
    tip, surface = PAIRS[name]
    T, gap, frame = placed(tip, surface, 40)
    found = closest_points(surface, tip)(T[:, :3, :3], T[:, :3, 3])
    assert close(found.gap, gap, FLOAT64, 1.0)
    assert close(found.normal, frame[:, :3, 2], FLOAT64)
    assert close(found.at_a, frame[:, :3, 3], FLOAT64)
    assert close(found.at_b, frame[:, :3, 3] + gap[:, None] * frame[:, :3, 2], FLOAT64)


@pytest.mark.parametrize("name", sweep(PAIRS, ["plane on egg", "cylinder on egg", "egg in a dish", "cap on ellipsoid"]))
def test_which_is_the_tip_does_not_matter(name: str):
    tip, surface = PAIRS[name]
    (T,), _, _ = placed(tip, surface, 1)
    R, p = T[:3, :3], T[:3, 3]
    one, other = closest_points(surface, tip)(R, p), closest_points(tip, surface)(R.T, -R.T @ p)
    assert close(one.gap, other.gap, FLOAT64, 1.0)
    assert close(one.normal, -R @ other.normal, FLOAT64)
    assert close(one.at_a, p + R @ other.at_b, FLOAT64)


def test_ellipsoids_are_found_wherever_they_are():
    rng = np.random.default_rng(3)
    for _ in range(3):
        a, b = ([1.0, rng.uniform(0.2, 1.0), 0.2] * rng.uniform(0.3, 1.5, 1) for _ in range(2))
        tip, surface = Surface.ellipsoid(*a), Surface.ellipsoid(*b)
        eta = np.stack([np.arcsin(rng.uniform(-1, 1, 300)), rng.uniform(-3, 3, 300)] * 2 + [rng.uniform(-3, 3, 300)], 1)
        T, frame = contact_pose(tip, surface)(eta), surface.frame(eta[:, 2:4])
        gap = rng.uniform(-0.1, 0.3, 300) * min(a.min(), b.min())
        found = closest_points(surface, tip)(T[:, :3, :3], T[:, :3, 3] + gap[:, None] * frame[:, :3, 2])
        assert close(found.gap, gap, 1e-8, 1.0)
        assert close(found.at_a, frame[:, :3, 3], 1e-8)


def test_what_is_not_found_is_nan():
    """A cap and a dish that lie side by side: they have no points with opposite normals within reach."""
    R = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    with np.errstate(all="ignore"):
        found = closest_points(DISH, CAP)(R, np.array([40.0, 0.0, -30.0]))
    assert all(np.isnan(x).all() for x in found)


def ring(u, v):
    """A torus of radii 0.3 and 0.1."""
    return np.stack([(0.3 + 0.1 * np.cos(v)) * np.cos(u), (0.3 + 0.1 * np.cos(v)) * np.sin(u), 0.1 * np.sin(v)])


TORUS = Surface.of(ring, lambda p: (np.sqrt(p[0] ** 2 + p[1] ** 2) - 0.3) ** 2 + p[2] ** 2 - 0.01, name="torus")


def test_what_is_found_of_tori_is_the_nearest_of_its_neighbourhood():
    """The steps also lead to saddles of the distance, and to its maxima: these are nan."""
    rng = np.random.default_rng(1)
    R = Rotation.random(200, random_state=0).as_matrix()
    p = rng.normal(size=(200, 3))
    p *= (rng.uniform(0.0, 0.85, 200) / np.linalg.norm(p, axis=1))[:, None]
    with np.errstate(all="ignore"):
        found = closest_points(TORUS, TORUS)(R, p)
    apart = found.gap > 1e-3
    assert 20 < apart.sum() < 150

    def parameters(x: np.ndarray) -> np.ndarray:
        return np.array([np.arctan2(x[1], x[0]), np.arctan2(x[2], np.hypot(x[0], x[1]) - 0.3)])

    for k in np.flatnonzero(apart):

        def square(z: np.ndarray, k: int = k) -> float:
            return float(np.sum((ring(*z[:2]) - p[k] - R[k] @ ring(*z[2:])) ** 2))

        z = np.concatenate([parameters(found.at_a[k]), parameters(R[k].T @ (found.at_b[k] - p[k]))])
        assert close(np.sqrt(square(z)), found.gap[k], 1e-7, 1.0)
        e, at = 1e-4 * np.eye(4), square(z)
        H = [[square(z + x + y) - square(z + x - y) - square(z - x + y) + square(z - x - y) for x in e] for y in e]
        assert np.linalg.eigvalsh(np.array(H) / 4e-8)[0] > -1e-6 * at


def test_tori_are_found_where_they_are_apart():
    T, gap, frame = placed(TORUS, TORUS, 60, most=0.3)
    found = closest_points(TORUS, TORUS)(T[:, :3, :3], T[:, :3, 3])
    assert close(found.gap, gap, 1e-9, 1.0)
    assert close(found.at_a, frame[:, :3, 3], 1e-7)


def test_a_ball_is_where_its_foot_is_the_nearest_or_nan():
    """Over a saddle, and from the middle of a bowl: stationary points of the distance that are none of its minima."""
    rng = np.random.default_rng(0)
    p = rng.uniform(-0.7, 0.7, (400, 3))
    saddle = Surface.of(implicit=lambda p: p[2] - 3.0 * p[0] * p[1], name="saddle")
    for surface, half in ((saddle, 1.0), (Surface.ellipsoid(0.5, 0.6, 0.9).inside(), 0.5)):
        start = half * p[np.asarray(surface.level(half * p)) > 0.0]
        with np.errstate(all="ignore"):
            found = closest_points(surface, Surface.sphere(0.02))(np.eye(3), start)
        good = np.isfinite(found.gap)
        assert 0.6 < good.mean() < 1.0
        foot, off = found.at_a[good], start[good] - found.at_a[good]
        assert close(off, (found.gap[good] + 0.02)[:, None] * found.normal[good], 1e-4)
        for way in rng.normal(size=(20, *foot.shape)) * 1e-2:  # points of the surface around it are farther
            y = foot + np.cross(found.normal[good], way)
            for _ in range(4):
                g = surface.level.gradient("p")(y)
                y = y - (surface.level(y) / np.sum(g * g, axis=-1))[:, None] * g
            beside = np.linalg.norm(start[good] - y, axis=1)
            assert (beside > np.linalg.norm(off, axis=1) - 1e-5).all()


@pytest.mark.parametrize("name", sweep(["egg on cylinder", "cap in a dish"], 1))
def test_second_derivatives_are_right(name: str):
    """Through two steps: what linearising a motion in contact needs."""
    tip, surface = PAIRS[name]
    (T,), _, _ = placed(tip, surface, 1, seed=2, least=0.05)
    R, p, step = T[:3, :3], T[:3, 3], 1e-5
    normal = ch.compile(lambda p: closest_points(surface, tip)(R, p).normal, p=3)
    slope = normal.jacobian("p")
    first = np.stack([(normal(p + e) - normal(p - e)) / (2 * step) for e in step * np.eye(3)], axis=-1)
    second = np.stack([(slope(p + e) - slope(p - e)) / (2 * step) for e in step * np.eye(3)], axis=-1)
    assert close(slope(p), first, FINITE_DIFFERENCE)
    assert close(slope.jacobian("p")(p), second, FINITE_DIFFERENCE)
