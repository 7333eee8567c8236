"""chasles.arguments: what each check returns, what it refuses, and the words it says it with."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import chasles as ch
from chasles import arguments
from chasles.errors import ModelError, ShapeError

DEEP: Any = 0.0
for _ in range(70):
    DEEP = [DEEP]
EYE = np.eye(4)
MIRROR = np.diag([1.0, 1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("check", "given", "expected"),
    [
        (arguments.number, np.float32(0.5), 0.5),
        (arguments.number, -3, -3.0),
        (arguments.positive, np.int64(2), 2.0),
        (arguments.not_negative, 0, 0.0),
        (arguments.count, np.uint8(3), 3),
        (arguments.flag, np.bool_(True), True),
        (arguments.text, "", ""),
        (arguments.name, "tool", "tool"),
        (arguments.names, np.array(["a", "b"]), ["a", "b"]),
        (arguments.pairs, [(1, 2)], ((1.0, 2.0),)),
    ],
)
def test_what_is_right(check: Any, given: Any, expected: Any) -> None:
    found = check(given, "x")
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("check", "given", "message"),
    [
        (arguments.number, True, "x must be a finite number, got True"),
        (arguments.number, np.nan, "x must be a finite number, got nan"),
        (arguments.number, 10**400, "x must be a finite number, got 1000"),
        (arguments.number, np.timedelta64(1, "s"), "x must be a finite number, got np.timedelta64"),
        (arguments.number, np.ones(1), r"x must be a finite number, got array\(\[1\.\]\)"),
        (arguments.number, Fraction(1, 2), "x must be a finite number, got Fraction"),
        (arguments.positive, 0.0, "x must be a positive number, got 0.0"),
        (arguments.not_negative, -1, "x must be a number that is not negative, got -1"),
        (arguments.count, 0, "x must be a positive integer, got 0"),
        (arguments.count, 1.0, "x must be a positive integer, got 1.0"),
        (arguments.count, True, "x must be a positive integer, got True"),
        (arguments.count, 2**40, r"x must be a positive integer below 2\*\*31, got 1099511627776"),
        (arguments.flag, "no", "x must be True or False, got 'no'"),
        (arguments.flag, 1, "x must be True or False, got 1"),
        (arguments.text, b"a", "x must be a string, got b'a'"),
        (arguments.name, "", "x must be a string that is not empty, got ''"),
        (arguments.names, "ab", "x must be a list of names, got 'ab'"),
        (arguments.names, ["a", 3], r"x\[1\] must be a string, got 3"),
        (arguments.names, np.array("ab"), "x must be a list of names"),
        (arguments.direction, [0, 0, 0], r"x must be a direction, got \[0, 0, 0\]"),
        (arguments.direction, [1, 0], r"x must have shape \(3,\), got \(2,\)"),
        (arguments.pairs, 3, r"x must be a list of pairs \(u, v\), got 3"),
        (arguments.pairs, [(1, 2, 3)], r"x\[0\] must have shape \(2,\), got \(3,\)"),
        (arguments.pose, MIRROR, "x is not a rigid motion: it is a reflection"),
        (arguments.pose, EYE * 2.0, "x is not a rigid motion: rotation off by 3, last row"),
        (arguments.values, [1.0, np.inf], "x has a nan or an infinity"),
        (arguments.file, 3, "x must be the path of a file, got 3"),
    ],
)
def test_what_is_refused(check: Any, given: Any, message: str) -> None:
    with pytest.raises(ModelError, match=f"^{message}"):
        check(given, "x")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "x must be real numbers, got None"),
        ("1", r"x must be real numbers, got text \('1'\)"),
        ([b"1"], "x must be real numbers, got text"),
        (1j, "x must be real numbers, got complex128"),
        ([1.0, None], "x must be real numbers, got None in it"),
        (np.datetime64("2020"), r"x must be real numbers, got datetime64\[Y\]"),
        ([np.timedelta64(1, "s")], r"x must be real numbers, got timedelta64\[s\]"),
        (np.ma.zeros(2), r"x: a masked array is not taken: .* \.filled\(value\)"),
        (np.zeros(2).view(np.ndarray).reshape(1, 2).view(np.matrix), "x: np.matrix is not taken"),
        (object(), "x must be real numbers, got a object"),
        ([Fraction(1, 2)], "x must be real numbers, got a Fraction in it"),
        ([[1], [1, 2]], "x is not a rectangular array"),
        (DEEP, "x is not a rectangular array"),
        (np.zeros((1,) * 40), "x has 40 dimensions, at most 32 are taken"),
        ([10**400], "x must be real numbers, got an integer beyond the range of floats"),
        (True, "x: True is no number"),
        (ch.symbols("m"), "x must be real numbers, got symbols or traced values"),
        ({}, "x must be real numbers, got a dict"),
        (np.zeros(2, [("a", float)]), "x must be real numbers, got .*'a'"),
    ],
)
def test_what_is_no_number(given: Any, message: str) -> None:
    for check in (arguments.real, lambda x, what: arguments.values(x, what)):
        with pytest.raises((ShapeError, ModelError), match=f"^{message}"):
            check(given, "x")


def test_arrays() -> None:
    x = np.zeros((2, 6))
    assert arguments.real(x, "x") is x and arguments.vector(x, "x", 6) is x
    assert arguments.array([True, False], "x", (2,)).tolist() == [1.0, 0.0]
    assert arguments.array(np.float32(2.0), "x", ()).dtype == np.float64
    for shape, message in (
        (("...", 3), r"f: q must have shape \(\.\.\., 3\), got \(2, 6\)"),
        ((-1, 4, 4), r"f: q must have shape \(n, 4, 4\), got \(2, 6\)"),
        ((3,), r"f: q must have shape \(3,\), got \(2, 6\)"),
    ):
        with pytest.raises(ShapeError, match=message):
            arguments.array(x, "f: q", shape)
        with pytest.raises(ModelError, match=message):
            arguments.array(x, "f: q", shape, error=ModelError)
    x[1, 2] = np.nan
    with pytest.raises(ModelError, match=r"q has a nan or an infinity, at \(1,\)"):
        arguments.vector(x, "q", 6, finite=True)


def test_symbols_pass_where_they_may() -> None:
    m = ch.symbols("m")
    found = arguments.array([1.0, m], "x", (2,), symbols=True)
    assert found.dtype == object and found[1] is m
    traced = ch.symbols("a", shape=3)
    assert arguments.vector(traced, "x", 3, symbols=True) is traced
    with pytest.raises(ModelError, match="x has a nan or an infinity"):
        arguments.array([np.nan, m], "x", (2,), symbols=True, finite=True)
    with pytest.raises(ShapeError, match="symbols or traced values, which this does not take"):
        arguments.array([1.0, m], "x", (2,))
    with pytest.raises(ShapeError):
        arguments.array([object(), m], "x", (2,), symbols=True)


def test_leading_axes() -> None:
    q, v = arguments.broadcast("f", q=(np.zeros((3, 1, 2)), ("...", 2)), v=(np.ones((4, 5)), ("...", 5)))
    assert q.shape == (3, 4, 2) and v.shape == (3, 4, 5)
    with pytest.raises(ShapeError, match=r"^f: the leading axes do not broadcast: q \(3,\), v \(2,\)$"):
        arguments.together("f", q=np.zeros((3, 2)), v=np.zeros((2, 2)))


def test_poses_are_made_orthonormal() -> None:
    T = EYE.copy()
    T[0, 1] = 1e-9
    found = arguments.poses([T, EYE], "T")
    assert found is not T and np.abs(found[0, :3, :3].T @ found[0, :3, :3] - np.eye(3)).max() < 1e-15
    assert (found[1] == EYE).all() and T[0, 1] == 1e-9
    with pytest.raises(ModelError, match=r"T is not a rigid motion: .* at \(1,\)"):
        arguments.poses([EYE, 2.0 * EYE], "T")


def test_options() -> None:
    assert arguments.one_of(np.int64(2), "order", (1, 2)) == 2
    for given, choices, message in (
        ("x", ("a", "b"), "o must be 'a' or 'b', got 'x'"),
        ("x", ("a", "b", "c"), "o must be one of a, b, c, got 'x'"),
        (3, ("a", "b", "c"), "o must be a name, got 3"),
        (np.zeros(2), ("a", "b"), "o must be 'a' or 'b', got array"),
        (True, (1, 2), "o must be 1 or 2, got True"),
        (1.0, (1, 2), "o must be 1 or 2, got 1.0"),
    ):
        with pytest.raises(ModelError, match=f"^{message}"):
            arguments.one_of(given, "o", choices)


def test_rows() -> None:
    known = ("rx", "ty", "tz")
    assert arguments.chosen("tz rx", known, "rows") == (2, 0)
    assert arguments.chosen(1, known, "rows") == (1,) and arguments.chosen(["ty", 0], known, "rows") == (1, 0)
    for rows, message in (
        (None, "rows: rows must be some of rx ty tz, or indices, got None"),
        ("rx no", "rows: no row 'no'; there are rx ty tz, or 0 to 2"),
        ([True], "rows: no row True"),
        ([], "rows: name at least one row of rx ty tz"),
        ("rx rx", "rows: a row is named twice in 'rx rx'"),
        (np.array(1.5), "rows: rows must be some of"),
    ):
        with pytest.raises(ModelError, match=f"^{message}"):
            arguments.chosen(rows, known, "rows")


def test_functions() -> None:
    assert arguments.function(max, "q", "f") is max
    for given, message in (
        (3, r"f must be a function of \(q, qd\), got int"),
        (lambda q: q, r"f must be a function of \(q, qd\), got one of \(q\)"),
    ):
        with pytest.raises(ModelError, match=message):
            arguments.function(given, "q, qd", "f")


def test_what_cannot_be_written_is_described() -> None:
    class Silent:
        def __repr__(self) -> str:
            raise RuntimeError

    assert arguments.shown(Silent()) == "a Silent" and arguments.shown(10**5000) == "a int"
    assert len(arguments.shown("a" * 1000)) < 150 and "\n" not in arguments.shown(np.eye(3))


def test_values_between() -> None:
    assert arguments.between(0.0, "x", 0.0, 1.0) == 0.0
    for given, options in ((1.5, {}), (0.0, {"open_ends": True}), ("a", {}), (np.nan, {})):
        with pytest.raises(ModelError, match=r"x must be a number (from|between) 0 (to|and) 1, got"):
            arguments.between(given, "x", 0.0, 1.0, **options)
