"""A robot's tree with symbols in the place of its poses, screws and inertias, for the recursions to run on.

Link i has the label i + 1 and the base 0. A joint of several degrees of freedom is one symbol of each kind: its columns
S_i, its coordinates, velocities and forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chasles.equations.recursion_formulas import between
from chasles.equations.recursion_symbols import InertiaSymbol, PoseSymbol, ScalarSymbol, TwistSymbol
from chasles.formula.tree import Symbol
from chasles.lie import Vec3
from chasles.model.coupling import Coupling
from chasles.model.joint import ScrewJoint
from chasles.model.leaves import is_zero
from chasles.model.mechanism import Mechanism
from chasles.model.tree import Body, Tree

GENERIC = 2  # the number of link i of a generic tree


class JointSymbol:
    """A joint of several degrees of freedom: its motion and its columns are names."""

    nq = nv = 1

    def __init__(self, label: str, S: TwistSymbol) -> None:
        self.columns, self.label = (S,), label

    def motion(self, q: Any) -> PoseSymbol:
        return PoseSymbol.named(indexed("E", self.label))


@dataclass(frozen=True)
class SymbolTree:
    """The tree, the labels of its links, and how many columns their joints have.

    own: the links whose joints follow no other; `coupling` gives the coordinates of all joints from theirs. tool: the
    link that carries it, or -1.
    """

    tree: Tree
    labels: tuple[str, ...]
    coupling: Coupling
    own: tuple[int, ...]
    columns: tuple[int, ...]
    tool: int

    def parent(self, i: int) -> str:
        p = self.tree.bodies[i].parent
        return self.labels[p] if p >= 0 else "0"

    def symbol(self, letter: str, i: int, dots: int = 0) -> Symbol:
        """x_i of the joint of link i, bold where it is several numbers."""
        return indexed(letter, self.labels[i], dots, bold=self.columns[i] > 1)

    def velocity(self, i: int, order: int = 1) -> Symbol:
        """The velocity of joint i, or its acceleration: qd_i, or v_i where that is not the rate of coordinates."""
        return self.symbol("q", i, order) if self.columns[i] == 1 else self.symbol("v", i, order - 1)


def indexed(letter: str, label: str, dots: int = 0, *, bold: bool = False) -> Symbol:
    """x_i, dotted: its name is "x", a d for each dot, "_" and the label."""
    return Symbol(f"{letter}{'d' * dots}_{label}", letter, label, dots, bold)


def symbol_tree(m: Mechanism) -> SymbolTree:
    """The tree of a mechanism."""
    bodies = m.tree.bodies
    labels = tuple(str(i + 1) for i in range(len(bodies)))
    above = [labels[b.parent] if b.parent >= 0 else "0" for b in bodies]
    made = tuple(_body(b, labels[i], above[i], i) for i, b in enumerate(bodies))
    own = tuple(i for i, mimic in enumerate(m.mimics) if mimic is None)
    place = {i: k for k, i in enumerate(own)}
    follows = [(i, 1.0, 0.0) if mimic is None else mimic for i, mimic in enumerate(m.mimics)]
    q = tuple((place[j], factor, offset) for j, factor, offset in follows)
    coupling = Coupling(len(own), len(own), q, tuple(x[:2] for x in q))
    return SymbolTree(
        Tree(made, m.tree.gravity),
        labels,
        coupling,
        own,
        tuple(b.joint.nv for b in bodies),
        m.tool.body if m.tool else -1,
    )


def generic_tree(armature: bool) -> SymbolTree:
    """Link i, the third, its parent k, a link l below that, and a child j of i."""
    labels, above = ("l", "k", "i", "j"), ("0", "l", "k", "i")
    joint = ScrewJoint(None)  # type: ignore[arg-type]  # only its kind is looked at
    rotors = (1.0,) if armature else ()
    plain = [Body(k - 1, None, joint, None, k, k, rotors) for k in range(4)]  # type: ignore[arg-type]
    made = tuple(_body(b, labels[k], above[k], k) for k, b in enumerate(plain))
    rows = tuple((k, 1.0, 0.0) for k in range(4))
    coupling = Coupling(4, 4, rows, tuple(x[:2] for x in rows))
    return SymbolTree(Tree(made, Vec3(0.0, 0.0, -9.81)), labels, coupling, (0, 1, 2, 3), (1, 1, 1, 1), GENERIC)


def _body(body: Body, label: str, above: str, i: int) -> Body:
    S = TwistSymbol("columns", indexed("S", label))
    is_screw = isinstance(body.joint, ScrewJoint)
    joint: Any = ScrewJoint(S, body.offset) if is_screw else JointSymbol(label, S)  # type: ignore[arg-type]
    M: Any = PoseSymbol.named(between(above, label, "H"))
    G: Any = InertiaSymbol("symbol", indexed("G", label))
    rotor: Any = ScalarSymbol("symbol", indexed("a", label))
    return Body(body.parent, M, joint, G, i, i, () if is_zero(*body.armature) else (rotor,))
