"""Solving with the mass matrix from the tips, and forward dynamics of the fewest operations."""

import numpy as np
import pytest
from support.sweeps import sweep
from support.tolerances import close

import chasles as ch
from chasles.dynamics.linear_solve import factored_from_tips, solve


@pytest.mark.parametrize("n", [1, 2, 5])
def test_from_the_tips(n, rng):
    A = rng.normal(size=(n, n))
    M, b = A @ A.T + np.eye(n), rng.normal(size=n)
    x = factored_from_tips(M.tolist()).solve(b.tolist())
    assert close(M @ x, b, 1e-12) and close(x, solve(M.tolist(), b.tolist()), 1e-12)


@pytest.mark.parametrize("name", sweep(["scara", "panda"], 1))
def test_the_cheapest_is_the_same_motion(name, rng):
    robot = ch.load(name)
    q, v, tau = robot.random(rng), *rng.normal(size=(2, robot.n))
    cheapest, usual = robot.kernel("cheapest_forward_dynamics"), robot.kernel("forward_dynamics")
    assert close(cheapest(q, v, tau), usual(q, v, tau), 1e-12)
    assert cheapest.operations.total < 0.9 * usual.operations.total


def test_a_matrix_that_is_not_symmetric(rng):
    n = 6
    A = rng.normal(size=(n, n))
    M = A @ A.T + np.eye(n) + (A - A.T)
    b = rng.normal(size=n)
    assert close(factored_from_tips(M.tolist(), symmetric=False).solve(b.tolist()), np.linalg.solve(M, b), 1e-11)


def test_branches_stay_apart():
    """Two fingers on a hand: what one does not feel of the other is not filled in."""
    M = [[9.0, 1.0, 2.0, 1.5], [1.0, 3.0, 0.0, 0.0], [2.0, 0.0, 4.0, 1.0], [1.5, 0.0, 1.0, 2.0]]
    factors = factored_from_tips(M)
    assert factors.U[1][2:] == [0.0, 0.0] and factors.L[2][1] == factors.L[3][1] == 0.0
    assert close(factors.solve([1.0, 2.0, 3.0, 4.0]), np.linalg.solve(M, [1.0, 2.0, 3.0, 4.0]), 1e-13)
