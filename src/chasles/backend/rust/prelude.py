"""Functions that files carry where they need them: random and normal numbers, bit for bit those of scalar/."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chasles.backend.statements.estrin import estrin
from chasles.scalar.normal import BITS_OF_1, EXPONENT_OF_1, FRACTION_BITS, G, P, Q
from chasles.scalar.threefry import FRACTION, PARITY, ROTATIONS, ROUNDS

_THREEFRY = f"""fn threefry(x: f64, y: f64) -> u64 {{
    let key = (x + 0.0).to_bits();
    let keys = [key, 0, key ^ {PARITY:#x}];
    let (mut a, mut b) = ((y + 0.0).to_bits().wrapping_add(key), 0_u64);
    for r in 0..{ROUNDS}_usize {{
        a = a.wrapping_add(b);
        b = b.rotate_left({list(ROTATIONS)}[r % 8]) ^ a;
        if r % 4 == 3 {{
            let i = r / 4 + 1;
            a = a.wrapping_add(keys[i % 3]);
            b = b.wrapping_add(keys[(i + 1) % 3]).wrapping_add(i as u64);
        }}
    }}
    a
}}
"""

_RANDOM = """fn random_number(x: TYPE, y: TYPE) -> TYPE {
    if x.is_nan() || y.is_nan() {
        return TYPE::NAN;
    }
    let bits = threefry(WIDE(x), WIDE(y)) >> SHIFT;
    NARROW((bits as f64 + 0.5) / ONE)
}
"""


def _polynomial(name: str, coefficients: Sequence[float]) -> str:
    powers, value = estrin(coefficients)
    lines = "".join(f"    let {p} = {v};\n" for p, v in powers)
    return f"fn {name}(x: f64) -> f64 {{\n{lines}    {value}\n}}\n"


_NORMAL = "\n".join(
    [
        f"""fn normal_number(x: TYPE, y: TYPE) -> TYPE {{
    if x.is_nan() || y.is_nan() {{
        return TYPE::NAN;
    }}
    let u = ((threefry(WIDE(x), WIDE(y)) >> 12) as f64 + 0.5) / {2**52}.0;
    let bits = (u * (1.0 - u) * 4.0).to_bits();
    let n = {EXPONENT_OF_1}.0 - (bits >> 52) as f64;
    let f = f64::from_bits((bits & {FRACTION_BITS:#x}) | {BITS_OF_1:#x}) - 1.0;
    let l = n - f * polynomial_g(f);
    NARROW((u - 0.5) * (polynomial_p(l) / polynomial_q(l)))
}}
"""
    ]
    + [_polynomial(f"polynomial_{name}", c) for name, c in (("g", G), ("p", P), ("q", Q))]
)

_PARTS = {  # in the order in which they are written: the text, and the sign of who needs it
    _RANDOM: r"\brandom_number\(",
    _NORMAL: r"\bnormal_number\(",
    _THREEFRY: r"\b(random|normal)_number\(",
}
NAMES = frozenset(re.findall(r"^fn (\w+)", "".join(_PARTS), re.MULTILINE))


def needed_by(text: str, dtype: str) -> list[str]:
    """What a text calls of it."""
    needed = (part for part, sign in _PARTS.items() if re.search(sign, text))
    return [_typed(part, dtype) for part in needed]


def _typed(part: str, dtype: str) -> str:
    fraction = FRACTION[dtype]
    part = part.replace("SHIFT", str(64 - fraction)).replace("ONE", f"{2**fraction}.0")
    kind, wide, narrow = ("f64", r"\1", r"\1") if dtype == "float64" else ("f32", r"f64::from(\1)", r"(\1) as f32")
    part = re.sub(r"NARROW\((.*)\)$", narrow, part, flags=re.MULTILINE)
    return re.sub(r"WIDE\((\w+)\)", wide, part).replace("TYPE", kind)
