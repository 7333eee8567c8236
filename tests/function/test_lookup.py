"""Traced values take no branch of Python's: what would look their numbers up, order or round them says so."""

import functools
import math
import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import chasles as ch
from chasles.scalar.dual import Dual


def matched(x):
    match x:
        case 0.5:
            return 1.0
        case _:
            return 2.0


REFUSED = {
    "a set": lambda q: 1.0 if q[0] in {0.5} else 2.0,
    "a frozenset": lambda q: 1.0 if q[0] in frozenset([0.5]) else 2.0,
    "a dict": lambda q: {0.5: 7.0}.get(q[0], 1.0),
    "a dict by item": lambda q: {0.5: 7.0}[q[0]],
    "a dict of them": lambda q: dict.fromkeys(q, 1.0)[q[0]],
    "a set of them": lambda q: float(len(set(q))),
    "a tuple in a set": lambda q: 1.0 if tuple(q) in {(0.5, 0.5)} else 2.0,
    "a condition in a set": lambda q: 1.0 if (q[0] > 0.0) in {True} else 2.0,
    "a count": lambda q: float(len(Counter(q))),
    "a cache": lambda q: functools.cache(lambda x: 2.0 * x)(q[0]),
    "a bounded cache": lambda q: functools.lru_cache(4)(lambda x: 2.0 * x)(q[0]),
    "a list": lambda q: 1.0 if q[0] in [0.5] else 2.0,
    "an array": lambda q: 1.0 if 0.5 in q else 2.0,
    "the place in a list": lambda q: float([0.5].index(q[0])),
    "a match": lambda q: matched(q[0]),
    "a fraction": lambda q: 1.0 if q[0] == Fraction(1, 2) else 2.0,
    "not a fraction": lambda q: 1.0 if q[0] != Fraction(1, 2) else 2.0,
    "a decimal": lambda q: 1.0 if Decimal("0.5") == q[0] else 2.0,
    "a complex number": lambda q: 1.0 if q[0] == 0.5 + 0j else 2.0,
    "sorted": lambda q: sorted(q)[0],
    "min": lambda q: min(q),
    "max": lambda q: max(q[0], 0.5),
    "round to digits": lambda q: round(q[0], 2),
    "int": lambda q: float(int(q[0])),
    "an index": lambda q: [1.0, 2.0][q[0]],
    "a range": lambda q: float(sum(range(q[0]))),
    "np.unique": lambda q: np.unique(q)[0],
    "np.unique of a list": lambda q: np.unique([q[0], q[1]])[0],
    "np.argmax": lambda q: 1.0 * np.argmax(q),
    "the method argmax": lambda q: 1.0 * q.argmax(),
    "nonzero": lambda q: 1.0 * q.nonzero()[0][0],
    "np.isin": lambda q: 1.0 * np.isin(q, [0.5]),
    "any": lambda q: 1.0 if any(q > 0.0) else 2.0,
    "math.isclose": lambda q: 1.0 * math.isclose(q[0], 0.5),
    "a format": lambda q: 1.0 if f"{q[0]:.1f}" == "0.5" else 2.0,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_choose_by_a_number_is_refused(name):
    with pytest.raises(ch.errors.TraceError, match=r"traced value|not known to the tracer"):
        ch.compile(REFUSED[name], q=2)


def test_symbols_are_not_looked_up_either():
    m = ch.symbols("m")
    with pytest.raises(ch.errors.TraceError, match="a set, a dict or a cache"):
        {1.0: "light"}.get(2.0 * m)  # type: ignore[call-overload]


def test_rounding_and_showing():
    numbers = np.array([-1.5, -0.5, 0.2, 0.5, 1.5, 2.7])
    assert np.array_equal(ch.compile(lambda x: round(x), x=())(numbers), np.rint(numbers))
    assert f"{ch.symbols('m')}" == str(ch.symbols("m")) == "m"


def test_duals_are_compared_by_their_values():
    x = Dual(0.5, 1.0)
    assert x == 0.5 and x == Dual(0.5) and x != 0.25 and not Dual(0.0, 1.0) and x
    with pytest.raises(TypeError, match="unhashable"):
        {0.5: 1.0}.get(x)  # type: ignore[call-overload]


def test_traced_arrays_have_no_bytes():
    for take in (lambda q: q.tobytes(), lambda q: q.dumps()):
        with pytest.raises(ch.TraceError, match="has no bytes yet"):
            ch.compile(lambda q, take=take: {take(q): 7.0}.get(b"", 1.0) * q, q=2)


def fills_by_a_mask(q):
    q[q > 0.0] = 0.0
    return q


UNKNOWN_SIZE = {
    "a mask": (lambda q: q[q > 0.0], r"x\[mask\]"),
    "a mask, assigned": (fills_by_a_mask, r"at line \d+ of test_lookup\.py \(q\[q > 0\.0\] = 0\.0\): the size of x\["),
    "a mask of another array": (lambda q: np.ones(2)[q > 0.0], "an index or a mask must be known"),
    "a mask to delete by": (lambda q: np.delete(q, q > 0.0), "an index or a mask must be known"),
    "np.nonzero": (lambda q: np.nonzero(q), r"np\.nonzero"),
    "the method nonzero": (lambda q: q.nonzero(), "nonzero"),
    "np.where of one": (lambda q: np.where(q > 0.0), r"np\.where"),
    "np.compress": (lambda q: np.compress(q > 0.0, q), r"np\.compress"),
    "the method compress": (lambda q: q.compress(q > 0.0), "compress"),
    "np.unique": (lambda q: np.unique(q), r"np\.unique"),
    "a count": (lambda q: sum(q[1] for _ in range(int(q[0]))), r"count=most.*fixed count"),
    "a shape": (lambda q: np.zeros(q[0]), "the shape of an array must be known"),
    "an index of another array": (lambda q: np.arange(3.0)[q[0]], "an index must be known"),
    "while": (lambda q: next(x for x in q if x > 0.0), r"instead of `while` chasles\.loop"),
}


@pytest.mark.parametrize("name", UNKNOWN_SIZE)
def test_sizes_that_numbers_decide_are_refused_with_their_line(name):
    function, message = UNKNOWN_SIZE[name]
    with pytest.raises(ch.errors.TraceError, match=message) as error:
        ch.compile(function, q=2)
    assert re.search(r"cannot be compiled, at line \d+ of test_lookup\.py \(", str(error.value))
    assert "chasles.where" in str(error.value)


def test_wrong_indices_that_are_numbers_are_numpys_to_refuse():
    with pytest.raises(IndexError, match="out of bounds"):
        ch.compile(lambda q: q[5], q=2)
