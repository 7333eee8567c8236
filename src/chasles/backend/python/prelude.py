"""Functions that modules carry where they need them: where `math` raises, random numbers, and the looks at arguments.

`_random` and `_normal` are those of scalar/threefry.py and scalar/normal.py, bit for bit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from chasles.backend.statements.estrin import estrin
from chasles.scalar.normal import G, P, Q
from chasles.scalar.operations import OPERATIONS
from chasles.scalar.threefry import PARITY, ROTATIONS, ROUNDS

_TAKEN = '''def _taken(x, shape, what):
    """The elements of x in C order: a number, sequences of this shape, or all of them in one."""
    size = 1
    for n in shape:
        size *= n
    try:
        rows = [] if isinstance(x, (str, bytes, dict)) else list(x)
    except TypeError:
        if size == 1:
            return [_number(x, what)]
        rows = []
    if len(rows) == size and all(isinstance(row, (str, bytes)) or not hasattr(row, "__len__") for row in rows):
        return [_number(row, "%s[%d]" % (what, i) if shape else what) for i, row in enumerate(rows)]
    if len(shape) < 2 or len(rows) != shape[0]:
        asked = " x ".join(map(str, shape)) if len(shape) > 1 else size
        got = "%d rows" % len(rows) if len(shape) > 1 and rows else len(rows) or repr(x)[:60]
        raise ValueError("%s must be %s number%s, got %s" % (what, asked, "" if size == 1 else "s", got))
    return [v for i, row in enumerate(rows) for v in _taken(row, shape[1:], "%s[%d]" % (what, i))]


def _number(x, what):
    if not isinstance(x, (str, bytes)):
        try:
            return float(x)
        except (TypeError, ValueError):
            pass
    raise TypeError("%s must be a number, got %s" % (what, repr(x)[:60]))
'''

_SHAPED = '''def _shaped(y, shape):
    """Lists of this shape."""
    if len(shape) == 1:
        return y
    step = len(y) // shape[0] if shape[0] else 0
    return [_shaped(y[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]
'''

_DIVIDE = """def _divide(x, y):
    if y:
        return x / y
    if y != y or x != x or not x:
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, x) * math.copysign(1.0, y))
"""

_POWER = """def _power(x, y):
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0.0 and y % 2.0 == 1.0 else math.inf
    except ValueError:
        if x:
            return math.nan
        return math.copysign(math.inf, x) if y % 2.0 == 1.0 else math.inf
"""

_INSIDE = """def _{name}(x):
    return math.{name}(x) if {inside} else math.nan
"""

_OVERFLOWS = """def _{name}(x):
    try:
        return math.{name}(x)
    except OverflowError:
        return {past}
"""

_LOG = """def _log(x):
    return math.log(x) if x > 0.0 else math.nan if x else -math.inf
"""

_FLOOR = """def _floor(x):
    return math.copysign(math.floor(x), x) if -4503599627370496.0 < x < 4503599627370496.0 else x
"""

_RANDOM = f"""def _random(x, y):
    if x != x or y != y:
        return math.nan
    key, a = struct.unpack("<2Q", struct.pack("<2d", x + 0.0, y + 0.0))
    keys, b, bits = (key, 0, key ^ {PARITY:#x}), 0, 0xFFFFFFFFFFFFFFFF
    a = (a + key) & bits
    for r in range({ROUNDS}):
        turn = {ROTATIONS}[r % 8]
        a = (a + b) & bits
        b = ((b << turn | b >> 64 - turn) & bits) ^ a
        if r % 4 == 3:
            i = r // 4 + 1
            a, b = (a + keys[i % 3]) & bits, (b + keys[(i + 1) % 3] + i) & bits
    return ((a >> 12) + 0.5) / 4503599627370496.0
"""


def _polynomial(name: str, coefficients: Sequence[float]) -> str:
    powers, value = estrin(coefficients)
    lines = "".join(f"    {p} = {v}\n" for p, v in powers)
    return f"def {name}(x):\n{lines}    return {value}\n"


_NORMAL = "\n\n".join(
    [_polynomial(f"_polynomial_{name}", c) for name, c in (("g", G), ("p", P), ("q", Q))]
    + [
        """def _normal(x, y):
    u = _random(x, y)
    if u != u:
        return u
    f, n = math.frexp(u * (1.0 - u) * 4.0)
    f = 2.0 * f - 1.0
    l = (1.0 - n) - f * _polynomial_g(f)
    return (u - 0.5) * (_polynomial_p(l) / _polynomial_q(l))
"""
    ]
)


def _overflowing() -> Iterator[tuple[str, str]]:
    """Functions of the table for which Python raises an error where they are too large, and what they are there."""
    for name, row in OPERATIONS.items():
        if row.libm and row.arity == 1:
            try:
                getattr(math, row.libm)(1e3)
            except OverflowError:
                yield name, "math.copysign(math.inf, x)" if row.parity == "odd" else "math.inf"
            except ValueError:
                continue  # outside of its domain


_PARTS = {  # in the order in which they are written: the text, and the sign of who needs it
    _TAKEN: r"\b_taken\(",
    _SHAPED: r"\b_shaped\(",
    _DIVIDE: r"\b_divide\(",
    _POWER: r"\b_power\(",
    **{
        _INSIDE.format(name=name, inside=inside): rf"\b_{name}\("
        for name, inside in (
            ("sin", "-math.inf < x < math.inf"),
            ("cos", "-math.inf < x < math.inf"),
            ("asin", "-1.0 <= x <= 1.0"),
            ("acos", "-1.0 <= x <= 1.0"),
            ("sqrt", "x >= 0.0"),
        )
    },
    **{_OVERFLOWS.format(name=name, past=past): rf"\b_{name}\(" for name, past in _overflowing()},
    _LOG: r"\b_log\(",
    _FLOOR: r"\b_floor\(",
    _RANDOM: r"\b_(random|normal)\(",
    _NORMAL: r"\b_normal\(",
}
NAMES = frozenset({"math", "struct", "annotations", "NamedTuple", "Sequence"})
NAMES |= frozenset(re.findall(r"^def (\w+)", "".join(_PARTS), re.MULTILINE))


def needed_by(text: str) -> list[str]:
    """What a text calls of it."""
    return [part for part, sign in _PARTS.items() if re.search(sign, text)]
