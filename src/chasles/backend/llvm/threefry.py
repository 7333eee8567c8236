"""Random numbers of a vector: the same bits as scalar/threefry.py, whose equations these are."""

from chasles.backend.llvm.vector import Vector
from chasles.scalar.threefry import FRACTION, PARITY, schedule


def random(b: Vector, x: str, y: str) -> str:
    """Numbers between 0 and 1, nan where x or y is."""
    wide = Vector(b.target, "float64", lanes=b.lanes, within=b)
    unknown = b.set(f"fcmp uno {b.type} {x}, {y}")
    key, counter = (_bits(b, wide, z) for z in (x, y))
    k = (key, wide.int_constant(0), wide.iop("xor", key, wide.int_constant(_signed(PARITY))))
    low, high = wide.iop("add", counter, key), wide.int_constant(0)
    for rotation, i in schedule():
        low = wide.iop("add", low, high)
        left = wide.iop("shl", high, wide.int_constant(rotation))
        right = wide.iop("lshr", high, wide.int_constant(64 - rotation))
        high = wide.iop("xor", wide.iop("or", left, right), low)  # (1)
        if i:
            low = wide.iop("add", low, k[i % 3])
            high = wide.iop("add", wide.iop("add", high, k[(i + 1) % 3]), wide.int_constant(i))
    return b.select(unknown, b.constant(float("nan")), _between_0_and_1(b, wide, low))


def _bits(b: Vector, wide: Vector, x: str) -> str:
    """The bits of x in float64, those of 0.0 for -0.0."""
    if b.dtype == "float32":
        x = b.set(f"fpext {b.type} {x} to {wide.type}")
    return wide.bits(wide.add(x, wide.constant(0.0)))


def _between_0_and_1(b: Vector, wide: Vector, word: str) -> str:
    """(2): the first bits of the word, as the fraction of a number between 1 and 2, less 1 - 2^-(bits + 1)."""
    fraction = FRACTION[b.dtype]
    first = wide.iop("lshr", word, wide.int_constant(64 - fraction))
    if b.dtype == "float32":
        first = b.set(f"trunc {wide.integers} {first} to {b.integers}")
    one = 0x3FF << 52 if b.dtype == "float64" else 0x7F << 23
    number = b.unbits(b.iop("or", first, b.int_constant(one)))
    return b.sub(number, b.constant(1.0 - 2.0 ** -(fraction + 1)))


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
