"""Forward kinematics, velocities and accelerations.

    T_0i = T_0p T_pi(q_i)                                                         (1)
    V_i  = Ad(T_pi^-1) V_p + S_i qd_i                                             (2)  [NE-1]
    A_i  = Ad(T_pi^-1) A_p + S_i qdd_i + ad(V_i) S_i qd_i                         (3)  [NE-6]

V is the body twist of a link and A = dV/dt in that body's frame, its *spatial* acceleration. The *classical*
acceleration is that of the frame's origin, (wdot, vdot + w x v).                  (4)

Expressed in another way: `space` Ad(T) V, whose rate is Ad(T) A; `mixed` is at the frame's origin in the axes of the
space frame, whose rate is the classical acceleration.
"""

from typing import Any

from chasles.lie import SE3, Mat3, Sym3, Twist, Vec3
from chasles.literals import Expressed
from chasles.model.tree import BodyMotion, Tree


def poses(tree: Tree, motions: list[BodyMotion]) -> list[SE3]:
    """T_0i of every body."""
    T: list[SE3] = []
    for body, X in zip(tree.bodies, motions, strict=True):
        T.append(T[body.parent] @ X.M @ X.E if body.parent >= 0 else X.T)  # (1)
    return T


def velocities(tree: Tree, motions: list[BodyMotion], qd: Any, base: Twist | None = None) -> list[Twist]:
    """V_i of every body, in its own frame; `base` is the twist of the base in the base frame."""
    V: list[Twist] = []
    for i, body in enumerate(tree.bodies):
        V_p = V[body.parent] if body.parent >= 0 else base or Twist.zero()
        V.append(motions[i].Ad_inv(V_p) + body.twist(qd))  # (2)
    return V


def accelerations(tree: Tree, motions: list[BodyMotion], V: list[Twist], qd: Any, qdd: Any) -> list[Twist]:
    """A_i of every body, in its own frame, without gravity."""
    A: list[Twist] = []
    for i, body in enumerate(tree.bodies):
        A_p = A[body.parent] if body.parent >= 0 else Twist.zero()
        A.append(motions[i].Ad_inv(A_p) + body.twist(qdd) + V[i].ad(body.twist(qd)))  # (3)
    return A


def frame_pose(tree: Tree, q: Any, body: int, T: SE3) -> SE3:
    """The pose of a frame at T on `body`."""
    X = SE3.identity()
    for i in reversed(tree.path(body)):
        motion = tree.bodies[i].motion(q)
        X = X @ motion.M @ motion.E  # (1)
    return X @ T


def frame_motion(tree: Tree, q: Any, qd: Any, qdd: Any, at: int, T: SE3) -> tuple[SE3, Twist, Twist]:
    """Pose, body twist and spatial acceleration of a frame at T on body `at`."""
    X, V, A = SE3.identity(), Twist.zero(), Twist.zero()
    for i in reversed(tree.path(at)):
        body = tree.bodies[i]
        motion = body.motion(q)
        X = X @ motion.M @ motion.E
        V = motion.Ad_inv(V) + body.twist(qd)  # (2)
        A = motion.Ad_inv(A) + body.twist(qdd) + V.ad(body.twist(qd))  # (3)
    return X @ T, T.Ad_inv(V), T.Ad_inv(A)


def classical(V: Twist, A: Twist) -> Twist:
    """The acceleration of the frame's origin and the angular acceleration, in the frame's axes."""
    return Twist(A.w, A.v + V.w.cross(V.v))  # (4)


def turned(T: SE3, V: Twist) -> Twist:
    """A twist at the frame's origin, its components turned to the axes of the space frame."""
    return Twist(T.R @ V.w, T.R @ V.v)


def express_velocity(T: SE3, V: Twist, expressed: Expressed) -> Twist:
    """A body twist as 'body', 'space' or 'mixed'. [SE3-6]"""
    return {"body": lambda: V, "space": lambda: T.Ad(V), "mixed": lambda: turned(T, V)}[expressed]()


def express_acceleration(T: SE3, V: Twist, A: Twist, expressed: Expressed) -> Twist:
    """The time derivative of `express_velocity`."""
    forms = {"body": lambda: A, "space": lambda: T.Ad(A), "mixed": lambda: turned(T, classical(V, A))}
    return forms[expressed]()


def square(w: Vec3) -> Mat3:
    """[w]^2 = w w^T - |w|^2 1, as the matrix that gives centripetal acceleration."""
    xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
    return Sym3(-(yy + zz), -(xx + zz), -(xx + yy), w.x * w.y, w.x * w.z, w.y * w.z).matrix
