"""The tree of bodies that every algorithm walks.

Body i has parent p (-1: the base), home pose M_i relative to p, screw S_i and inertia G_i in its own frame:

    T_pi(q) = M_i exp(S_i (q_i + offset_i))                                       (1)  [POE-3]

Bodies are sorted so that a parent comes before its children. Components are leaves: floats for a constant robot, graph
nodes where a quantity is a run-time input.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from chasles.lie import SE3, SpatialInertia, Twist, Vec3, Wrench


class JointMotion:
    """T = M E, kept as its constant and its moving factor: acting with one after the other costs less."""

    __slots__ = ("E", "M")

    def __init__(self, M: SE3, E: SE3) -> None:
        self.M, self.E = M, E

    @property
    def T(self) -> SE3:
        return self.M @ self.E

    @property
    def p(self) -> Vec3:
        """The child's origin, in the parent."""
        return self.M @ self.E.p

    def rotate_inv(self, v: Vec3) -> Vec3:
        """R^T v."""
        return self.E.R.inv() @ (self.M.R.inv() @ v)

    def Ad_inv(self, V: Twist) -> Twist:
        return self.E.Ad_inv(self.M.Ad_inv(V))

    def Ad(self, V: Twist) -> Twist:
        return self.M.Ad(self.E.Ad(V))

    def Ad_inv_star(self, F: Wrench) -> Wrench:
        return self.M.Ad_inv_star(self.E.Ad_inv_star(F))

    def carry(self, G: Any) -> Any:
        """A rigid or articulated inertia of the child, seen from the parent."""
        return G.moved(self.E).moved(self.M)


@dataclass(frozen=True)
class Body:
    """One moving link and the joint that moves it."""

    parent: int
    M: SE3
    S: Twist
    G: SpatialInertia
    offset: float = 0.0

    def motion(self, q: Any) -> JointMotion:
        return JointMotion(self.M, self.S.exp(q + self.offset))  # (1)


@dataclass(frozen=True)
class Tree:
    """Bodies in topological order, in a field of gravity (the acceleration of free fall, in the space frame)."""

    bodies: tuple[Body, ...]
    gravity: Vec3

    @property
    def n(self) -> int:
        return len(self.bodies)

    def motions(self, q: Any) -> list[JointMotion]:
        return [body.motion(q[i]) for i, body in enumerate(self.bodies)]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        lists: list[list[int]] = [[] for _ in self.bodies]
        for i, body in enumerate(self.bodies):
            if body.parent >= 0:
                lists[body.parent].append(i)
        return tuple(map(tuple, lists))

    def path(self, i: int) -> list[int]:
        """Body i and its ancestors, tip to base."""
        chain = []
        while i >= 0:
            chain.append(i)
            i = self.bodies[i].parent
        return chain

    def accumulate(self, motions: list[JointMotion], inertias: list[Any]) -> list[Any]:
        """Composite inertias: each body's own and all that it carries, in its own frame."""
        total = list(inertias)
        for i in reversed(range(self.n)):
            p = self.bodies[i].parent
            if p >= 0:
                total[p] = total[p] + motions[i].carry(total[i])
        return total
