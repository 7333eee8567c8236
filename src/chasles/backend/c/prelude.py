"""Functions that C files carry where they need them: random and normal numbers, bit for bit those of scalar/.

`random_number` is (1) and (2) of scalar/threefry.py, `normal_number` the quantile of scalar/normal.py, with products
and sums in its order. Each product is stored before it is added to: compilers for processors with fused operations
would round once instead of twice, and no spelling of C99 keeps all of them from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chasles.backend.statements.estrin import estrin
from chasles.scalar.normal import BITS_OF_1, EXPONENT_OF_1, FRACTION_BITS, G, P, Q
from chasles.scalar.threefry import FRACTION, PARITY, schedule

_HEADERS = "#include <stdint.h>\n#include <string.h>\n\n"


def _rounds() -> str:
    """(1) of Threefry, written out."""
    lines = []
    for rotation, i in schedule():
        lines.append(f"    a += b;\n    b = (b << {rotation} | b >> {64 - rotation}) ^ a;\n")
        if i:
            key, other = (("k0", "UINT64_C(0)", "k2")[j % 3] for j in (i, i + 1))
            lines.append(f"    a += {key};\n" if key.startswith("k") else "")
            lines.append(f"    b += {other} + {i};\n" if other.startswith("k") else f"    b += {i};\n")
    return "".join(lines)


_WORD = f"""static uint64_t random_word(double x, double y) {{
    const double seed = x + 0.0, counter = y + 0.0;
    uint64_t k0, a, b = 0;
    memcpy(&k0, &seed, sizeof k0);
    memcpy(&a, &counter, sizeof a);
    const uint64_t k2 = k0 ^ UINT64_C({PARITY});
    a += k0;
{_rounds()}    return a;
}}

"""


def _random(name: str, number: str, dtype: str) -> str:
    bits = FRACTION[dtype]
    nan, cast = ("NAN", "(float)") if number == "float" else ("(double)NAN", "")
    words = "(double)x, (double)y" if cast else "x, y"
    value = f"((double)(random_word({words}) >> {64 - bits}) + 0.5) / {2.0**bits}"
    value = f"{cast}({value})" if cast else value
    return f"""static {number} {name}({number} x, {number} y) {{
    if (isnan(x) || isnan(y)) return {nan};
    return {value};
}}

"""


def _polynomial(name: str, coefficients: Sequence[float]) -> str:
    powers, value = estrin(coefficients, "rounded({} * {})")
    lines = "".join(f"    const double {p} = {v};\n" for p, v in powers)
    return f"static double {name}(double x) {{\n{lines}    return {value};\n}}\n\n"


_QUANTILE = (
    """static double rounded(double x) {
    volatile const double y = x;
    return y;
}

"""
    + "".join(_polynomial(f"polynomial_{name}", c) for name, c in (("g", G), ("p", P), ("q", Q)))
    + f"""static double normal_quantile(double u) {{
    const double w = rounded(rounded(u * (1.0 - u)) * 4.0);
    uint64_t bits;
    double f;
    memcpy(&bits, &w, sizeof bits);
    const double n = {float(EXPONENT_OF_1)} - (double)(bits >> 52);
    bits = (bits & UINT64_C({FRACTION_BITS})) | UINT64_C({BITS_OF_1});
    memcpy(&f, &bits, sizeof f);
    f -= 1.0;
    const double l = n - rounded(f * polynomial_g(f));
    return (u - 0.5) * (polynomial_p(l) / polynomial_q(l));
}}

"""
)
_NORMAL = {
    "float64": """static double normal_number(double x, double y) {
    return normal_quantile(random_number(x, y));
}

""",
    "float32": _random("random_double", "double", "float64")
    + """static float normal_number(float x, float y) {
    if (isnan(x) || isnan(y)) return NAN;
    return (float)normal_quantile(random_double((double)x, (double)y));
}

""",
}
_RANDOM = {
    "float64": _random("random_number", "double", "float64"),
    "float32": _random("random_number", "float", "float32"),
}
NAMES = frozenset(re.findall(r"^static \w+ (\w+)\(", _WORD + _QUANTILE + _NORMAL["float32"] + _RANDOM["float32"], re.M))


def called_by(function: str, text: str) -> str:
    """A text in which what is carried has the function's name before its own: several files may be one unit."""
    return re.sub(rf"\b({'|'.join(sorted(NAMES))})\(", rf"{function}_\1(", text)


def needed_by(text: str, dtype: str) -> str:
    """What a text calls of it: its headers and functions, after those of all files."""
    normal, random = (re.search(rf"\b{name}\(", text) for name in ("normal_number", "random_number"))
    if not (normal or random):
        return "\n"
    drawn = _RANDOM[dtype] if random or dtype == "float64" else ""
    return _HEADERS + _WORD + drawn + (_QUANTILE + _NORMAL[dtype] if normal else "")
