"""A robot from its screws: a planar arm of two links, its motion and its equations of motion."""

import sys

import numpy as np

import chasles as ch

# Two revolute joints about z, one at the origin and one a metre along x when the arm is stretched out (q = 0).
screws = [ch.screw(axis=[0, 0, 1], point=[0, 0, 0]), ch.screw(axis=[0, 0, 1], point=[1, 0, 0])]


def at(x: float) -> np.ndarray:
    """A frame at distance x along the stretched arm."""
    T = np.eye(4)
    T[0, 3] = x
    return T


# Each link is a slender bar of 1 m and 1 kg; its frame is at its joint, its centre of mass half way along.
bar = ch.Link(mass=1.0, com=[0.5, 0, 0], inertia=[0, 1 / 12, 1 / 12])
arm = ch.Robot.from_screws(screws, [at(0.0), at(1.0)], [bar, bar], tool=at(2.0), name="arm", gravity=[0, -9.81, 0])
print(arm)

q, qd, qdd = [0.0, np.pi / 2], [1.0, 0.0], [0.0, 0.0]
print("tool at", arm.forward_kinematics(q)[:3, 3].round(6))
print("torques that hold it still", arm.gravity_forces(q).round(4))
print("torques that keep it turning", arm.inverse_dynamics(q, qd, qdd).round(4))
print("mass matrix", arm.mass_matrix(q).round(4).tolist())

# Let go: the accelerations under gravity alone, and the power balance tau . qd = d/dt (kinetic + potential energy).
fall = arm.forward_dynamics(q, qd, [0.0, 0.0])
print("accelerations when let go", fall.round(4))
h = 1e-5
energy = [
    arm.kinetic_energy(np.add(q, s * h * np.array(qd)), np.add(qd, s * h * fall))
    + arm.potential_energy(np.add(q, s * h * np.array(qd)))
    for s in (1, -1)
]
print("rate of energy when let go", abs(round((energy[0] - energy[1]) / (2 * h), 6)))


def draw():
    """The arm as it falls, the path of its tool, and its screws at the end."""
    motion = arm.simulate(q, qd, duration=0.7)
    figure = arm.plot(motion.q[-1], ghosts=motion.q[:-1:140])
    ch.plot.path(arm, motion.q, ax=figure.axes[0])
    return ch.plot.screws(arm, motion.q[-1], ax=figure.axes[0])


if len(sys.argv) > 1:  # the file of a picture
    ch.plot.save(draw(), sys.argv[1])
