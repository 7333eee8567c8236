"""The recursions of inverse and forward dynamics in twists, as textbooks print them.

Link i has parent p, home pose M_i relative to p, screw S_i and inertia G_i in its own frame:

    T_i   = M_i exp(S_i q_i)                                                      (1)  [POE-3]
    V_i   = Ad(T_i^-1) V_p + S_i qd_i                                             (2)  [NE-1]
    A_i   = Ad(T_i^-1) A_p + S_i qdd_i + ad(V_i) S_i qd_i                         (3)  [NE-1,6]
    F_i   = G_i A_i - ad*(V_i) G_i V_i - (wrench on link i) + sum over children c of Ad*(T_c^-1) F_c   (4)  [NE-2]
    tau_i = <F_i, S_i> + (armature of i) qdd_i                                    (5)

A = dV/dt in the link's frame is its spatial acceleration. Gravity is a base acceleration, A_0 = (0, -g). (2) is
dynamics/kinematics.py, the way back and (5) are dynamics/newton_euler.py. The forward dynamics are those of
dynamics/articulated_body.py, with what velocities add to (3) and (4) in these accelerations:

    zeta_i = ad(V_i) S_i qd_i,   b_i = -ad*(V_i) G_i V_i - (wrench on link i)     (6)  [FD-3]

O(n). The robot's own functions have classical accelerations, with which they need fewer operations. On symbols of
twists and poses these are the equations that `chasles.equations` prints. Friction and mimics are not covered.
[ParkBobrowPloen1995] (22)-(27).
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from chasles.dynamics.articulated_body import Accelerations, Articulation, accelerations, articulate
from chasles.dynamics.kinematics import velocities
from chasles.dynamics.newton_euler import gathered
from chasles.formulations.inputs import Array, row_by_row, vectors, whole_tree
from chasles.lie import SE3, Twist, Vec3, Wrench
from chasles.model.tree import Tree
from chasles.robot_like import RobotLike

__all__ = ["forward_dynamics", "inverse_dynamics"]

Wrenches = Mapping[int, Wrench] | None
Base = tuple[Twist | None, Twist | None]


class SpatialNewtonEuler(NamedTuple):
    """Of every link T[i] in its parent, twist V[i], acceleration A[i] with gravity, wrench F[i] of its joint; tau.

    V_0, A_0: of the base.
    """

    T: list[SE3]
    V: list[Twist]
    A: list[Twist]
    F: list[Wrench]
    tau: list[Any]
    V_0: Twist
    A_0: Twist


def inverse_dynamics(robot: RobotLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
    """tau, (..., n), N m or N. q: (..., nq), qd, qdd: (..., n)."""
    tree = whole_tree("spatial_newton_euler.inverse_dynamics", robot)
    given = vectors("spatial_newton_euler.inverse_dynamics", q=(q, robot.nq), qd=(qd, robot.n), qdd=(qdd, robot.n))
    return row_by_row(lambda *x: newton_euler(tree, *x).tau, *given)


def forward_dynamics(robot: RobotLike, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
    """qdd, (..., n), rad/s^2 or m/s^2. q: (..., nq), qd, tau: (..., n)."""
    tree = whole_tree("spatial_newton_euler.forward_dynamics", robot)
    given = vectors("spatial_newton_euler.forward_dynamics", q=(q, robot.nq), qd=(qd, robot.n), tau=(tau, robot.n))
    return row_by_row(lambda *x: articulated_bodies(tree, *x).found.qdd, *given)


def newton_euler(
    tree: Tree, q: Any, qd: Any, qdd: Any, wrenches: Wrenches = None, base: Base = (None, None)
) -> SpatialNewtonEuler:
    """The recursion, on leaves; `wrenches[i]` acts on link i, in its frame. base: its twist and acceleration."""
    V_0 = base[0] or Twist.zero()
    A_0 = (base[1] or Twist.zero()) - Twist(Vec3.zero(), tree.gravity)
    motions = tree.motions(q)  # (1)
    V = velocities(tree, motions, qd, V_0)  # (2)
    A: list[Twist] = []
    own: list[Wrench] = []
    for i, body in enumerate(tree.bodies):  # base to tips
        A_p = A[body.parent] if body.parent >= 0 else A_0
        A.append(motions[i].Ad_inv(A_p) + body.twist(qdd) + V[i].ad(body.twist(qd)))  # (3)
        own.append(body.G @ A[i] - V[i].ad_star(body.G @ V[i]))  # (4)
        if wrenches and i in wrenches:
            own[i] = own[i] - wrenches[i]  # (4)
    tau, F = gathered(tree, motions, own, qdd)  # (4), (5)
    return SpatialNewtonEuler([motion.T for motion in motions], V, A, F, tau, V_0, A_0)


class ArticulatedBodies(NamedTuple):
    """Of every link T[i] in its parent, twist V[i], zeta[i]; the factors of the inertias, and what they give."""

    T: list[SE3]
    V: list[Twist]
    zeta: list[Twist]
    factors: Articulation
    found: Accelerations
    A_0: Twist


def articulated_bodies(
    tree: Tree, q: Any, qd: Any, tau: Any, wrenches: Wrenches = None, base_velocity: Twist | None = None
) -> ArticulatedBodies:
    """The recursion of forward dynamics, on leaves; `wrenches[i]` acts on link i, in its frame."""
    factors = articulate(tree, q)
    V = velocities(tree, factors.motions, qd, base_velocity)
    zeta: list[Twist] = []
    b: list[Wrench] = []
    for i, body in enumerate(tree.bodies):
        zeta.append(V[i].ad(body.twist(qd)))  # (6)
        b.append(-V[i].ad_star(body.G @ V[i]))  # (6)
        if wrenches and i in wrenches:
            b[i] = b[i] - wrenches[i]  # (6)
    A_0 = Twist(Vec3.zero(), -tree.gravity)
    found = accelerations(tree, factors, tau, zeta, b, A_0)
    return ArticulatedBodies([motion.T for motion in factors.motions], V, zeta, factors, found, A_0)
