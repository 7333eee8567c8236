"""Motions with forty digits, and how they are rounded: zeros and quarter turns exact, rotations orthonormal.

Numbers of a rotation within SNAP_DISTANCE of zero are set to it, in turn with a step of Newton's method

    R <- R (3 - R^T R) / 2                                                        (1)

until a rotation is left to rounding; where none is, as if a number is the product of two tilts, only what is rounding
itself becomes zero. A cosine becomes one only where its sine vanishes. Numbers among symbols are floats, and are left
as they are but for their zeros.
"""

from collections.abc import Iterable
from typing import Any

from chasles.lie import SE3, SO3, Mat3, SpatialInertia, Sym3, Twist, Vec3
from chasles.model.leaves import is_number
from chasles.scalar.precise import Precise

SNAP_DISTANCE = 1e-12  # numbers of rotations and axes below it, and lengths below it beside the robot's, are zero
ROUNDING = 1e-15  # of a rotation's numbers
_ROUNDS = 10


def entries(T: SE3) -> list[Any]:
    """The twelve leaves of a motion."""
    return [*T.p, *(x for row in T.R.matrix for x in row)]


def precise(x: Any) -> Any:
    """A motion, vector, twist or inertia of numbers, with forty digits."""
    return _mapped(lambda leaf: leaf if type(leaf) is Precise else Precise(leaf), x)


def rounded(x: Any) -> Any:
    """The same in floats; symbols stay."""
    return _mapped(lambda leaf: float(leaf) if type(leaf) is Precise else leaf, x)


def _mapped(function: Any, x: Any) -> Any:
    match x:
        case SE3():
            return SE3(_mapped(function, x.R), _mapped(function, x.p))
        case SO3():
            return SO3(Mat3(*(_mapped(function, row) for row in x.matrix)))
        case Vec3():
            return Vec3(*map(function, x))
        case Twist():
            return Twist(_mapped(function, x.w), _mapped(function, x.v))
        case Sym3():
            return Sym3(*map(function, x))
        case SpatialInertia():
            return SpatialInertia(function(x.mass), _mapped(function, x.h), _mapped(function, x.S))
    return function(x)


def composed(*motions: SE3) -> SE3:
    """The product of motions: with forty digits, or of floats and symbols where one of them has a symbol."""
    lift = precise if all(is_number(*entries(T)) for T in motions) else rounded
    total, *rest = map(lift, motions)
    for T in rest:
        total = total @ T
    return total


def unit(v: Vec3) -> Vec3:
    """The unit vector along v, which has forty digits and is not zero."""
    return v * (1.0 / v.square().sqrt())


def sums(*terms: Iterable[Any], size: Any = 0.0) -> list[Any]:
    """Sums entry by entry, zero where terms cancel to rounding, or to that of numbers of this size, which made them."""
    out = []
    for parts in zip(*terms, strict=True):
        total = sum(parts[1:], start=parts[0])
        out.append(0.0 if abs(total) <= ROUNDING * (sum(map(abs, parts), start=0.0) + size) else total)
    return out


def orthonormal(R: SO3) -> SO3:
    """The rotation nearest to R, by one step of (1): to the square of how far R is from one."""
    A = precise(R).matrix
    return SO3((A * 3.0 - A.matmul(A.T.matmul(A))) * 0.5)  # (1)


def tidy(T: SE3, noise: float) -> SE3:
    """T with zeros for numbers of its rotation and for lengths, beside the longest, below SNAP_DISTANCE or `noise`."""
    size = max(abs(x) for x in T.p) if is_number(*T.p) else 0.0
    least = max(SNAP_DISTANCE * size, noise)
    return SE3(_tidy_rotation(T.R), Vec3(*(0.0 if is_number(x) and abs(x) <= least else x for x in T.p)))


def clean(T: SE3, noise: float) -> SE3:
    """T as `tidy` makes it, in floats."""
    return rounded(tidy(T, noise))


def _tidy_rotation(R: SO3) -> SO3:
    for least in (SNAP_DISTANCE, ROUNDING):
        kept = [[not (is_number(x) and abs(x) <= least) for x in row] for row in R.matrix]
        new = _only(R, kept)
        numbers = [x for row in R.matrix for x in row]
        if all(x is y or x == y for x, y in zip(numbers, (x for row in new.matrix for x in row), strict=True)):
            return R
        if not is_number(*numbers):
            return new
        for _ in range(_ROUNDS):
            if _defect(new.matrix) <= 0.1 * ROUNDING:
                return new
            new = _only(orthonormal(new), kept)
    return R


def _defect(R: Mat3) -> Any:
    """How far R is from orthonormal."""
    off = R.matmul(R.T)
    return max(abs(x - float(i == j)) for i, row in enumerate(off) for j, x in enumerate(row))


def _only(R: SO3, kept: list[list[bool]]) -> SO3:
    pairs = zip(R.matrix, kept, strict=True)
    return SO3(Mat3(*(Vec3(*(x if keep else 0.0 for x, keep in zip(*pair, strict=True))) for pair in pairs)))
