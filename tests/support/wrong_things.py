"""The zoo of wrong things: for an argument that is right, all that may come in its place."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

DEEP: Any = 0.0
for _ in range(80):
    DEEP = [DEEP]


class Thing:
    """An object that is nothing in particular."""

    def __repr__(self) -> str:
        return "<a thing>"


def is_numeric(x: Any) -> bool:
    """Whether x is a number, or an array or lists of them."""
    if isinstance(x, (bool, str, bytes)) or x is None:
        return False
    try:
        return np.asarray(x).dtype.kind in "iuf"
    except (TypeError, ValueError):
        return False


def wrong_things(right: Any) -> Iterator[tuple[str, Any]]:
    """Names and values, of the right one's shape where they are arrays."""
    like = np.asarray(right, dtype=float) if is_numeric(right) and np.size(right) else np.zeros(2)
    yield "None", None
    yield "text", "zzz"
    yield "bytes", b"zzz"
    yield "a complex number", 1.0 + 2.0j
    yield "complex numbers", like + 1.0j
    yield "a masked array", np.ma.masked_array(like, np.ones(like.shape, bool))
    yield "dates", np.full(like.shape, np.datetime64("2020-02-02"))
    yield "durations", np.full(like.shape, np.timedelta64(1, "s"))
    yield "a matrix", (like if like.ndim == 2 else like.reshape(1, -1)).view(np.matrix)
    yield "a thing", Thing()
    yield "a class", Thing
    yield "a function of nothing", lambda: None
    yield "objects", np.full(like.shape, Thing(), object)
    yield "fractions", np.full(like.shape, Fraction(1, 3), object).tolist()
    yield "rows of different lengths", [[1.0, 2.0], [3.0]]
    yield "too deep a list", DEEP
    yield "forty dimensions", like.reshape((1,) * (40 - like.ndim) + like.shape)
    yield "a huge integer", 10**400
    yield "huge integers", np.full(like.shape, 10**400, object).tolist()
    yield "an integer nobody can write", 10**5000
    yield "nan", float("nan")
    yield "an infinity", float("inf")
    yield "nans", np.full(like.shape, np.nan)
    yield "infinities", np.full(like.shape, np.inf)
    yield "True", True
    yield "one", 1
    yield "minus one", -1
    yield "a long array", np.zeros(17)
    yield "an array of no size", np.zeros((0, 3))
    yield "an empty list", []
    yield "an empty dict", {}
    yield "a set", {1.0, 2.0}
    yield "strings", ["zzz", "yyy"]
    yield "a record", np.zeros(like.shape, [("a", float)])
