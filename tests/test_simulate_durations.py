"""Durations of simulations: whole numbers of steps, to rounding."""

import numpy as np
import pytest

import chasles as ch

START = np.array([0.3]), np.array([0.0])


@pytest.mark.parametrize("duration", [0.1, 0.3, 0.7, 0.1 + 1e-9])
def test_whole_numbers_of_steps(duration):
    """0.3 is not 3 times 0.1, but nearly."""
    motion = ch.simulate(ch.load("pendulum"), *START, duration=duration, dt=0.1)
    assert len(motion.t) == round(duration / 0.1) + 1 and abs(motion.t[-1] - duration) < 1e-8


@pytest.mark.parametrize("duration", [0.1004, 0.0996, 0.1001, 1.005, 0.95, 0.04])
def test_others_are_refused(duration):
    with pytest.raises(ch.ModelError, match=r"duration must be a whole number of steps of dt = 0\.1"):
        ch.simulate(ch.load("pendulum"), *START, duration=duration, dt=0.1)
