"""Derivatives of the adjoint maps between links.

Ad_ji carries a twist B from the frame of link i to that of a link j beyond it, through the joints k, i < k <= j.
Only these move it, each by a bracket with its own column:

    d/dq_k Ad_ji B = Ad_jk [Ad_ki B, S_k]                                         (1)  [DER-1]
    d2/dq_k dq_l Ad_ji B = Ad_jb [Ad_ba [Ad_ai B, S_a], S_b],  a = min(k, l), b = max(k, l)      (2)  [DER-2]

zero for every other k and l. For screws: one column a joint. (The source takes A_k = Ad(M_k) S_k, in the parent's
frame, for our S_k in the link's.)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from chasles.errors import FrameError
from chasles.formulations.inputs import Array, link_index, screw_tree, vectors
from chasles.lie import Twist, Vec3
from chasles.model.tree import Tree
from chasles.robot_like import RobotLike

__all__ = ["adjoint", "adjoint_derivative", "adjoint_second_derivative"]


def adjoint(robot: RobotLike, q: ArrayLike, to: str | int, start: str | int) -> Array:
    """(..., 6, 6) Ad_ji, from twists in the frame of link `start` to those in the frame of `to`, which is beyond it.

    to, start: links by name or number; -1 or its name is the base. q: (..., n).
    """
    tree, x, j, i = _given("adjoint_derivatives.adjoint", robot, q, to, start)
    return _matrix(x, lambda q, B: carried(tree, q, j, i, B))


def adjoint_derivative(robot: RobotLike, q: ArrayLike, to: str | int, start: str | int) -> Array:
    """(..., n, 6, 6) d/dq_k Ad_ji at [k], by (1). As `adjoint`."""
    tree, x, j, i = _given("adjoint_derivatives.adjoint_derivative", robot, q, to, start)
    slopes = [_matrix(x, lambda q, B, k=k: carried_derivative(tree, q, j, i, B, k)) for k in range(robot.n)]
    return np.stack(slopes, axis=-3)


def adjoint_second_derivative(robot: RobotLike, q: ArrayLike, to: str | int, start: str | int) -> Array:
    """(..., n, n, 6, 6) d2/dq_k dq_l Ad_ji at [k, l], by (2). As `adjoint`."""
    tree, x, j, i = _given("adjoint_derivatives.adjoint_second_derivative", robot, q, to, start)
    n, out = robot.n, []
    for k in range(n):
        row = [_matrix(x, lambda q, B, k=k, l=l: carried_second_derivative(tree, q, j, i, B, k, l)) for l in range(n)]
        out.append(np.stack(row, axis=-3))
    return np.stack(out, axis=-4)


def _given(
    function: str, robot: RobotLike, q: ArrayLike, to: str | int, start: str | int
) -> tuple[Tree, Array, int, int]:
    tree, (x,) = screw_tree(function, robot), vectors(function, q=(q, robot.n))
    j, i = link_index(function, robot, to), link_index(function, robot, start)
    if i >= 0 and i not in tree.path(j):
        raise FrameError(f"{function}: link {to!r} is not beyond link {start!r}")
    return tree, x, j, i


def _matrix(q: Array, columns: Callable[[Any, Twist], Twist]) -> Array:
    """(..., 6, 6) of a map of twists at q (..., n): the leaves are whole batches."""
    out = np.empty((*q.shape[:-1], 6, 6))
    for k, unit in enumerate(np.eye(6).tolist()):
        V = columns(np.moveaxis(q, -1, 0), Twist(Vec3(*unit[:3]), Vec3(*unit[3:])))
        for r, x in enumerate((*V.w, *V.v)):
            out[..., r, k] = x
    return out


def carried(tree: Tree, q: Any, j: int, i: int, B: Twist) -> Twist:
    """Ad_ji B; i = -1 is the base."""
    for k in _between(tree, j, i):
        B = tree.bodies[k].motion(q).Ad_inv(B)
    return B


def carried_derivative(tree: Tree, q: Any, j: int, i: int, B: Twist, k: int) -> Twist:
    """d/dq_k Ad_ji B."""
    if k not in _between(tree, j, i):
        return Twist.zero()
    return carried(tree, q, j, k, carried(tree, q, k, i, B).ad(tree.bodies[k].S))  # (1)


def carried_second_derivative(tree: Tree, q: Any, j: int, i: int, B: Twist, k: int, l: int) -> Twist:
    """d2/dq_k dq_l Ad_ji B."""
    a, b = min(k, l), max(k, l)
    if not {a, b} <= set(_between(tree, j, i)):
        return Twist.zero()
    inner = carried(tree, q, a, i, B).ad(tree.bodies[a].S)
    return carried(tree, q, j, b, carried(tree, q, b, a, inner).ad(tree.bodies[b].S))  # (2)


def _between(tree: Tree, j: int, i: int) -> list[int]:
    """The joints from i, itself not one of them, out to j."""
    path = tree.path(j)
    if i >= 0 and i not in path:
        raise ValueError(f"link {j} is not beyond link {i}")
    return [k for k in reversed(path) if k > i]
