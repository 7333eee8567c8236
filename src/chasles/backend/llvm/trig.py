"""sin and cos of a vector, together, within 2 ulp for |x| <= LARGEST_ARGUMENT.

    k = round(2 x / pi),  r = x - k pi/2                                          (1)
    sin r = r + r z P(z),   cos r = 1 + z (z Q(z) - 1/2),   z = r^2,   on |r| <= pi/4    (2)
    sin x, cos x = sin r, cos r   or   cos r, -sin r  where k is odd;   both negated where k mod 4 > 1   (3)

pi/2 is in (1) the sum of three parts. With fused multiply-adds each has all the bits of a number: x less k times the
first is exact, being a multiple of the last bit of either, and less than 1. Less k times the second it is rounded once,
and the third counts only where so much has cancelled that this was exact or sin r = r. Without them the first two parts
have 33 bits, so that k times them is exact, and what is rounded away goes with the third; in float32, (1) is then
computed in float64. All parts are positive, which keeps the sign of x = -0 in r.

P and Q are the minimax polynomials of fdlibm (float64) and Cephes (float32). So that nothing underflows, z is a
little more than r^2 where that is one operation, and z P = 0 where sin r = r; without fused multiply-adds r = 0 in the
products there, and 2 x / pi still does, of the smallest numbers. As the sum in (2) of zeros of two signs is +0, the
sign of r is put into sin r again.

The fast range ends where k leaves 17 bits. Beyond, and for infinities and nans, lanes are computed by the C library
(careful.py). Which they are k tells: the number of quarters() has other bits there.
"""

from collections.abc import Sequence

from chasles.backend.llvm.vector import Vector

LARGEST_ARGUMENT = 1.0e5  # what is promised; the code is good for a little more:
_QUARTERS = 1 << 16  # -_QUARTERS <= k < _QUARTERS in the fast range, that is to |x| = 1.029e5

_HALF_PI = {
    "float64": (1.5707963267948966, 6.123233995736765e-17, 1.082856673921914e-32),
    "float32": (1.570796251296997, 7.549789415861596e-08, 5.390302953474238e-15),
    "not fused": (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21),
}
_TWO_OVER_PI = 6.36619772367581382433e-01
_ROUND = {"float64": 1.5 * 2.0**52, "float32": 1.5 * 2.0**23}  # adding it leaves the rounded integer in the low bits
_ROUND_BITS = {"float64": 0x4338 << 48, "float32": 0x4B40 << 16}
_LITTLE = {"float64": 2.0**-200, "float32": 2.0**-100}  # beside the square of any r that matters
_TINY = {"float64": 2.0**-27, "float32": 2.0**-12}  # below, sin r = r and cos r = 1 to half an ulp

_P64 = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_Q64 = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
_P32 = (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4)
_Q32 = (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5)


def _horner(b: Vector, coefficients: tuple[float, ...], z: str) -> str:
    total = b.constant(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = b.fma(total, z, b.constant(c))
    return total


def quarters(b: Vector, x: str) -> str:
    """A number with k of (1) in its low bits, of any x."""
    return b.fma(x, b.constant(_TWO_OVER_PI), b.constant(_ROUND[b.dtype] + _QUARTERS))


def outside(b: Vector, turns: Sequence[str]) -> str:
    """In which lanes any of these quarters() is that of a number out of the fast range."""
    found = b.int_constant(0)
    for shifted in turns:
        found = b.iop("or", found, b.iop("xor", b.bits(shifted), b.int_constant(_ROUND_BITS[b.dtype])))
    high = b.iop("and", found, b.int_constant(-2 * _QUARTERS))
    return b.set(f"icmp ne {b.integers} {high}, {b.int_constant(0)}")


def _reduce(b: Vector, x: str, shifted: str) -> str:
    """r of (1)."""
    whole = b.sub(shifted, b.constant(_ROUND[b.dtype] + _QUARTERS))
    if not b.target.fma:
        return _reduce_by_products(b, x, whole)
    r = x
    for part in _HALF_PI[b.dtype]:
        r = b.fma(whole, b.constant(-part), r)  # (1)
    return r


def _reduce_by_products(b: Vector, x: str, whole: str) -> str:
    """r of (1) without fused multiply-adds."""
    wide = Vector(b.target, "float64", lanes=b.lanes, within=b)
    if b.dtype == "float32":
        x, whole = (b.set(f"fpext {b.type} {number} to {wide.type}") for number in (x, whole))
    first, second, third = (wide.mul(whole, wide.constant(part)) for part in _HALF_PI["not fused"])
    high = wide.sub(x, first)  # exact
    r = wide.sub(high, second)  # (1)
    if b.dtype == "float32":
        return b.set(f"fptrunc {wide.type} {r} to {b.type}")
    over = wide.add(wide.sub(r, high), second)  # what that rounded to r, exact
    return wide.sub(r, wide.add(over, third))  # (1)


def _sine(b: Vector, P: tuple[float, ...], r: str) -> tuple[str, str]:
    """sin r of (2), and z."""
    if b.target.fma:
        z = b.fma(r, r, b.constant(_LITTLE[b.dtype]))
        tiny = b.set(f"fcmp olt {b.type} {z}, {b.constant(_TINY[b.dtype] ** 2)}")
        zP = b.select(tiny, b.constant(0.0), b.mul(z, _horner(b, P, z)))
        return b.fma(r, zP, r), z  # (2)
    size = b.unbits(b.iop("and", b.bits(r), b.int_constant((1 << (8 * b.bytes - 1)) - 1)))
    tiny = b.set(f"fcmp olt {b.type} {size}, {b.constant(_TINY[b.dtype])}")
    s = b.select(tiny, b.constant(0.0), r)
    z = b.mul(s, s)
    return b.fma(s, b.mul(z, _horner(b, P, z)), r), z  # (2)


def sincos(b: Vector, x: str, shifted: str) -> tuple[str, str]:
    """(sin x, cos x) of an x in the fast range, whose quarters() are given."""
    P, Q = (_P64, _Q64) if b.dtype == "float64" else (_P32, _Q32)
    sign_bit = b.int_constant(-(1 << (8 * b.bytes - 1)))
    r = _reduce(b, x, shifted)
    sin_r, z = _sine(b, P, r)
    sin_r = b.iop("or", b.bits(sin_r), b.iop("and", b.bits(r), sign_bit))
    cos_r = b.bits(b.fma(z, _horner(b, (-0.5, *Q), z), b.constant(1.0)))  # (2)
    k = b.bits(shifted)
    odd = b.set(f"icmp ne {b.integers} {b.iop('and', k, b.int_constant(1))}, {b.int_constant(0)}")
    sign = b.iop("and", b.iop("shl", k, b.int_constant(8 * b.bytes - 2)), sign_bit)
    sin_x = b.choose(odd, cos_r, sin_r)
    cos_x = b.choose(odd, b.iop("xor", sin_r, sign_bit), cos_r)
    return b.unbits(b.iop("xor", sin_x, sign)), b.unbits(b.iop("xor", cos_x, sign))  # (3)
