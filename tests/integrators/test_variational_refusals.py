"""What variational methods do not take: they say so, and what to do."""

import numpy as np
import pytest

import chasles as ch
from chasles.integrators.discrete import discrete_mechanics
from chasles.integrators.equations import equations


def refused(system):
    """What is said."""
    with pytest.raises(ch.ModelError) as told:
        discrete_mechanics(equations(system, lambda t, q, v: 0.0 * v))
    return str(told.value)


def test_rows_that_are_not_independent():
    free = ch.LagrangianSystem(3, lambda q, qd: qd @ qd / 2, name="particle")
    unit = ch.Constraint.holonomic(lambda q: (q @ q - 1.0) / 2, "unit")
    row = ch.Constraint.pfaffian(lambda q: (1.0 + q[0] ** 2) * q, "row")
    said = refused(ch.ConstrainedSystem(free, row + unit))
    assert "rows are independent, those of 'particle' are not" in said and "take another method" in said


def test_a_mass_matrix_that_needs_its_constraints():
    free = ch.LagrangianSystem(2, lambda q, qd: qd[0] ** 2 / 2, name="follower")
    tied = ch.ConstrainedSystem(free, ch.Constraint.holonomic(lambda q: q[1] - q[0] ** 2, "tie"))
    assert "mass matrix that is regular without the constraints, that of 'follower' is not" in refused(tied)


def test_systems_of_ones_own():
    """What has equations of motion alone has no discrete Lagrangian."""
    real = ch.LagrangianSystem(2, lambda q, qd: qd @ qd / 2)

    class Own:
        name, n, nq = "own", 2, 2

        def __getattr__(self, name):
            return getattr(real, name)

    assert "needs a Robot or a LagrangianSystem, got Own: take another method" in refused(Own())


def test_a_lagrangian_without_inertia_is_no_step():
    """nan, and not a number that is wrong."""
    free = ch.LagrangianSystem(1, lambda q, qd: qd[0] ** 2 / 2 - np.exp(q[0]) * 1e3, name="wall")
    system = discrete_mechanics(equations(free, lambda t, q, v: 0.0 * v))
    found = system.free_step(0.0, np.array([[0.0], [3.0]]), np.array([[0.1], [400.0]]), 1.0, None, np.zeros((2, 1)))
    assert np.isnan(found[1][1]).all()
