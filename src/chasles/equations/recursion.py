"""The recursions of a robot's dynamics at the level of the Lie group, as equations: link by link, with its numbers.

    T_12 = M_12 exp([S_2] q_2),   V_2 = Ad_{T_21} V_1 + S_2 qd_2,   ...           (1)

They are not written here: symbols of poses, twists, wrenches and inertias (recursion_symbols.py) run through the same
functions that compute with numbers, and what comes out is printed, each quantity that a function returns under its
name. Inverse and forward dynamics are those of formulations/spatial_newton_euler.py, the mass matrix that of
dynamics/composite_body.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from chasles.arguments import count, instance, one_of
from chasles.dynamics.composite_body import mass_matrix
from chasles.equations.recursion_formulas import Names, between
from chasles.equations.recursion_numbers import Numbers, inertia_equation
from chasles.equations.recursion_symbols import PoseSymbol, ScalarSymbol, TwistSymbol, Value
from chasles.equations.recursion_tree import SymbolTree, generic_tree, indexed, symbol_tree
from chasles.errors import ModelError
from chasles.formula.statement import Statement
from chasles.formula.tree import Equation, Formula, Product, Sum, Symbol
from chasles.formulations.spatial_newton_euler import articulated_bodies, newton_euler
from chasles.robot.robot import Robot

Row = tuple[Symbol, Value]


@dataclass
class Pass:
    """A way through the links, and for each of them the quantities that are found there."""

    title: str
    rows: list[list[Row]]
    inward: bool = False


@dataclass
class Run:
    """What a recursion gave: the poses of the links in their parents, and the quantities found on each way.

    base: quantities of the base. totals: of joints that others follow.
    """

    T: list[PoseSymbol]
    passes: list[Pass]
    base: list[Row] = field(default_factory=list)
    totals: list[Row] = field(default_factory=list)


def recursion(robot: Robot, name: str = "inverse_dynamics", *, digits: int = 4) -> tuple[Statement, ...]:
    """The recursion of a function of a robot, as statements: in general, then for each of its links, and back.

    name: "inverse_dynamics", "forward_dynamics" or "mass_matrix". digits: of numbers. Link i has its own frame, in
    which are its twist V_i, wrench F_i, inertia G_i and screw S_i; T_12 is the pose of link 2 in link 1, 0 the base.
    """
    m = instance(robot, "robot", Robot).mechanism
    function = one_of(name, "name", tuple(RECURSIONS))
    if m.has_friction:
        raise ModelError(f"recursion: robot {m.name!r} counts friction, and the recursions have none")
    links, numbers = symbol_tree(m), Numbers(m, count(digits, "digits"))
    run = RECURSIONS[function](links)
    names = _named(run, links, numbers.leaf)
    return (_in_general(function, links), *_statements(run, names, numbers))


def _named(run: Run, links: SymbolTree, number: Callable[[Any], Formula]) -> Names:
    names = Names(number)
    for i, T in enumerate(run.T):
        names.give_pose(T, links.parent(i), links.labels[i])
    for symbol, value in [*run.base, *(row for way in run.passes for rows in way.rows for row in rows)]:
        names.give(value, symbol)
    return names


def _statements(run: Run, names: Names, numbers: Numbers) -> list[Statement]:
    found: list[Statement] = []
    if run.base:
        found.append(Statement("the base", tuple(names.equation(*row) for row in run.base), about=GRAVITY))
    out, *others = run.passes
    for i, rows in enumerate(out.rows):
        equations = (names.pose_equation(run.T[i]), *(names.equation(*row) for row in rows))
        found.append(Statement(numbers.heading(i), equations, numbers.where(i), numbers.about(i)))
    for way in others:
        order = reversed(way.rows) if way.inward else way.rows
        found.append(Statement(way.title, tuple(names.equation(*row) for rows in order for row in rows)))
    if run.totals:
        found.append(Statement("joints that others follow", tuple(names.equation(*row) for row in run.totals)))
    if names.composed:
        composed = tuple(Equation(between(*ends), x) for ends, x in names.composed.items())
        found[-1] = replace(found[-1], where=composed)
    return found


def _in_general(function: str, links: SymbolTree) -> Statement:
    """The recursion for a link i with parent p and children c."""
    generic = generic_tree(armature=any(body.armature for body in links.tree.bodies))
    run = RECURSIONS[function](generic)
    names = _named(run, generic, lambda x: indexed("x", "0"))
    equations = [names.pose_equation(run.T[1])]
    equations += [names.equation(*row) for way in run.passes for row in way.rows[1]]
    return Statement(TITLES[function], tuple(map(_over_children, equations)), (inertia_equation("i"),), ABOUT)


def _over_children(equation: Equation) -> Equation:
    """The equation with a sum over c of what is of a child c."""
    terms = equation.right.terms if isinstance(equation.right, Sum) else (equation.right,)
    summed = tuple(Product((indexed("Sigma", "c"), x)) if _is_of_child(x) else x for x in terms)
    return Equation(equation.left, Sum(summed) if len(summed) > 1 else summed[0])


def _is_of_child(x: Formula) -> bool:
    if isinstance(x, Symbol):
        return "c" in x.index
    parts = [y for part in vars(x).values() for y in (part if isinstance(part, tuple) else (part,))]
    return any(_is_of_child(y) for y in parts if isinstance(y, Formula))


@dataclass(frozen=True)
class _Joints:
    """Coordinates, velocities, accelerations or forces of all joints, and the rows that say which follow others."""

    values: list[Any]
    rows: list[list[Row]]


def _joints(links: SymbolTree, symbol: Callable[[int], Symbol], of: Callable[[Any], list[Any]]) -> _Joints:
    values = of([ScalarSymbol("symbol", symbol(i)) for i in links.own])
    follows = [value.operation != "symbol" for value in values]
    return _Joints(values, [[(symbol(i), value)] if follows[i] else [] for i, value in enumerate(values)])


def _coordinates(links: SymbolTree) -> _Joints:
    return _joints(links, lambda i: links.symbol("q", i), links.coupling.coordinates)


def _velocities(links: SymbolTree, order: int = 1) -> _Joints:
    return _joints(links, lambda i: links.velocity(i, order), links.coupling.velocities)


def _forces(links: SymbolTree, tau: list[Any]) -> tuple[list[list[Row]], list[Row]]:
    """Rows of joint forces, and where joints follow others those of the robot's own."""
    if links.coupling.is_trivial:
        return [[(links.symbol("tau", i), x)] for i, x in enumerate(tau)], []
    own = links.coupling.forces(tau)
    rows = [[(links.symbol("f", i), x)] for i, x in enumerate(tau)]
    return rows, [(links.symbol("tau", i), x) for i, x in zip(links.own, own, strict=True)]


def _inverse_dynamics(links: SymbolTree) -> Run:
    q, v, a = _coordinates(links), _velocities(links), _velocities(links, 2)
    V_0 = TwistSymbol("symbol", indexed("V", "0"))
    found = newton_euler(links.tree, q.values, v.values, a.values, None, V_0)  # type: ignore[arg-type]
    tau, totals = _forces(links, found.tau)
    out, back = [], []
    for i, label in enumerate(links.labels):
        followed = [*q.rows[i], *v.rows[i], *a.rows[i]]
        out.append([*followed, (indexed("V", label), found.V[i]), (indexed("V", label, 1), found.A[i])])
        back.append([(indexed("F", label), found.F[i]), *tau[i]])
    base = [(indexed("V", "0", 1), TwistSymbol.of(found.A_0))]
    return Run(found.T, [Pass("base to tips", out), Pass("tips to base", back, inward=True)], base, totals)  # type: ignore[arg-type]


def _forward_dynamics(links: SymbolTree) -> Run:
    q, v, tau = _coordinates(links), _velocities(links), _joints(links, lambda i: links.symbol("tau", i), list)
    V_0 = TwistSymbol("symbol", indexed("V", "0"))
    found = articulated_bodies(links.tree, q.values, v.values, tau.values, None, V_0)  # type: ignore[arg-type]
    factors, solved = found.factors, found.found
    out, back, last = [], [], []
    for i, label in enumerate(links.labels):
        out.append([(indexed("V", label), found.V[i]), (indexed("zeta", label), found.zeta[i])])
        back.append(
            [
                (indexed("B", label), factors.B[i]),
                (indexed("K", label), factors.K[i]),
                (indexed("D", label), factors.d[i]),
                *([(indexed("N", label), factors.left[i])] if links.tree.bodies[i].parent >= 0 else []),
                (indexed("b", label), solved.b[i]),
                (links.symbol("r", i), solved.r[i]),
            ]
        )
        last.append([(links.velocity(i, 2), solved.qdd[i]), (indexed("V", label, 1), solved.A[i])])
    base = [(indexed("V", "0", 1), TwistSymbol.of(found.A_0))]
    passes = [Pass("base to tips", out), Pass("tips to base", back, inward=True), Pass("base to tips again", last)]
    return Run(found.T, passes, base)  # type: ignore[arg-type]


def _mass_matrix(links: SymbolTree) -> Run:
    q = _coordinates(links)
    tree, motions = links.tree, links.tree.motions(q.values)
    M = mass_matrix(tree, q.values)
    bodies = tree.accumulate(motions, [body.G for body in tree.bodies])
    back, entries = [], []
    for i, label in enumerate(links.labels):
        back.append([(indexed("B", label), bodies[i])])
        path = tree.path(i)
        entries.append([(between(label, links.labels[j], "m"), M[i][j]) for j in path])
    T = [motion.T for motion in motions]
    passes = [Pass("base to tips", q.rows), Pass("tips to base", back, inward=True), Pass("entries", entries)]
    return Run(T, passes)  # type: ignore[arg-type]


RECURSIONS: dict[str, Callable[[SymbolTree], Run]] = {
    "inverse_dynamics": _inverse_dynamics,
    "forward_dynamics": _forward_dynamics,
    "mass_matrix": _mass_matrix,
}
TITLES = {
    "inverse_dynamics": "inverse dynamics, the recursion of Newton and Euler",
    "forward_dynamics": "forward dynamics, the recursion of articulated bodies",
    "mass_matrix": "mass matrix, the recursion of composite bodies",
}
ABOUT = (
    "Link i with parent p and children c, in the frame of link i: twist V, wrench F = (moment, force) of its joint, "
    "screw S, inertia G with mass m, centre of mass c and inertia I about it. T_pi is the pose of link i in link p."
)
GRAVITY = "V_0 = 0, and gravity is an acceleration of the base."
