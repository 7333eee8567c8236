"""Surfaces: their forms as published and by differences, what does not depend on parameters, and distances."""

import numpy as np
import pytest
from support.tolerances import FINITE_DIFFERENCE, FLOAT64, close

from chasles.errors import ModelError
from chasles.surface.surface import Surface

A, B, C = 1.0, 2.0, 0.6
ALPHA = np.array([0.3, 0.8])


def saddle(u, v):
    """Parameters that are not orthogonal."""
    return np.stack([u, v, 0.5 * u * u - 0.3 * v * v + 0.4 * u * v])


SURFACES = {
    "sphere": Surface.sphere(1.7),
    "plane": Surface.plane(),
    "cylinder": Surface.cylinder(0.8),
    "ellipsoid": Surface.ellipsoid(A, B, C),
    "saddle": Surface.of(saddle, name="saddle", near=[(u, v) for u in (-0.5, 0.5) for v in (-0.5, 0.5)]),
    "inside": Surface.ellipsoid(A, B, C).inside(),
}
every = pytest.mark.parametrize("name", SURFACES)


def test_a_sphere_has_the_published_forms():
    """[MurrayLiSastry1994] example 5.5."""
    r = 1.7
    M, K, T = SURFACES["sphere"].forms(ALPHA)
    assert close(M, np.diag([r, r * np.cos(0.3)]), FLOAT64)
    assert close(K, np.eye(2) / r, FLOAT64)
    assert close(T, [0.0, -np.tan(0.3) / r], FLOAT64)


def test_a_plane_is_flat_and_a_cylinder_bends_one_way():
    M, K, T = SURFACES["plane"].forms(ALPHA)
    assert close(M, np.eye(2), FLOAT64)
    assert not K.any()
    assert not T.any()
    M, K, T = SURFACES["cylinder"].forms(ALPHA)
    assert close(M, np.diag([0.8, 1.0]), FLOAT64)
    assert close(K, np.diag([1.0 / 0.8, 0.0]), FLOAT64)
    assert close(T, np.zeros(2), FLOAT64, 1.0)


def test_the_curvature_of_an_ellipsoid_is_the_known_one():
    surface = SURFACES["ellipsoid"]
    x, y, z = surface.position(ALPHA)
    steep = x * x / A**4 + y * y / B**4 + z * z / C**4
    gauss = 1.0 / (A * B * C * steep) ** 2
    mean = (A * A + B * B + C * C - x * x - y * y - z * z) / (2.0 * (A * B * C) ** 2 * steep**1.5)
    K = surface.forms(ALPHA).curvature
    assert close(np.linalg.det(K), gauss, FLOAT64)
    assert close(np.trace(K) / 2.0, mean, FLOAT64)
    assert close(K, K.T, FLOAT64)  # the second fundamental form is symmetric, in parameters that are not orthogonal too


@every
def test_forms_are_the_motion_of_the_gauss_frame(name: str):
    """The body twist of the frame is (R_o K M, T M; M, 0) of the rates, by differences."""
    surface, step = SURFACES[name], 1e-6
    M, K, T = surface.forms(ALPHA)
    E = surface.frame(ALPHA)
    assert close(E[:3, :3].T @ E[:3, :3], np.eye(3), FLOAT64)
    for k, unit in enumerate(np.eye(2)):
        rate = (surface.frame(ALPHA + step * unit) - surface.frame(ALPHA - step * unit)) / (2.0 * step)
        W = np.linalg.inv(E) @ rate
        w, v = np.array([W[2, 1], W[0, 2], W[1, 0]]), W[:3, 3]
        bent = (K @ M)[:, k]
        assert close(v, [*M[:, k], 0.0], FINITE_DIFFERENCE)
        assert close(w, [-bent[1], bent[0], (T @ M)[k]], FINITE_DIFFERENCE, 1.0)


def test_curvature_does_not_depend_on_parameters():
    """The same surface in other parameters: the principal curvatures stay."""
    other = Surface.of(lambda a, b: saddle(a + 0.3 * b * b, b - 0.2 * a))
    u, v = 0.4, -0.3
    b = np.roots([0.3 * 0.2, 1.0, -(v + 0.2 * u)])  # a = u - 0.3 b^2, b - 0.2 a = v
    b = float(b[np.argmin(np.abs(b))])
    a = u - 0.3 * b * b
    assert close(other.position([a, b]), SURFACES["saddle"].position([u, v]), FLOAT64)
    here, there = (np.linalg.eigvalsh(s.forms(x).curvature) for s, x in ((SURFACES["saddle"], [u, v]), (other, [a, b])))
    assert close(there, here, FLOAT64)


def test_points_may_be_tuples():
    flat = Surface.of(lambda u, v: (u, v, 0.0), lambda p: p[2], name="flat")
    assert close(flat.at(np.eye(4)).frame(ALPHA)[:3, 3], [*ALPHA, 0.0], FLOAT64)
    assert close(flat.forms(ALPHA).metric, np.eye(2), FLOAT64)
    assert close(flat.distance([1.0, 2.0, 0.7]).distance, 0.7, FLOAT64)


def test_a_moved_surface_has_the_same_forms():
    T = np.eye(4)
    T[:3, :3] = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    T[:3, 3] = 1.0, -2.0, 0.5
    surface = SURFACES["ellipsoid"]
    moved = surface.at(T)
    assert close(moved.frame(ALPHA), T @ surface.frame(ALPHA), FLOAT64)
    for x, y in zip(moved.forms(ALPHA), surface.forms(ALPHA), strict=True):
        assert close(x, y, FLOAT64)
    p = np.array([2.0, 1.0, 1.5])
    assert close(moved.distance(T[:3, :3] @ p + T[:3, 3]).distance, surface.distance(p).distance, FLOAT64)


@every
def test_the_normal_points_where_the_distance_grows(name: str):
    surface = SURFACES[name]
    E = surface.frame(ALPHA)
    for height in (0.0, 0.2, -0.05):
        s, n, foot = surface.distance(E[:3, 3] + height * E[:3, 2])
        assert close(s, height, FLOAT64, 1.0)
        assert close(n, E[:3, 2], FLOAT64)
        assert close(foot, E[:3, 3], FLOAT64)


def test_distances_far_from_an_ellipsoid_are_shortest():
    surface = SURFACES["ellipsoid"]
    rng = np.random.default_rng(0)
    p = rng.normal(size=(50, 3))
    p *= (rng.uniform(2.2, 4.0, 50) / np.linalg.norm(p, axis=1))[:, None]
    s, n, foot = surface.distance(p)
    assert close(np.linalg.norm(p - foot, axis=1), s, FLOAT64)
    u, v = np.meshgrid(np.linspace(-np.pi / 2, np.pi / 2, 200), np.linspace(-np.pi, np.pi, 400))
    cloud = surface.position(np.stack([u.ravel(), v.ravel()], axis=1))
    nearest = np.min(np.linalg.norm(p[:, None] - cloud[None], axis=2), axis=1)
    assert (s <= nearest + 1e-12).all()
    assert (nearest - s < 1e-3).all()
    step = 1e-6
    slope = [
        (surface.distance(p + e).distance - surface.distance(p - e).distance) / (2 * step) for e in step * np.eye(3)
    ]
    assert close(np.stack(slope, axis=1), n, FINITE_DIFFERENCE)


def test_distances_by_parameters_are_those_of_the_implicit_function():
    surface = SURFACES["ellipsoid"]
    grid = [(u, v) for u in (-1.0, -0.3, 0.4, 1.1) for v in np.linspace(-np.pi, np.pi, 9)[1:]]
    own = Surface.of(surface.point, near=grid)
    rng = np.random.default_rng(1)
    alpha = np.stack([rng.uniform(-1.2, 1.2, 40), rng.uniform(-3.0, 3.0, 40)], axis=1)
    E = surface.frame(alpha)
    p = E[:, :3, 3] + rng.uniform(0.0, 0.3, (40, 1)) * E[:, :3, 2]
    for x, y in zip(own.distance(p), surface.distance(p), strict=True):
        assert close(x, y, FLOAT64, 1.0)
    bowl = own.inside()
    assert close(bowl.distance(p).distance, -surface.distance(p).distance, FLOAT64, 1.0)


def test_errors_name_the_parameter():
    for call, words in (
        (lambda: Surface.sphere(0.0), "sphere: radius must be a positive number, got 0.0"),
        (lambda: Surface.cylinder("wide"), "cylinder: radius"),
        (lambda: Surface.ellipsoid(1.0, -2.0, 1.0), "ellipsoid: half axis b must be a positive number, got -2.0"),
        (lambda: Surface.of(), "needs point.u, v., implicit.p., or both"),
        (lambda: Surface.of(3), "point must be a function"),
        (lambda: Surface.of(lambda u, v: np.stack([u, v]), name="flat").position, "'flat': point.u, v. must give 3"),
        (lambda: Surface.of(saddle, name="bare").distance, "'bare' has no implicit.p.: give .*near="),
        (lambda: SURFACES["saddle"].level, "'saddle' has no implicit"),
        (lambda: Surface.of(implicit=lambda p: p[0], near=[(0, 0)]), "near are parameters of point"),
        (lambda: Surface.of(implicit=lambda p: p[0], name="wall").frame, "'wall' has no parametrisation"),
        (lambda: Surface.plane().at(np.zeros((4, 4))), "pose"),
        (lambda: Surface.of(saddle, near=3), "near must be a list of pairs .u, v., got 3"),
        (lambda: Surface.of(saddle, near=(0.0, 1.0)), "near.0. must have shape .2,., got .."),
        (lambda: Surface.of(saddle, near=[(0.0, "a")]), "near.0. must be real numbers of shape"),
        (lambda: Surface.of(lambda u: u, name="line"), "'line': point must be a function of .u, v., got one of .u."),
        (lambda: Surface.of(saddle, name=3), "name of a surface must be a string"),
    ):
        with pytest.raises(ModelError, match=words):
            call()
