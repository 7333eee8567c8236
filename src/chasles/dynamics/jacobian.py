"""Jacobians of a frame and their rates.

The column of joint i on the path to the frame f, zero for other joints:

    body   J_i = Ad(T_fi) S_i,   dJ_i/dt = [J_i, sum of J_k qd_k over the k beyond i]   (1)  [JAC-1,3]
    space  J_i = Ad(T_0i) S_i,   dJ_i/dt = [sum of J_k qd_k up to i, J_i]               (2)  [JAC-3,4]
    mixed  at the frame's origin p, in space axes: (w, v + w x p) of the space column,
           rate (wdot, vdot + wdot x p + w x pdot)                                        (3)
"""

from collections.abc import Iterable
from typing import Any

from chasles.lie import SE3, Twist, Vec3
from chasles.literals import Expressed
from chasles.model.tree import BodyMotion, Tree

Columns = list[Twist]


def jacobian(tree: Tree, q: Any, body: int, T: SE3, expressed: Expressed) -> Columns:
    """The columns of the Jacobian of a frame at T on `body`."""
    forms = {"body": _body, "space": _space, "mixed": _mixed}
    return forms[expressed](tree, q, body, T)


def jacobian_derivative(tree: Tree, q: Any, qd: Any, body: int, T: SE3, expressed: Expressed) -> Columns:
    """The columns of the time derivative of the Jacobian."""
    forms = {"body": _body_rate, "space": _space_rate, "mixed": _mixed_rate}
    return forms[expressed](tree, q, qd, body, T)


def columns_seen(tree: Tree, motions: list[BodyMotion]) -> list[list[tuple[int, Twist]]]:
    """The body Jacobians of all bodies: the columns on each one's path, base first, with their places. [JAC-2]"""
    seen: list[list[tuple[int, Twist]]] = []
    for i, body in enumerate(tree.bodies):
        above = seen[body.parent] if body.parent >= 0 else []
        seen.append([(k, motions[i].Ad_inv(J)) for k, J in above] + list(_columns(tree, i)))  # (1)
    return seen


def _zeros(tree: Tree) -> Columns:
    return [Twist.zero()] * tree.n


def _columns(tree: Tree, i: int) -> Iterable[tuple[int, Twist]]:
    """The columns of joint i with their places among the velocities."""
    return enumerate(tree.bodies[i].columns, tree.bodies[i].v)


def _body(tree: Tree, q: Any, body: int, T: SE3) -> Columns:
    J = _zeros(tree)
    X = T  # the frame, seen from body i
    for i in tree.path(body):
        for c, S in _columns(tree, i):
            J[c] = X.Ad_inv(S)  # (1)
        motion = tree.bodies[i].motion(q)
        X = motion.M @ (motion.E @ X)
    return J


def _poses(tree: Tree, q: Any, body: int) -> dict[int, SE3]:
    X, out = SE3.identity(), {}
    for i in reversed(tree.path(body)):
        motion = tree.bodies[i].motion(q)
        X = X @ motion.M @ motion.E
        out[i] = X
    return out


def _space(tree: Tree, q: Any, body: int, T: SE3) -> Columns:
    J = _zeros(tree)
    for i, X in _poses(tree, q, body).items():
        for c, S in _columns(tree, i):
            J[c] = X.Ad(S)  # (2)
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
        for c, _ in _columns(tree, i):
            rate[c] = J[c].ad(beyond)  # (1)
        for c, _ in _columns(tree, i):
            beyond = beyond + J[c] * qd[c]
    return rate


def _space_rate(tree: Tree, q: Any, qd: Any, body: int, T: SE3) -> Columns:
    J, rate = _space(tree, q, body, T), _zeros(tree)
    before = Twist.zero()
    for i in reversed(tree.path(body)):
        for c, _ in _columns(tree, i):
            before = before + J[c] * qd[c]
        for c, _ in _columns(tree, i):
            rate[c] = before.ad(J[c])  # (2)
    return rate


def _mixed_rate(tree: Tree, q: Any, qd: Any, body: int, T: SE3) -> Columns:
    J, Jd = _space(tree, q, body, T), _space_rate(tree, q, qd, body, T)
    p, pd = _origin(tree, q, body, T), Vec3.zero()
    for i in tree.path(body):
        for c, _ in _columns(tree, i):
            pd = pd + (J[c].v + J[c].w.cross(p)) * qd[c]
    return [Twist(b.w, b.v + b.w.cross(p) + a.w.cross(pd)) for a, b in zip(J, Jd, strict=True)]  # (3)
