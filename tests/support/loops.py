"""Mechanisms with closed loops, and constraints written by hand, which several tests share."""

from functools import cache

import numpy as np

import chasles as ch

GRAVITY = (0.0, -9.81, 0.0)


def at(x, y, z=0.0):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def bar(mass, length):
    """A slender rod along x, its frame at one end."""
    return ch.Link(mass, (length / 2, 0.0, 0.0), (1e-4, mass * length**2 / 12, mass * length**2 / 12))


def planar(roots, lengths, masses, name="planar", gravity=GRAVITY):
    """Serial chains of rods in the x-y plane, all along x at q = 0; frames tip0, tip1, ... at their ends."""
    screws, homes, links, parents, frames, names = [], [], [], [], {}, []
    for b, (root, along, heavy) in enumerate(zip(roots, lengths, masses, strict=True)):
        x, y = root
        for k, (length, mass) in enumerate(zip(along, heavy, strict=True)):
            parents.append(-1 if k == 0 else len(screws) - 1)
            screws.append([0.0, 0.0, 1.0, y, -x, 0.0])
            homes.append(at(x, y))
            links.append(bar(mass, length))
            names.append(f"joint{b}{k}")
            x += length
        frames[f"tip{b}"] = (len(screws) - 1, at(x, y))
    return ch.Robot.from_screws(
        screws, homes, links, parents, name=name, joint_names=names, frames=frames, gravity=gravity
    )


# the four-bar: crank, coupler and rocker as one chain, whose tip is pinned to (GROUND, 0)

BARS, MASSES, GROUND = (0.3, 0.8, 0.6), (0.7, 1.6, 1.1), 0.9


def four_bar():
    return planar([(0.0, 0.0)], [BARS], [MASSES], "four-bar")


def pinned(robot, frame="tip0", place=(GROUND, 0.0), rows=2, name="pin"):
    """A point of the robot stays where it is."""
    target = np.array([*place, 0.0])[:rows]
    return ch.Constraint.holonomic(lambda q: robot.forward_kinematics(q, frame)[:rows, 3] - target, name)


def elbow(crank):
    """Where coupler and rocker meet, of the crank's angle; traced or not."""
    x, y = BARS[0] * np.cos(crank), BARS[0] * np.sin(crank)
    dx, dy = GROUND - x, -y
    square = dx * dx + dy * dy
    along = (square + BARS[1] ** 2 - BARS[2] ** 2) / (2 * square)
    across = np.sqrt(BARS[1] ** 2 / square - along * along)
    return x + along * dx - across * dy, y + along * dy + across * dx


def four_bar_angles(crank):
    """q of the chain, of the crank's angle."""
    x, y = elbow(crank)
    coupler = np.arctan2(y - BARS[0] * np.sin(crank), x - BARS[0] * np.cos(crank))
    rocker = np.arctan2(-y, GROUND - x)
    return np.stack([crank, coupler - crank, rocker - coupler], axis=-1)


# the same four-bar cut through its coupler: two chains, welded


def cut_four_bar():
    half, m = BARS[1] / 2, MASSES[1] / 2
    chains = [(BARS[0], half), (BARS[2], half)]
    return planar([(0.0, 0.0), (GROUND, 0.0)], chains, [(MASSES[0], m), (MASSES[2], m)], "cut four-bar")


def welded(robot, first="tip0", second="tip1", pose=None, name="weld"):
    """Six equations: the second frame, moved by `pose` (4, 4) in its own axes, coincides with the first."""
    E = np.eye(4) if pose is None else np.asarray(pose)

    def h(q):
        S, T = robot.forward_kinematics(q, first), robot.forward_kinematics(q, second)
        R, p = S[:3, :3].T @ T[:3, :3] @ E[:3, :3], S[:3, :3].T @ (T[:3, 3] + T[:3, :3] @ E[:3, 3] - S[:3, 3])
        turn = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
        return np.stack([*(x / 2.0 for x in turn), *p])

    return ch.Constraint.holonomic(h, name)


def tied(robot, first, second, rows=2, name="tie"):
    """Two points coincide."""

    def h(q):
        return (robot.forward_kinematics(q, second) - robot.forward_kinematics(q, first))[:rows, 3]

    return ch.Constraint.holonomic(h, name)


HALF_TURN = np.diag([-1.0, -1.0, 1.0, 1.0])


# the 3x2R arm: three planar arms of two links, tips tied [EX-11]

ROOTS = ((0.0, 0.0), (1.0, 0.0), (0.5, 0.9))


def three_arms():
    return planar(ROOTS, [(0.5, 0.45)] * 3, [(1.0, 0.8), (1.2, 0.7), (0.9, 1.0)], "3x2R")


def three_arms_tied(robot, rows=2):
    return tied(robot, "tip0", "tip1", rows) + tied(robot, "tip0", "tip2", rows)


def reach(root, place, first=0.5, second=0.45, side=1.0):
    """The two angles of an arm that reaches a place."""
    x, y = np.subtract(place, root)
    bend = side * np.arccos((x * x + y * y - first**2 - second**2) / (2 * first * second))
    return np.arctan2(y, x) - np.arctan2(second * np.sin(bend), first + second * np.cos(bend)), bend


def three_arms_at(place, sides=(1.0, -1.0, 1.0)):
    """q with all three tips at a place."""
    return np.concatenate([reach(root, place, side=side) for root, side in zip(ROOTS, sides, strict=True)])


# a particle, a rolling disk, a parallelogram


def particle(m=1.4, n=2):
    """A particle, y up."""
    return ch.LagrangianSystem(n, lambda q, qd: m * (qd @ qd) / 2 - m * 9.81 * q[1], name="particle")


def on_circle(l):
    return ch.Constraint.holonomic(lambda q: (q @ q - l**2) / 2, "circle")


def disk(m=1.3, rho=0.4, I1=0.2, I2=0.35):
    """q = (x, y, theta, phi): where it touches, where it heads, how far it has turned."""

    def L(q, qd):
        return (m * (qd[0] ** 2 + qd[1] ** 2) + I1 * qd[2] ** 2 + I2 * qd[3] ** 2) / 2

    def rows(q):
        zero, one = 0.0 * q[0], 0.0 * q[0] + 1.0
        return np.stack(
            [
                np.stack([one, zero, zero, -rho * np.cos(q[2])]),
                np.stack([zero, one, zero, -rho * np.sin(q[2])]),
            ]
        )

    return ch.ConstrainedSystem(ch.LagrangianSystem(4, L, name="disk"), ch.Constraint.pfaffian(rows, "rolling"))


@cache
def parallelogram(rows=2):
    robot = planar([(0.0, 0.0)], [(0.3, 0.9, 0.3)], [(0.7, 1.6, 0.7)], "parallelogram")
    return ch.ConstrainedSystem(robot, pinned(robot, rows=rows))
