"""The quadratic program of redundancy: what makes an answer the answer, and bounds that leave none."""

import numpy as np
import pytest
from support.tolerances import close, small

from chasles.control.limits import _ordered
from chasles.control.quadratic_program import quadratic_program


def random_problem(rng, n, k):
    root = rng.normal(size=(n, n))
    C = rng.normal(size=(k, n))
    middle = C @ rng.normal(size=n)  # so that there is an answer
    width = np.where(rng.random(k) < 0.2, 0.0, rng.exponential(size=k))
    return root @ root.T + 0.1 * np.eye(n), 3.0 * rng.normal(size=n), C, middle - width, middle + width


def test_the_conditions_of_karush_kuhn_and_tucker(rng):
    """The gradient is pressed by rows at their bounds alone, each from its own side."""
    held = 0
    for _ in range(60):
        n = int(rng.integers(1, 6))
        H, f, C, lower, upper = random_problem(rng, n, int(rng.integers(1, n + 1)))
        x = quadratic_program(H, f, C, lower, upper)
        assert x is not None
        value, size = C @ x, 1.0 + np.abs(H @ x + f).max()
        assert (value >= lower - 1e-8).all() and (value <= upper + 1e-8).all()
        low, high = value <= lower + 1e-7, value >= upper - 1e-7
        active = low | high
        held += int(active.sum())
        forces = np.linalg.lstsq(C[active].T, H @ x + f, rcond=None)[0]
        assert small(C[active].T @ forces - (H @ x + f), 1e-7 * size)
        assert (forces[(low & ~high)[active]] >= -1e-6 * size).all()
        assert (forces[(high & ~low)[active]] <= 1e-6 * size).all()
    assert held > 30


def test_bounds_are_kept_to_ten_digits():
    H, f, C = np.eye(2), np.array([-5.0, 0.0]), np.eye(2)
    x = quadratic_program(H, f, C, np.full(2, -np.inf), np.array([1.0, np.inf]))
    assert close(x, [1.0, 0.0], 1e-9)
    x = quadratic_program(H, f, C, np.array([-np.inf, 2e-7]), np.array([np.inf, np.inf]))
    assert x is not None and x[1] >= 1.9e-7  # not taken for a slack


@pytest.mark.parametrize(
    ("C", "lower", "upper"),
    [
        ([[1.0, 0.0]], [2.0], [1.0]),  # crossed
        ([[0.0, 0.0]], [0.5], [1.0]),  # a row of nothing, which is 0
        ([[0.0, 0.0]], [-1.0], [-0.5]),
        ([[1.0, 0.0], [1.0, 0.0]], [1.0, -np.inf], [np.inf, 0.0]),  # two that contradict each other
        ([[1.0, 1.0], [1.0, -1.0], [1.0, 0.0]], [1.0, 1.0, -np.inf], [np.inf, np.inf, 0.5]),
    ],
)
def test_bounds_that_leave_nothing(C, lower, upper):
    assert quadratic_program(np.eye(2), np.zeros(2), np.array(C), np.array(lower), np.array(upper)) is None


def test_rows_that_are_nearly_one():
    """An angle of 1e-4 between two rows still leaves a corner, far out."""
    C = np.array([[1.0, 0.0], [1.0, 1e-4]])
    x = quadratic_program(np.eye(2), np.zeros(2), C, np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    assert close(x, [1.0, 1e4], 1e-6)
    assert close(quadratic_program(np.eye(2), np.zeros(2), C[[0, 0]], np.ones(2), np.ones(2)), [1.0, 0.0], 1e-9)


def test_a_row_of_nothing_asks_for_nothing():
    x = quadratic_program(np.eye(2), -np.ones(2), np.zeros((1, 2)), np.array([-1.0]), np.array([1.0]))
    assert close(x, [1.0, 1.0], 1e-12)


def test_bounds_that_cross_are_their_middle():
    lower, upper = _ordered(np.array([1.0, -1.0, 3.0]), np.array([0.5, 2.0, 5.0]), np.array([9.0, 1.5, 4.0]))
    assert close(lower, [0.75, -1.0, 3.0], 0.0) and close(upper, [0.75, 1.5, 4.0], 0.0)
