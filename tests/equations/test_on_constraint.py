"""Functions of q that are constant where constraints hold."""

import numpy as np
import pytest
import sympy as sp
from support.textbook import is_zero, sides

import chasles as ch
from chasles.equations.on_constraint import on_constraint
from chasles.equations.sources import elements

m, x, y, z, xd, yd, zd = sp.symbols("m x y z xd yd zd")


def multipliers(h, mass=1.0):
    particle = ch.LagrangianSystem(3, lambda q, qd: mass * (qd @ qd) / 2, coordinate_names=["x", "y", "z"])
    eq = ch.ConstrainedSystem(particle, ch.Constraint.holonomic(h)).equations()
    return [right.subs({f"tau{k}": 0 for k in (1, 2, 3)}) for _, right in sides(eq.constraint_forces)]


@pytest.mark.parametrize("name", ["l", "s", "w", "rates"])
def test_a_sphere(name):
    """Whose radius may be called as arguments of inner functions are."""
    mass, length = ch.symbols(f"m {name}")
    (found,) = multipliers(lambda q: (q @ q - length**2) / (2 * length), mass)
    assert is_zero(found + m * (xd**2 + yd**2 + zd**2) / sp.Symbol(name))


def test_numbers():
    (found,) = multipliers(lambda q: q @ q - 0.25)
    assert is_zero(found + 2 * (xd**2 + yd**2 + zd**2))


def test_what_is_not_constant_stays():
    """On an ellipsoid A M^-1 A^T depends on the point."""
    (found,) = multipliers(lambda q: q[0] ** 2 + 2 * q[1] ** 2 + q[2] ** 2 - 1)
    assert is_zero(found + (xd**2 + 2 * yd**2 + zd**2) / (2 * (x**2 + 4 * y**2 + z**2)))


def test_of_several_the_one_that_fits():
    q, length = elements("q", 2), ch.symbols("l")
    h = [q[0] - q[1], q @ q - length**2]
    assert "q" in str(on_constraint([np.cos(q[0]), q @ q / 3], h, 2)[1])  # a cosine is no polynomial: all stay
    square, product = on_constraint([q @ q / 3, q[0] * q[1]], h, 2)
    assert "q" not in str(square) and "l" in str(square)
    assert "q" in str(product)
