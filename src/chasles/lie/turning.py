"""Matrices of R^3 seen from turned axes: R A R^T, with few operations where R turns about a coordinate axis.

In the plane across the axis R = [[c, -s], [s, c]], and by c^2 + s^2 = 1

    u = s (A_xx - A_yy) + c (A_xy + A_yx)                                         (1)
    A'_xx = A_xx - s u,  A'_yy = A_yy + s u,  A'_xy = c u - A_yx,  A'_yx = c u - A_xy     (2)

11 operations for that block instead of 24. An A that is symmetric and positive keeps the digits of its small diagonal
entries, which (2) takes from a difference; c^2, s^2 and c s are made once for all that turn alike:

    A'_xx = c^2 A_xx + s^2 A_yy - 2 c s A_xy,   A'_yy = s^2 A_xx + c^2 A_yy + 2 c s A_xy
    A'_xy = c s (A_xx - A_yy) + (c^2 - s^2) A_xy                                  (3)

13 instead of 21. The joints of a tree in cheap frames (model/coordinates.py) and its home poses turn so. A quarter turn
only moves entries: it is left to R A R^T.
"""

from typing import Any

from chasles.lie.so3 import SO3
from chasles.lie.vec3 import Mat3, Sym3, Vec3
from chasles.scalar.ops import is_constant

Entries = list[list[Any]]


def turned(A: Mat3, R: SO3) -> Mat3:
    """R A R^T."""
    found = _about_axis(R)
    if found is None:
        return R.matrix.matmul(A).matmul(R.matrix.T)
    k, c, s = found
    return Mat3(*(Vec3(*row) for row in _turned([[*row] for row in A], k, c, s)))


def turned_symmetric(A: Sym3, R: SO3) -> Sym3:
    """R A R^T of a symmetric A."""
    found = _about_axis(R)
    if found is None:
        return A.congruent(R.matrix)
    k, c, s = found
    i, j = (k + 1) % 3, (k + 2) % 3
    old = [[*row] for row in A.matrix]
    new = [list(row) for row in old]
    cc, ss, cs = c * c, s * s, c * s
    x, y, across = old[i][i], old[j][j], old[i][j]
    twice = (cs + cs) * across
    new[i][i], new[j][j] = cc * x + ss * y - twice, ss * x + cc * y + twice  # (3)
    new[i][j] = new[j][i] = cs * (x - y) + (cc - ss) * across
    new[k][i] = new[i][k] = c * old[k][i] - s * old[k][j]
    new[k][j] = new[j][k] = s * old[k][i] + c * old[k][j]
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = new
    return Sym3(xx, yy, zz, xy, xz, yz)


def _about_axis(R: SO3) -> tuple[int, Any, Any] | None:
    """The coordinate axis that R turns about, by its structure, with cosine and sine; none for quarter turns."""
    rows = [[*row] for row in R.matrix]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        zeros = rows[k][i], rows[k][j], rows[i][k], rows[j][k]
        if is_constant(rows[k][k], 1.0) and all(is_constant(x, 0.0) for x in zeros):
            c, s = rows[i][i], rows[j][i]
            return None if is_constant(c, 0.0) or is_constant(s, 0.0) else (k, c, s)
    return None


def _turned(A: Entries, k: int, c: Any, s: Any) -> Entries:
    i, j = (k + 1) % 3, (k + 2) % 3
    u = s * (A[i][i] - A[j][j]) + c * (A[i][j] + A[j][i])  # (1)
    su, cu = s * u, c * u
    out = [list(row) for row in A]
    out[i][i], out[j][j] = A[i][i] - su, A[j][j] + su  # (2)
    out[i][j], out[j][i] = cu - A[j][i], cu - A[i][j]
    out[k][i], out[k][j] = c * A[k][i] - s * A[k][j], s * A[k][i] + c * A[k][j]
    out[i][k], out[j][k] = c * A[i][k] - s * A[j][k], s * A[i][k] + c * A[j][k]
    return out
