"""Worked examples under constraints: a particle on a sphere, EX-8, and an arm that polishes a sphere and rolls on it.

The arm is compared with the relations of contact, EX-9 and EX-10, of which the constraints know nothing.
"""

from typing import Any

import numpy as np
import pytest
from support.tolerances import FLOAT64, close

import chasles as ch
from chasles.surface import contact_coordinates

AGREED = 1e-9


# a particle on a sphere [EX-8]

RADIUS, MASS, G = 1.4, 2.0, 9.81


def place(x: Any) -> Any:
    """Of latitude mu and longitude nu."""
    mu, nu = x[0], x[1]
    return RADIUS * np.stack([np.cos(mu) * np.cos(nu), np.cos(mu) * np.sin(nu), np.sin(mu)])


PLACE = ch.compile(place, x=2)
SLOPE = PLACE.jacobian("x")


@pytest.mark.parametrize("seed", range(3))
def test_particle_on_a_sphere(seed: int) -> None:
    """[EX-8]: its motion in gravity beside that in mu and nu, tangential part, normal part, and the multiplier."""
    free = ch.LagrangianSystem(3, lambda q, qd: MASS * (qd @ qd) / 2 - MASS * G * q[2], name="particle")
    cs = ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: (q @ q - RADIUS**2) / 2, name="sphere"))
    rng = np.random.default_rng(seed)
    (mu, nu), (mud, nud) = rng.uniform(-1.2, 1.2, 2), rng.normal(size=2)
    q, qd = PLACE([mu, nu]), SLOPE([mu, nu]) @ [mud, nud]
    # m r^2 (mudd + s c nud^2) = -m g r c and d/dt (c^2 nud) = 0
    nu_1, nu_2 = -G / RADIUS * np.cos(mu), 0.0
    qdd, (multiplier,) = cs.forward_dynamics(q, qd, np.zeros(3))
    tangents = np.stack([SLOPE([mu, nu])[:, 0], RADIUS * np.array([-np.sin(nu), np.cos(nu), 0.0])], axis=1)
    bent = -(mud**2 + np.cos(mu) ** 2 * nud**2) * q
    close(qdd, tangents @ [nu_1, nu_2] + bent, AGREED)
    close(cs.projections(q).P_T @ qdd, tangents @ [nu_1, nu_2], AGREED)
    close(cs.second_fundamental_form(q, qd), bent, AGREED)
    close(multiplier, MASS / RADIUS**2 * (G * q[2] - qd @ qd), AGREED)
    # any acceleration: nu_1 = mudd + s c nud^2, nu_2 = c nudd - 2 s mud nud
    xdd = rng.normal(size=2)
    moved = SLOPE([mu, nu]) @ xdd + np.einsum("ijk,j,k->i", SLOPE.jacobian("x")([mu, nu]), [mud, nud], [mud, nud])
    asked = xdd[0] + np.sin(mu) * np.cos(mu) * nud**2, np.cos(mu) * xdd[1] - 2 * np.sin(mu) * mud * nud
    close(cs.projections(q).P_T @ moved, tangents @ asked, AGREED)


def test_particle_on_a_sphere_keeps_what_it_should() -> None:
    """Energy, and its momentum about the vertical, along the motion."""
    free = ch.LagrangianSystem(3, lambda q, qd: MASS * (qd @ qd) / 2 - MASS * G * q[2], name="particle")
    cs = ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: (q @ q - RADIUS**2) / 2, name="sphere"))
    q, qd = cs.consistent([1.0, 0.3, -0.9], [0.4, 2.0, 0.5])
    motion = ch.simulate(cs, q, qd, duration=2.0, dt=1e-3)
    about = motion.q[:, 0] * motion.qd[:, 1] - motion.q[:, 1] * motion.qd[:, 0]
    close(about, np.full(len(about), about[0]), 1e-9)
    close(motion.energy, np.full(len(about), motion.energy[0]), 1e-9)
    assert np.ptp(motion.q[:, 2]) > 0.1


# an arm of six joints and a sphere

TIP, BALL = 0.05, 0.2
CENTRE = np.array([0.5, 0.1, 0.3])
PAIR = ch.Surface.sphere(TIP), ch.Surface.sphere(BALL)
START = np.array([0.3, -1.2, 1.5, -0.4, 0.6, 0.2])


@pytest.fixture(scope="module")
def arm() -> ch.Robot:
    return ch.load("ur5")


def held(arm: ch.Robot, rolls: bool) -> ch.ConstrainedSystem:
    T = np.eye(4)
    T[:3, 3] = CENTRE
    ball = ch.Surface.sphere(BALL).at(T)
    if rolls:
        return ch.ConstrainedSystem(arm, ch.Constraint.rolling("tool", TIP, ball, spin=False))
    return ch.ConstrainedSystem(arm, ch.Constraint.point_contact("tool", TIP, ball))


def on_sphere(n: np.ndarray) -> np.ndarray:
    """u and v of a direction."""
    return np.array([np.arcsin(n[2]), -np.arctan2(n[1], n[0])])


def coordinates(arm: ch.Robot, q: np.ndarray) -> np.ndarray:
    """(5,) eta, of where the tool is."""
    T = arm.forward_kinematics(q)
    n = (T[:3, 3] - CENTRE) / np.linalg.norm(T[:3, 3] - CENTRE)
    alpha_f, alpha_o = on_sphere(-T[:3, :3].T @ n), on_sphere(n)
    seen = PAIR[1].frame(alpha_o)[:3, :3].T @ T[:3, :3] @ PAIR[0].frame(alpha_f)[:3, :3]
    close(seen[2], [0.0, 0.0, -1.0], scale=1.0)
    return np.array([*alpha_f, *alpha_o, np.arctan2(-seen[0, 1], seen[0, 0])])


@pytest.mark.parametrize("rolls", [False, True], ids=["polishes", "rolls"])
def test_arm_on_a_sphere(arm: ch.Robot, rolls: bool) -> None:
    """V = J_b qd = J u with contact's J, of all five coordinates or of alpha_f alone: with D = J_b^-1 J and
    r = M qdd + bias - tau, D^T r = 0 is the motion in u. What is left, J_b^-T r, is along contact's own rows.
    """
    cs, rng = held(arm, rolls), np.random.default_rng(0)
    assert cs.degrees_of_freedom == (2 if rolls else 5)
    for _ in range(3):
        q, qd = cs.consistent(START + 0.1 * rng.normal(size=6), rng.normal(size=6))
        tau = 10.0 * rng.normal(size=6)
        eta, V = coordinates(arm, q), arm.jacobian(q) @ qd
        close(contact_coordinates.contact_pose(*PAIR)(eta)[:3, 3] + CENTRE, arm.forward_kinematics(q)[:3, 3], FLOAT64)
        whole = contact_coordinates.body_jacobian(*PAIR)
        etad = np.linalg.lstsq(whole(eta), V, rcond=None)[0]
        close(whole(eta) @ etad, V, FLOAT64)  # it touches and goes on touching
        J = contact_coordinates.rolling_jacobian(*PAIR) if rolls else whole
        u = etad[:2] if rolls else etad
        if rolls:
            close(contact_coordinates.rolling_rates(*PAIR)(eta, u), etad, FLOAT64)
        J_b, J_rate = arm.jacobian(q), np.einsum("ijk,k->ij", J.jacobian("eta")(eta), etad)
        D = np.linalg.solve(J_b, J(eta))
        D_rate = np.linalg.solve(J_b, J_rate - arm.jacobian_derivative(q, qd) @ D)
        M, bias = arm.mass_matrix(q), arm.bias_forces(q, qd)
        ud = np.linalg.solve(D.T @ M @ D, D.T @ (tau - bias - M @ D_rate @ u))
        expected = D @ ud + D_rate @ u
        found = cs.forward_dynamics(q, qd, tau)
        close(found.qdd, expected, AGREED)
        wrench = np.linalg.solve(J_b.T, M @ expected + bias - tau)
        row = contact_coordinates.normal_row(PAIR[0])(eta[:2])
        if not rolls:
            close(wrench, -found.multipliers[0] * row, AGREED)  # along f's outward normal: it is pressed back
            continue
        close(found.multipliers[0], -wrench[3:] @ row[3:], AGREED)
        tangential = wrench[3:] - (wrench[3:] @ row[3:]) * row[3:]
        close(np.linalg.norm(found.multipliers[1:3]), np.linalg.norm(tangential), AGREED)
