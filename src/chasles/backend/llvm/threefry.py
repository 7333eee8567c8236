"""Random numbers of a vector: the same bits as scalar/threefry.py and scalar/normal.py, whose equations these are."""

from chasles.backend.llvm.vector import Vector
from chasles.scalar.normal import BITS_OF_1, EXPONENT_OF_1, FRACTION_BITS, G, P, Q
from chasles.scalar.threefry import FRACTION, PARITY, schedule


def random(b: Vector, x: str, y: str) -> str:
    """Numbers between 0 and 1, nan where x or y is."""
    wide = Vector(b.target, "float64", lanes=b.lanes, within=b)
    return _unless_unknown(b, x, y, _between_0_and_1(b, wide, _word(b, wide, x, y)))


def normal(b: Vector, x: str, y: str) -> str:
    """Normal numbers, nan where x or y is."""
    wide = Vector(b.target, "float64", lanes=b.lanes, within=b)
    found = _quantile(wide, _between_0_and_1(wide, wide, _word(b, wide, x, y)))
    if b.dtype == "float32":
        found = b.set(f"fptrunc {wide.type} {found} to {b.type}")
    return _unless_unknown(b, x, y, found)


def _unless_unknown(b: Vector, x: str, y: str, found: str) -> str:
    unknown = b.set(f"fcmp uno {b.type} {x}, {y}")
    return b.select(unknown, b.constant(float("nan")), found)


def _word(b: Vector, wide: Vector, x: str, y: str) -> str:
    """The word a of Threefry."""
    key, counter = (_bits(b, wide, z) for z in (x, y))
    k = (key, wide.int_constant(0), wide.iop("xor", key, wide.int_constant(PARITY)))
    low, high = wide.iop("add", counter, key), wide.int_constant(0)
    for rotation, i in schedule():
        low = wide.iop("add", low, high)
        left = wide.iop("shl", high, wide.int_constant(rotation))
        right = wide.iop("lshr", high, wide.int_constant(64 - rotation))
        high = wide.iop("xor", wide.iop("or", left, right), low)
        if i:
            low = wide.iop("add", low, k[i % 3])
            high = wide.iop("add", wide.iop("add", high, k[(i + 1) % 3]), wide.int_constant(i))
    return low


def _bits(b: Vector, wide: Vector, x: str) -> str:
    """The bits of x in float64, those of 0.0 for -0.0."""
    if b.dtype == "float32":
        x = b.set(f"fpext {b.type} {x} to {wide.type}")
    return wide.bits(wide.add(x, wide.constant(0.0)))


def _between_0_and_1(b: Vector, wide: Vector, word: str) -> str:
    """The first bits of a word, as the fraction of a number between 1 and 2, less 1 - 2^-(bits + 1)."""
    fraction = FRACTION[b.dtype]
    first = wide.iop("lshr", word, wide.int_constant(64 - fraction))
    if b.dtype == "float32":
        first = b.set(f"trunc {wide.integers} {first} to {b.integers}")
    one = BITS_OF_1 if b.dtype == "float64" else 0x7F << 23
    number = b.unbits(b.iop("or", first, b.int_constant(one)))
    return b.sub(number, b.constant(1.0 - 2.0 ** -(fraction + 1)))


def _quantile(b: Vector, u: str) -> str:
    """The normal quantile of numbers between 0 and 1, in float64."""
    w = b.mul(b.mul(u, b.sub(b.constant(1.0), u)), b.constant(4.0))
    bits = b.bits(w)
    f = b.iop("or", b.iop("and", bits, b.int_constant(FRACTION_BITS)), b.int_constant(BITS_OF_1))
    f = b.sub(b.unbits(f), b.constant(1.0))
    exponent = b.iop("or", b.iop("lshr", bits, b.int_constant(52)), b.int_constant(EXPONENT_OF_1 + 52 << 52))
    n = b.sub(b.constant(2.0**52 + EXPONENT_OF_1), b.unbits(exponent))  # which is 2^52 + the exponent
    l = b.sub(n, b.mul(f, _polynomial(b, G, f)))
    ratio = b.op("fdiv", _polynomial(b, P, l), _polynomial(b, Q, l))
    return b.mul(b.sub(u, b.constant(0.5)), ratio)


def _polynomial(b: Vector, coefficients: tuple[float, ...], x: str) -> str:
    """Products and sums rounded one by one."""
    c = [b.constant(value) for value in coefficients]
    while len(c) > 1:
        pairs = [b.add(low, b.mul(high, x)) for low, high in zip(c[::2], c[1::2], strict=False)]
        c, x = [*pairs, *c[len(pairs) * 2 :]], b.mul(x, x)
    return c[0]
