"""Derivatives by the robot's geometry: what a twist of a joint's frame does to motions and forces.

A home moves by M_j -> M_j exp(x): joint j and all beyond go with it. A screw moves by S_j -> Ad(exp x) S_j: its axis
goes, the home pose of its link does not. Both are joints of six degrees that do not move, before joint j (twist x in
the frame where its motion starts) and behind it (twist y in the link's frame):

    home x = before(x),   screw x = before(x) - behind(x)                         (1)

Such a joint, with X its twist seen from body j and (V, A) the velocity and acceleration of what it is fixed to, changes
the forces as joint j would, (1) and (2) of derivatives.py. It is fixed to j's parent before joint j and to j behind it,
and (V, A) are again those that an observer sees who goes along with the origin of j. As a covector on X, with J_i the
column of joint i, Ic and Bc of the deeper of i and j, all seen from j:

    P = Ic J_i,  m = 2 Bc^T J_i:
    d tau_i = <ad_A^T P + ad_V^T (ad_V^T P + (m, 0)) + ad_{J_i}^T F_j [i before X], X>              (2)

A frame f beyond is moved by X itself, and the columns of its body Jacobian by

    d J_i = [J_i, X]  where i is before X, else 0                                 (3)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chasles.dynamics.carried_inertias import seen_from_parent
from chasles.dynamics.derivatives import carried_twice, parent_motions
from chasles.dynamics.jacobian import columns_seen
from chasles.dynamics.newton_euler import link_motions, of_links
from chasles.lie import SE3, Twist, Vec3, Wrench
from chasles.model.tree import Tree


@dataclass(frozen=True)
class Sensitivity:
    """(2) by velocity i and body j, in the frame of body j: of a twist before joint j, and of one behind it."""

    before: list[list[Wrench]]
    behind: list[list[Wrench]]


def inverse_dynamics_sensitivity(
    tree: Tree, q: Any, qd: Any, qdd: Any, wrenches: Mapping[int, Wrench] | None = None
) -> Sensitivity:
    """The sensitivity of `newton_euler(...).tau`; `wrenches[i]` acts on link i, constant in its frame."""
    n, count = tree.n, len(tree.bodies)
    out = Sensitivity(*([[Wrench.zero()] * count for _ in range(n)] for _ in range(2)))
    motions = tree.motions(q)
    links = [*link_motions(tree, motions, qd, qdd)]
    F = of_links(tree, motions, links, qdd, wrenches).F
    fixed = [*parent_motions(tree, motions, links, qd)]  # V and A before joint j,
    moving = [(Twist(link.w, Vec3.zero()), Twist(link.wd, link.a)) for link in links]  # and behind it
    inertia, coriolis, leaving = carried_twice(tree, motions, links, qd)

    for j, path in enumerate(columns_seen(tree, motions)):  # i at or before j
        for k, J in path:
            P, m = inertia[j] @ J, coriolis[j].transposed(J)
            turned = J.ad_star(F[j])
            own = k >= tree.bodies[j].v
            out.before[k][j] = _covector(P, m, *fixed[j]) if own else _covector(P, m, *fixed[j]) + turned  # (2)
            out.behind[k][j] = _covector(P, m, *moving[j]) + turned
    for i, body in enumerate(tree.bodies):  # i beyond j
        for k, S in enumerate(body.columns, body.v):
            P, m, j = inertia[i] @ S, coriolis[i].transposed(S), i
            while (up := tree.bodies[j].parent) >= 0:
                P, m = seen_from_parent(motions[j], leaving[j], P, m)
                j = up
                out.before[k][j] = _covector(P, m, *fixed[j])  # (2)
                out.behind[k][j] = _covector(P, m, *moving[j])
    return out


def _covector(P: Wrench, m: Vec3, V: Twist, A: Twist) -> Wrench:
    twice = V.ad_star(P)
    return A.ad_star(P) + V.ad_star(Wrench(twice.m + m, twice.f))  # (2)


def seen_by(T: SE3, c: Wrench) -> list[Any]:
    """A covector on twists seen from b, as one on twists seen from a, T = T_ab."""
    moved = T.Ad_inv_star(c)
    return [*moved.m, *moved.f]
