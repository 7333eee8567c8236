"""Discrete Newton-Euler recursion: momenta of the discrete Lagrangian of a step, for variational integrators.

Between q_0 and q_1 = integrate(q_0, h x) link i moves by W_i, and its discrete twist is V_i = X_i / h, W_i = cay(X_i):

    W_i = T_pi(q_0)^-1 W_p T_pi(q_1) = (W_p seen from i) exp(S_i h x_i)           (1)
    L_d(q_0, q_1) = h sum of <G_i V_i, V_i> / 2 + h sum of (armature) x^2 / 2     (2)

    p_0 = -D_1 L_d = sum of J_i(q_0)^T dcay_{X_i}^-1* G_i V_i + (armature) x      (3)
    p_1 =  D_2 L_d = sum of J_i(q_1)^T dcay_{-X_i}^-1* G_i V_i + (armature) x     (4)

are generalised momenta at both ends: sums over links by one recursion inward, as the forces of Newton and Euler. L_d is
even in time, so the method that p_0 and p_1 define is of order 2, symmetric and symplectic; it is the same seen from
any frame at rest, so the momentum of a free robot is that at which it began. O(n). [LeeLiuParkSrinivasa2016]
"""

from typing import Any

from chasles.lie import Wrench
from chasles.lie.increment import Increment
from chasles.model.joint import Screw
from chasles.model.tree import Body, JointMotion, Tree


def increments(tree: Tree, motions: list[JointMotion], x: Any, h: Any) -> list[Increment]:
    """W_i of every body, for motions at q_0 and joint velocities x over the step."""
    W: list[Increment] = []
    for body, X in zip(tree.bodies, motions, strict=True):
        own = _joint_increment(body, x, h)
        W.append(W[body.parent].seen_from(X.M).seen_from(X.E) @ own if body.parent >= 0 else own)  # (1)
    return W


def _joint_increment(body: Body, x: Any, h: Any) -> Increment:
    if isinstance(body.joint, Screw):
        return Increment.screw(body.joint.S, x[body.v] * h)
    return Increment.exp(body.twist(x) * h)


def momenta(tree: Tree, motions: list[JointMotion], W: list[Increment], x: Any, h: Any, *, end: bool) -> list[Any]:
    """p_0 of (3), motions those at q_0; or p_1 of (4), motions those at q_1, where `end`."""
    sign, rate = -1.0 if end else 1.0, 1.0 / h
    F: list[Wrench] = []
    for body, W_i in zip(tree.bodies, W, strict=True):
        F.append(W_i.dcay_inv_star(body.G @ W_i.twist(), sign))  # h times (3), (4)
    for i in reversed(range(len(tree.bodies))):
        p = tree.bodies[i].parent
        if p >= 0:
            F[p] = F[p] + motions[i].Ad_inv_star(F[i])
    rotors = [body.rotor(k) for body in tree.bodies for k in range(body.joint.nv)]
    pairs = zip(tree.pairings(F), rotors, strict=True)
    return [force * rate + rotor * x[k] for k, (force, rotor) in enumerate(pairs)]
