"""The recursions of a robot's dynamics at the level of the Lie group, as equations: link by link, with its numbers.

    T_12 = H_12 exp([S_2] q_2),   V_2 = Ad_{T_21} V_1 + S_2 qd_2,   ...           (1)

They are not written here: symbols of poses, twists, wrenches and inertias (recursion_symbols.py) run through
functions that compute with numbers, and what comes out is printed, each quantity that a function returns under its
name. The mass matrix is that of dynamics/composite_body.py, and forward dynamics those of dynamics/articulated_body.py:
the code that robots run. Inverse dynamics are those of formulations/spatial_newton_euler.py, in the accelerations that
textbooks have: robots run dynamics/newton_euler.py, in others, and have the way back from the tips in common with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from chasles.arguments import instance, one_of, shown
from chasles.arguments import names as given_names
from chasles.equations.recursion_formulas import Names, between
from chasles.equations.recursion_numbers import Numbers
from chasles.equations.recursion_runs import ARMATURE, RECURSIONS, V_0, Function, Run, tool_pose
from chasles.equations.recursion_tree import GENERIC, SymbolTree, generic_tree, indexed, symbol_tree
from chasles.errors import FrameError, ModelError
from chasles.formula.statement import Statement
from chasles.formula.statements import Statements
from chasles.formula.tree import ZERO, Equation, Formula, Operator, Sum, Symbol
from chasles.formula.words import words
from chasles.hints import ATTRIBUTES, did_you_mean
from chasles.robot.robot import Robot

INPUTS = {
    "tool_wrench": "`F_t`: what the tool, on that link, exerts on its surroundings, in its frame `t`.",
    "link_wrenches": "`W`: the wrench that acts on it.",
    "base_velocity": "`V_0`: the twist of the base.",
    "base_acceleration": "`V_b`: the twist of the base, without gravity.",
}
GRAVITY = "Gravity is an acceleration of the base."
PARENT = between("i", "k", "M")  # one of M_il


def recursion(
    robot: Robot,
    name: str = "inverse_dynamics",
    *,
    inputs: str | Sequence[str] = (),
    links: Sequence[str] | None = None,
) -> Statements:
    """The recursion of a function of a robot, as statements: in general, then for each of its links, and back.

    name: "inverse_dynamics", "forward_dynamics" or "mass_matrix". inputs: those that are to be in it, "tool_wrench",
    "link_wrenches", and of inverse dynamics "base_velocity" and "base_acceleration". links: the names of those that
    are printed, all unless given. Link i has its own frame, in which are its twist V_i, wrench F_i,
    inertia G_i and screw S_i; T_12 is the pose of link 2 in link 1, 0 the base.
    """
    m = instance(robot, "recursion: robot", Robot).mechanism
    entry = RECURSIONS[_function(name)]
    given = frozenset(given_names([inputs] if isinstance(inputs, str) else inputs, "recursion: inputs"))
    for x in given:
        if not entry.inputs:
            raise ModelError(f"recursion: {name} has no further inputs, got {x!r}")
        one_of(x, f"recursion: inputs of {name}", entry.inputs)
    if m.has_friction:
        raise ModelError(
            f"recursion: robot {m.name!r} counts friction, and the recursions have none: ask the robot that it was "
            "before with_friction(); friction_forces of this one are added to its tau"
        )
    tree, numbers = symbol_tree(m), Numbers(m)
    if not tree.coupling.is_trivial and name == "forward_dynamics":
        raise ModelError(
            f"recursion: joints of robot {m.name!r} mimic others, which closes loops that the recursion of forward "
            'dynamics does not see: M qdd = tau - C qd - g is solved instead, with recursion(robot, "mass_matrix")'
        )
    if "tool_wrench" in given:
        m.frame(None)
    shown = (
        range(m.bodies) if links is None else sorted({_link(robot, x) for x in given_names(links, "recursion: links")})
    )
    if not shown:
        raise ModelError("recursion: links must be names of at least one link, or None for all")
    run = entry.run(tree, given)
    names = _named(run, tree, numbers.leaf)
    general = _in_general(entry, tree, given, numbers)
    found = (general, *_statements(run, names, numbers, shown, given))
    numbers.refuse_ambiguous(found)
    return Statements(found)


def _function(name: str) -> str:
    if isinstance(name, str) and name not in RECURSIONS:
        begun = [x for x in RECURSIONS if name and x.startswith(name)]
        hint = f"; did you mean {begun[0]!r}?" if len(begun) == 1 else did_you_mean(name, RECURSIONS, ATTRIBUTES)
        raise ModelError(f"recursion: name must be one of {', '.join(RECURSIONS)}, got {shown(name)}{hint}")
    return one_of(name, "recursion: name", tuple(RECURSIONS))


def _link(robot: Robot, name: str) -> int:
    links = robot.link_names
    if name == robot.mechanism.base_name:
        raise FrameError(f"recursion: {name!r} is the base of robot {robot.name!r}, which is in every recursion")
    if name not in links:
        hint = did_you_mean(name, links) or ";"
        raise FrameError(
            f"recursion: robot {robot.name!r} has no moving link {name!r}{hint} there are {', '.join(links)}"
        )
    return links.index(name)


def _named(run: Run, tree: SymbolTree, number: Callable[[Any], Formula]) -> Names:
    names = Names(number)
    for i, T in enumerate(run.T):
        names.give_pose(T, tree.parent(i), tree.labels[i])
    if tree.tool >= 0:
        names.give_pose(tool_pose(tree), tree.labels[tree.tool], "t")
    everywhere = [*run.follows, *(way.rows for way in run.passes)]
    for symbol, value in [*run.base, *(row for way in everywhere for rows in way for row in rows)]:
        names.give(value, symbol)
    return names


def _statements(
    run: Run, names: Names, numbers: Numbers, links: Sequence[int], given: frozenset[str]
) -> Iterator[Statement]:
    if run.base:
        rest = () if "base_velocity" in given else (Equation(V_0, ZERO),)
        tool = (numbers.tool(),) if "tool_wrench" in given else ()
        yield Statement("the base", (*rest, *(names.equation(*row) for row in run.base)), tool, GRAVITY)
    out, *others = run.passes
    for i in links:
        follows = [names.equation(*row) for rows in run.follows for row in rows[i]]
        equations = (*follows, names.pose_equation(run.T[i]), *(names.equation(*row) for row in out.rows[i]))
        yield Statement(numbers.heading(i), equations, numbers.where(i), numbers.about(i))
    for way in others:
        order = reversed(links) if way.inward else links
        equations = tuple(names.equation(*row) for i in order for row in way.rows[i])
        yield Statement(way.title, equations, tuple(Equation(between(*ends), x) for ends, x in names.new_poses()))
    if run.totals:
        equations = tuple(names.equation(*row) for row in run.totals)
        yield Statement("joints that others follow", equations, (), words(run.told))


def _in_general(entry: Function, tree: SymbolTree, given: frozenset[str], numbers: Numbers) -> Statement:
    """The recursion for a link i with parent k, children j, and l any link from k to the base."""
    has_armature = any(body.armature for body in tree.tree.bodies)
    generic = generic_tree(has_armature)
    run = entry.run(generic, given)
    names = _named(run, generic, lambda x: indexed("x", "0"))
    rows = [row for way in run.passes for row in way.rows[GENERIC] if row[0] != PARENT]
    equations = (names.pose_equation(run.T[GENERIC]), *(_over_children(names.equation(*row)) for row in rows))
    where = (numbers.inertia_equation("i"), *(Equation(between(*ends), x) for ends, x in names.new_poses()))
    told = " ".join([entry.about, *([ARMATURE] if has_armature else []), *(INPUTS[x] for x in sorted(given))])
    letters = dict(zip("mcIa", numbers.letters, strict=True))
    return Statement(entry.title, equations, where, words(told.format(**letters)))


def _over_children(equation: Equation) -> Equation:
    """The equation with a sum over j of what is of a child j."""
    right = equation.right
    terms = right.terms if isinstance(right, Sum) else (right,)
    summed = tuple(Operator("sum", Symbol("j", "j"), x) if _is_of_child(x) else x for x in terms)
    return Equation(equation.left, Sum(summed) if isinstance(right, Sum) else summed[0])


def _is_of_child(x: Formula) -> bool:
    if isinstance(x, Symbol):
        return "j" in x.index
    parts = [y for part in vars(x).values() for y in (part if isinstance(part, tuple) else (part,))]
    return any(_is_of_child(y) for y in parts if isinstance(y, Formula))
