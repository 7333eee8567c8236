"""Composite inertias and composite Coriolis inertias (lie/inertia.py): what each body is, with all that it carries.

What a motion costs is the same for every observer who moves evenly. So the velocities that body i's Coriolis inertia is
made of are those that an observer sees who goes along with the origin of i, and does not turn: there is nothing to be
carried from the base but angular velocities w, and where axes meet, origins do not part. With t_c the origin of child c
in the axes of i, and

    u_c = w_i x t_c + R_ic (S_c qd_c).v                                           (1)

its velocity there,

    Ic_i = G_i + sum over c of (Ic_c seen from i)                                 (2)
    Bc_i = (G_i turning at w_i) + sum over c of (Bc_c seen from i, leaving at u_c)        (3)  [COR-1]

A covector m = Bc_c^T S, which goes with the wrench (., f) = Ic_c S, is seen from i as R m + u_c x R f.  (4)
"""

from typing import Any, NamedTuple

from chasles.lie import CoriolisInertia, SpatialInertia, Vec3, Wrench
from chasles.model.tree import BodyMotion, Tree


class Carried(NamedTuple):
    """Ic, Bc and u of every body; u is zero for a body on the base."""

    inertia: list[SpatialInertia]
    coriolis: list[CoriolisInertia]
    leaving: list[Vec3]


def carried(tree: Tree, motions: list[BodyMotion], w: list[Vec3], qd: Any) -> Carried:
    """w: the angular velocity of every body, in its axes. All but Ic is linear in w and qd."""
    inertia = [body.G for body in tree.bodies]
    coriolis = [CoriolisInertia.turning(G, x) for G, x in zip(inertia, w, strict=True)]
    leaving = [Vec3.zero()] * len(inertia)
    for i in reversed(range(len(inertia))):
        body, X, p = tree.bodies[i], motions[i], tree.bodies[i].parent
        if p >= 0:
            leaving[i] = w[p].cross(X.p) + X.rotate(body.twist(qd).v)  # (1)
            seen = X.carry(inertia[i])
            inertia[p] = inertia[p] + seen  # (2)
            turned = coriolis[i].turned(X.E.R).turned(X.M.R)
            coriolis[p] = coriolis[p] + turned.shifted(X.p, leaving[i], seen)  # (3)
    return Carried(inertia, coriolis, leaving)


def angular_velocities(tree: Tree, motions: list[BodyMotion], qd: Any) -> list[Vec3]:
    """w of every body, in its axes."""
    w: list[Vec3] = []
    for X, body in zip(motions, tree.bodies, strict=True):
        above = X.rotate_inv(w[body.parent]) if body.parent >= 0 else Vec3.zero()
        w.append(above + body.twist(qd).w)
    return w


def seen_from_parent(X: BodyMotion, u: Vec3, P: Wrench, m: Vec3) -> tuple[Wrench, Vec3]:
    """Ic S and Bc^T S of a body, seen from its parent."""
    P = X.Ad_inv_star(P)
    return P, X.rotate(m) + u.cross(P.f)  # (4)
