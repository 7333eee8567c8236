"""Functions that modules carry where they need them: what Math lacks, and the check of what is given.

`random` and `normal` are those of scalar/threefry.py and scalar/normal.py, bit for bit, with the words of 64 bits of
Threefry as pairs of 32: its equation (1) is in `random`, (1) and (2) of the quantile in `normal`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chasles.backend.statements.estrin import estrin
from chasles.scalar.normal import EXPONENT_OF_1, G, P, Q
from chasles.scalar.threefry import PARITY, ROTATIONS, ROUNDS

_LOW = 2**32 - 1

_TAKE = """function take(x, to, what) {
  if (typeof x === "number") x = [x];
  if (x?.length !== to.length) throw new RangeError(`${what} must be ${to.length} numbers, got ${x?.length ?? x}`);
  for (let i = 0; i < to.length; i++) {
    if (typeof x[i] !== "number") throw new RangeError(`${what}[${i}] must be a number, got ${x[i]}`);
    to[i] = x[i];
  }
}
"""

_CHECK = """function check(y, size, what) {
  if (y?.length !== size) throw new RangeError(`${what} is written to ${size} elements, got ${y?.length ?? y}`);
}
"""

_POWER = """function power(x, y) {
  return x === 1 || (x === -1 && (y === Infinity || y === -Infinity)) ? 1 : Math.pow(x, y);
}
"""

_BITS = """const number = new Float64Array(1), halves = new Uint32Array(number.buffer);
const HIGH = new Uint8Array(new Uint32Array([1]).buffer)[0], LOW = 1 - HIGH;
"""

_RANDOM = f"""const ROTATIONS = {list(ROTATIONS)}, keys = new Uint32Array(6);
function random(x, y) {{
  if (x !== x || y !== y) return NaN;
  number[0] = x + 0;
  keys[0] = halves[LOW];
  keys[1] = halves[HIGH];
  keys[4] = keys[0] ^ {PARITY & _LOW};
  keys[5] = keys[1] ^ {PARITY >> 32};
  number[0] = y + 0;
  let low = (halves[LOW] + keys[0]) >>> 0, b_low = 0, b_high = 0;
  let high = (halves[HIGH] + keys[1] + (low < keys[0] ? 1 : 0)) >>> 0;
  for (let r = 0; r < {ROUNDS}; r++) {{
    low = (low + b_low) >>> 0;
    high = (high + b_high + (low < b_low ? 1 : 0)) >>> 0;
    const turn = ROTATIONS[r % 8], by = turn % 32;
    const first = turn < 32 ? b_high : b_low, second = turn < 32 ? b_low : b_high;
    b_high = (by ? (first << by) | (second >>> (32 - by)) : first) ^ high;
    b_low = ((by ? (second << by) | (first >>> (32 - by)) : second) ^ low) >>> 0;
    b_high >>>= 0;
    if (r % 4 === 3) {{
      const i = (r + 1) / 4, a = 2 * (i % 3), b = 2 * ((i + 1) % 3);
      low = (low + keys[a]) >>> 0;
      high = (high + keys[a + 1] + (low < keys[a] ? 1 : 0)) >>> 0;
      const sum = b_low + keys[b] + i;
      b_low = sum >>> 0;
      b_high = (b_high + keys[b + 1] + Math.floor(sum / {2**32})) >>> 0;
    }}
  }}
  return (high * {2**20} + (low >>> 12) + 0.5) / {2**52};
}}
"""


def _polynomial(name: str, coefficients: Sequence[float]) -> str:
    """A function of x, its products and sums in the order of scalar/normal.py's `_polynomial`."""
    powers, value = estrin(coefficients)
    lines = "".join(f"  const {power} = {squared};\n" for power, squared in powers)
    return f"function {name}(x) {{\n{lines}  return ({value});\n}}\n"


_NORMAL = (
    "".join(_polynomial(f"polynomial_{name}", c) for name, c in (("g", G), ("p", P), ("q", Q)))
    + f"""function normal(x, y) {{
  const u = random(x, y);
  number[0] = u * (1 - u) * 4;
  const n = {EXPONENT_OF_1} - (halves[HIGH] >>> 20);
  halves[HIGH] = (halves[HIGH] & {2**20 - 1}) | {EXPONENT_OF_1 << 20};
  const f = number[0] - 1, l = n - f * polynomial_g(f);
  return u !== u ? NaN : (u - 0.5) * (polynomial_p(l) / polynomial_q(l));
}}
"""
)

_PARTS = {  # in the order in which they are written: the text, and the sign of who needs it
    _TAKE: r"\btake\(",
    _CHECK: r"\bcheck\(",
    _POWER: r"\bpower\(",
    _BITS: r"\b(random|normal)\(",
    _RANDOM: r"\b(random|normal)\(",
    _NORMAL: r"\bnormal\(",
}
_TOP = re.compile(r"^(?:function|const) .*", re.MULTILINE)
NAMES = frozenset(x for line in _TOP.findall("".join(_PARTS)) for x in re.findall(r"(\w+)(?: = |\()", line))


def needed_by(text: str) -> str:
    """What a text calls of it."""
    return "".join(part for part, sign in _PARTS.items() if re.search(sign, text))
