"""Inertias that differ by many orders: the rank is that of the constraints, not of A M^-1 A^T."""

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch

LIGHT = [1e-4, 1e-6, 1e-8, 5e-10, 1e-10, 1e-12, 1e-15]
TAU = np.array([0.0, 3.0, 1.0, 0.0, 2e-3])


def tied(m, scale=1.0, light=1.0, unit=1.0):
    """q0 = q1 = q2, of which q0 has next to no mass; q3 is free, and q4 of mass `light`."""
    weights = unit * np.array([m, 1.0, 1.0, 1.0, light])
    system = ch.LagrangianSystem(5, lambda q, qd: np.sum(weights * qd * qd) / 2)
    rows = ch.Constraint.holonomic(lambda q: np.stack([scale * (q[0] - q[1]), q[0] - q[2]]), "tied")
    return ch.ConstrainedSystem(system, rows)


@pytest.mark.parametrize("scale", [1.0, 1e-7])
@pytest.mark.parametrize("m", LIGHT)
@pytest.mark.parametrize("unit", [1.0, 1e9])
def test_motion(m, scale, unit):
    """The multipliers are what the ties exert on q1 and q2, with the other sign. Grams, or tonnes."""
    cs, a = tied(m, scale, unit=unit), 4.0 / (2.0 + m)
    qdd, multipliers = cs.forward_dynamics(np.zeros(5), np.zeros(5), unit * TAU)
    assert close(qdd, [a, a, a, 0.0, 2e-3], 1e-9)
    assert close(multipliers * [scale, 1.0] / unit, [3.0 - a, 1.0 - a], 1e-9)
    assert close(cs.consistent_acceleration(np.zeros(5), np.zeros(5), qdd), qdd, 1e-9)


@pytest.mark.parametrize("m", LIGHT)
def test_projections(m):
    """A P_T = 0 and P_T^2 = P_T, and a velocity made consistent keeps its momentum."""
    cs, q = tied(m), np.zeros(5)
    A, (P_w, P_T) = cs.constraint_matrix(q), cs.projections(q)
    assert close(A @ P_T, np.zeros((2, 5)), 1e-9, scale=1.0) and close(P_T @ P_T, P_T, 1e-9)
    assert close(P_w @ cs.mass_matrix(q), cs.mass_matrix(q) @ P_T, 1e-9)
    _, v = cs.consistent(q, [0.0, 1.0, 0.0, 0.5, 0.2])
    assert close(v, [1 / (2 + m), 1 / (2 + m), 1 / (2 + m), 0.5, 0.2], 1e-9)
    off = np.array([0.0, 1.0, 0.0, 0.5, 0.2])
    assert close(cs.corrected(q, off)[1], v, 1e-9)


@pytest.mark.parametrize("light", [1.0, 1e-12])
def test_a_light_one_that_is_free(light):
    """It has its own acceleration, and disturbs no other."""
    cs, a = tied(1e-10, light=light), 4.0 / (2.0 + 1e-10)
    qdd, _ = cs.forward_dynamics(np.zeros(5), np.zeros(5), TAU * [1.0, 1.0, 1.0, 1.0, light])
    assert close(qdd, [a, a, a, 0.0, 2e-3], 1e-9)


def test_other_forms():
    """The reduced equations and the gauge's agree."""
    cs, q, u = tied(1e-10), np.zeros(5), np.zeros(3)
    a = 4.0 / (2.0 + 1e-10)
    assert close(cs.reduced(["q2", "q4", "q5"]).forward_dynamics(q, u, TAU), [a, 0.0, 2e-3], 1e-9)
    gauge = cs.gauge()
    assert close(gauge.joint_velocities(q, gauge.forward_dynamics(q, u, TAU).v_rd), [a, a, a, 0.0, 2e-3], 1e-9)


def test_second_fundamental_form_and_a_batch():
    """A light particle on a circle, beside heavy ones; with states that are not numbers among them."""
    m = 1e-11
    system = ch.LagrangianSystem(3, lambda q, qd: (m * qd[0] ** 2 + qd[1] ** 2 + qd[2] ** 2) / 2)
    rows = ch.Constraint.holonomic(lambda q: np.stack([q[0] - q[1] ** 2, q[0] + q[1] - q[2]]), "bent")
    cs = ch.ConstrainedSystem(system, rows)
    y, yd = np.array([0.4, np.nan, -0.3]), np.array([0.7, 0.2, np.nan])
    q = np.stack([y * y, y, y * y + y], axis=-1)
    qd = np.stack([2 * y * yd, yd, 2 * y * yd + yd], axis=-1)
    tau = np.array([0.1, 0.2, -0.3])
    qdd, multipliers = cs.forward_dynamics(q, qd, tau)
    J, bend = np.array([0.8, 1.0, 1.8]), 2 * 0.49 * np.array([1.0, 0.0, 1.0])
    M = np.diag([m, 1.0, 1.0])
    ydd = (J @ (tau - M @ bend)) / (J @ M @ J)
    assert close(qdd[0], J * ydd + bend, 1e-9) and np.isnan(qdd[1:]).all() and np.isnan(multipliers[1:]).all()
    S = cs.second_fundamental_form(q, qd)
    assert close(S[0], bend - J * (J @ M @ bend) / (J @ M @ J), 1e-9) and np.isnan(S[1:]).all()
    P = cs.projections(q).P_T
    assert close(P[0], np.outer(J, J @ M) / (J @ M @ J), 1e-9) and np.isnan(P[1]).all()


def test_simulation():
    """Two masses on a spring, tied by a thread next to none: they swing as one."""
    system = ch.LagrangianSystem(3, lambda q, qd: (1e-11 * qd[0] ** 2 + qd[1] ** 2 + qd[2] ** 2) / 2 - q[1] ** 2)
    rows = ch.Constraint.holonomic(lambda q: np.stack([q[0] - q[1], q[0] - q[2]]), "tied")
    run = ch.simulate(ch.ConstrainedSystem(system, rows), np.ones(3), np.zeros(3), duration=1.0, dt=1e-2)
    assert close(run.q, np.repeat(np.cos(run.t)[:, None], 3, axis=1), 1e-8)
