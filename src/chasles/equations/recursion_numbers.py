"""The numbers of a robot beside its recursion: screws, home poses, masses, centres of mass, inertias, as formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from chasles.equations.recursion_formulas import MINUS_ONE, E, between
from chasles.equations.recursion_tree import indexed
from chasles.errors import ModelError
from chasles.formula.names import named
from chasles.formula.statement import Statement
from chasles.formula.tree import ZERO, Bracket, Equation, Formula, Matrix, Number, Power, Product, Sum, Symbol
from chasles.formula.words import Words, words
from chasles.graph.symbol import program
from chasles.lie import SE3
from chasles.model.joint import Free, Planar, Spherical
from chasles.model.leaves import is_number, is_zero
from chasles.model.mechanism import Mechanism
from chasles.model.poses import pose
from chasles.model.screws import joint_kind
from chasles.simplification import simplified

NEGLIGIBLE = 1e-12  # of the largest number of a matrix: what rounding leaves where zero is meant
UNIT = Symbol("one", "1", bold=True)
OWN = (("m", "c", "I", "a"), ("mu", "rho", "Theta", "alpha"))  # letters of mass, its centre, inertia, armature
GIVEN = ("q", "v", "tau", "G", "W", "E")  # letters of what no equation of a link gives
SCREWS = {"R": "revolute", "P": "prismatic", "H": "helical"}
MOTIONS = {
    Planar: "`E` is the translation (`q1`, `q2`, 0) and the rotation by `q3` about `z`, `v` = (`v_x`, `v_y`, `w_z`)",
    Spherical: "`E` is the rotation of the quaternion `q` = (`x`, `y`, `z`, `w`), `v` the angular velocity",
    Free: "`E` is the translation (`q1`, `q2`, `q3`) and the rotation of the quaternion (`q4`, ..., `q7`), `v` = "
    "(angular, linear)",
}


class Numbers:
    """The numbers of a mechanism; expressions of its symbols as formulas of these."""

    def __init__(self, m: Mechanism) -> None:
        self.m = m
        self.labels = [str(i + 1) for i in range(m.bodies)]
        self._expressions, self._own = _simplified(m) if m.symbols else ({}, dict[tuple[str, str], str]())
        own = {(letter, label) for letter in OWN[0] for label in self.labels}
        taken = {x for x in own & self._own.keys() if not self._is_that(*x)}
        self.letters = OWN[1] if taken else OWN[0]

    def _is_that(self, letter: str, label: str) -> bool:
        """Whether the mass of link 1 is the robot's symbol m1: then both are m_1."""
        found = self.leaf(self.m.links[int(label) - 1].mass)
        return letter == "m" and isinstance(found, Symbol) and (found.letter, found.index) == (letter, label)

    def refuse_ambiguous(self, statements: Iterable[Statement]) -> None:
        """Raise ModelError where a symbol of the robot is read as a quantity of the recursion."""
        quantities = {(letter, label) for letter in GIVEN for label in self.labels} | {_read(E)}
        for x in statements:
            quantities |= {_read(y.left) for y in (*x.equations, *x.where) if isinstance(y.left, Symbol)}
        for letter, index in sorted(quantities & self._own.keys()):
            raise ModelError(
                f"recursion: the symbol {self._own[letter, index]!r} of robot {self.m.name!r} is read as a quantity of "
                f"the recursion, {letter}_{index}: give it another name"
            )

    def leaf(self, x: Any, scale: float = 0.0) -> Formula:
        """A number, 0 where it is negligible beside `scale`; or the formula of an expression of symbols."""
        if not is_number(x):
            return self._expressions[id(x)] if id(x) in self._expressions else _formulas([x])[0][0]
        if abs(x) <= NEGLIGIBLE * scale:
            return ZERO
        return Number(Fraction(int(x))) if float(x).is_integer() and abs(x) < 1e6 else Number(float(x))

    def matrix(self, rows: Any) -> Matrix:
        known = [abs(float(x)) for row in rows for x in row if is_number(x)]
        scale = max(known, default=0.0)
        return Matrix(tuple(tuple(self.leaf(x, scale) for x in row) for row in rows))

    def heading(self, i: int) -> str:
        """link 2, forearm: on link 1, shoulder, by elbow (revolute)."""
        m = self.m
        p = m.parents[i]
        kind = m.kinds[i] if m.kinds[i] != "screw" else SCREWS[joint_kind(m.screws[i])]
        below = f"link {self.labels[p]}, {m.link_names[p]}," if p >= 0 else f"the base, {m.base_name},"
        return f"link {self.labels[i]}, {m.link_names[i]}: on {below} by {m.joint_names[i]} ({kind})"

    def about(self, i: int) -> Words:
        """What the coordinates and velocities of a joint of several degrees of freedom are."""
        return words(MOTIONS.get(type(self.m.tree.bodies[i].joint), ""))

    def where(self, i: int) -> tuple[Equation, ...]:
        """S_i, H_pi, mass m_i, centre of mass c_i, inertia I_i about it, armature a_i: in the frame of link i."""
        body, link, label = self.m.tree.bodies[i], self.m.links[i], self.labels[i]
        above = self.labels[body.parent] if body.parent >= 0 else "0"
        columns = [[*S.w, *S.v] for S in body.columns]
        mass, com, inertia, armature = (indexed(letter, label) for letter in self.letters)
        found = [
            Equation(indexed("S", label), self.matrix(list(zip(*columns, strict=True)))),
            Equation(between(above, label, "H"), self.pose(body.M)),
            Equation(mass, self.leaf(link.mass)),
            Equation(com, self.matrix([[x] for x in link.com])),
            Equation(inertia, self.matrix(link.inertia)),
        ]
        if not is_zero(*body.armature):
            found.append(Equation(armature, self.rotors(body.armature)))
        return tuple(x for x in found if not _is_named_so(x))

    def pose(self, T: SE3) -> Matrix:
        return self.matrix([*([*row, x] for row, x in zip(T.R.matrix, T.p, strict=True)), [0.0, 0.0, 0.0, 1.0]])

    def tool(self) -> Equation:
        """The pose of the tool on its link."""
        hand = self.m.frame(None)
        label = self.labels[hand.body] if hand.body >= 0 else "0"
        return Equation(between(label, "t"), self.pose(pose(hand.pose)))

    def rotors(self, armature: tuple[Any, ...]) -> Formula:
        if len(armature) == 1:
            return self.leaf(armature[0])
        size = range(len(armature))
        return self.matrix([[armature[a] if a == b else 0.0 for b in size] for a in size])

    def inertia_equation(self, label: str) -> Equation:
        """G_i of m_i, c_i and I_i. [SE3-8]"""
        mass, c, inertia, _ = (indexed(letter, label) for letter in self.letters)
        arm = Bracket(c)
        moment = Sum((inertia, Product((MINUS_ONE, mass, Power(arm, Number(Fraction(2)))))))
        rows = ((moment, Product((mass, arm))), (Product((MINUS_ONE, mass, arm)), Product((mass, UNIT))))
        return Equation(indexed("G", label), Matrix(rows))


def _is_named_so(equation: Equation) -> bool:
    """Whether it says m_1 = m_1, where the robot has a symbol m1."""
    left, right = equation.left, equation.right
    return isinstance(left, Symbol) and isinstance(right, Symbol) and _read(left) == _read(right)


def _read(x: Symbol) -> tuple[str, str]:
    return x.letter, x.index


def _simplified(m: Mechanism) -> tuple[dict[int, Formula], dict[tuple[str, str], str]]:
    """Formulas of the expressions of symbols in a tree, by the ids of their nodes; how the symbols are read."""
    found: dict[int, Any] = {}
    for body, link in zip(m.tree.bodies, m.links, strict=True):
        S = [x for column in body.columns for x in (*column.w, *column.v)]
        M = [*(x for row in body.M.R.matrix for x in row), *body.M.p]
        given = [*S, *M, link.mass, *link.com, *link.inertia.reshape(-1), *body.armature, *m.tree.gravity]
        given += [*m.tool.pose.reshape(-1)] if m.tool else []
        found |= {id(x): x for x in given if not is_number(x)}
    results, symbols = _formulas(list(found.values()))
    return dict(zip(found, results, strict=True)), {_read(x): x.name for x in symbols}


def _formulas(expressions: list[Any]) -> tuple[Sequence[Formula], list[Symbol]]:
    """Those of expressions of symbols, and the symbols."""
    made = program(expressions)
    symbols = [[named(x.name, place) for place in product(*map(range, x.shape))] for x in made.inputs]
    results = simplified(made, symbols, names=False, limit=10**6).results[0]
    return results, [x for row in symbols for x in row]
