"""NumPy's elementary functions on leaves: one table, from a ufunc to a function of leaves.

What NumPy calls on the elements of a plain object array, `x.sin()` and its like, becomes methods of traced scalars.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.errors import TraceError
from chasles.graph.node import Expr, power
from chasles.scalar import ops
from chasles.scalar.leaf import Leaf
from chasles.scalar.operations import CONDITIONS, FUNCTIONS, OPERATIONS


def _function(name: str) -> Callable[..., Leaf]:
    return lambda *x: ops.apply(name, *x)


def _maximum(x: Leaf, y: Leaf) -> Leaf:
    """The larger; nan if either is."""
    return ops.where(ops.less(x, y), y, ops.where(ops.less_equal(y, x), x, x + y))


def _minimum(x: Leaf, y: Leaf) -> Leaf:
    """The smaller; nan if either is."""
    return ops.where(ops.less(y, x), y, ops.where(ops.less_equal(x, y), x, x + y))


def _sign(x: Leaf) -> Leaf:
    return ops.where(
        ops.less(0.0, x), 1.0, ops.where(ops.less(x, 0.0), -1.0, ops.where(ops.less_equal(x, 0.0), 0.0, x))
    )


def _equal(x: Leaf, y: Leaf) -> Leaf:
    return ops.less_equal(x, y) & ops.less_equal(y, x)


def _not(x: Leaf) -> Leaf:
    return ~x if isinstance(x, Expr) else not x


def _floor(x: Leaf) -> Leaf:
    return ops.apply("floor", x)


def _trunc(x: Leaf) -> Leaf:
    return ops.where(ops.less(x, 0.0), -_floor(-x), _floor(x))


def _rint(x: Leaf) -> Leaf:
    """The nearest integer; of two the even one."""
    below = _floor(x)
    part, odd = x - below, below - 2.0 * _floor(0.5 * below)
    nearest = ops.where(ops.less(part, 0.5), below, ops.where(ops.less(0.5, part), below + 1.0, below + odd))
    return ops.where(_equal(below, x), below, nearest)  # infinities too


def _round(x: Leaf, digits: Any = None) -> Leaf:
    """round(x)."""
    if digits is not None:
        raise TraceError("round of a traced value takes no digits: write np.rint(x / step) * step")
    return _rint(x)


def _remainder(x: Leaf, y: Leaf) -> Leaf:
    """x - y floor(x / y), with the sign of y, to an ulp of x: so close to a multiple of y it may be 0 or y."""
    r = x - _floor(x / y) * y
    short = ops.less(r, 0.0) & ops.less(0.0, y) | ops.less(0.0, r) & ops.less(y, 0.0)
    long = ops.less_equal(ops.absolute(y), ops.absolute(r))
    return ops.where(short, r + y, ops.where(long, r - y, r))


def _cbrt(x: Leaf) -> Leaf:
    root = ops.absolute(x) ** (1.0 / 3.0)
    return ops.where(ops.less(x, 0.0), -root, root)


def _expm1(x: Leaf) -> Leaf:
    """exp(x) - 1 = tanh(x / 2) (exp(x) + 1), without cancellation."""
    return ops.apply("tanh", 0.5 * x) * (ops.apply("exp", x) + 1.0)


def _ignoring_nan(x: Leaf, y: Leaf, chosen: Leaf) -> Leaf:
    """What was chosen of x and y; if one is nan, the other."""
    return ops.where(ops.less_equal(x, x), ops.where(ops.less_equal(y, y), chosen, x), y)


UFUNCS: dict[Any, Callable[..., Leaf]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.conjugate: operator.pos,
    np.power: lambda x, y: x**y if isinstance(y, Expr) else power(x, float(y)) if isinstance(x, Expr) else x**y,
    np.square: lambda x: x * x,
    np.reciprocal: lambda x: 1.0 / x,
    np.absolute: ops.absolute,
    np.fabs: ops.absolute,
    np.maximum: _maximum,
    np.minimum: _minimum,
    np.fmax: lambda x, y: _ignoring_nan(x, y, ops.maximum(x, y)),
    np.fmin: lambda x, y: _ignoring_nan(x, y, ops.minimum(x, y)),
    np.remainder: _remainder,
    np.ceil: lambda x: -_floor(-x),
    np.trunc: _trunc,
    np.rint: _rint,
    np.cbrt: _cbrt,
    np.exp2: lambda x: 2.0**x,
    np.expm1: _expm1,
    np.log2: lambda x: ops.apply("log", x) * (1.0 / np.log(2.0)).item(),
    np.log10: lambda x: ops.apply("log", x) * (1.0 / np.log(10.0)).item(),
    np.equal: _equal,
    np.not_equal: lambda x, y: _not(_equal(x, y)),
    np.greater: lambda x, y: ops.less(y, x),
    np.greater_equal: lambda x, y: ops.less_equal(y, x),
    np.logical_and: operator.and_,
    np.logical_or: operator.or_,
    np.logical_not: _not,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.invert: _not,
    np.hypot: lambda x, y: ops.sqrt(x * x + y * y),
    np.sign: _sign,
    np.deg2rad: lambda x: x * (np.pi / 180.0),
    np.radians: lambda x: x * (np.pi / 180.0),
    np.rad2deg: lambda x: x * (180.0 / np.pi),
    np.degrees: lambda x: x * (180.0 / np.pi),
    **{OPERATIONS[name].numpy: _function(name) for name in FUNCTIONS if isinstance(OPERATIONS[name].numpy, np.ufunc)},
}


for _ufunc in (
    *(OPERATIONS[name].numpy for name in FUNCTIONS if name not in CONDITIONS and OPERATIONS[name].numpy in UFUNCS),
    np.exp2,
    np.expm1,
    np.log2,
    np.log10,
    np.cbrt,
    np.rint,
    np.hypot,
    np.fabs,
    np.deg2rad,
    np.radians,
    np.rad2deg,
    np.degrees,
):
    setattr(Expr, _ufunc.__name__, UFUNCS[_ufunc])  # what NumPy calls on the elements of a plain object array
Expr.conjugate = Expr.__pos__  # type: ignore[attr-defined]
Expr.__floor__ = _floor  # type: ignore[attr-defined]
Expr.__ceil__ = UFUNCS[np.ceil]  # type: ignore[attr-defined]
Expr.__trunc__ = _trunc  # type: ignore[attr-defined]
Expr.__round__ = _round  # type: ignore[attr-defined]
Expr.__mod__ = lambda x, y: NotImplemented if isinstance(y, np.ndarray) else _remainder(x, y)  # type: ignore[attr-defined]
Expr.__rmod__ = lambda x, y: NotImplemented if isinstance(y, np.ndarray) else _remainder(y, x)  # type: ignore[attr-defined]
