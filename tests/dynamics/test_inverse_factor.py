"""Solving by the inverse of a factor of M."""

import numpy as np
import pytest
from support.tolerances import close

import chasles as ch
from chasles.dynamics import articulated_body
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


def test_paths_that_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """By responses to unit forces."""
    monkeypatch.setattr(articulated_body, "LONGEST", 0)
    monkeypatch.setenv("CHASLES_CACHE_DIR", "")  # which knows the code of either way by the same name
    screws = [[0, 0, 1, 0, 0, 0], [0, 1, 0, 0.3, 0, 0.1], [1, 0, 0, 0, 0.7, -0.2]]
    homes = np.tile(np.eye(4), (3, 1, 1))
    links = [ch.Link(1.0 + k, [0.1, 0.2 * k, 0.3], np.eye(3)) for k in range(3)]
    arm = ch.Robot.from_screws(screws, homes, links, name="long paths")
    q, qd, tau = np.array([[0.3, -1.1, 2.0], [0.5, -0.2, 0.9], [1.0, 2.0, -3.0]])
    M = arm.mass_matrix(q)
    assert close(arm.mass_matrix_inverse(q), np.linalg.inv(M), 1e-12)
    by_q, by_qd, inverse = arm.forward_dynamics_derivatives(q, qd, tau)
    by = arm.inverse_dynamics_derivatives(q, qd, arm.forward_dynamics(q, qd, tau))
    assert close(inverse, np.linalg.inv(M), 1e-12)
    assert close(by_q, -np.linalg.solve(M, by.dtau_dq), 1e-11)
    assert close(by_qd, -np.linalg.solve(M, by.dtau_dqd), 1e-11)
