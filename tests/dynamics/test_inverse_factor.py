"""Solving by the inverse of a factor of M."""

import numpy as np
from support.tolerances import close

from chasles.dynamics.inverse_factor import InverseFactor
from chasles.dynamics.linear_solve import factored_from_tips


def test_an_entry_of_the_factor_that_is_zero_may_not_be_one_of_its_inverse() -> None:
    U = [[0.0, 0.5, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]
    factor = InverseFactor(U, [1.0, 0.5, 0.25])
    M = (np.eye(3) + U) @ np.diag([1.0, 2.0, 4.0]) @ (np.eye(3) + U).T
    assert close(factor.inverse(), np.linalg.inv(M), 1e-13)
    assert close(factor.opposed([1.0, 0.0, 3.0]), -np.linalg.solve(M, [1.0, 0.0, 3.0]), 1e-13)


def test_branches_stay_apart() -> None:
    """Two fingers on a hand, and a force on one of them."""
    M = [[9.0, 1.0, 2.0, 1.5], [1.0, 3.0, 0.0, 0.0], [2.0, 0.0, 4.0, 1.0], [1.5, 0.0, 1.0, 2.0]]
    factors = factored_from_tips(M)
    factor = InverseFactor(factors.U, factors.D_inv)
    assert [sorted(column) for column in factor.columns] == [[], [0], [0], [0, 2]]
    assert close(factor.inverse(), np.linalg.inv(M), 1e-13)
    assert close(factor.opposed([0.0, 2.0, 0.0, 0.0]), -np.linalg.solve(M, [0.0, 2.0, 0.0, 0.0]), 1e-13)
