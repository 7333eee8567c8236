"""Friction of a robot's joints in a simulation: damping as it decays, dry friction until a joint stops."""

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch

LAWS = [None, lambda t, q, v: np.zeros(1)]


def slider(**losses):
    link = ch.Link(2.0, inertia=(0.1, 0.1, 0.1))
    made = ch.Robot.from_screws([ch.prismatic([1, 0, 0])], [np.eye(4)], [link], gravity=(0.0, 0.0, 0.0), **losses)
    return made.with_friction()


@pytest.mark.parametrize("control", LAWS)
def test_damping(control):
    run = ch.simulate(slider(damping=[0.6]), [0.0], [1.0], control, duration=1.0)
    assert close(run.qd[:, 0], np.exp(-0.3 * run.t), 1e-9)


@pytest.mark.parametrize("control", LAWS)
@pytest.mark.parametrize("dt", [1e-2, 1e-3])
def test_dry_friction(control, dt):
    """It slows down evenly, and chatters about rest by what friction does in a step."""
    run = ch.simulate(slider(friction=[1.0]), [0.0], [1.0], control, duration=4.0, dt=dt)
    moving = run.t < 2.0 - dt
    assert close(run.qd[moving, 0], 1.0 - 0.5 * run.t[moving], 1e-9)
    assert np.abs(run.qd[run.t > 2.0 + dt]).max() <= 0.5 * dt and abs(run.q[-1, 0] - 1.0) < dt
