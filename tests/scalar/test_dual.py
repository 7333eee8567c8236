"""Dual numbers: every function's derivative against mpmath's."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tolerances import EPS, close

from chasles.scalar import ops
from chasles.scalar.dual import Dual

positive = st.floats(0.1, 3.0)


@pytest.mark.parametrize("name", [name for name in ops.UNARY if name != "floor"])
@pytest.mark.parametrize("x", [0.25, 0.7])
def test_unary(name, x):
    y = ops.apply(name, Dual(x, 2.0))
    assert close(y.value, float(getattr(mpmath, name)(x)), 4 * EPS)
    assert close(y.derivative, 2.0 * float(mpmath.diff(getattr(mpmath, name), x)), 16 * EPS)


def test_floor():
    assert (ops.apply("floor", Dual(2.5, 3.0)).value, ops.apply("floor", Dual(2.5, 3.0)).derivative) == (2.0, 0.0)


@given(positive, positive, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_arithmetic(a, b, da, db):
    x, y = Dual(a, da), Dual(b, db)
    cases = [
        (x + y, da + db),
        (x - y, da - db),
        (x * y, a * db + b * da),
        (x / y, (da * b - a * db) / b**2),
        (1.5 - x, -da),
        (1.5 + x, da),
        (2.0 * x, 2.0 * da),
        (2.0 / x, -2.0 * da / a**2),
        (-x, -da),
    ]
    for result, expected in cases:
        assert close(result.derivative, expected, 16 * EPS, scale=1000.0)


@given(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0).filter(lambda x: abs(x) > 0.1))
def test_atan2(y, x):
    angle = ops.atan2(Dual(y, 1.0), Dual(x, -0.5))
    assert close(angle.value, math.atan2(y, x), 0.0)
    assert close(angle.derivative, (x + 0.5 * y) / (x * x + y * y), 16 * EPS, scale=100.0)


def test_choices():
    x = Dual(-2.0, 1.0)
    assert ops.absolute(x).derivative == -1.0
    assert ops.minimum(x, 3.0).value == -2.0 and ops.maximum(x, 3.0).derivative == 0.0
    assert ops.less(x, 0.0) and ops.less_equal(-2.0, x)


def test_floats_are_quiet_where_arrays_are():
    assert math.isnan(ops.sqrt(-1.0)) and math.isnan(ops.apply("asin", 2.0))
    assert ops.apply("log", 0.0) == -math.inf and ops.apply("exp", 1e4) == math.inf
    assert ops.apply("floor", math.inf) == math.inf
    assert isinstance(ops.where(np.array([True, False]), 1.0, 2.0), np.ndarray)
