"""Canonical coordinates of a step, against differences of the robot's own `integrate`."""

import numpy as np
import pytest
from support.following import robot
from support.tolerances import close

from chasles.derivatives.canonical_coordinates import CanonicalRates


@pytest.mark.parametrize("name", ["groups", "tree"])
def test_rates_of_canonical_coordinates(name: str) -> None:
    """Of q = integrate(q0, x), where the joints move at v: on a sphere, on SE(3) and on screws; and back."""
    own, rng, h = robot(name), np.random.default_rng(0), 1e-5
    canonical, q0 = CanonicalRates(own), own.random(rng)
    assert canonical.flat == (name == "tree")
    for size, off in ((0.1, 3e-6), (0.05, 3e-7)):  # what is left is of the fourth order in x
        x = size * rng.normal(size=own.n)
        x, v = x / np.linalg.norm(x) * size, rng.normal(size=own.n)
        q = own.integrate(q0, x)
        ends = [own.difference(q0, own.integrate(q, step * v)) for step in (h, -h)]
        rate = canonical.rate(x, v)
        close(rate, (ends[0] - ends[1]) / (2.0 * h), off, scale=1.0)
        back = canonical.velocity(x, rate, np.zeros(own.n))[0]
        close(back, v, 1e-12 if canonical.flat else 2.0 * size**3, scale=1.0)


def test_the_derivative_of_the_velocity() -> None:
    """Along x(t) = x + s xd + s^2 xdd / 2."""
    own, rng, h = robot("groups"), np.random.default_rng(1), 1e-5
    canonical = CanonicalRates(own)
    x, xd, xdd = 0.1 * rng.normal(size=own.n), rng.normal(size=own.n), rng.normal(size=own.n)
    sides = [canonical.velocity(x + s * xd + s * s * xdd / 2.0, xd + s * xdd, xdd)[0] for s in (h, -h)]
    close(canonical.velocity(x, xd, xdd)[1], (sides[0] - sides[1]) / (2.0 * h), 1e-8)
