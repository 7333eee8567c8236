"""Systems in contact coordinates: brackets of rolling, and bodies that slide and roll beside the same as a robot."""

import functools

import numpy as np
import pytest
from support.contact import CLOUD, ETA, FREE, RATE, TOUCHING, adjoint
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.constraint import contact_systems
from chasles.surface import contact_coordinates
from chasles.surface.surface import Surface

slow = pytest.mark.slow


def bracket(pair, eta: np.ndarray) -> float:
    """The part of [X_1, X_2] outside the span of the rolling fields X_1, X_2, relative to its two terms."""
    rates = contact_coordinates.rolling_rates(*pair)
    X = np.stack([rates(eta, e) for e in np.eye(2)], axis=1)
    slope = rates.jacobian("eta")
    D = [slope(eta, e) for e in np.eye(2)]
    terms = D[1] @ X[:, 0], D[0] @ X[:, 1]
    b = terms[0] - terms[1]
    return float(np.linalg.norm(b - X @ np.linalg.lstsq(X, b)[0]) / max(1.0, *map(np.linalg.norm, terms)))


@pytest.mark.parametrize("pair", TOUCHING.values(), ids=TOUCHING)
def test_rolling_is_not_involutive(pair):
    """[EX-10b]"""
    assert bracket(pair, ETA) > 0.05


def test_rolling_is_involutive_on_an_equal():
    """Bodies that roll are confined where their surfaces are isometric: equal spheres, a cylinder on a plane."""
    for pair in (
        (Surface.sphere(0.7), Surface.sphere(0.7)),
        (Surface.cylinder(0.7), Surface.plane()),
        (Surface.cylinder(0.7), Surface.cylinder(0.2)),
    ):
        assert bracket(pair, ETA) < 1e-12
        assert contact_systems.rolling_contact(*pair).is_holonomic(contact_systems.contact_system(CLOUD, *pair))
    pair = (Surface.sphere(0.7), Surface.sphere(0.71))
    assert not contact_systems.rolling_contact(*pair).is_holonomic(contact_systems.contact_system(CLOUD, *pair))


def test_the_projection_of_forces_in_the_contact_frame():
    """P_w = diag(1, 1, 0, 1, 1, 1), linear first, needs the centre of mass on the normal. [EX-9, EX-9b]"""
    ball = Surface.sphere(0.3)
    g = adjoint(ball.frame(ETA[:2]))
    for com, central in (((0.0, 0.0, 0.0), True), ((0.05, 0.0, 0.02), False)):
        G = np.array(contact_systems._inertia(ch.Link(1.5, com, (0.05, 0.05, 0.05))))
        M, A = g.T @ G @ g, np.linalg.inv(g)[5:] @ g  # of twists in the contact frame
        P = np.eye(6) - A.T @ np.linalg.inv(A @ np.linalg.solve(M, A.T)) @ A @ np.linalg.inv(M)
        error = np.abs(P - np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])).max()
        assert error < 1e-12 if central else error > 0.01


# a body in contact coordinates, and the same as a robot


def as_free(pair, eta: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities of a free body."""
    T = contact_coordinates.contact_pose(*pair)(eta)
    W = T[:3, :3]
    w, V = np.linalg.eigh(
        np.array(
            [
                [W[0, 0] - W[1, 1] - W[2, 2], 0.0, 0.0, 0.0],
                [W[0, 1] + W[1, 0], W[1, 1] - W[0, 0] - W[2, 2], 0.0, 0.0],
                [W[0, 2] + W[2, 0], W[1, 2] + W[2, 1], W[2, 2] - W[0, 0] - W[1, 1], 0.0],
                [W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1], np.trace(W)],
            ]
        )
    )
    return np.array([*T[:3, 3], *V[:, np.argmax(w)]]), contact_coordinates.body_jacobian(*pair)(eta) @ rate


@functools.cache
def in_contact(name: str) -> ch.LagrangianSystem:
    return contact_systems.contact_system(CLOUD, *TOUCHING[name], gravity=FREE.gravity)


@pytest.mark.parametrize(
    "name",
    [
        "ball on ellipsoid",
        pytest.param("own", marks=pytest.mark.sweep),
        *(pytest.param(x, marks=slow) for x in ("spheres", "ellipsoids")),
    ],
)
@pytest.mark.parametrize("way", sweep(["slides", "rolls", "rolls and spins"], ["slides"]))
def test_a_free_body_in_contact_moves_as_in_contact_coordinates(name: str, way: str):
    """Five coordinates against six and a constraint: nothing shared but the surfaces. [EX-9, EX-10]"""
    pair = TOUCHING[name]
    minimal = in_contact(name)
    J = contact_coordinates.body_jacobian(*pair)
    rate = RATE
    if way == "slides":
        qdd = minimal.forward_dynamics(ETA, rate, np.zeros(5))
        touch = ch.Constraint.point_contact("tool", *pair)
    else:
        spins = way == "rolls and spins"
        rate = contact_coordinates.rolling_rates(*pair)(ETA, RATE[:2]) + np.array([0.0, 0.0, 0.0, 0.0, 0.8 * spins])
        on = ch.ConstrainedSystem(minimal, contact_systems.rolling_contact(*pair, spin=spins))
        qdd = on.forward_dynamics(ETA, rate, np.zeros(5)).qdd
        touch = ch.Constraint.rolling("tool", *pair, spin=spins)
    q, v = as_free(pair, ETA, rate)
    full = ch.ConstrainedSystem(FREE, touch, start=q)
    assert np.abs(full.residual(q)).max() < 1e-12
    assert np.abs(full.constraint_matrix(q) @ v).max() < 1e-12
    expected = J(ETA) @ qdd + np.einsum("ijk,j,k->i", J.jacobian("eta")(ETA), rate, rate)
    assert close(full.forward_dynamics(q, v, np.zeros(6)).qdd, expected, 1e-9)


@pytest.mark.slow
def test_a_surface_given_by_parameters_alone_is_touched_and_rolled_on():
    """The same accelerations as with its implicit function, which neither knows of."""
    ball, known = TOUCHING["ball on ellipsoid"]
    own = Surface.of(known.point, name="own", near=[(u, v) for u in (-0.7, 0.0, 0.7) for v in (0.0, 1.0, 2.0)])
    q, v = as_free((ball, known), ETA, contact_coordinates.rolling_rates(ball, known)(ETA, RATE[:2]))
    for touch in (
        lambda surface: ch.Constraint.point_contact("tool", ball, surface),
        lambda surface: ch.Constraint.rolling("tool", ball.radius, surface, spin=False),
    ):
        found, expected = (
            ch.ConstrainedSystem(FREE, touch(surface), start=q).forward_dynamics(q, v, np.zeros(6))
            for surface in (own, known)
        )
        assert close(found.qdd, expected.qdd, 1e-9)
        assert close(found.multipliers, expected.multipliers, 1e-9)
