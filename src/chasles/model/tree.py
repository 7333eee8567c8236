"""The tree of bodies that every algorithm walks.

Body i has parent p (-1: the base), home pose M_i relative to p, and in its own frame the inertia G_i and a joint with
motion E_i and columns S_a (model/joint.py); one column, S_i, where the joint is a screw:

    T_pi(q) = M_i E_i(q_i),   E_i = exp(S_i (q_i + offset_i)) for a screw         (1)  [POE-3]

Bodies are sorted so that a parent comes before its children, and coordinates and velocities are those of the bodies in
that order. The algorithms say "joint i" as the sources do; where a joint has several columns, read "column a of i".
Components are leaves: floats for a constant robot, graph nodes where a quantity is a run-time input.
"""

from dataclasses import dataclass
from typing import Any

from chasles.errors import ModelError
from chasles.lazy import lazy
from chasles.lie import SE3, SpatialInertia, Twist, Vec3, Wrench
from chasles.model.joint import Joint, ScrewJoint
from chasles.reprs import record


class BodyMotion:
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

    def rotate(self, v: Vec3) -> Vec3:
        """R v."""
        return self.M.R @ (self.E.R @ v)

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


@record()
@dataclass(frozen=True, repr=False)
class Body:
    """One moving link and the joint that moves it; `q` and `v` are its first coordinate and velocity.

    armature: the inertia of the rotor behind each column, felt by that column alone.
    """

    parent: int
    M: SE3
    joint: Joint
    G: SpatialInertia
    q: int
    v: int
    armature: tuple[float, ...] = ()

    @property
    def columns(self) -> tuple[Twist, ...]:
        return self.joint.columns

    @property
    def S(self) -> Twist:
        """The screw of a joint of one degree of freedom."""
        if not isinstance(self.joint, ScrewJoint):
            raise ModelError(
                f"a {type(self.joint).__name__.lower()} joint is not a screw: this form is for screws only"
            )
        return self.joint.S

    @property
    def offset(self) -> float:
        """What is added to the coordinate of a screw joint."""
        return self.joint.offset if isinstance(self.joint, ScrewJoint) else 0.0

    def rotor(self, a: int) -> float:
        """The armature of column a."""
        return self.armature[a] if self.armature else 0.0

    def motion(self, q: Any) -> BodyMotion:
        return BodyMotion(self.M, self.joint.motion(q[self.q : self.q + self.joint.nq]))  # (1)

    def twist(self, v: Any) -> Twist:
        """The twist relative to the parent, the sum of S_a v_a."""
        first, *rest = self.columns
        total = first * v[self.v]
        for a, S in enumerate(rest, 1):
            total = total + S * v[self.v + a]
        return total


@record()
@dataclass(frozen=True, repr=False)
class Tree:
    """Bodies in topological order, in a field of gravity (the acceleration of free fall, in the space frame)."""

    bodies: tuple[Body, ...]
    gravity: Vec3

    @property
    def n(self) -> int:
        """The number of velocities."""
        return sum(body.joint.nv for body in self.bodies)

    @property
    def nq(self) -> int:
        """The number of coordinates."""
        return sum(body.joint.nq for body in self.bodies)

    def motions(self, q: Any) -> list[BodyMotion]:
        return [body.motion(q) for body in self.bodies]

    def pairings(self, F: list[Wrench]) -> list[Any]:
        """<F_i, S_a> for every column, in the order of velocities."""
        return [F[i].pair(S) for i, body in enumerate(self.bodies) for S in body.columns]

    @lazy
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

    def accumulate(self, motions: list[BodyMotion], inertias: list[Any]) -> list[Any]:
        """Composite inertias: each body's own and all that it carries, in its own frame."""
        total = list(inertias)
        for i in reversed(range(len(self.bodies))):
            p = self.bodies[i].parent
            if p >= 0:
                total[p] = total[p] + motions[i].carry(total[i])
        return total


def rotors(tree: Tree) -> list[Any]:
    """The armature of every velocity: what rotors behind the joints add to the diagonal of M."""
    return [body.rotor(a) for body in tree.bodies for a in range(body.joint.nv)]
