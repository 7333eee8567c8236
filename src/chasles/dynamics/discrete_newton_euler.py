"""Discrete Newton-Euler recursion: momenta of the discrete Lagrangian of a step, for variational integrators.

From q_0 to q_1 = integrate(q_0, v) link i moves by W_i = (R_i, p_i), in its frame, and every point r of it on a chord:

    W_i = T_pi(q_0)^-1 W_p T_pi(q_1) = (W_p seen from i) exp(S_i v_i)             (1)
    L_d(q_0, q_1) = sum of int |(R_i - 1) r + p_i|^2 dm / 2 + sum of (armature) v^2 / 2      (2)

with unit time for the step: the kinetic energy of the chords. The momenta of the points are these chords at both ends,
so that with G_i.force(a, U), the wrench of a field a + U r (lie/inertia.py),

    p_0 = -D_1 L_d = sum of J_i(q_0)^T G_i.force(p_i, R_i - 1) + (armature) v     (3)
    p_1 =  D_2 L_d = sum of J_i(q_1)^T G_i.force(R_i^T p_i, 1 - R_i^T) + (armature) v       (4)

sums over links by one recursion inward, as the forces of Newton and Euler. L_d is even in time, so the method that p_0
and p_1 define is of order 2, symmetric and symplectic; it is the same seen from any frame at rest, so the momentum of a
free robot is that at which it began. It is that of points, so inertias may be regrouped (model/coordinates.py): what
lies on a joint's axis moves alike with either link. Of one rigid body it is that of Moser and Veselov. O(n).
[MoserVeselov1991], [LeeLiuParkSrinivasa2016]
"""

from typing import Any

from chasles.lie import Wrench
from chasles.lie.increment import Increment
from chasles.model.joint import ScrewJoint
from chasles.model.tree import Body, BodyMotion, Tree, rotors


def increments(tree: Tree, motions: list[BodyMotion], v: Any) -> list[Increment]:
    """W of (1), for motions at q_0."""
    W: list[Increment] = []
    for body, X in zip(tree.bodies, motions, strict=True):
        own = _joint_increment(body, v)
        W.append(W[body.parent].seen_from(X.M).seen_from(X.E) @ own if body.parent >= 0 else own)  # (1)
    return W


def start_momenta(tree: Tree, motions: list[BodyMotion], W: list[Increment], v: Any) -> list[Any]:
    """p_0 of (3), for motions at q_0."""
    F = [body.G.force(W_i.p, W_i.D) for body, W_i in zip(tree.bodies, W, strict=True)]
    return _summed(tree, motions, F, v)


def end_momenta(tree: Tree, motions: list[BodyMotion], W: list[Increment], v: Any) -> list[Any]:
    """p_1 of (4), for motions at q_1."""
    back = [W_i.D.T for W_i in W]
    F = [b.G.force(X.p + D.dot(X.p), -D) for b, X, D in zip(tree.bodies, W, back, strict=True)]
    return _summed(tree, motions, F, v)


def _joint_increment(body: Body, v: Any) -> Increment:
    joint = body.joint
    return Increment.screw(joint.S, v[body.v]) if isinstance(joint, ScrewJoint) else Increment.exp(body.twist(v))


def _summed(tree: Tree, motions: list[BodyMotion], F: list[Wrench], v: Any) -> list[Any]:
    """The sum of J_i^T F_i and what rotors add."""
    for i in reversed(range(len(tree.bodies))):
        p = tree.bodies[i].parent
        if p >= 0:
            F[p] = F[p] + motions[i].Ad_inv_star(F[i])
    return [force + rotor * v[k] for k, (force, rotor) in enumerate(zip(tree.pairings(F), rotors(tree), strict=True))]
