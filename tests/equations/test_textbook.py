"""Equations as textbooks print them, entered by hand here, against those of the library: the difference is zero.

Ids in brackets are those of docs/equations.md.
"""

import numpy as np
import sympy as sp
from support import textbook
from support.textbook import is_zero, matrix, sides

import chasles as ch

q1, q2, q3, qd1, qd2, qd3, qdd1, qdd2 = sp.symbols("q1 q2 q3 qd1 qd2 qd3 qdd1 qdd2")
theta, thetad, thetadd, phi, phid, phidd = sp.symbols("theta thetad thetadd phi phid phidd")
tau1, tau2, tau3, tau4 = sp.symbols("tau1 tau2 tau3 tau4")
c1, c2, c3, s2, s3 = sp.cos(q1), sp.cos(q2), sp.cos(q3), sp.sin(q2), sp.sin(q3)
c12, c23, s23, c123 = sp.cos(q1 + q2), sp.cos(q2 + q3), sp.sin(q2 + q3), sp.cos(q1 + q2 + q3)
m, g, l = sp.symbols("m g l")
m1, m2, m3, m4 = sp.symbols("m1 m2 m3 m4")
l0, l1, l2, l3, L1, L2 = sp.symbols("l0 l1 l2 l3 L1 L2")
lc1, lc2, lc3 = sp.symbols("lc1 lc2 lc3")
I1, I2, I3, I4 = sp.symbols("I1 I2 I3 I4")
r1, r2 = sp.symbols("r1 r2")
Ix2, Ix3, Iy2, Iy3, Iz1, Iz2, Iz3 = sp.symbols("Ix2 Ix3 Iy2 Iy3 Iz1 Iz2 Iz3")


def test_a_pendulum():
    """[EX-1]."""
    mass, length, weight = ch.symbols("m l g")

    def lagrangian(q, qd):
        return mass * length**2 * qd[0] ** 2 / 2 + mass * weight * length * np.cos(q[0])

    eq = ch.LagrangianSystem(1, lagrangian, coordinate_names=["theta"]).equations()
    ((left, right),) = sides(eq.motion)
    assert is_zero(right - m * l**2 * thetadd - m * g * l * sp.sin(theta)) and left == tau1
    assert is_zero(matrix(eq.momenta) - sp.Matrix([m * l**2 * thetad]))


def test_a_spherical_pendulum():
    """[EX-2]."""
    (_, one), (_, two) = sides(textbook.spherical_pendulum().equations().motion)
    s, c = sp.sin(theta), sp.cos(theta)
    assert is_zero(one - (m * l**2 * thetadd - m * l**2 * s * c * phid**2 + m * g * l * s))
    assert is_zero(two - (m * l**2 * s**2 * phidd + 2 * m * l**2 * s * c * thetad * phid))


def test_a_planar_arm_of_two_joints():
    """[EX-3], with its alpha, beta, delta."""
    eq = textbook.planar_2r().equations()
    al = I1 + I2 + m1 * lc1**2 + m2 * (l1**2 + lc2**2)
    be, de = m2 * l1 * lc2, I2 + m2 * lc2**2
    M = sp.Matrix([[al + 2 * be * c2, de + be * c2], [de + be * c2, de]])
    C = be * s2 * sp.Matrix([[-qd2, -qd1 - qd2], [qd1, 0]])
    G = sp.Matrix([(m1 * lc1 + m2 * l1) * g * c1 + m2 * lc2 * g * c12, m2 * lc2 * g * c12])
    assert is_zero(matrix(eq.mass_matrix) - M)
    assert is_zero(matrix(eq.coriolis_matrix) - C)
    assert is_zero(matrix(eq.gravity_forces) - G)


def test_two_point_masses():
    """[EX-4]."""
    (_, one), (_, two) = sides(textbook.point_masses().equations().motion)
    h = m2 * L1 * L2 * s2
    first = ((m1 + m2) * L1**2 + m2 * (2 * L1 * L2 * c2 + L2**2)) * qdd1 + m2 * (L1 * L2 * c2 + L2**2) * qdd2
    first += -2 * h * qd1 * qd2 - h * qd2**2 + (m1 + m2) * L1 * g * c1 + m2 * g * L2 * c12
    second = m2 * (L1 * L2 * c2 + L2**2) * qdd1 + m2 * L2**2 * qdd2 + h * qd1**2 + m2 * g * L2 * c12
    assert is_zero(one - first) and is_zero(two - second)


def test_an_elbow_arm():
    """[EX-5]: M, the Christoffel symbols, gravity, and the Jacobian of the last centre of mass."""
    eq = textbook.elbow().equations()
    s2_, far, low = sp.sin(q2), l1 * c2 + r2 * c23, l1 * s2 + r2 * s23
    M11 = Iy2 * s2_**2 + Iy3 * s23**2 + Iz1 + Iz2 * c2**2 + Iz3 * c23**2 + m2 * r1**2 * c2**2 + m3 * far**2
    M22 = Ix2 + Ix3 + m3 * l1**2 + m2 * r1**2 + m3 * r2**2 + 2 * m3 * l1 * r2 * c3
    M23, M33 = Ix3 + m3 * r2**2 + m3 * l1 * r2 * c3, Ix3 + m3 * r2**2
    assert is_zero(matrix(eq.mass_matrix) - sp.Matrix([[M11, 0, 0], [0, M22, M23], [0, M23, M33]]))
    turn = (Iy3 - Iz3) * c23 * s23
    G112 = (Iy2 - Iz2 - m2 * r1**2) * c2 * s2 + turn - m3 * far * low
    G113, h = turn - m3 * r2 * s23 * far, m3 * l1 * r2 * s3
    expected = {"112": G112, "113": G113, "211": -G112, "223": -h, "233": -h, "311": -G113, "322": h}
    found = {str(left).removeprefix("Gamma").replace("_", ""): right for left, right in sides(eq.christoffel_symbols)}
    assert found.keys() == expected.keys()
    assert all(is_zero(found[key] - expected[key]) for key in expected)
    weight = -m3 * g * r2 * c23
    G = sp.Matrix([0, -(m2 * r1 + m3 * l1) * g * c2 + weight, weight])
    assert is_zero(matrix(eq.gravity_forces) - G)
    ((_, U),) = sides(eq.potential_energy)
    assert is_zero(sp.diff(U, q2) - G[1]) and is_zero(sp.diff(U, q3) - G[2])
    J = matrix(eq.jacobian)
    assert J.shape == (6, 3) and is_zero(J[3, 0] + l1 * c2 + r2 * c23)


def test_any_arm_of_two_screws():
    """[COR-3]: C of a general 2R has two numbers, a = (dM_11/dq_2) / 2 and b = dM_12/dq_2."""
    axes = ch.screw([0, 0, 1]), ch.screw([0.6, 0.8, 0], point=[0.3, 0.1, 0.2])
    links = [ch.Link(1.0, [0.1, 0.2, 0.0], (0.1, 0.2, 0.25)), ch.Link(2.0, [0.0, 0.1, 0.3], (0.1, 0.3, 0.35))]
    arm = ch.Robot.from_screws(axes, [np.eye(4)] * 2, links)
    eq = arm.equations(symbols="inertias")
    M, C = matrix(eq.mass_matrix), matrix(eq.coriolis_matrix)
    a, b = sp.diff(M[0, 0], q2) / 2, sp.diff(M[0, 1], q2)
    expected = sp.Matrix([[a * qd2, a * qd1 + b * qd2], [-a * qd1, 0]])
    assert C.has(sp.Symbol("Ixx2")) and is_zero((C - expected).applyfunc(textbook.without_dust))


def test_a_planar_arm_of_three_joints():
    eq = textbook.planar_3r().equations()
    M33 = I3 + m3 * lc3**2
    M23 = M33 + m3 * l2 * lc3 * c3
    M13 = M23 + m3 * l1 * lc3 * c23
    M22 = I2 + m2 * lc2**2 + m3 * l2**2 + 2 * m3 * l2 * lc3 * c3 + M33
    M12 = M22 + m2 * l1 * lc2 * c2 + m3 * l1 * (l2 * c2 + lc3 * c23)
    M11 = I1 + m1 * lc1**2 + (m2 + m3) * l1**2 + 2 * M12 - M22
    assert is_zero(matrix(eq.mass_matrix) - sp.Matrix([[M11, M12, M13], [M12, M22, M23], [M13, M23, M33]]))
    g3 = m3 * g * lc3 * c123
    g2 = g3 + (m2 * lc2 + m3 * l2) * g * c12
    G = sp.Matrix([g2 + (m1 * lc1 + (m2 + m3) * l1) * g * c1, g2, g3])
    assert is_zero(matrix(eq.gravity_forces) - G)


def test_a_scara():
    eq = textbook.scara().equations()
    load, turning = m3 + m4, I2 + I3 + I4 + m2 * lc2**2 + (m3 + m4) * l2**2
    be = m2 * l1 * lc2 + load * l1 * l2
    M11 = I1 + m1 * lc1**2 + (m2 + load) * l1**2 + turning + 2 * be * c2
    M12 = turning + be * c2
    M = sp.Matrix([[M11, M12, 0, -I4], [M12, turning, 0, -I4], [0, 0, load, 0], [-I4, -I4, 0, I4]])
    assert is_zero(matrix(eq.mass_matrix) - M)
    C = sp.zeros(4, 4)
    C[:2, :2] = be * s2 * sp.Matrix([[-qd2, -qd1 - qd2], [qd1, 0]])
    assert is_zero(matrix(eq.coriolis_matrix) - C)
    assert is_zero(matrix(eq.gravity_forces) - sp.Matrix([0, 0, -load * g, 0]))


def test_a_cart_and_a_pole():
    (_, one), (_, two) = sides(textbook.cart_pole().equations().motion)
    M, xdd = sp.symbols("M xdd")
    s, c = sp.sin(theta), sp.cos(theta)
    assert is_zero(one - ((M + m) * xdd + m * l * c * thetadd - m * l * s * thetad**2))
    assert is_zero(two - (m * l * c * xdd + m * l**2 * thetadd - m * g * l * s))


def test_a_particle_on_a_circle():
    """[EX-6]: the multiplier stands on the right, and where the constraint holds, x^2 + y^2 is l^2."""
    eq = textbook.circle().equations()
    x, y, xd, yd, xdd, lambda1 = sp.symbols("x y xd yd xdd lambda1")
    assert is_zero(matrix(eq.constraint_matrix) - sp.Matrix([[x, y]]))
    (_, held), (zero, rate) = sides(eq.constraints)
    assert is_zero(held - (x**2 + y**2 - l**2) / 2) and is_zero(rate - x * xd - y * yd) and zero == 0
    (left, right), _ = sides(eq.motion)
    assert is_zero(right - m * xdd) and is_zero(left - tau1 - x * lambda1)
    ((_, multiplier),) = sides(eq.constraint_forces)
    expected = m / l**2 * (g * y - xd**2 - yd**2)
    assert is_zero(multiplier.subs({tau1: 0, tau2: 0}) - expected)
    assert is_zero(multiplier - expected + (x * tau1 + y * tau2) / l**2)


def test_a_rolling_disk():
    """[EX-7]: nonholonomic; with the multipliers put in, the motion is that of diag(I1, I2 + m rho^2)."""
    eq = textbook.rolling_disk().equations()
    rho, xd, yd, lambda1, lambda2 = sp.symbols("rho xd yd lambda1 lambda2")
    s, c = sp.sin(theta), sp.cos(theta)
    (_, first), (_, second) = sides(eq.constraints)
    assert is_zero(first - xd + rho * c * phid) and is_zero(second - yd + rho * s * phid)
    left, right = zip(*sides(eq.motion), strict=True)
    assert is_zero(left[3] - tau4 + rho * c * lambda1 + rho * s * lambda2) and is_zero(right[2] - I1 * thetadd)
    forces = dict(zip((lambda1, lambda2), (x for _, x in sides(eq.constraint_forces)), strict=True))
    turned = (tau4 - rho * c * lambda1 - rho * s * lambda2).subs(forces) / I2  # phidd
    assert is_zero(turned.subs({tau1: 0, tau2: 0}) - tau4 / (I2 + m * rho**2))
    xdd = (forces[lambda1] + tau1) / m
    ahead = rho * c * turned - rho * s * thetad * phid
    assert is_zero(xdd - ahead)


def test_a_four_bar():
    """The rows that close it, of its lengths; the one out of the plane follows from nothing, and is dropped."""
    eq = textbook.four_bar().equations()
    d, lambda1, lambda2 = sp.symbols("d lambda1 lambda2")
    s1, s12, s123 = sp.sin(q1), sp.sin(q1 + q2), sp.sin(q1 + q2 + q3)
    along, across = l1 * c1 + l2 * c12 + l3 * c123, l1 * s1 + l2 * s12 + l3 * s123
    held = [right for _, right in sides(eq.constraints)]
    assert len(held) == 4 and is_zero(held[0] - along + d) and is_zero(held[1] - across)
    A = sp.Matrix([along, across]).jacobian([q1, q2, q3])
    assert is_zero(matrix(eq.constraint_matrix) - A)
    left = sp.Matrix([x for x, _ in sides(eq.motion)])
    assert is_zero(left - sp.Matrix([tau1, tau2, tau3]) - A.T * sp.Matrix([lambda1, lambda2]))
