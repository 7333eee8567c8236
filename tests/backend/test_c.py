"""C: operations at their edges, constants, random numbers to the bit, loops, searches, names, and no warning."""

import numpy as np
import pytest
from support.c_library import compiled
from support.kernels import same
from support.node import interpreted

import chasles as ch
from chasles.scalar import ops
from chasles.scalar.operations import OPERATIONS

EDGES = (-np.inf, -2.5, -1.0, -0.3, -0.0, 0.0, 5e-324, 0.7, 1.0, 2.0, 3.0, 1e5, 1e22, 1e300, np.inf, np.nan)
EXACT = {"add", "sub", "mul", "div", "neg", "sqrt", "floor", "random", "normal", "where"}
DTYPES = ("float64", "float32")


def equal(found, expected):
    """Whether outputs are the same numbers, zeros with their signs, and nan where nan is."""
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_array_equal(x, y)
        assert (np.signbit(x) == np.signbit(y))[~np.isnan(y)].all()
    return True


def alone(row, dtype="float64"):
    """A function of one operation."""

    def function(x):
        given = [ops.less(0.0, v) if kind == "condition" else v for v, kind in zip(x, row.takes, strict=True)]
        y = row.operator(*given) if row.operator else ops.apply(row.name, *given)
        return ops.where(y, 1.0, 0.0) if row.gives == "condition" else y

    return ch.compile(function, dtype=dtype, x=row.arity)


def test_every_operation_at_its_edges():
    rows = [row for row in OPERATIONS.values() if row.traced]
    for row, function in zip(rows, compiled([alone(row) for row in rows]), strict=True):
        x = np.stack(np.meshgrid(*[EDGES] * row.arity), axis=-1).reshape(-1, row.arity)
        found, expected = function(x), interpreted(function.kernel, x)
        if row.name in EXACT or row.gives == "condition":
            assert equal(found, expected), row.name
        else:
            np.testing.assert_allclose(found[0], expected[0], rtol=1e-15, atol=0.0, err_msg=row.name)


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_numbers_are_the_same_bits(rng, dtype):
    largest = 30 if dtype == "float32" else 300
    x = rng.normal(size=(2000, 2)) * 10.0 ** rng.integers(-largest, largest, (2000, 2))
    x = np.concatenate([x, np.arange(200.0).reshape(-1, 2), [(-0.0, 0.0), (0.0, -0.0), (1.0, np.inf)]]).astype(dtype)
    drawn = [alone(OPERATIONS[name], dtype) for name in ("random", "normal")]
    for flags in ((), ("-ffp-contract=fast", "-march=native")):
        for name, function in zip(("random", "normal"), compiled(drawn, *flags), strict=True):
            assert same(function(x)[0], OPERATIONS[name].numpy(x[:, 0], x[:, 1]))
