"""Feasibility of contact in one point: relative curvatures that are positive definite, nearly, and not."""

from dataclasses import replace

import numpy as np
import pytest
from support.tolerances import close

from chasles.errors import ModelError
from chasles.surface.contact_feasibility import positive_definite, principal_curvatures, refuse_infeasible
from chasles.surface.surface import Surface


def turned(first, second, angle):
    """Curvatures of those eigenvalues, at an angle to the axes."""
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return R @ np.diag([first, second]) @ R.T


@pytest.mark.parametrize("angle", [0.0, 0.7])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_positive_definite(size, angle):
    """Down to 1e-9 of the trace, squared, whatever the unit."""
    good = [(1.0, 1.0), (1.0, 1e-2), (1e-4, 1.0), (1.0, 1e-7)]
    bad = [(1.0, 1e-11), (1.0, 0.0), (1.0, -0.1), (-1.0, 1e-3), (-1.0, -1.0), (np.nan, 1.0)]
    assert all(positive_definite(size * turned(*pair, angle)) for pair in good)
    assert not any(positive_definite(size * turned(*pair, angle)) for pair in bad)


def test_curvatures_all_over():
    """Of an ellipsoid from the flat of its waist to its tip; of a plane and a sphere the same everywhere."""
    egg = principal_curvatures(Surface.ellipsoid(0.1, 0.2, 0.5))
    assert egg is not None and (egg[:, 0] <= egg[:, 1]).all()
    assert close(egg.max(), 0.5 / 0.1**2, 0.05) and close(egg.min(), 0.1 / 0.5**2, 0.05)
    assert close(principal_curvatures(Surface.sphere(0.25)), [[4.0, 4.0]]) and close(
        principal_curvatures(Surface.plane()), [[0.0, 0.0]]
    )


def test_bowls():
    """A ball fits in a bowl that is wider; an egg with its tip in one that is too narrow for its waist."""
    bowl = Surface.sphere(0.2).inside()
    refuse_infeasible(Surface.sphere(0.19), bowl)
    refuse_infeasible(Surface.ellipsoid(0.1, 0.1, 0.3), bowl)
    refuse_infeasible(bowl, Surface.sphere(0.19))
    ball, pipe = Surface.sphere(0.21), Surface.cylinder(0.1).inside()
    for a, b in ((ball, bowl), (bowl, ball), (ball, pipe), (pipe, ball), (Surface.plane(), bowl)):
        with pytest.raises(ModelError, match="can touch in one point nowhere"):
            refuse_infeasible(a, b)
    with pytest.raises(ModelError, match="along a line or a plane"):
        refuse_infeasible(Surface.cylinder(0.1), Surface.plane())
    refuse_infeasible(Surface.cylinder(0.1), Surface.cylinder(0.2))  # crossed


def test_a_point_fits_everywhere():
    """A ball of no radius is as curved as can be."""
    point = replace(Surface.sphere(1.0), radius=0.0, name="point")
    refuse_infeasible(point, Surface.cylinder(0.01).inside())
    refuse_infeasible(Surface.sphere(1e-3).inside(), point)
