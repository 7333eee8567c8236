"""Derivatives of the adjoint maps between links.

Ad_ji carries a twist B from the frame of link i to that of a link j beyond it, through the joints k, i < k <= j.
Only these move it, each by a bracket with its own column:

    d/dq_k Ad_ji B = Ad_jk [Ad_ki B, S_k]                                         (1)  [DER-1]
    d2/dq_k dq_l Ad_ji B = Ad_jb [Ad_ba [Ad_ai B, S_a], S_b],  a = min(k, l), b = max(k, l)      (2)  [DER-2]

zero for every other k and l. For screws: one column a joint. (The source takes A_k = Ad(M_k) S_k, in the parent's
frame, for our S_k in the link's.)
"""

from typing import Any

from chasles.lie import Twist
from chasles.model.tree import Tree


def adjoint(tree: Tree, q: Any, j: int, i: int, B: Twist) -> Twist:
    """Ad_ji B; i = -1 is the base."""
    for k in _between(tree, j, i):
        B = tree.bodies[k].motion(q).Ad_inv(B)
    return B


def adjoint_derivative(tree: Tree, q: Any, j: int, i: int, B: Twist, k: int) -> Twist:
    """d/dq_k Ad_ji B."""
    if k not in _between(tree, j, i):
        return Twist.zero()
    return adjoint(tree, q, j, k, adjoint(tree, q, k, i, B).ad(tree.bodies[k].S))  # (1)


def adjoint_second_derivative(tree: Tree, q: Any, j: int, i: int, B: Twist, k: int, l: int) -> Twist:
    """d2/dq_k dq_l Ad_ji B."""
    a, b = min(k, l), max(k, l)
    if not {a, b} <= set(_between(tree, j, i)):
        return Twist.zero()
    inner = adjoint(tree, q, a, i, B).ad(tree.bodies[a].S)
    return adjoint(tree, q, j, b, adjoint(tree, q, b, a, inner).ad(tree.bodies[b].S))  # (2)


def _between(tree: Tree, j: int, i: int) -> list[int]:
    """The joints from i, itself not one of them, out to j."""
    path = tree.path(j)
    if i >= 0 and i not in path:
        raise ValueError(f"link {j} is not beyond link {i}")
    return [k for k in reversed(path) if k > i]
