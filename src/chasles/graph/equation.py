"""Loops differentiated by the equation that their result solves: (3) of graph/loop_derivative.py, from what defines it.

    F(x, g) = 0,   F_x dx + F_g dg = 0
    dx = -F_x^-1 F_g dg                                                           (1)
    gbar = -F_g^T F_x^-1 xbar,   F_x symmetric                                    (2)

The loop says what F is and how F_x^-1 is applied. What it does to find x is never differentiated: of forward dynamics,
with F = inverse dynamics - tau, (2) is one impulse response and inverse dynamics in reverse, a third of the work of the
articulated bodies in reverse. What (1) and (2) compute is a call, so that equal ones are compiled once.
"""

from chasles.graph.chain_rule import PullLoop, PushLoop, Tangents, pull, push
from chasles.graph.loop_forward import Element, evaluate, fresh, operands
from chasles.graph.node import Expr, Graph
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program, flatten
from chasles.graph.run_loop import split
from chasles.scalar.leaf import Leaf


def push_loop(loop: Loop, args: list[Leaf], tangents: Tangents, nested: PushLoop) -> Tangents:
    """The tangents of the flat outputs, by (1). nested: the rule for loops of the equation."""
    given = split(tangents, loop.inputs)
    pairs = [(name, i, j) for name in loop.given for i, tangent in enumerate(given[name]) for j in tangent]
    outputs = sum(o.size for o in loop.outputs)
    if not pairs:
        return [{}] * outputs
    directions = list(dict.fromkeys(j for _, _, j in pairs))
    key = "forward", tuple(pairs)
    if key not in loop.derivatives:
        loop.derivatives[key] = _forward(loop, pairs, directions, nested)
    flat = loop.derivatives[key].run([*_leaves(loop, args), *(given[name][i][j] for name, i, j in pairs)])
    return [{j: flat[k * outputs + i] for k, j in enumerate(directions)} for i in range(outputs)]


def _forward(loop: Loop, pairs: list[tuple[str, int, int]], directions: list[int], nested: PushLoop) -> Loop:
    """The call of (1): of each direction the elements of dx."""
    assert loop.equation is not None
    extra = Operand(fresh("tangent", loop), (len(pairs),))
    inputs = (*loop.step.inputs, extra)
    nodes = operands(Graph(), inputs)
    seeds: dict[int, dict[int, Leaf]] = {}
    for p, (name, i, j) in enumerate(pairs):
        seeds.setdefault(nodes[name][i].id, {})[j] = nodes[extra.name][p]
    residual = evaluate(loop.equation.residual, nodes)
    moved = push([x for name in loop.carry for x in residual[name]], seeds, nested)
    columns = [_applied(loop, nodes, [-row.get(j, 0.0) for row in moved]) for j in directions]  # (1)
    flat = [x for column in columns for x in column]
    return _call(flatten(inputs, (Operand("derivative", (len(flat),)),), [flat]))


def pull_loop(
    loop: Loop, args: list[Leaf], adjoints: dict[int, Leaf], wanted: list[bool], nested: PullLoop
) -> list[Leaf]:
    """The adjoints of what is given and wanted, by (2). nested: the rule for loops of the equation."""
    asked = split(wanted, loop.inputs)
    elements = [(name, i) for name in loop.given for i, want in enumerate(asked[name]) if want]
    if not elements:
        return [0.0] * len(args)
    seeded = sorted(adjoints)
    key = "reverse", tuple(seeded), tuple(elements)
    if key not in loop.derivatives:
        loop.derivatives[key] = _reverse(loop, seeded, elements, nested)
    call, moving = loop.derivatives[key]
    found = dict(zip(moving, call.run([*_leaves(loop, args), *(adjoints[i] for i in seeded)]), strict=True))
    return [found.get((o.name, i), 0.0) for o in loop.inputs for i in range(o.size)]


def _reverse(loop: Loop, seeded: list[int], elements: list[Element], nested: PullLoop) -> tuple[Loop, list[Element]]:
    """The call of (2), and the elements of gbar that it gives: those that are not 0 by structure."""
    assert loop.equation is not None
    seed = Operand(fresh("seed", loop), (len(seeded),))
    inputs = (*loop.step.inputs, seed)
    nodes = operands(Graph(), inputs)
    place = {i: p for p, i in enumerate(seeded)}
    outputs = sum(o.size for o in loop.outputs)
    xbar = [nodes[seed.name][place[i]] if i in place else 0.0 for i in range(outputs)]
    multipliers = [-x for x in _applied(loop, nodes, xbar)]
    residual = evaluate(loop.equation.residual, nodes)
    results = [x for name in loop.carry for x in residual[name]]
    pulled = pull(results, multipliers, [nodes[name][i] for name, i in elements], nested)  # (2)
    found = {x: y for x, y in zip(elements, pulled, strict=True) if type(y) is Expr}
    return _call(flatten(inputs, (Operand("adjoint", (len(found),)),), [list(found.values())])), list(found)


def _call(program: Program) -> Loop:
    """A program as a loop of one iteration that carries nothing."""
    names = tuple(o.name for o in program.inputs)
    return Loop(program, (), 1, names, record=tuple(o.name for o in program.outputs))


def _applied(loop: Loop, nodes: dict[str, list[Leaf]], right: list[Leaf]) -> list[Leaf]:
    """F_x^-1 of a right side."""
    assert loop.equation is not None
    solved = evaluate(loop.equation.inverse, nodes | split(right, loop.outputs))
    return [x for name in loop.carry for x in solved[name]]


def _leaves(loop: Loop, args: list[Leaf]) -> list[Leaf]:
    """The inputs of the step at the solution."""
    rows = split(args, loop.inputs) | split(loop.run(args), loop.outputs)
    return [x for o in loop.step.inputs for x in rows[o.name]]
