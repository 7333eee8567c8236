"""Recursive Newton-Euler inverse dynamics (rnea), in the true accelerations of the link origins.

Link i has parent p, moves by T_pi = (R, p_i), and has screw S_i = (s, u) and inertia G_i in its own frame. With w the
angular velocity, a the acceleration of the link's origin and U = [wdot] + [w]^2, so that a + U r is the acceleration of
the link's point r:

    w_i    = R^T w_p + s qd_i                                                     (1)
    wdot_i = R^T wdot_p + s qdd_i + w_i x s qd_i                                  (2)
    a_i    = R^T (a_p + U_p p_i) + u qdd_i + (w_i + R^T w_p) x u qd_i             (3)
    F_i    = G_i.force(a_i, U_i) - (wrench on link i) + sum over children c of Ad*(T_ic^-1) F_c   (4)
    tau_i  = <F_i, S_i> + (armature of i) qdd_i                                   (5)

Gravity is a base acceleration, a_0 = -g. (1)-(3) are [NE-1] in the classical acceleration (wdot, vdot + w x v) instead
of the spatial one: the velocity of the origin drops out, and a quarter of the operations with it. O(n).
[ParkBobrowPloen1995] (22)-(27).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from chasles.dynamics.kinematics import square
from chasles.lie import SE3, Mat3, Twist, Vec3, Wrench
from chasles.model.tree import BodyMotion, Tree


class LinkMotion(NamedTuple):
    """What (1)-(3) give of a link: w, wdot, a and U, and `carried`, the parent's w in the link's axes."""

    carried: Vec3
    w: Vec3
    wd: Vec3
    a: Vec3
    U: Mat3


class NewtonEuler(NamedTuple):
    """`tau` the joint forces; `F[i]` the wrench that joint i passes on to link i, in that link's frame."""

    tau: list[Any]
    F: list[Wrench]


def at_rest(tree: Tree) -> LinkMotion:
    """The motion of a base that does not move, in the field of gravity."""
    zero = Vec3.zero()
    return LinkMotion(zero, zero, zero, -tree.gravity, Mat3.skew(zero))


def link_motions(
    tree: Tree, motions: list[BodyMotion], qd: Any, qdd: Any, base: LinkMotion | None = None
) -> Iterator[LinkMotion]:
    """(1)-(3) of every link, one at a time: what is made of a link is traced beside it, so that links are alike.
    base: how the base moves, if it does."""
    out: list[LinkMotion] = []
    base = base or at_rest(tree)
    for X, body in zip(motions, tree.bodies, strict=True):  # base to tips
        above = out[body.parent] if body.parent >= 0 else base
        Sv, Sa = body.twist(qd), body.twist(qdd)
        carried = X.rotate_inv(above.w)
        w = carried + Sv.w  # (1)
        wd = X.rotate_inv(above.wd) + Sa.w + w.cross(Sv.w)  # (2)
        a = X.rotate_inv(above.a + above.U.dot(X.p)) + Sa.v + (w + carried).cross(Sv.v)  # (3)
        out.append(LinkMotion(carried, w, wd, a, Mat3.skew(wd) + square(w)))
        yield out[-1]


def newton_euler(
    tree: Tree,
    q: Any,
    qd: Any,
    qdd: Any,
    wrenches: Mapping[int, Wrench] | None = None,
    base_velocity: Twist | None = None,
    base_acceleration: Twist | None = None,
) -> NewtonEuler:
    """Run the recursion: tau = M(q) qdd + C(q, qd) qd + g(q) - sum of J_i^T wrenches[i]. [NE-1,2,4]

    `wrenches[i]` acts on link i, in its frame. The base moves with twist `base_velocity` and spatial acceleration
    `base_acceleration`, both in the base frame.
    """
    V_0, A_0 = base_velocity or Twist.zero(), base_acceleration or Twist.zero()
    a_0 = A_0.v + V_0.w.cross(V_0.v) - tree.gravity
    base = LinkMotion(V_0.w, V_0.w, A_0.w, a_0, Mat3.skew(A_0.w) + square(V_0.w))
    motions = tree.motions(q)
    return of_links(tree, motions, link_motions(tree, motions, qd, qdd, base), qdd, wrenches)


def of_links(
    tree: Tree,
    motions: list[BodyMotion],
    links: Iterable[LinkMotion],
    qdd: Any,
    wrenches: Mapping[int, Wrench] | None = None,
) -> NewtonEuler:
    """(4) and (5) of links that move so."""
    F: list[Wrench] = []
    for i, link in enumerate(links):
        F.append(tree.bodies[i].G.force(link.a, link.U))  # (4)
        if wrenches and i in wrenches:
            F[i] = F[i] - wrenches[i]
    return gathered(tree, motions, F, qdd)


def gathered(tree: Tree, motions: list[BodyMotion], own: list[Wrench], qdd: Any) -> NewtonEuler:
    """The way from the tips to the base: (4) and (5), `own[i]` what moves link i alone."""
    F = list(own)
    for i in reversed(range(len(tree.bodies))):
        p = tree.bodies[i].parent
        if p >= 0:
            F[p] = F[p] + motions[i].Ad_inv_star(F[i])  # (4)
    rotors = [body.rotor(k) for body in tree.bodies for k in range(body.joint.nv)]
    tau = [force + rotor * qdd[k] for k, (force, rotor) in enumerate(zip(tree.pairings(F), rotors, strict=True))]
    return NewtonEuler(tau, F)  # (5)


def tool_wrench_on_body(T: SE3, F: Wrench) -> Wrench:
    """What a tool that exerts F on its surroundings, in its frame at T on a body, does to that body. [NE-3]"""
    return -T.Ad_inv_star(F)
