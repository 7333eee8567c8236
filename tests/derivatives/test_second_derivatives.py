"""Second derivatives of large robots: direction by direction they are those of the kernel."""

import numpy as np
from support.tolerances import close

import chasles as ch
from chasles.derivatives.second_derivatives import forward_dynamics_tensors, inverse_dynamics_tensors


def test_by_directions():
    robot = ch.load("planar_3r")
    rng = np.random.default_rng(0)
    q = np.array([robot.random(rng) for _ in range(3)])
    qd, qdd = rng.normal(size=(2, 3, robot.n))
    found = inverse_dynamics_tensors(robot, q, qd, qdd)
    for x, expected in zip(found, robot.inverse_dynamics_second_derivatives(q, qd, qdd), strict=True):
        assert close(x, expected, 1e-9, scale=1.0)
    tau = robot.inverse_dynamics(q, qd, qdd)
    found = forward_dynamics_tensors(robot, q, qd, tau)
    for x, expected in zip(found, robot.forward_dynamics_second_derivatives(q, qd, tau), strict=True):
        assert close(x, expected, 1e-8, scale=1.0)
