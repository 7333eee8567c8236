"""Arrays and leaves: the only place where the order of components exists. Angular comes first."""

from collections.abc import Sequence
from typing import Any

from chasles.lie import SE3, SpatialInertia, Sym3, Twist, Vec3, Wrench


def twist(x: Any) -> Twist:
    """(angular, linear)."""
    return Twist(Vec3(*x[:3]), Vec3(*x[3:]))


def wrench(x: Any) -> Wrench:
    """(moment, force)."""
    return Wrench(Vec3(*x[:3]), Vec3(*x[3:]))


def inertia(x: Any) -> SpatialInertia:
    """Ten parameters in the link frame: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz (about the link frame's origin)."""
    m, hx, hy, hz, xx, xy, yy, xz, yz, zz = x
    return SpatialInertia(m, Vec3(hx, hy, hz), Sym3(xx, yy, zz, xy, xz, yz).moments())


def parameters(G: SpatialInertia) -> list[Any]:
    """The ten parameters of an inertia, in the order of `inertia`."""
    J = G.I
    return [G.mass, *G.h, J.xx, J.xy, J.yy, J.xz, J.yz, J.zz]


def from_vector(v: Vec3) -> list[Any]:
    return [*v]


def from_twist(V: Twist) -> list[Any]:
    return [*V.w, *V.v]


def from_wrench(F: Wrench) -> list[Any]:
    return [*F.m, *F.f]


def from_motion(T: SE3) -> list[list[Any]]:
    (a, b, c), p = T.R.matrix, T.p
    return [[*a, p.x], [*b, p.y], [*c, p.z], [0.0, 0.0, 0.0, 1.0]]


def from_columns(columns: Sequence[Twist | Wrench | Vec3], rows: int) -> list[list[Any]]:
    """The matrix with these columns."""
    flat = [
        from_twist(c) if isinstance(c, Twist) else from_wrench(c) if isinstance(c, Wrench) else from_vector(c)
        for c in columns
    ]
    return [[column[r] for column in flat] for r in range(rows)]


def flat(x: Any) -> list[Any]:
    """The leaves of nested lists, row by row."""
    return [leaf for item in x for leaf in flat(item)] if isinstance(x, (list, tuple)) else [x]
