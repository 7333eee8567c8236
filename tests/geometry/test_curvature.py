"""Curvature: exact cases, its symmetries, finite differences, and a second way of computing it."""

import numpy as np
import pytest
from support.fields import along_columns, configuration, without_rotors
from support.random_trees import random_kinds, random_mechanism
from support.sweeps import sweep
from support.tolerances import FLOAT64, close

import chasles as ch
from chasles.dynamics.composite_body import mass_matrix
from chasles.geometry.connection import christoffel_symbols
from chasles.geometry.curvature import riemann_curvature
from chasles.riemann import by_links
from chasles.riemann.by_links import constants

X, Y, Z, O = np.eye(3)[0], np.eye(3)[1], np.eye(3)[2], np.zeros(3)


def at(*p: float) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = p
    return T


def revolute(axis, point=O) -> np.ndarray:
    return np.r_[axis, np.cross(point, axis)]


def prismatic(axis) -> np.ndarray:
    return np.r_[O, axis]


def spherical_pendulum(mass: float, length: float) -> ch.Robot:
    links = [ch.Link(0.0), ch.Link(mass, (length, 0.0, 0.0))]
    with pytest.warns(ch.ModelWarning):
        return ch.Robot.from_screws([revolute(Z), revolute(Y)], [np.eye(4)] * 2, links)


def planar_chain(lengths, links) -> ch.Robot:
    feet = np.cumsum([0.0, *lengths[:-1]])
    return ch.Robot.from_screws([revolute(Z, (x, 0, 0)) for x in feet], [at(x, 0, 0) for x in feet], links)


@pytest.mark.parametrize("seed", sweep(range(10), [3, 6]))
@pytest.mark.parametrize("make", [random_mechanism, random_kinds])
def test_symmetries_and_two_ways(make, seed: int) -> None:
    """[CUR-1, CUR-2, CUR-6]: pair symmetry, antisymmetries, first Bianchi identity; link by link the same."""
    m = make(seed) if make is random_kinds else make(seed, 5)
    tree, q = without_rotors(m), configuration(m.tree, seed)
    R = np.array(riemann_curvature(tree, q, m.coupling), dtype=float)
    size = float(np.abs(R).max()) + 1.0
    assert close(R, -R.swapaxes(0, 1), 0.0)
    assert close(R, R.transpose(2, 3, 0, 1), 0.0)
    cyclic = R + R.transpose(0, 2, 3, 1) + R.transpose(0, 3, 1, 2)
    assert close(cyclic, np.zeros_like(R), FLOAT64, size)
    x = np.array(q)
    parts = by_links.christoffel_symbols(tree, x), by_links.mass_matrix_derivatives(tree, x)
    second = by_links.mass_matrix_second_derivatives(tree, x)
    M = np.array(mass_matrix(tree, q), dtype=float)
    # all n^4 of it: nothing is mirrored
    other = by_links.riemann_curvature(M, *parts, second, constants(m.tree, m.coupling))
    assert close(R, other, FLOAT64 * max(1.0, float(np.linalg.cond(M)) / 1e3), size)


@pytest.mark.parametrize("seed", sweep(range(6), [3]))
@pytest.mark.parametrize("make", [random_mechanism, random_kinds])
def test_definition(make, seed: int) -> None:
    """[CUR-1, CUR-6], the connection of the second kind differentiated by dual numbers: no second derivatives of M."""
    m = make(seed) if make is random_kinds else make(seed, 4)
    tree, q = without_rotors(m), configuration(m.tree, seed)
    M, c = np.array(mass_matrix(tree, q), dtype=float), constants(m.tree, m.coupling)
    G = np.array(christoffel_symbols(tree, q), dtype=float)
    dM = along_columns(tree, lambda x: mass_matrix(tree, x), q)
    dG = along_columns(tree, lambda x: christoffel_symbols(tree, x), q)
    inverse = np.linalg.inv(M)
    up = np.einsum("ir,rjk->ijk", inverse, G)
    dup = np.einsum("ir,rjkl->ijkl", inverse, dG - np.einsum("rsl,sjk->rjkl", dM, up))
    R = dup.swapaxes(2, 3) - dup + np.einsum("imk,mjl->ijkl", up, up) - np.einsum("iml,mjk->ijkl", up, up)
    R = np.einsum("ir,rjkl->ijkl", M, R - np.einsum("klm,ijm->ijkl", c, up))
    found = riemann_curvature(tree, q, m.coupling)
    assert close(found, R, FLOAT64 * max(1.0, float(np.linalg.cond(M)) / 1e2), float(np.abs(R).max()) + 1.0)


def test_spherical_pendulum() -> None:
    """[CUR-4]: a sphere of radius l sqrt(m), K = 1/(m l^2), everywhere."""
    mass, length = 2.0, 0.7
    robot = spherical_pendulum(mass, length)
    q = np.random.default_rng(0).uniform(-1.2, 1.2, (20, 2))
    K = 1.0 / (mass * length**2)
    assert close(robot.sectional_curvature(q, [1.0, 0.3], [-0.2, 1.0]), np.full(20, K))
    R, M = robot.riemann_curvature(q), robot.mass_matrix(q)
    assert close(R[:, 0, 1, 0, 1] / np.linalg.det(M), np.full(20, K))
    assert close(robot.ricci_curvature(q), K * M)
    assert close(robot.scalar_curvature(q), np.full(20, 2.0 * K))


def test_rotation_groups() -> None:
    """[CUR-6]: sectional curvature 1/4 on SO(3) with unit inertia, and on the rotation planes of a free body."""
    unit = ch.Link(1.0, inertia=(1.0, 1.0, 1.0))
    for kind, n in (("spherical", 3), ("free", 6)):
        robot = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [unit], kinds=[kind])
        q, e = robot.random(0), np.eye(n)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            assert close(robot.sectional_curvature(q, e[i], e[j]), 0.25)
        if n == 6:
            assert close(robot.sectional_curvature(q, e[0], e[4]), 0.0, 1e-12, 1.0)
            assert close(robot.sectional_curvature(q, e[3], e[4]), 0.0, 1e-12, 1.0)


def test_asymmetric_body_against_milnor() -> None:
    """Sectional curvatures of a left-invariant metric on SO(3), principal inertias a, b, c, in their closed form."""
    inertia = np.array([0.8, 1.1, 1.5])
    robot = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [ch.Link(1.0, inertia=inertia)], kinds=["spherical"])
    e = np.eye(3)
    for i in range(3):
        a, b, c = inertia[[i, (i + 1) % 3, (i + 2) % 3]]
        # with [e_1, e_2] = e_3 and so on: the plane of e_1, e_2
        expected = (2.0 * (a * c + b * c) - 3.0 * c * c + (a - b) ** 2) / (4.0 * a * b * c)
        found = robot.sectional_curvature(robot.random(i), e[i], e[(i + 1) % 3])
        assert close(found, expected)


FLAT = {
    "PPP": lambda: ch.Robot.from_screws(
        [prismatic(X), prismatic(Y), prismatic(Z)], [np.eye(4)] * 3, [ch.Link(1.0)] * 3
    ),
    "polar RP": lambda: ch.Robot.from_screws(
        [revolute(Z), prismatic(X)], [np.eye(4)] * 2, [ch.Link(1e-9, inertia=(1e-9,) * 3), ch.Link(1.3, (0.4, 0, 0))]
    ),
    "2R, mass at the tip": lambda: planar_chain([0.7, 0.5], [ch.Link(1e-300), ch.Link(1.3, (0.5, 0, 0))]),
    "balanced 3R": lambda: planar_chain(
        [0.5, 0.4, 0.3],
        [
            ch.Link(2.0, (0.2, 0.1, 0.0), (0.1, 0.1, 0.3)),
            ch.Link(1.0, (-0.4 * 0.7, 0.0, 0.0), (0.1, 0.1, 0.2)),
            ch.Link(0.7, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)),
        ],
    ),
}


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_flat_chains(name: str) -> None:
    """[CUR-3]; and with an inertia more they are not [CUR-5]."""
    robot = FLAT[name]()
    q = np.random.default_rng(0).uniform(0.2, 1.2, (20, robot.n))
    R = robot.riemann_curvature(q)
    G = float(np.abs(robot.christoffel_symbols(q)).max()) ** 2 + 1.0
    assert close(R, np.zeros_like(R), 1e-8 if name == "polar RP" else FLOAT64, G)
    if name.startswith("2R"):
        heavier = robot.with_payload(robot.link_names[1], 0.5, (0.1, 0.0, 0.0), (0.0, 0.0, 0.2))
        assert np.abs(heavier.riemann_curvature(q)).max() > 1e-3


@pytest.mark.filterwarnings("ignore::chasles.ModelWarning")
def test_large_robots_go_link_by_link() -> None:
    """Beyond 12 degrees of freedom: the same numbers as the compiled kernels, batches, and a free base."""
    robot = ch.load("panda").with_base("free")
    assert robot.n == 13
    q = np.stack([robot.random(k) for k in range(2)])
    qd = np.random.default_rng(0).normal(size=(2, 13))
    G = robot.christoffel_symbols(q)
    assert close(np.einsum("bijk,bk->bij", G, qd), robot.coriolis_matrix(q, qd))
    assert close(G, robot.kernel("christoffel_symbols")(q))
    assert close(robot.mass_matrix_derivatives(q), G + G.swapaxes(1, 2))
