"""Double and triple pendulum after 5 s, against thirty digits: errors fall with the order of the method, to 1e-10."""

import mpmath as mp
import numpy as np
import pytest
from support.orders import kernel_of_step, stepped
from support.pendulum_reference import DURATION, END, START, end, pendulum, relative
from support.sweeps import sweep

from chasles import integrators

METHODS = [name for name in integrators.names() if not name.startswith("variational")]
STEPS = {1: (64000, 128000), 2: (4000, 8000), 3: (2000, 4000), 4: (2000, 4000), 5: (1000, 2000)}
BEST = {"rk4": 16000, "dormand_prince": 4000, "radau": 4000}  # steps with which these are right to 1e-10


@pytest.mark.parametrize("method", sweep(METHODS, ["rk4", "dormand_prince"]))
@pytest.mark.parametrize("n", sweep([2, 3], 1))
def test_errors_fall_with_the_order(n: int, method: str) -> None:
    robot, order = pendulum(n), integrators.find(method).order
    kernel = kernel_of_step(robot, lambda t, q, v: 0.0 * v, method)
    exact = np.concatenate([relative(END[n][:n]), relative(END[n][n:])])

    def error(steps: int) -> float:
        found = stepped(kernel, relative(START[n]), np.zeros(n), steps, float(DURATION))
        return float(np.abs(np.concatenate(found) - exact).max())

    coarse, fine = map(error, STEPS[order])
    assert order - 0.35 < np.log2(coarse / fine) < order + 1.0
    if method in BEST:
        assert error(BEST[method]) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("n, steps, digits", [(2, 120, 26), (3, 150, 15)])
def test_the_reference(n: int, steps: int, digits: int) -> None:
    """Made again, with longer steps."""
    with mp.workdps(45):
        off = max(abs(a - mp.mpf(b)) for a, b in zip(end(n, steps, 14), END[n], strict=True))
        assert off < mp.mpf(10) ** -digits


def test_the_reference_is_of_this_pendulum() -> None:
    """Its equations, written out, are the robot's."""
    from support.pendulum_reference import accelerations

    for n in START:
        robot, rng = pendulum(n), np.random.default_rng(n)
        a, rates = rng.normal(size=n), rng.normal(size=n)
        found = robot.forward_dynamics(relative(a), relative(rates), np.zeros(n))
        expected = relative([float(x) for x in accelerations([*map(float, a)], [*map(float, rates)])])
        assert np.abs(found - expected).max() < 1e-11 * max(1.0, np.abs(expected).max())
