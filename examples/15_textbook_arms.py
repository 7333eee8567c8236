"""Equations that can be derived by hand, EX-1 to EX-5 of docs/equations.md, beside what the library finds from screws.

Each line has the closed form's number, the library's, and by how much they differ. EX-6 and EX-8 are in example 10,
EX-7 in 07, EX-9 and EX-10 in 11, EX-11 in 09.
"""

import sys

import numpy as np

import chasles as ch

X, Z, G = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 9.81


def arm(axes, points, centres, links, gravity=(0.0, 0.0, -G)) -> ch.Robot:
    """Revolute joints by their axes and a point on each; the links' frames are at their centres of mass."""
    homes = np.tile(np.eye(4), (len(links), 1, 1))
    homes[:, :3, 3] = centres
    return ch.Robot.from_screws([ch.screw(*s) for s in zip(axes, points, strict=True)], homes, links, gravity=gravity)


def show(what: str, by_hand, found) -> None:
    by_hand, found = np.asarray(by_hand), np.asarray(found)
    print(f"{what}: {by_hand.round(6).tolist()} by hand, {found.round(6).tolist()}", end=" ")
    print(f"(differ by {np.abs(by_hand - found).max():.0e})")


def pendulums(m=1.3, l=0.7) -> ch.Robot:
    """[EX-1]: in a plane; [EX-2]: on a sphere."""
    th, thd, thdd, phd, phdd = 0.6, 0.4, -0.9, 1.1, 0.5
    s, c, I = np.sin(th), np.cos(th), m * l**2
    one = arm([X], [(0, 0, 0)], [(0, 0, -l)], [ch.Link(m)])
    show("EX-1 pendulum, tau", [I * thdd + m * G * l * s], one.inverse_dynamics([th], [thd], [thdd]))
    # The first link is a mass on the vertical axis, which never moves.
    two = arm([Z, X], [(0, 0, 0)] * 2, [(0, 0, 0), (0, 0, -l)], [ch.Link(5.0), ch.Link(m)])
    tau = [I * s**2 * phdd + 2 * I * s * c * thd * phd, I * thdd - I * s * c * phd**2 + m * G * l * s]
    show("EX-2 spherical pendulum, tau", tau, two.inverse_dynamics([0.2, th], [phd, thd], [phdd, thdd]))
    return two


def planar(m1=2.0, m2=1.5, l1=0.8, r1=0.3, r2=0.35, I1=0.11, I2=0.07) -> ch.Robot:
    """[EX-3]: M and C of a planar arm of two links; [EX-4]: the joint forces of one with its masses at the tips."""
    q, (w1, w2), (a1, a2) = np.array([0.4, 0.9]), (0.7, -1.2), (0.3, 0.8)
    s2, c2, c1, c12 = np.sin(q[1]), np.cos(q[1]), np.cos(q[0]), np.cos(q.sum())
    axes, points = [Z, Z], [(0, 0, 0), (l1, 0, 0)]
    bars = [ch.Link(m1, inertia=(0.05, 0.08, I1)), ch.Link(m2, inertia=(0.03, 0.06, I2))]
    robot = arm(axes, points, [(r1, 0, 0), (l1 + r2, 0, 0)], bars)
    al, be, de = I1 + I2 + m1 * r1**2 + m2 * (l1**2 + r2**2), m2 * l1 * r2, I2 + m2 * r2**2
    show("EX-3 planar arm, M", [[al + 2 * be * c2, de + be * c2], [de + be * c2, de]], robot.mass_matrix(q))
    C = [[-be * s2 * w2, -be * s2 * (w1 + w2)], [be * s2 * w1, 0.0]]
    show("EX-3 planar arm, C", C, robot.coriolis_matrix(q, [w1, w2]))

    L1, L2 = l1, 0.6
    robot = arm(axes, points, [(L1, 0, 0), (L1 + L2, 0, 0)], [ch.Link(m1), ch.Link(m2)], gravity=(0.0, -G, 0.0))
    tau1 = ((m1 + m2) * L1**2 + m2 * (2 * L1 * L2 * c2 + L2**2)) * a1 + m2 * (L1 * L2 * c2 + L2**2) * a2
    tau1 += -m2 * L1 * L2 * s2 * (2 * w1 * w2 + w2**2) + (m1 + m2) * L1 * G * c1 + m2 * G * L2 * c12
    tau2 = m2 * (L1 * L2 * c2 + L2**2) * a1 + m2 * L2**2 * a2 + m2 * L1 * L2 * s2 * w1**2 + m2 * G * L2 * c12
    show("EX-4 point masses, tau", [tau1, tau2], robot.inverse_dynamics(q, [w1, w2], [a1, a2]))
    return robot


def three_links(l0=0.9, l1=0.7, r0=0.4, r1=0.3, r2=0.25, m1=3.0, m2=2.0, m3=1.5) -> ch.Robot:
    """[EX-5]: screws, M, a Christoffel symbol, a Jacobian and the height of an arm of three joints."""
    I1, (Ix2, Iy2, Iz2), (Ix3, Iy3, Iz3) = (0.21, 0.25, 0.17), (0.13, 0.09, 0.11), (0.08, 0.05, 0.07)
    links = [ch.Link(m, inertia=I) for m, I in ((m1, I1), (m2, (Ix2, Iy2, Iz2)), (m3, (Ix3, Iy3, Iz3)))]
    down = (-1.0, 0.0, 0.0)
    points, centres = [(0, 0, 0), (0, 0, l0), (0, l1, l0)], [(0, 0, r0), (0, r1, l0), (0, l1 + r2, l0)]
    robot = arm([Z, down, down], points, centres, links)
    q = np.array([0.3, 0.5, -0.8])
    s2, c2, c3, s23, c23 = np.sin(q[1]), np.cos(q[1]), np.cos(q[2]), np.sin(q[1] + q[2]), np.cos(q[1] + q[2])
    screws = [[down, (0.0, -l0, 0.0)], [down, (0.0, -l0, l1)]]
    show("EX-5 arm of three joints, screws 2 and 3", np.reshape(screws, (2, 6)), robot.screws[1:])
    M_22 = Ix2 + Ix3 + m3 * l1**2 + m2 * r1**2 + m3 * r2**2 + 2 * m3 * l1 * r2 * c3
    show("EX-5 M_22", M_22, robot.mass_matrix(q)[1, 1])
    reach = l1 * c2 + r2 * c23
    bent = (Iy2 - Iz2 - m2 * r1**2) * c2 * s2 + (Iy3 - Iz3) * c23 * s23 - m3 * reach * (l1 * s2 + r2 * s23)
    show("EX-5 Gamma_112", bent, robot.christoffel_symbols(q)[0, 0, 1])
    show("EX-5 J_3(1, 1)", -reach, robot.jacobian(q, robot.link_names[2])[3, 0])
    heights = r0, l0 - r1 * s2, l0 - l1 * s2 - r2 * s23
    show("EX-5 V", G * np.dot((m1, m2, m3), heights), robot.potential_energy(q))
    return robot


def draw(*robots):
    """The arms with their screw axes: the spherical pendulum, two links in a plane, three joints in space."""
    figure, (axes,) = ch.plot.figure(1, 3, width="two columns", height=2.4, views=["3d", "2d", "3d"])
    for robot, q, ax in zip(robots, ([0.2, 0.6], [0.4, 0.9], [0.3, 0.5, -0.8]), axes, strict=True):
        ch.plot.robot(robot, q, ax=ax)
        ch.plot.screws(robot, q, ax=ax)
    return figure


if __name__ == "__main__":
    robots = pendulums(), planar(), three_links()
    if len(sys.argv) > 1:  # the file of a picture
        ch.plot.save(draw(*robots), sys.argv[1])
