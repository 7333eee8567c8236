"""The language of words: functions of this file, compiled and run on numbers; what it has not is refused by name."""

import ctypes
import struct

import numpy as np
import pytest

import chasles as ch
from chasles.backend.host.addresses import SHELL
from chasles.backend.host.jit import Loaded, compile_object
from chasles.backend.host.words import (
    address,
    call,
    call32,
    int32,
    integer_of,
    module,
    number,
    number_below,
    number_equal,
    number_of,
    put_int32,
    put_number,
    stack,
    where,
)
from chasles.backend.llvm.target import host

SEVEN = 7


def arithmetic(x, y, out):
    out[0] = x + y
    out[1] = x - y
    out[2] = x * y
    out[3] = x // y
    out[4] = x % y
    out[5] = x & y
    out[6] = x | y
    out[7] = x ^ y
    out[8] = x << 3
    out[9] = x >> 2
    out[10] = -x
    out[11] = SEVEN + 1
    return x


def comparisons(x, y):
    return (x == y) + 2 * (x != y) + 4 * (x < y) + 8 * (x <= y) + 16 * (x > y) + 32 * (x >= y)


def logic(x, y, z):
    """What is not asked is not evaluated: a zero address would end the process."""
    a = 1 if x > 0 and y > 0 and z > 0 else 0
    b = 2 if x > 0 or y > 0 or z > 0 else 0
    c = 4 if not x else 0
    d = 8 * (x and y) + 16 * (not (x or y))
    if z == 0 or z[0] == 5:
        d += 32
    return a + b + c + d


def branches(x):
    """A docstring is no statement."""
    if x < 0:
        return -1
    elif x == 0:
        pass
    else:
        y = 10
        if x > 5:
            y += x
        return y
    return 0


def loops(n):
    """Sums of i j below n, without i = 2 and beyond j = 3."""
    total = 0
    for i in range(n):
        if i == 2:
            continue
        for j in range(1, n):
            if j > 3:
                break
            total += i * j
    while n > 0:
        n -= 2
        if n == 4:
            continue
        total += 1000
    return total


def bound_once(n):
    """The limit of a for is taken once; behind it the variable is what ended it."""
    turns = 0
    for _ in range(n):
        n += 1
        turns += 1
    return turns * 100 + n


def words(p, n):
    """p[n] = sum of p; then each word is doubled in place."""
    p[n] = 0
    for k in range(n):
        p[n] += p[k]
    for k in range(n):
        p[k] *= 2
    return p[n]


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def twice(x):
    return 2 * x


def indirect(x):
    """By its address."""
    return call(where(twice), x) + twice(x)


def scratch(n):
    """The stack: of two calls there are two."""
    p = stack(8)
    q = stack(8)
    for k in range(8):
        p[k] = k * n
        q[k] = -1
    total = 0
    for k in range(8):
        total += p[k] + q[k]
    return total


def narrow(p):
    """C ints, with their sign."""
    put_int32(p + 4, int32(p) * 2)
    return int32(p + 4)


def numbers(p, bytes_each):
    """x, y, then x again where x < y or x = y, as numbers of 8 or 4 bytes; counts the orders."""
    x = number(p, bytes_each)
    y = number(p + bytes_each, bytes_each)
    put_number(p + 2 * bytes_each, bytes_each, x if number_below(x, y) or number_equal(x, y) else y)
    return number_below(x, y) + 2 * number_equal(x, y) + 4 * number_below(y, x)


def round_trip(n):
    return integer_of(number_of(n)) * 10 + integer_of(number_of(n + 1))


def c_library(p):
    """memset of the first word; what it returns is p."""
    return call(address("memset"), p, 1, 8) - p + call32(address("memcpy"), p, p, 0) * 0 + p[0]


def falls_off(x):
    x += 1


FUNCTIONS = (arithmetic, comparisons, logic, branches, loops, bound_once, words, factorial, twice, indirect)
FUNCTIONS += (scratch, narrow, numbers, round_trip, c_library, falls_off)


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "passes"])
def run(request):
    names = [f.__name__ for f in FUNCTIONS]
    code = Loaded(compile_object(module(FUNCTIONS, names), host(), request.param), names, SHELL)

    def compiled(name, *arguments):
        count = len(arguments)
        prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * count)
        return prototype(code.address[name])(*arguments)

    return compiled


def place(array):
    return array.ctypes.data


@pytest.mark.parametrize(("x", "y"), [(17, 5), (-17, 5), (17, -5), (-17, -5), (2**40, 3)])
def test_arithmetic(run, x, y):
    out = np.zeros(12, np.int64)
    assert run("arithmetic", x, y, place(out)) == x
    quotient = int(x / y)  # towards zero, as C does
    bits = [x & y, x | y, x ^ y]
    assert out.tolist() == [x + y, x - y, x * y, quotient, x - y * quotient, *bits, x << 3, x >> 2, -x, 8]


@pytest.mark.parametrize(("x", "y"), [(1, 2), (2, 1), (-1, 1), (3, 3), (-(2**62), 2**62)])
def test_comparisons(run, x, y):
    assert run("comparisons", x, y) == comparisons(x, y)


@pytest.mark.parametrize("x", [0, 1])
@pytest.mark.parametrize("y", [0, 1])
def test_logic(run, x, y):
    assert run("logic", x, y, 0) == logic(x, y, 0)
    five = np.array([5], np.int64)
    assert run("logic", x, y, place(five)) & 32
    five[0] = 6
    assert not run("logic", x, y, place(five)) & 32


def test_control_flow(run):
    for x in (-5, 0, 3, 9):
        assert run("branches", x) == branches(x)
        assert run("loops", x) == loops(x)
    assert run("bound_once", 4) == bound_once(4) == 408
    assert run("falls_off", 3) == 0


def test_words_behind_an_address(run):
    p = np.array([1, 20, -300, 0], np.int64)
    assert run("words", place(p), 3) == -279
    assert p.tolist() == [2, 40, -600, -279]


def test_calls(run):
    assert [run("factorial", n) for n in (0, 5, 20)] == [1, 120, 2432902008176640000]
    assert run("indirect", 21) == 84
    assert run("scratch", 3) == 3 * 28 - 8
    p = np.zeros(2, np.int64)
    assert run("c_library", place(p)) == 0x0101010101010101 and p[1] == 0


def test_c_ints(run):
    p = np.array([-7, 99], np.int32)
    assert run("narrow", place(p)) == -14
    assert p.tolist() == [-7, -14]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("x", "y", "orders"), [(1.5, 2.5, 1), (2.5, -1.5, 4), (0.0, -0.0, 2), (np.nan, 1.0, 0)])
def test_numbers(run, dtype, x, y, orders):
    p = np.array([x, y, 9.0], dtype)
    assert run("numbers", place(p), p.itemsize) == orders
    np.testing.assert_array_equal(p, np.array([x, y, x if orders in (1, 2) else y], dtype))


def test_numbers_and_integers(run):
    assert run("round_trip", 41) == 452
    assert run("round_trip", -(2**40)) == -(2**40) * 11 + 1


def test_bits_of_infinity():
    from chasles.backend.host.loop_driver import FOUND, INFINITY, REFUSED

    bits = [struct.unpack("<q", struct.pack("<d", x))[0] for x in (np.inf, 1.0, 3.0)]
    assert bits == [INFINITY, FOUND, REFUSED]


# What is not in the language


def a_float(x):
    return x + 1.5


def a_division(x):
    return x / 2


def a_power(x):
    return x**2


def a_list(x):
    return [x]


def an_unknown_name(x):
    return x + nowhere  # noqa: F821


def an_unknown_function(x):
    return abs(x)


def an_attribute(x):
    return x.real


def a_try(x):
    try:
        return x
    finally:
        pass


def two_targets(x):
    y = z = x
    return y + z


def another_loop(x):
    for k in x:
        x = k
    return x


def a_chain(x):
    return 0 < x < 5


@pytest.mark.parametrize(
    ("function", "culprit"),
    [
        (a_float, "1.5"),
        (a_division, "x / 2"),
        (a_power, r"x \*\* 2"),
        (a_list, r"\[x\]"),
        (an_unknown_name, "nowhere"),
        (an_unknown_function, r"abs\(x\)"),
        (an_attribute, "x.real"),
        (a_try, "try"),
        (two_targets, "y = z = x"),
        (another_loop, "for k in x"),
        (a_chain, "0 < x < 5"),
    ],
)
def test_refusals(function, culprit):
    with pytest.raises(
        ch.CompileError, match=rf"{function.__name__}: {culprit}[\s\S]* is not in the language of words"
    ):
        module([function], [function.__name__])


def test_as_python_they_do_not_run():
    with pytest.raises(ch.CompileError, match="runs only compiled"):
        scratch(1)
