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


@pytest.mark.parametrize("duration", [1000.0004, 999.9996, 100.00001])
def test_what_is_left_over_does_not_grow_with_steps(duration):
    slider = ch.LagrangianSystem(1, lambda q, qd: qd @ qd / 2)
    with pytest.raises(ch.ModelError, match=r"duration must be a whole number of steps of dt = 0\.001"):
        ch.simulate(slider, *START, duration=duration, dt=1e-3)


@pytest.mark.parametrize("steps, dt", [(1_000_003, 1e-3), (777_777, 1.0 / 3.0), (3 * 10**6, 0.1 / 3.0)])
def test_many_steps_to_rounding(steps, dt):
    """As durations are written, or summed."""
    slider = ch.LagrangianSystem(1, lambda q, qd: qd @ qd / 2)
    for duration in (steps * dt, float(f"{steps * dt:.15g}")):
        assert len(ch.simulate(slider, *START, duration=duration, dt=dt, every=10**6)) >= 2
