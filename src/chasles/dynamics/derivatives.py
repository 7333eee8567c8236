"""Derivatives of inverse dynamics, by brackets: O(n d) for depth d.

Moving joint j by its column S_j turns all that it carries. Seen from what turns, it is the rest of the world that moves
the other way, and with V and A the twist and the spatial acceleration (gravity in it) of j's parent p,

    dV_j = [V, S_j],   dA_j = [A, S_j] + [V, dV_j]                               (1)

are what the velocities and accelerations of every body beyond change by, but for the bracket of dV_j with the body's
own velocity. All is as an observer sees it who goes along with the origin of j: V_j = (w_j, 0). With F_i the wrench
that joint i passes on, Ic the composite inertia and Bc twice the composite Coriolis inertia (carried_inertias.py), both
of the deeper of i and j, and every quantity seen from there,

    dtau_i/dq_j   = <Ic dA_j + Bc dV_j + ad*, S_i>,  ad* = -ad_{S_j}^T F_j where j is deeper, else 0   (2)
    dtau_i/dqd_j  = <Ic (dV_j + [V_j, S_j]) + Bc S_j, S_i>                         (3)
    dtau_i/dqdd_j = <Ic S_j, S_i> + (armature)                                     (4)

zero where neither lies on the other's path to the base. Bc takes the angular part alone. A wrench walks from the deeper
body to each ancestor; where that is i it is (2)-(4), where it is j it is Ic S_i and Bc^T S_i that walk. Derivatives by
q are in the tangent space: along the column, so that q may be a quaternion. [LIN-1], [Singh, Russell, Wensing 2022]
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chasles.dynamics.carried_inertias import carried, seen_from_parent
from chasles.dynamics.composite_body import Matrix
from chasles.dynamics.newton_euler import at_rest, link_motions, newton_euler
from chasles.lie import Twist, Vec3, Wrench
from chasles.model.tree import Tree


@dataclass(frozen=True)
class Derivatives:
    """dtau/dq, dtau/dqd and dtau/dqdd, each as rows of leaves."""

    q: Matrix
    qd: Matrix
    qdd: Matrix


def inverse_dynamics_derivatives(
    tree: Tree, q: Any, qd: Any, qdd: Any, wrenches: Mapping[int, Wrench] | None = None
) -> Derivatives:
    """The derivatives of `newton_euler(...).tau`; `wrenches[i]` acts on link i, constant in its frame. [LIN-1]

    Without motion dtau/dq is the Hessian of the potential energy. [POT-3]
    """
    n = tree.n
    out = Derivatives(*([[0.0] * n for _ in range(n)] for _ in range(3)))
    motions = tree.motions(q)
    F = newton_euler(tree, q, qd, qdd, wrenches).F
    links = link_motions(tree, motions, qd, qdd)
    dV: list[Twist] = []  # one a column
    dA: list[Twist] = []
    turn: list[Twist] = []  # dV_j + [V_j, S_j]
    for i, (body, X) in enumerate(zip(tree.bodies, motions, strict=True)):
        above = links[body.parent] if body.parent >= 0 else at_rest(tree)
        before, Sv = links[i].carried, body.twist(qd)
        V_p = Twist(before, -Sv.v)
        A_p = Twist(X.rotate_inv(above.wd), X.rotate_inv(above.a + above.U.dot(X.p)) + before.cross(Sv.v))
        for S in body.columns:
            dV.append(V_p.ad(S))  # (1)
            dA.append(A_p.ad(S) + V_p.ad(dV[-1]))
            own = dV[-1] if len(body.columns) == 1 else Twist(links[i].w, Vec3.zero()).ad(S)
            turn.append(dV[-1] + own)
    twice = [link.w + link.w for link in links]
    inertia, coriolis, leaving = carried(tree, motions, twice, [v + v for v in qd])
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
