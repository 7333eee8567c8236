"""Published worked examples, corrected (docs/equations.md): closed formulas that somebody derived by hand."""

import numpy as np
import pytest
from support.leaves import array, columns
from support.random_trees import random_link, random_pose, random_state
from support.tolerances import FLOAT64, close

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.coriolis import coriolis_matrix
from chasles.dynamics.energy import potential_energy
from chasles.dynamics.jacobian import jacobian
from chasles.dynamics.newton_euler import newton_euler
from chasles.formulations.closed_form import tree_factors
from chasles.formulations.kool import line_form
from chasles.lie import SE3
from chasles.model.building import mechanism
from chasles.model.link import Link

g = 9.81
seeds = pytest.mark.parametrize("seed", range(5))


def at(x, y, z):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def revolute(axis, point=(0.0, 0.0, 0.0)):
    return np.r_[axis, np.cross(point, axis)]


def point(mass):
    return Link(mass)


def sin_cos(*angles):
    return [f(x) for x in angles for f in (np.sin, np.cos)]


def torques(robot, q, qd, qdd):
    """Newton-Euler's, which the two second opinions confirm."""
    tau = np.array(newton_euler(robot.tree, q, qd, qdd).tau)
    scale = np.abs(tau).max()
    assert close(tree_factors(robot.tree, q).inverse_dynamics(qd, qdd), tau, FLOAT64, scale)
    assert close(line_form(robot.tree, q).generalized_forces(qd, qdd), tau, FLOAT64, scale)
    return tau


@seeds
def test_pendulum(seed):
    """[EX-1] m l^2 thdd + m g l sin th = tau, th from hanging down."""
    m, l = 1.3, 0.7
    robot = mechanism([revolute([1, 0, 0])], [at(0, 0, -l)], [point(m)])
    (th,), (thd,), (thdd,) = random_state(seed, 1)
    assert close(torques(robot, [th], [thd], [thdd])[0], m * l**2 * thdd + m * g * l * np.sin(th))


@seeds
def test_spherical_pendulum(seed):
    """[EX-2]; q = (ph, th). The first link is a mass on the axis: it never moves."""
    m, l = 1.3, 0.7
    robot = mechanism([revolute([0, 0, 1]), revolute([1, 0, 0])], [at(0, 0, 0), at(0, 0, -l)], [point(5.0), point(m)])
    (ph, th), (phd, thd), (phdd, thdd) = random_state(seed, 2)
    s, c = sin_cos(th)
    tau = torques(robot, [ph, th], [phd, thd], [phdd, thdd])
    assert close(tau[1], m * l**2 * thdd - m * l**2 * s * c * phd**2 + m * g * l * s)
    assert close(tau[0], m * l**2 * s**2 * phdd + 2 * m * l**2 * s * c * thd * phd)


@seeds
def test_planar_two_links(seed):
    """[EX-3]: M and the Christoffel C."""
    m1, m2, l1, r1, r2, I1, I2 = 2.0, 1.5, 0.8, 0.3, 0.35, 0.11, 0.07
    robot = mechanism(
        [revolute([0, 0, 1]), revolute([0, 0, 1], [l1, 0, 0])],
        [at(r1, 0, 0), at(l1 + r2, 0, 0)],
        [Link(m1, (0, 0, 0), (0.05, 0.08, I1)), Link(m2, (0, 0, 0), (0.03, 0.06, I2))],
    )
    q, (w1, w2), _ = random_state(seed, 2)
    al, be, de = I1 + I2 + m1 * r1**2 + m2 * (l1**2 + r2**2), m2 * l1 * r2, I2 + m2 * r2**2
    s2, c2 = sin_cos(q[1])
    M = [[al + 2 * be * c2, de + be * c2], [de + be * c2, de]]
    assert close(array(mass_matrix(robot.tree, q)), M)
    C = [[-be * s2 * w2, -be * s2 * (w1 + w2)], [be * s2 * w1, 0.0]]
    assert close(array(coriolis_matrix(robot.tree, q, [w1, w2])), C)


@seeds
def test_planar_2r_with_point_masses(seed):
    """[EX-4]: both torques, gravity along -y."""
    m1, m2, L1, L2 = 2.0, 1.5, 0.8, 0.6
    robot = mechanism(
        [revolute([0, 0, 1]), revolute([0, 0, 1], [L1, 0, 0])],
        [at(L1, 0, 0), at(L1 + L2, 0, 0)],
        [point(m1), point(m2)],
        gravity=(0, -g, 0),
    )
    q, (w1, w2), (a1, a2) = random_state(seed, 2)
    s2, c2, _, c1, _, c12 = sin_cos(q[1], q[0], q[0] + q[1])
    tau1 = ((m1 + m2) * L1**2 + m2 * (2 * L1 * L2 * c2 + L2**2)) * a1 + m2 * (L1 * L2 * c2 + L2**2) * a2
    tau1 += -m2 * L1 * L2 * s2 * (2 * w1 * w2 + w2**2) + (m1 + m2) * L1 * g * c1 + m2 * g * L2 * c12
    tau2 = m2 * (L1 * L2 * c2 + L2**2) * a1 + m2 * L2**2 * a2 + m2 * L1 * L2 * s2 * w1**2 + m2 * g * L2 * c12
    assert close(torques(robot, q, [w1, w2], [a1, a2]), [tau1, tau2])


@seeds
def test_three_link_arm(seed):
    """[EX-5]: screws, M, the Christoffel symbols, the Jacobian of link 3, potential and gravity."""
    l0, l1, r0, r1, r2 = 0.9, 0.7, 0.4, 0.3, 0.25
    m1, m2, m3 = 3.0, 2.0, 1.5
    I = np.array([[0.21, 0.25, 0.17], [0.13, 0.09, 0.11], [0.08, 0.05, 0.07]])
    screws = [revolute([0, 0, 1]), revolute([-1, 0, 0], [0, 0, l0]), revolute([-1, 0, 0], [0, l1, l0])]
    assert close(np.array(screws)[1:], [[-1, 0, 0, 0, -l0, 0], [-1, 0, 0, 0, -l0, l1]])
    homes = [at(0, 0, r0), at(0, r1, l0), at(0, l1 + r2, l0)]
    robot = mechanism(screws, homes, [Link(m, (0, 0, 0), J) for m, J in zip((m1, m2, m3), I, strict=True)])
    q, qd, _ = random_state(seed, 3)
    s2, c2, s3, c3, s23, c23 = sin_cos(q[1], q[2], q[1] + q[2])
    (_, _, Iz1), (Ix2, Iy2, Iz2), (Ix3, Iy3, Iz3) = I
    reach = l1 * c2 + r2 * c23
    M = np.zeros((3, 3))
    M[0, 0] = Iy2 * s2**2 + Iy3 * s23**2 + Iz1 + Iz2 * c2**2 + Iz3 * c23**2 + m2 * r1**2 * c2**2 + m3 * reach**2
    M[1, 1] = Ix2 + Ix3 + m3 * l1**2 + m2 * r1**2 + m3 * r2**2 + 2 * m3 * l1 * r2 * c3
    M[1, 2] = M[2, 1] = Ix3 + m3 * r2**2 + m3 * l1 * r2 * c3
    M[2, 2] = Ix3 + m3 * r2**2
    assert close(array(mass_matrix(robot.tree, q)), M)
    G = np.zeros((3, 3, 3))  # the first index is the equation
    a = (Iy2 - Iz2 - m2 * r1**2) * c2 * s2 + (Iy3 - Iz3) * c23 * s23 - m3 * reach * (l1 * s2 + r2 * s23)
    b = (Iy3 - Iz3) * c23 * s23 - m3 * r2 * s23 * reach
    G[0, 0, 1] = G[0, 1, 0] = a
    G[0, 0, 2] = G[0, 2, 0] = b
    G[1, 0, 0], G[2, 0, 0] = -a, -b
    G[1, 1, 2] = G[1, 2, 1] = G[1, 2, 2] = -l1 * m3 * r2 * s3
    G[2, 1, 1] = l1 * m3 * r2 * s3
    assert close(array(coriolis_matrix(robot.tree, q, qd)), G @ qd)
    J = columns(jacobian(robot.tree, q, 2, SE3.identity(), "body"))
    assert close(J[3, 0], -l1 * c2 - r2 * c23)  # linear first in the source: its entry (1, 1)
    heights = r0, l0 - r1 * s2, l0 - l1 * s2 - r2 * s23
    assert close(potential_energy(robot.tree, q), g * np.dot((m1, m2, m3), heights))
    gravity = [0.0, -(m2 * r1 + m3 * l1) * g * c2 - m3 * g * r2 * c23, -m3 * g * r2 * c23]
    assert close(torques(robot, q, [0.0] * 3, [0.0] * 3), gravity)


@seeds
def test_general_2r(seed):
    """[COR-3] for two skew axes: M and C from two brackets."""
    rng = np.random.default_rng(seed)
    screws = [revolute(w / np.linalg.norm(w), p) for w, p in rng.normal(size=(2, 2, 3))]
    homes, links = [random_pose(rng) for _ in range(2)], [random_link(rng) for _ in range(2)]
    robot = mechanism(screws, homes, links)
    q, (w1, w2), _ = random_state(seed, 2)
    space = tree_factors(robot.tree, q).space
    A1, A2 = robot.screws
    D1, D2, carry = space.inertias[:6, :6], space.inertias[6:, 6:], space.transport[6:, :6]  # carry = Ad_2^2
    turn = carry @ np.r_[np.cross(A1[:3], A2[:3]), np.cross(A1[:3], A2[3:]) - np.cross(A2[:3], A1[3:])]
    a, b = turn @ D2 @ carry @ A1, turn @ D2 @ A2
    M = [[A1 @ D1 @ A1 + carry @ A1 @ D2 @ carry @ A1, carry @ A1 @ D2 @ A2], [carry @ A1 @ D2 @ A2, A2 @ D2 @ A2]]
    assert close(array(mass_matrix(robot.tree, q)), M)
    C = [[a * w2, a * w1 + b * w2], [-a * w1, 0.0]]
    assert close(array(coriolis_matrix(robot.tree, q, [w1, w2])), C)
