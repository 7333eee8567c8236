"""sin and cos of a vector, together, within 2 ulp for |x| <= LARGEST_ARGUMENT.

    k = round(2 x / pi),  r = x - k pi/2                                          (1)
    sin r = r + r z P(z),   cos r = 1 + z (z Q(z) - 1/2),   z = r^2,   on |r| <= pi/4    (2)
    k mod 4 chooses sin or cos, and the sign                                      (3)

pi/2 is in (1) the sum of three parts, the first two of 33 bits, so that k times them is exact. P and Q are the minimax
polynomials of fdlibm (float64) and Cephes (float32). In float32, (1) is computed in float64. Beyond LARGEST_ARGUMENT,
and for infinities and nans, lanes are computed as x = 0 and replaced afterwards by the caller. Where x is so small
that sin x = x, z is 0, so that nothing underflows and the sign of zero is kept.
"""

import struct

from chasles.backend.llvm.vector import Vector

LARGEST_ARGUMENT = 1.0e5
_TINY = {"float64": 2.0**-27, "float32": 2.0**-12}  # below, sin x = x and cos x = 1 to half an ulp

_HALF_PI = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
_TWO_OVER_PI = 6.36619772367581382433e-01
_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the rounded integer in the low bits

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


def _compare(b: Vector, x: str, predicate: str, limit: float) -> str:
    """Which lanes are larger (ugt) or smaller (ult) than a limit; by integers, so that no flag is raised."""
    magnitude = b.iop("and", b.bits(x), b.int_constant((1 << (8 * b.bytes - 1)) - 1))
    (bits,) = (
        struct.unpack("<q", struct.pack("<d", limit)) if b.bytes == 8 else struct.unpack("<i", struct.pack("<f", limit))
    )
    return b.set(f"icmp {predicate} {b.integers} {magnitude}, {b.int_constant(bits)}")


def outside(b: Vector, x: str) -> str:
    """Which lanes are beyond LARGEST_ARGUMENT, infinite or nan."""
    return _compare(b, x, "ugt", LARGEST_ARGUMENT)


def _reduce(b: Vector, x: str) -> tuple[str, str]:
    """r and, in the low bits of an integer, k of (1)."""
    wide = Vector(b.target, "float64", lanes=b.lanes, within=b)
    if b.dtype == "float32":
        x = b.set(f"fpext {b.type} {x} to {wide.type}")
    shifted = wide.fma(x, wide.constant(_TWO_OVER_PI), wide.constant(_ROUND))
    whole = wide.sub(shifted, wide.constant(_ROUND))
    first, second, third = (wide.constant(-part) for part in _HALF_PI)
    high = wide.fma(whole, first, x)  # exact
    r = wide.fma(whole, second, high)  # (1)
    if b.dtype == "float64":  # what that rounded away goes with the third part: r is rounded once
        lost = wide.fma(whole, second, wide.sub(high, r))
        r = wide.add(r, wide.fma(whole, third, lost))  # (1)
    k = wide.bits(shifted)
    if b.dtype == "float32":
        r = b.set(f"fptrunc {wide.type} {r} to {b.type}")
        k = b.set(f"trunc {wide.integers} {k} to {b.integers}")
    return r, k


def sincos(b: Vector, x: str, beyond: str) -> tuple[str, str]:
    """(sin x, cos x), right in the lanes that are not `beyond`."""
    P, Q = (_P64, _Q64) if b.dtype == "float64" else (_P32, _Q32)
    r, k = _reduce(b, b.select(beyond, b.constant(0.0), x))
    tiny = _compare(b, x, "ult", _TINY[b.dtype])
    r, s = b.select(tiny, x, r), b.select(tiny, b.constant(0.0), r)
    z = b.mul(s, s)
    sin_r = b.fma(s, b.mul(z, _horner(b, P, z)), r)  # (2)
    cos_r = b.fma(z, _horner(b, (-0.5, *Q), z), b.constant(1.0))  # (2)
    odd = b.set(f"icmp ne {b.integers} {b.iop('and', k, b.int_constant(1))}, {b.int_constant(0)}")
    shift = b.int_constant(8 * b.bytes - 2)
    top = b.int_constant(-(1 << (8 * b.bytes - 1)))
    sin_sign = b.iop("and", b.iop("shl", k, shift), top)
    cos_sign = b.iop("and", b.iop("shl", b.iop("add", k, b.int_constant(1)), shift), top)
    sin_x = b.unbits(b.iop("xor", b.bits(b.select(odd, cos_r, sin_r)), sin_sign))  # (3)
    cos_x = b.unbits(b.iop("xor", b.bits(b.select(odd, sin_r, cos_r)), cos_sign))  # (3)
    return sin_x, cos_x
