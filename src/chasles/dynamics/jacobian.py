"""Jacobians of a frame and their rates.

The column of joint i on the path to the frame f, zero for other joints:

    body   J_i = Ad(T_fi) S_i,   dJ_i/dt = [J_i, sum of J_k qd_k over the k beyond i]   (1)  [JAC-1,3]
    space  J_i = Ad(T_0i) S_i,   dJ_i/dt = [sum of J_k qd_k over the k before i, J_i]   (2)  [JAC-3,4]
    mixed  at the frame's origin p, in space axes: (w, v + w x p) of the space column,
           rate (wdot, vdot + wdot x p + w x pdot)                                        (3)
"""

from typing import Any

from chasles.lie import SE3, Twist, Vec3
from chasles.model.tree import Tree

Columns = list[Twist]


def jacobian(tree: Tree, q: Any, body: int, T: SE3, expressed: str) -> Columns:
    """The columns of the Jacobian of a frame at T on `body`."""
    forms = {"body": _body, "space": _space, "mixed": _mixed}
    return forms[expressed](tree, q, body, T)


def jacobian_derivative(tree: Tree, q: Any, qd: Any, body: int, T: SE3, expressed: str) -> Columns:
    """The columns of the time derivative of the Jacobian."""
    forms = {"body": _body_rate, "space": _space_rate, "mixed": _mixed_rate}
    return forms[expressed](tree, q, qd, body, T)


def _zeros(tree: Tree) -> Columns:
    return [Twist.zero() for _ in tree.bodies]


def _body(tree: Tree, q: Any, body: int, T: SE3) -> Columns:
    J = _zeros(tree)
    X = T  # the frame, seen from body i
    for i in tree.path(body):
        J[i] = X.Ad_inv(tree.bodies[i].S)  # (1)
        motion = tree.bodies[i].motion(q[i])
        X = motion.M @ (motion.E @ X)
    return J


def _poses(tree: Tree, q: Any, body: int) -> dict[int, SE3]:
    X, out = SE3.identity(), {}
    for i in reversed(tree.path(body)):
        motion = tree.bodies[i].motion(q[i])
        X = X @ motion.M @ motion.E
        out[i] = X
    return out


def _space(tree: Tree, q: Any, body: int, T: SE3) -> Columns:
    J = _zeros(tree)
    for i, X in _poses(tree, q, body).items():
        J[i] = X.Ad(tree.bodies[i].S)  # (2)
    return J


def _origin(tree: Tree, q: Any, body: int, T: SE3) -> Vec3:
    return (_poses(tree, q, body)[body] @ T).p if body >= 0 else T.p


def _mixed(tree: Tree, q: Any, body: int, T: SE3) -> Columns:
    p = _origin(tree, q, body, T)
    return [Twist(J.w, J.v + J.w.cross(p)) for J in _space(tree, q, body, T)]  # (3)


def _body_rate(tree: Tree, q: Any, qd: Any, body: int, T: SE3) -> Columns:
    J, rate = _body(tree, q, body, T), _zeros(tree)
    beyond = Twist.zero()
    for i in tree.path(body):
        rate[i] = J[i].ad(beyond)  # (1)
        beyond = beyond + J[i] * qd[i]
    return rate


def _space_rate(tree: Tree, q: Any, qd: Any, body: int, T: SE3) -> Columns:
    J, rate = _space(tree, q, body, T), _zeros(tree)
    before = Twist.zero()
    for i in reversed(tree.path(body)):
        rate[i] = before.ad(J[i])  # (2)
        before = before + J[i] * qd[i]
    return rate


def _mixed_rate(tree: Tree, q: Any, qd: Any, body: int, T: SE3) -> Columns:
    J, Jd = _space(tree, q, body, T), _space_rate(tree, q, qd, body, T)
    p, pd = _origin(tree, q, body, T), Vec3.zero()
    for i in tree.path(body):
        pd = pd + (J[i].v + J[i].w.cross(p)) * qd[i]
    return [Twist(b.w, b.v + b.w.cross(p) + a.w.cross(pd)) for a, b in zip(J, Jd, strict=True)]  # (3)
