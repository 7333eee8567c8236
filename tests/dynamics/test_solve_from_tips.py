"""Solving with the mass matrix from the tips, and forward dynamics of the fewest operations."""

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.dynamics.linear_solve import solve
from chasles.dynamics.solve_from_tips import solve_from_tips


@pytest.mark.parametrize("n", [1, 2, 5])
def test_from_the_tips(n, rng):
    A = rng.normal(size=(n, n))
    M, b = A @ A.T + np.eye(n), rng.normal(size=n)
    x = solve_from_tips(M.tolist(), b.tolist())
    assert close(M @ x, b, 1e-12) and close(x, solve(M.tolist(), b.tolist()), 1e-12)


def test_branches_are_not_filled():
    """Two arms on a trunk: the factors couple them no more than the matrix does."""

    def products(by):
        M = ch.compile(lambda a, b: np.stack(by([[a[0], a[1], a[2]], [a[1], a[3], 0.0], [a[2], 0.0, a[4]]], list(b))),
                       a=5, b=3)  # fmt: skip
        return M.operations.total

    assert products(solve_from_tips) < products(solve)


@pytest.mark.parametrize("name", ["scara", "panda"])
def test_the_cheapest_is_the_same_motion(name, rng):
    robot = ch.load(name)
    q, v, tau = robot.random(rng), *rng.normal(size=(2, robot.n))
    cheapest, usual = robot.kernel("cheapest_forward_dynamics"), robot.kernel("forward_dynamics")
    assert close(cheapest(q, v, tau), usual(q, v, tau), 1e-12)
    assert cheapest.operations.total < 0.9 * usual.operations.total
