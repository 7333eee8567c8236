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
from chasles.model.joint import Joint, ScrewJoint
from chasles.model.leaves import is_zero
from chasles.model.mechanism import Mechanism
from chasles.model.tree import Body, Tree


class JointSymbol(Joint):
    """A joint of several degrees of freedom: its motion and its columns are names."""

    nq = 1

    def __init__(self, label: str, S: TwistSymbol) -> None:
        self.columns = (S,)  # type: ignore[assignment]  # symbols of twists
        self.label = label

    def motion(self, q: Any) -> Any:
        return PoseSymbol.named(indexed("E", self.label))

    def _none(self, *given: Any) -> Any:
        raise NotImplementedError

    neutral = random = normalize = rates = integrate = difference = _none


@dataclass(frozen=True)
class SymbolTree:
    """The tree, the labels of its links and of their parents, and q, qd, qdd, tau: one symbol a link's joint.

    `own` are the links whose joints follow no other: the symbols are theirs, and `coupling` gives those of all.
    """

    tree: Tree
    labels: tuple[str, ...]
    coupling: Coupling
    own: tuple[int, ...]
    columns: tuple[int, ...]

    def parent(self, i: int) -> str:
        p = self.tree.bodies[i].parent
        return self.labels[p] if p >= 0 else "0"

    def symbol(self, letter: str, i: int, dots: int = 0) -> Symbol:
        """x_i of the joint of link i, bold where it is several numbers."""
        return indexed(letter, self.labels[i], dots, bold=self.columns[i] > 1)

    def velocity(self, i: int, order: int = 1) -> Symbol:
        """The velocity of joint i, or its acceleration: qd_i, or v_i where that is not the rate of coordinates."""
        return self.symbol("q", i, order) if self.columns[i] == 1 else self.symbol("v", i, order - 1)

    def given(self, symbols: list[Symbol]) -> list[ScalarSymbol]:
        return [ScalarSymbol("symbol", symbols[i]) for i in self.own]


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
    return SymbolTree(Tree(made, m.tree.gravity), labels, coupling, own, tuple(b.joint.nv for b in bodies))


def generic_tree(armature: bool) -> SymbolTree:
    """Link i, its parent p on the base, and a child c of i."""
    labels, above = ("p", "i", "c"), ("0", "p", "i")
    joint = ScrewJoint(None)  # type: ignore[arg-type]  # only its kind is looked at
    rotors = (1.0,) if armature else ()
    plain = [Body(k - 1, None, joint, None, k, k, rotors) for k in range(3)]  # type: ignore[arg-type]
    made = tuple(_body(b, labels[k], above[k], k) for k, b in enumerate(plain))
    rows = tuple((k, 1.0, 0.0) for k in range(3))
    coupling = Coupling(3, 3, rows, tuple(x[:2] for x in rows))
    return SymbolTree(Tree(made, Vec3(0.0, 0.0, -9.81)), labels, coupling, (0, 1, 2), (1, 1, 1))


def _body(body: Body, label: str, above: str, i: int) -> Body:
    S = TwistSymbol("columns", indexed("S", label))
    is_screw = isinstance(body.joint, ScrewJoint)
    joint = ScrewJoint(S, body.offset) if is_screw else JointSymbol(label, S)  # type: ignore[arg-type]
    turning = not is_zero(*body.armature)
    rotors = (ScalarSymbol("symbol", indexed("a", label)),) if turning else ()
    M: Any = PoseSymbol.named(between(above, label, "M"))  # type: ignore[arg-type]
    G: Any = InertiaSymbol("symbol", indexed("G", label))
    return Body(body.parent, M, joint, G, i, i, rotors)  # type: ignore[arg-type]
