"""Factors of matrices of trees."""

import numpy as np
from support.tolerances import close

from chasles.dynamics.linear_solve import tree_factors


def test_a_matrix_that_is_not_symmetric(rng):
    n = 6
    A = rng.normal(size=(n, n))
    M = A @ A.T + np.eye(n) + (A - A.T)
    b = rng.normal(size=n)
    assert close(tree_factors(M.tolist()).solve(b.tolist()), np.linalg.solve(M, b), 1e-11)


def test_branches_stay_apart():
    """Two fingers on a hand: what one does not feel of the other is not filled in."""
    M = [[9.0, 1.0, 2.0, 1.5], [1.0, 3.0, 0.0, 0.0], [2.0, 0.0, 4.0, 1.0], [1.5, 0.0, 1.0, 2.0]]
    factors = tree_factors(M)
    assert factors.U[1][2:] == [0.0, 0.0] and factors.L[2][1] == factors.L[3][1] == 0.0
    assert close(factors.solve([1.0, 2.0, 3.0, 4.0]), np.linalg.solve(M, [1.0, 2.0, 3.0, 4.0]), 1e-13)
