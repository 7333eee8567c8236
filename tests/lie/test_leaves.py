"""Every operation on every leaf: floats, batches, dual numbers and 50 digits give the same numbers."""

import numpy as np
import pytest
from support.fifty_digits import batched, precise, precise_slope, slope
from support.tolerances import ROUNDING, close

from chasles.lie import SE3, SO3, ArticulatedInertia, Mat3, SpatialInertia, Sym3, Twist, Vec3, Wrench
from chasles.scalar.dual import Dual


def vec(x):
    return Vec3(*x)


def twist(x):
    return Twist(vec(x[:3]), vec(x[3:6]))


def wrench(x):
    return Wrench(vec(x[:3]), vec(x[3:6]))


def motion(x):
    return SE3(SO3.exp(vec(x[:3])), vec(x[3:6]))


def inertia(x):
    return SpatialInertia.at(x[0] * x[0] + 1.0, vec(x[1:4]), Sym3.square(vec(x[3:6])))


def flat(x):
    """The leaves of any object, in order."""
    if isinstance(x, (Vec3, Sym3)):
        return [*x]
    if isinstance(x, Mat3):
        return [leaf for row in x for leaf in row]
    if type(x).__module__.startswith("chasles.lie"):
        return [leaf for slot in sorted(x.__slots__) for leaf in flat(getattr(x, slot))]
    return list(x) if isinstance(x, tuple) else [x]


OPERATIONS = {
    "SO3.exp": lambda x: SO3.exp(vec(x[:3])),
    "SO3.log": lambda x: SO3.exp(vec(x[:3])).log(),
    "SO3.quaternion": lambda x: SO3.exp(vec(x[:3])).quaternion(),
    "SO3.about": lambda x: SO3.about(Vec3(0.6, 0.0, 0.8), x[0]),
    "SE3.exp": lambda x: SE3.exp(twist(x)),
    "SE3.log": lambda x: motion(x).log(),
    "SE3.compose": lambda x: motion(x) @ motion(x[6:]),
    "SE3.inv": lambda x: motion(x).inv(),
    "SE3.point": lambda x: motion(x) @ vec(x[6:9]),
    "Ad": lambda x: motion(x).Ad(twist(x[6:])),
    "Ad_inv": lambda x: motion(x).Ad_inv(twist(x[6:])),
    "Ad_star": lambda x: motion(x).Ad_star(wrench(x[6:])),
    "Ad_inv_star": lambda x: motion(x).Ad_inv_star(wrench(x[6:])),
    "ad": lambda x: twist(x).ad(twist(x[6:])),
    "ad_star": lambda x: twist(x).ad_star(wrench(x[6:])),
    "pair": lambda x: wrench(x).pair(twist(x[6:])),
    "revolute": lambda x: Twist(Vec3(0.0, 0.0, 1.0), Vec3(0.3, -0.2, 0.0)).exp(x[0]),
    "prismatic": lambda x: Twist(Vec3.zero(), Vec3(0.0, 0.6, 0.8)).exp(x[0]),
    "helical": lambda x: Twist(Vec3(0.6, 0.8, 0.0), Vec3(0.1, 0.2, 0.3)).exp(x[0]),
    "screw as input": lambda x: twist(x).exp(x[6]),
    "dexp": lambda x: twist(x).dexp(twist(x[6:])),
    "dexp_inv": lambda x: twist(x).dexp_inv(twist(x[6:])),
    "momentum": lambda x: inertia(x) @ twist(x[6:]),
    "moved": lambda x: inertia(x).moved(motion(x[6:])),
    "rate": lambda x: inertia(x).rate(twist(x[6:])),
    "force": lambda x: inertia(x).force(vec(x[6:9]), vec(x[:3]).outer(vec(x[9:12]))),
    "articulated": lambda x: (
        ArticulatedInertia.rigid(inertia(x)).without(wrench(x[6:]), x[0]).moved(motion(x[6:])) @ twist(x)
    ),
}
POINTS = np.random.default_rng(1).normal(size=(5, 12))
POINTS[1] *= 1e-3
POINTS[2, :3] *= 2.9 / np.linalg.norm(POINTS[2, :3])
DIRECTIONS = np.random.default_rng(2).normal(size=(5, 12))
operations = pytest.mark.parametrize("name", OPERATIONS)


def function(name):
    return lambda x: flat(OPERATIONS[name](list(x)))


def single(name, x):
    return np.array(function(name)(x.tolist()), dtype=float)


@operations
def test_batch(name):
    expected = np.array([single(name, x) for x in POINTS])
    assert close(batched(function(name), POINTS), expected, ROUNDING, scale=1.0)


@operations
def test_numpy_scalars(name):
    assert close(np.array(function(name)(list(POINTS[0])), dtype=float), single(name, POINTS[0]), ROUNDING, scale=1.0)


@operations
def test_fifty_digits(name):
    for x in POINTS:
        assert close([float(y) for y in precise(function(name), x)], single(name, x), 4 * ROUNDING, scale=1.0)


@operations
def test_dual(name):
    for x, dx in zip(POINTS, DIRECTIONS, strict=True):
        values = function(name)([Dual(float(a), float(b)) for a, b in zip(x, dx, strict=True)])
        assert close([y.value if isinstance(y, Dual) else y for y in values], single(name, x), ROUNDING, scale=1.0)
        expected = precise_slope(function(name), x, dx)
        assert close(slope(function(name), x, dx), expected, 16 * ROUNDING, scale=10.0)


@operations
def test_dual_at_zero_is_finite(name):
    x = np.zeros(12)
    if name == "screw as input":
        x[2] = 1.0  # a screw whose angular part may vanish needs SE3.exp
    assert np.isfinite(slope(function(name), x, DIRECTIONS[0])).all()


def test_an_unknown_leaf_is_named():
    with pytest.raises(TypeError, match=r"builtins\.str is not a leaf chasles can compute with"):
        SO3.about(Vec3(0.0, 0.0, 1.0), "a string")
