"""Functions that files carry where they need them: real functions, random numbers, the looks at arguments.

`random_number` and `normal_number` are those of scalar/threefry.py and scalar/normal.py, bit for bit, with the words of
64 bits of Threefry as pairs [low, high] of 32 in doubles: integers of 64 bits saturate in MATLAB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chasles.backend.statements.estrin import estrin
from chasles.scalar.normal import G, P, Q
from chasles.scalar.threefry import FRACTION, PARITY, ROTATIONS, ROUNDS

_LOW = 2**32 - 1

_TAKEN = """function x = taken(x, shape, name, what)
  % the elements in C order, as a column
  if ~(isnumeric(x) || islogical(x)) || ~isreal(x)
    error([name ':type'], '%s: %s must be an array of real numbers', name, what);
  end
  if numel(shape) == 1
    fits = numel(x) == shape && max([1, size(x)]) == max(1, numel(x));
  else
    fits = numel(x) == prod(shape);
    for k = 1:numel(shape)
      fits = fits && size(x, k) == shape(k);
    end
  end
  if ~fits
    found = sprintf('%d x ', size(x));
    if numel(shape) == 1
      error([name ':size'], '%s: %s must have %d elements, got %s', name, what, shape, found(1:end - 3));
    end
    wanted = sprintf('%d x ', shape);
    error([name ':size'], '%s: %s must be %s, got %s', name, what, wanted(1:end - 3), found(1:end - 3));
  end
  if numel(shape) > 1
    x = permute(x, numel(shape):-1:1);
  end
  x = CLASS(reshape(x, [], 1));
end
"""

_GIVEN = """function y = given(y, shape)
  y = permute(reshape(y, shape(end:-1:1)), numel(shape):-1:1);
end
"""

_CHOOSE = """function z = choose(c, x, y)
  if c
    z = x;
  else
    z = y;
  end
end
"""

_POWER = """function z = power_of(x, y)
  if x == 1 || y == 0
    z = ONE;
    return
  end
  z = abs(x) ^ y;
  if abs(x) == 1 && abs(y) == Inf
    z = ONE;
  elseif x ~= x || y ~= y || (x < 0 && x > -Inf && abs(y) < Inf && y ~= floor(y))
    z = NAN;
  elseif (x < 0 || 1 / x < 0) && mod(y, 2) == 1
    z = -z;
  end
end
"""

_REAL = """function y = real_{name}(x)
  if {inside}
    y = {name}(x);
  else
    y = NAN;
  end
end
"""

_THREEFRY = f"""function a = threefry(x, y)
  % the first word of Threefry-2x64 in {ROUNDS} rounds of the bits of x and y, [low, high]
  key = double(typecast(double(x) + 0, 'uint32'));
  keys = [key; 0, 0; double(bitxor(uint32(key), uint32([{PARITY & _LOW}, {PARITY >> 32}])))];
  turns = {list(ROTATIONS)};
  a = added(double(typecast(double(y) + 0, 'uint32')), key);
  b = [0, 0];
  for r = 0:{ROUNDS - 1}
    a = added(a, b);
    turn = turns(mod(r, 8) + 1);
    if turn >= 32
      b = b([2, 1]);
      turn = turn - 32;
    end
    if turn > 0
      b = bitor(bitshift(uint32(b), turn), bitshift(uint32(b([2, 1])), turn - 32));
    end
    b = double(bitxor(uint32(b), uint32(a)));
    if mod(r, 4) == 3
      n = (r + 1) / 4;
      a = added(a, keys(mod(n, 3) + 1, :));
      b = added(added(b, keys(mod(n + 1, 3) + 1, :)), [n, 0]);
    end
  end
end

function a = added(a, b)
  a = a + b;
  a(2) = mod(a(2) + floor(a(1) / {2**32}), {2**32});
  a(1) = mod(a(1), {2**32});
end
"""

_UNIT = f"(a(2) * {2**20} + floor(a(1) / {2**12}) + 0.5) / {2**52}"  # of the first 52 bits
_SINGLE_UNIT = f"single((floor(a(2) / {2 ** (32 - FRACTION['float32'])}) + 0.5) / {2 ** FRACTION['float32']})"

_RANDOM = """function u = random_number(x, y)
  if x ~= x || y ~= y
    u = NAN;
  else
    a = threefry(x, y);
    u = UNIT;
  end
end
"""


def _polynomial(name: str, coefficients: Sequence[float]) -> str:
    powers, value = estrin(coefficients)
    lines = "".join(f"  {p} = {v};\n" for p, v in powers)
    return f"function y = {name}(x)\n{lines}  y = {value};\nend\n"


_NORMAL = "\n".join(
    [
        f"""function z = normal_number(x, y)
  if x ~= x || y ~= y
    z = NAN;
    return
  end
  a = threefry(x, y);
  u = {_UNIT};
  [f, n] = log2(u * (1 - u) * 4);
  f = 2 * f - 1;
  l = (1 - n) - f * polynomial_g(f);
  z = CLASS((u - 0.5) * (polynomial_p(l) / polynomial_q(l)));
end
"""
    ]
    + [_polynomial(f"polynomial_{name}", c) for name, c in (("g", G), ("p", P), ("q", Q))]
)

_PARTS = {  # in the order in which they are written: the text, and the sign of who needs it
    _TAKEN: r"\btaken\(",
    _GIVEN: r"\bgiven\(",
    _CHOOSE: r"\bchoose\(",
    _POWER: r"\bpower_of\(",
    **{
        _REAL.format(name=name, inside=inside): rf"\breal_{name}\("
        for name, inside in (("asin", "abs(x) <= 1"), ("acos", "abs(x) <= 1"), ("log", "x >= 0"), ("sqrt", "x >= 0"))
    },
    _RANDOM: r"\brandom_number\(",
    _NORMAL: r"\bnormal_number\(",
    _THREEFRY: r"\b(random|normal)_number\(",
}
NAMES = frozenset(re.findall(r"^function .* = (\w+)", "".join(_PARTS), re.MULTILINE))


def needed_by(text: str, dtype: str) -> list[str]:
    """What a text calls of it."""
    single = dtype == "float32"
    said = {
        "CLASS": "single" if single else "double",
        "ONE": "single(1)" if single else "1",
        "NAN": "single(NaN)" if single else "NaN",
        "UNIT": _SINGLE_UNIT if single else _UNIT,
    }
    needed = (part for part, sign in _PARTS.items() if re.search(sign, text))
    return [re.sub(r"\b(CLASS|ONE|NAN|UNIT)\b", lambda found: said[found[0]], part) for part in needed]
