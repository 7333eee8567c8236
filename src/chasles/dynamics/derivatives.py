"""Derivatives of inverse dynamics, by brackets: O(n d) for depth d.

Moving joint j by its column S_j turns all that it carries. Seen from what turns, it is the rest of the world that moves
the other way, and with V and A the twist and the spatial acceleration (gravity in it) of j's parent p,

    dV_j = [V, S_j],   dA_j = [A, S_j] + [V, dV_j]                               (1)

are what the velocities and accelerations of every body beyond change by, but for the bracket of dV_j with the body's
own velocity. All is as an observer sees it who goes along with the origin of j and does not turn: V_j = (w_j, 0), and V
and A are those of `parent_motions`. With F_i the wrench that joint i passes on, Ic the composite inertia and Bc the
composite Coriolis inertia (carried_inertias.py), both of the deeper of i and j, and every quantity seen from there,

    dtau_i/dq_j   = <Ic dA_j + 2 Bc dV_j + ad*, S_i>,  ad* = -ad_{S_j}^T F_j where j is deeper, else 0   (2)
    dtau_i/dqd_j  = <Ic (dV_j + [V_j, S_j]) + 2 Bc S_j, S_i>                       (3)
    dtau_i/dqdd_j = <Ic S_j, S_i> + (armature)                                     (4)

zero where neither lies on the other's path to the base. Bc takes the angular part alone. A wrench walks from the deeper
body to each ancestor; where that is i it is (2)-(4), where it is j it is Ic S_i and 2 Bc^T S_i that walk. Derivatives
by q are in the tangent space: along the column, so that q may be a quaternion. [LIN-1], [Singh, Russell, Wensing 2022]

What of dA_j and of dV_j + [V_j, S_j] is a column of joint j makes forces as an acceleration of that joint does:

    dtau/dx = forces + M X,   M^-1 dtau/dx = M^-1 forces + X                      (5)

with X known; of a free base forces are zero by q, and by its linear velocity.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from chasles.dynamics.carried_inertias import Carried, carried, seen_from_parent
from chasles.dynamics.composite_body import Matrix
from chasles.dynamics.newton_euler import LinkMotion, at_rest, link_motions, of_links
from chasles.lie import Twist, Vec3, Wrench
from chasles.model.tree import BodyMotion, Tree
from chasles.scalar.ops import is_constant


@dataclass(frozen=True)
class Derivatives:
    """dtau/dq, dtau/dqd and dtau/dqdd, each as rows of leaves."""

    q: Matrix
    qd: Matrix
    qdd: Matrix


class Brackets(NamedTuple):
    """Of every column dV and dA of (1), and turn = dV_j + [V_j, S_j] of (3)."""

    dV: list[Twist]
    dA: list[Twist]
    turn: list[Twist]


class Apart(NamedTuple):
    """`forces` of (5), and X of dtau/dq and of dtau/dqd, by columns of what is not zero."""

    forces: Derivatives
    q: list[dict[int, Any]]
    qd: list[dict[int, Any]]


def inverse_dynamics_derivatives(
    tree: Tree, q: Any, qd: Any, qdd: Any, wrenches: Mapping[int, Wrench] | None = None
) -> Derivatives:
    """The derivatives of `newton_euler(...).tau`; `wrenches[i]` acts on link i, constant in its frame. [LIN-1]

    Without motion dtau/dq is the Hessian of the potential energy. [POT-3]
    """
    motions = tree.motions(q)
    links = [*link_motions(tree, motions, qd, qdd)]
    F = of_links(tree, motions, links, qdd, wrenches).F
    return _forces(tree, motions, links, qd, F, _brackets(tree, motions, links, qd))


def derivatives_apart(tree: Tree, q: Any, qd: Any, qdd: Any, wrenches: Mapping[int, Wrench] | None = None) -> Apart:
    """The same, with what is an acceleration of joint j itself set apart: (5)."""
    motions = tree.motions(q)
    links = [*link_motions(tree, motions, qd, qdd)]
    F = of_links(tree, motions, links, qdd, wrenches).F
    dV, dA, turn = _brackets(tree, motions, links, qd)
    by_q: list[dict[int, Any]] = [{} for _ in dA]
    by_qd: list[dict[int, Any]] = [{} for _ in dA]
    for body in tree.bodies:
        places = [_place(S) for S in body.columns]
        if not any(body.armature) and None not in places:
            own = dict(zip(places, range(body.v, body.v + body.joint.nv), strict=True))
            for k in own.values():
                dA[k], by_q[k] = _without(dA[k], own)
                turn[k], by_qd[k] = _without(turn[k], own)
    return Apart(_forces(tree, motions, links, qd, F, Brackets(dV, dA, turn)), by_q, by_qd)


def _place(S: Twist) -> int | None:
    """The component, 0 to 5 of (w, v), that a column is the unit of, if it is."""
    components = [*S.w, *S.v]
    places = [i for i, x in enumerate(components) if not is_constant(x, 0.0)]
    return places[0] if len(places) == 1 and is_constant(components[places[0]], 1.0) else None


def _without(X: Twist, own: Mapping[Any, int]) -> tuple[Twist, dict[int, Any]]:
    """A twist without the components that are columns, and these by their columns. own: component -> column."""
    x = [*X.w, *X.v]
    apart = {k: x[i] for i, k in own.items() if not is_constant(x[i], 0.0)}
    rest = [0.0 if i in own else c for i, c in enumerate(x)]
    return Twist(Vec3(*rest[:3]), Vec3(*rest[3:])), apart


def parent_motions(
    tree: Tree, motions: list[BodyMotion], links: list[LinkMotion], qd: Any
) -> Iterator[tuple[Twist, Twist]]:
    """V and A of every body's parent p, as the observer of (1) sees them, in the body's axes.

    The origin of j leaves p at u qd_j, so that p, where this origin is, stays behind:

        V = (R^T w_p, -u qd_j),   A = (R^T wdot_p, R^T (a_p + U_p p_j) + R^T w_p x u qd_j)

    with the letters of newton_euler.py. The last is the acceleration of a point of p less w x v of that point, as in
    the spatial acceleration of any body.
    """
    for body, X, link in zip(tree.bodies, motions, links, strict=True):
        above, Sv = links[body.parent] if body.parent >= 0 else at_rest(tree), body.twist(qd)
        V = Twist(link.carried, -Sv.v)
        a = X.rotate_inv(above.a + above.U.dot(X.p)) + link.carried.cross(Sv.v)
        yield V, Twist(X.rotate_inv(above.wd), a)


def _brackets(tree: Tree, motions: list[BodyMotion], links: list[LinkMotion], qd: Any) -> Brackets:
    """(1) of every column, and what (3) has beside it. Of a joint's only column [V_j, S_j] is dV_j: [S_j, S_j] = 0."""
    out = Brackets([], [], [])
    above = parent_motions(tree, motions, links, qd)
    for body, link, (V, A) in zip(tree.bodies, links, above, strict=True):
        for S in body.columns:
            dV = V.ad(S)  # (1)
            out.dV.append(dV)
            out.dA.append(A.ad(S) + V.ad(dV))  # (1)
            out.turn.append(dV + (dV if len(body.columns) == 1 else Twist(link.w, Vec3.zero()).ad(S)))  # (3)
    return out


def carried_twice(tree: Tree, motions: list[BodyMotion], links: list[LinkMotion], qd: Any) -> Carried:
    """Ic, 2 Bc and 2 u: the last two are linear in the velocities."""
    return carried(tree, motions, [link.w + link.w for link in links], [v + v for v in qd])


def _forces(
    tree: Tree, motions: list[BodyMotion], links: list[LinkMotion], qd: Any, F: list[Wrench], brackets: Brackets
) -> Derivatives:
    """(2)-(4)."""
    n = tree.n
    out = Derivatives(*([[0.0] * n for _ in range(n)] for _ in range(3)))
    dV, dA, turn = brackets
    inertia, coriolis, leaving = carried_twice(tree, motions, links, qd)
    for i, body in enumerate(tree.bodies):
        for a, S in enumerate(body.columns):
            k, j = body.v + a, i
            by_q = inertia[i] @ dA[k] + coriolis[i] @ dV[k].w  # (2)
            by_qd = inertia[i] @ turn[k] + coriolis[i] @ S.w  # (3)
            by_qdd = inertia[i] @ S  # (4)
            moment = coriolis[i].transposed(S)
            for b, S_b in enumerate(body.columns):
                c = body.v + b
                out.q[c][k] = by_q.pair(S_b)
                out.qd[c][k] = by_qd.pair(S_b)
                out.qdd[c][k] = by_qdd.pair(S_b)
            out.qdd[k][k] = out.qdd[k][k] + body.rotor(a)
            by_q = by_q - S.ad_star(F[i])  # felt by the joints before this one
            while (up := tree.bodies[j].parent) >= 0:
                X = motions[j]
                by_q, by_qd = X.Ad_inv_star(by_q), X.Ad_inv_star(by_qd)
                by_qdd, moment = seen_from_parent(X, leaving[j], by_qdd, moment)
                j = up
                for c, S_c in enumerate(tree.bodies[j].columns, tree.bodies[j].v):
                    out.q[c][k] = by_q.pair(S_c)  # (2)
                    out.qd[c][k] = by_qd.pair(S_c)  # (3)
                    out.qdd[c][k] = out.qdd[k][c] = by_qdd.pair(S_c)  # (4)
                    out.q[k][c] = by_qdd.pair(dA[c]) + moment.dot(dV[c].w)  # (2)
                    out.qd[k][c] = by_qdd.pair(turn[c]) + moment.dot(S_c.w)  # (3)
    return out
