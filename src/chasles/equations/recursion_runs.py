"""Runs of the recursions on symbols: what each function that computes gives, and under which name it is printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from chasles.dynamics.composite_body import mass_matrix
from chasles.dynamics.newton_euler import tool_wrench_on_body
from chasles.equations.recursion_formulas import between
from chasles.equations.recursion_symbols import PoseSymbol, ScalarSymbol, TwistSymbol, Value, WrenchSymbol
from chasles.equations.recursion_tree import SymbolTree, indexed
from chasles.formula.tree import Symbol
from chasles.formulations.spatial_newton_euler import articulated_bodies, newton_euler

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

    base: quantities of the base. follows: coordinates, velocities and accelerations of the joints that follow others.
    totals: of the joints that others follow, themselves and with these; told: what they are sums of.
    """

    T: list[Any]
    passes: list[Pass]
    base: list[Row] = field(default_factory=list)
    follows: list[list[list[Row]]] = field(default_factory=list)
    totals: list[Row] = field(default_factory=list)
    told: str = ""


@dataclass(frozen=True)
class _Joints:
    """Coordinates, velocities, accelerations or forces of all joints, and the rows that say which follow others."""

    values: list[Any]
    rows: list[list[Row]]


def _joints(tree: SymbolTree, symbol: Callable[[int], Symbol], of: Callable[[Any], list[Any]]) -> _Joints:
    values = of([ScalarSymbol("symbol", symbol(i)) for i in tree.own])
    follows = [value.operation != "symbol" for value in values]
    return _Joints(values, [[(symbol(i), value)] if follows[i] else [] for i, value in enumerate(values)])


def _coordinates(tree: SymbolTree) -> _Joints:
    return _joints(tree, lambda i: tree.symbol("q", i), tree.coupling.coordinates)


def _velocities(tree: SymbolTree, order: int = 1) -> _Joints:
    return _joints(tree, lambda i: tree.velocity(i, order), tree.coupling.velocities)


def _forces(tree: SymbolTree, tau: list[Any]) -> tuple[list[list[Row]], list[Row]]:
    """Rows of joint forces, and where joints follow others those of the robot's own."""
    if tree.coupling.is_trivial:
        return [[(tree.symbol("tau", i), x)] for i, x in enumerate(tau)], []
    own = tree.coupling.forces(tau)
    rows = [[(tree.symbol("f", i), x)] for i, x in enumerate(tau)]
    return rows, [(tree.symbol("tau", i), x) for i, x in zip(tree.own, own, strict=True)]


def tool_pose(tree: SymbolTree) -> PoseSymbol:
    return PoseSymbol.named(between(tree.labels[tree.tool], "t"))


def _wrenches(tree: SymbolTree, given: frozenset[str]) -> dict[int, Any]:
    """W_i on link i, and what the tool's wrench on its surroundings does to the link that carries it."""
    total: dict[int, Any] = {}
    if "link_wrenches" in given:
        total = {i: WrenchSymbol("symbol", indexed("W", label)) for i, label in enumerate(tree.labels)}
    if "tool_wrench" in given and tree.tool >= 0:
        exerted: Any = WrenchSymbol("symbol", indexed("F", "t"))
        on_link = tool_wrench_on_body(tool_pose(tree), exerted)  # type: ignore[arg-type]
        total[tree.tool] = total[tree.tool] + on_link if tree.tool in total else on_link
    return total


def _inverse_dynamics(tree: SymbolTree, given: frozenset[str]) -> Run:
    q, v, a = _coordinates(tree), _velocities(tree), _velocities(tree, 2)
    moving = TwistSymbol("symbol", indexed("V", "b", 1)) if "base_acceleration" in given else None
    base: Any = (TwistSymbol("symbol", V_0), moving)
    found = newton_euler(tree.tree, q.values, v.values, a.values, _wrenches(tree, given), base)
    tau, totals = _forces(tree, found.tau)
    out, back = [], []
    for i, label in enumerate(tree.labels):
        out.append([(indexed("V", label), found.V[i]), (indexed("V", label, 1), found.A[i])])
        back.append([(indexed("F", label), found.F[i]), *tau[i]])
    passes = [Pass("base to tips", out), Pass("tips to base", back, inward=True)]
    return Run(
        found.T,
        passes,
        [(A_0, TwistSymbol.of(found.A_0))],
        [q.rows, v.rows, a.rows],
        totals,
        "`f`: the force of each joint by itself.",
    )


def _forward_dynamics(tree: SymbolTree, given: frozenset[str]) -> Run:
    q, v, tau = _coordinates(tree), _velocities(tree), _joints(tree, lambda i: tree.symbol("tau", i), list)
    base: Any = TwistSymbol("symbol", V_0)
    found = articulated_bodies(tree.tree, q.values, v.values, tau.values, _wrenches(tree, given), base)
    factors, solved = found.factors, found.found
    out, back, last = [], [], []
    for i, label in enumerate(tree.labels):
        out.append([(indexed("V", label), found.V[i]), (indexed("zeta", label), found.zeta[i])])
        inertias = [("B", factors.B), ("K", factors.K), ("D", factors.d), ("N", factors.left)]
        if tree.tree.bodies[i].parent < 0:
            inertias.pop()  # what the joint of a first link leaves, nobody feels
        rows: list[Row] = [(indexed(letter, label), values[i]) for letter, values in inertias]
        back.append([*rows, (indexed("b", label), solved.b[i]), (tree.symbol("r", i), solved.r[i])])
        last.append([(tree.velocity(i, 2), solved.qdd[i]), (indexed("V", label, 1), solved.A[i])])
    passes = [Pass("base to tips", out), Pass("tips to base", back, inward=True), Pass("base to tips again", last)]
    return Run(found.T, passes, [(A_0, TwistSymbol.of(found.A_0))])


def _mass_matrix(tree: SymbolTree, given: frozenset[str]) -> Run:
    q = _coordinates(tree)
    motions = tree.tree.motions(q.values)
    M = mass_matrix(tree.tree, q.values)
    bodies = tree.tree.accumulate(motions, [body.G for body in tree.tree.bodies])
    trivial = tree.coupling.is_trivial
    back, entries = [], []
    for i, label in enumerate(tree.labels):
        back.append([(indexed("B", label), bodies[i])])
        letter = "M" if trivial else "L"
        entries.append([(between(label, tree.labels[j], letter), M[i][j]) for j in tree.tree.path(i)])
    totals: list[Row] = []
    for a, row in zip(tree.own, [] if trivial else tree.coupling.matrix(M), strict=not trivial):
        for b, x in zip(tree.own, row, strict=True):
            if b <= a and isinstance(x, Value):
                totals.append((between(tree.labels[a], tree.labels[b], "M"), x))
    passes = [
        Pass("base to tips", [[] for _ in motions]),
        Pass("tips to base", back, inward=True),
        Pass("entries", entries),
    ]
    return Run(
        [motion.T for motion in motions], passes, [], [q.rows], totals, "`L`: the entries of each joint by itself."
    )


@dataclass(frozen=True)
class Function:
    """A function that is one, the inputs that it may have, and what is said of it."""

    run: Callable[[SymbolTree, frozenset[str]], Run]
    inputs: tuple[str, ...]
    title: str
    about: str


V_0, A_0 = indexed("V", "0"), indexed("V", "0", 1)
WRENCHES = ("tool_wrench", "link_wrenches")
LINKS = (
    "Link `i` has parent `k` and children `j`; what it has is in its own frame. `T_ki`: its pose in `k`, `H_ki` that "
    "at `q_i` = 0; `S`: its screw; `G`: its inertia, of mass `{m}`, centre of mass `{c}`, and `{I}` about that."
)
TWISTS = "`V`: its twist, whose rate has gravity in it, as an acceleration of the base."
ARMATURE = "`{a}`: the armature, the inertia of its motor at the joint."
RECURSIONS = {
    "inverse_dynamics": Function(
        _inverse_dynamics,
        (*WRENCHES, "base_velocity", "base_acceleration"),
        "inverse dynamics: the recursion of Newton and Euler",
        f"{LINKS} {TWISTS} `F`: the wrench (moment, force) that its joint passes on to it; `tau`: the force of its "
        "joint.",
    ),
    "forward_dynamics": Function(
        _forward_dynamics,
        WRENCHES,
        "forward dynamics: the recursion of articulated bodies",
        f"{LINKS} {TWISTS} `zeta`: what velocities add to that rate; `B`: the inertia of the link with all that hangs "
        "on it, joints free, and `N` what is left of it where its own joint is free too; `b`: the wrench that these "
        "take at no acceleration; `K`: the wrench, and `D` the force of its joint, that a unit acceleration of the "
        "joint takes; `r`: what of the force `tau` of its joint is left to accelerate.",
    ),
    "mass_matrix": Function(
        _mass_matrix,
        (),
        "mass matrix: the recursion of composite bodies",
        f"{LINKS} `B`: the inertia of the link with all that it carries. `M_il` = `M_li` for `l` = `k` and every link "
        "from there to the base; other entries are 0.",
    ),
}
