"""Loops in reverse mode, by checkpointing: (2) of graph/loop_derivative.py.

    xbar_k = S_x^T xbar_{k+1},   gbar += S_g^T xbar_{k+1},   ebar_k = S_e^T xbar_{k+1}               (1)

needs the states x_k last to first. A loop of up to MOST_KEPT numbers is run once and keeps them all (record); (1) then
runs back over them (each). What solves an equation in S (a loop with the rule "fixed_point") is kept as well, for its
derivative needs the solution and not how it was found.

A longer loop of N iterations is first cut into K blocks of B, both about sqrt(N): a loop whose step is a loop. Then (1)
for the outer one keeps K states, the checkpoints; its step holds (1) for the inner one, which runs its block again and
keeps B states. So about 2 sqrt(N) states are kept at a time, for one more evaluation of S.

A row that stops early keeps nothing more: there (1) passes over, and S is evaluated where the row began, with the
first e, so that no flag is raised that the row has not raised. Where N is no K B, the last block stops at N.
"""

import math
from dataclasses import replace
from typing import Any

from chasles.graph.chain_rule import Pulled, PullLoop, pull
from chasles.graph.interpret import node_values
from chasles.graph.loop_forward import Element, evaluate, fresh, influences, operands, run
from chasles.graph.node import Expr, Graph, equal, less, where
from chasles.graph.program import Loop, Operand, Program, Ref, flatten, live, replaced
from chasles.graph.run_loop import split
from chasles.scalar.leaf import Leaf

MOST_KEPT = 2**16  # numbers of a row: a few MB for the rows of a vector
Named = dict[str, list[Leaf]]


def pull_loop(loop: Loop, args: list[Leaf], adjoints: dict[int, Leaf], wanted: list[bool], nested: PullLoop) -> Pulled:
    """The adjoints of the flat inputs that are wanted. nested: the rule for loops of the step."""
    assert loop.count is not None
    rows, asked = split(args, loop.inputs), split(wanted, loop.inputs)
    seeds = split([adjoints.get(i) for i in range(sum(o.size for o in loop.outputs))], loop.outputs)
    numbers = sum(o.size for o in loop.step.inputs if o.name in loop.carry) + len(_solutions(loop))
    if loop.count * numbers <= MOST_KEPT:
        found, kept = _pull(loop, rows, seeds, asked, nested)
    else:
        size, number = blocks(loop.count)
        longer = _longer(loop, size * number, rows, seeds, asked)
        found, kept = _pull(_outer(longer, size, number), rows, seeds, asked, _block_rule(nested))
        if longer is not loop:
            kept.pop(loop.until or "", None)
    outputs = [(o.name, i) for o in loop.outputs for i in range(o.size)]
    again = {k: kept[name][i] for k, (name, i) in enumerate(outputs) if name in kept}
    return Pulled([x for o in loop.inputs for x in found[o.name][: o.size]], again)


def blocks(count: int) -> tuple[int, int]:
    """The size and the number of blocks: near the square root, without remainder where a divisor is near."""
    root = math.isqrt(count)
    size = next((b for b in range(root, root // 2, -1) if count % b == 0), root)
    return size, -(-count // size)


def _block_rule(nested: PullLoop) -> PullLoop:
    """The rule for a block, of which all states are kept."""

    def rule(loop: Loop, args: list[Leaf], adjoints: dict[int, Leaf], wanted: list[bool]) -> Pulled:
        seeds = split([adjoints.get(i) for i in range(sum(o.size for o in loop.outputs))], loop.outputs)
        found, _ = _pull(loop, split(args, loop.inputs), seeds, split(wanted, loop.inputs), nested)
        return Pulled([x for o in loop.inputs for x in found[o.name]])

    return rule


def _longer(loop: Loop, count: int, rows: Named, seeds: Named, wanted: Named) -> Loop:
    """The loop with more iterations, none of them made: a counter stops it where it did. Fills up the others."""
    if count == loop.count:
        return loop
    graph, step = Graph(), loop.step
    counter, until = fresh("counter", loop), loop.until or fresh("until", loop)
    inputs = (*step.inputs, Operand(counter, ()))
    nodes = operands(graph, inputs)
    values = evaluate(step, nodes)
    after = nodes[counter][0] + 1.0
    stop = where(less(after, float(loop.count or 0)), 0.0, 1.0)
    if loop.until:
        (said,) = values[loop.until]
        stop = where(equal(said, 0.0), stop, said)
    values |= {counter: [after], until: [stop]}
    outputs = (*(o for o in step.outputs if o.name != until), Operand(counter, ()), Operand(until, ()))
    program = flatten(inputs, outputs, [values[o.name] for o in outputs])
    longer = replace(loop, step=program, carry=(*loop.carry, counter), count=count, until=until)
    rows[counter], wanted[counter], seeds[counter], seeds[until] = [0.0], [False], [None], [None]
    sizes = {o.name: o.size for o in step.inputs}
    for o in longer.inputs:
        missing = o.size - len(rows[o.name])
        last = rows[o.name][-sizes[o.name] :] if missing else []  # which the step is evaluated at without effect
        rows[o.name] = rows[o.name] + last * (missing // max(1, len(last)))
        wanted[o.name] = wanted[o.name] + [False] * missing
    for o in longer.outputs:
        seeds[o.name] = seeds[o.name] + [None] * (o.size - len(seeds[o.name]))
    return longer


def _outer(loop: Loop, size: int, number: int) -> Loop:
    """The same loop in blocks: its step is the loop of one block."""
    inner = replace(loop, count=size)
    nodes = operands(Graph(), inner.inputs)
    values = run(inner, nodes)
    step = flatten(inner.inputs, inner.outputs, [values[o.name] for o in inner.outputs])
    return replace(loop, step=step, count=number)


def _pull(loop: Loop, rows: Named, seeds: Named, wanted: Named, nested: PullLoop) -> tuple[Named, Named]:
    """The adjoints of the inputs, by name, keeping all states, and the outputs of the loop where they were computed to
    keep these; `nested` takes the loops of the step back."""
    size = {o.name: o.size for o in (*loop.step.inputs, *loop.step.outputs)}
    carry, given, each, record = _active(loop, seeds, wanted)
    parts = ("state", "solution", "live", "first", "adjoint", "total", "seed", "share")
    name = {part: fresh(part, loop) for part in parts}
    back, given, used, solved = _backward(loop, carry, given, each, record, name, nested)
    leaves = {x: rows[x] for x in loop.given} | {x: _reversed(rows[x], size[x]) for x in loop.each}
    kept: Named = {}
    if used or solved or loop.until:
        kept = run(_forward(loop, used, solved, name), rows)
        recorded = [name[part] for part in ("state", "solution", "live") if name[part] in kept]
        leaves |= {x: _reversed(kept[x], len(kept[x]) // (loop.count or 1)) for x in recorded}
    if loop.until:
        leaves[name["first"]] = [x for y in (*loop.carry, *loop.each) for x in rows[y][: size[y]]]
    leaves[name["adjoint"]] = [_or_zero(seeds[x][i]) for x, i in carry]
    leaves[name["total"]] = [0.0] * max(1, len(given))
    late = [_or_zero(seeds[x][k * size[x] + i]) for k in reversed(range(loop.count or 0)) for x, i in record]
    leaves[name["seed"]] = late
    found = run(back, leaves)
    result: Named = {o.name: [0.0] * o.size for o in loop.inputs}
    for p, (x, i) in enumerate(carry):
        result[x][i] = found[name["adjoint"]][p]
    for p, (x, i) in enumerate(given):
        result[x][i] = found[name["total"]][p]
    for p, (x, i) in enumerate(each):
        for k in range(loop.count or 0):
            result[x][k * size[x] + i] = found[name["share"]][((loop.count or 0) - 1 - k) * len(each) + p]
    return result, kept


def _or_zero(x: Leaf) -> Leaf:
    return 0.0 if x is None else x


def _reversed(flat: list[Leaf], size: int) -> list[Leaf]:
    """Rows of `size` elements, last to first."""
    return [x for start in reversed(range(0, len(flat), size)) for x in flat[start : start + size]]


def _active(loop: Loop, seeds: Named, wanted: Named) -> tuple[list[Element], ...]:
    """What has an adjoint: elements of carry, given and each that vary with what is wanted and that something seeded
    varies with, and the elements of records that are seeded."""
    size = {o.name: o.size for o in (*loop.step.inputs, *loop.step.outputs)}
    depends = influences(loop.step)

    def some(named: Named, names: tuple[str, ...]) -> set[Element]:
        return {
            (x, k % size[x])
            for x in names
            for k, there in enumerate(named[x])
            if there is not None and there is not False
        }

    record = some(seeds, loop.record)
    useful, varied = some(seeds, loop.carry), some(wanted, (*loop.carry, *loop.given, *loop.each))
    carried = {(x, i) for x in loop.carry for i in range(size[x])}
    while True:
        count = len(useful), len(varied)
        useful |= {x for y in (useful & carried) | record for x in depends[y]}
        varied |= {y for y in carried if depends[y] & varied}
        if count == (len(useful), len(varied)):
            break
    both = useful & varied
    return *(sorted((x, i) for x, i in both if x in names) for names in (loop.carry, loop.given, loop.each)), sorted(
        record
    )


def _solutions(loop: Loop) -> list[tuple[int, int]]:
    """The numbers that solve an equation in the step: the loop's node, and the place in its outputs."""
    if loop.until:  # where a row has stopped they are not known
        return []
    solving = [(k, loop.step.loops[args[0]]) for k, (op, args) in enumerate(loop.step.nodes) if op == "loop"]
    return [
        (k, i) for k, inner in solving if inner.rule == "fixed_point" for i in range(sum(o.size for o in inner.outputs))
    ]


def _forward(loop: Loop, used: list[int], solved: list[tuple[int, int]], name: dict[str, str]) -> Loop:
    """The loop that also records, of every iteration a row makes, the elements in use of what is carried and of what
    solves equations, and a 1."""
    step = loop.step
    nodes = operands(Graph(), step.inputs)
    every, values = _values(step, nodes)
    state = [x for y in loop.carry for x in nodes[y]]
    outputs = [o for o in step.outputs if o.name in (*loop.carry, *loop.record, loop.until)]
    records = []
    if solved:
        records.append(Operand(name["solution"], (len(solved),)))
        values[name["solution"]] = [every[k][i] for k, i in solved]
    if used:
        records.append(Operand(name["state"], (len(used),)))
        values[name["state"]] = [state[i] for i in used]
    if loop.until:
        records.append(Operand(name["live"], ()))
        values[name["live"]] = [1.0]
    outputs += records
    program = flatten(step.inputs, tuple(outputs), [values[o.name] for o in outputs])
    return replace(loop, step=program, record=(*loop.record, *(o.name for o in records)))


def _values(step: Program, nodes: Named) -> tuple[list[Any], Named]:
    """The values of all nodes of a step, and its results by name."""
    every = node_values(step, [nodes[o.name] for o in step.inputs])
    rows = zip(step.outputs, step.results, strict=True)
    return every, {o.name: [every[r.index] if type(r) is Ref else r for r in row] for o, row in rows}


def _backward(
    loop: Loop,
    carry: list[Element],
    given: list[Element],
    each: list[Element],
    record: list[Element],
    name: dict[str, str],
    nested: PullLoop,
) -> tuple[Loop, list[Element], list[int], list[tuple[int, int]]]:
    """The loop of (1), the elements of what is given that it has the adjoints of, which are not 0 by structure, and the
    elements it needs of what is carried, and of what solves equations."""
    shapes = {o.name: o for o in loop.step.inputs}
    states = sum(shapes[x].size for x in loop.carry)
    sizes = {"adjoint": len(carry), "seed": len(record), "share": len(each)}
    operand = {part: Operand(name[part], (count,)) for part, count in sizes.items() if count}
    steady = [shapes[x] for x in (*loop.given, *loop.each)]
    varying = [operand[part] for part in ("adjoint", "seed") if part in operand]
    going = [Operand(name["live"], ())] if loop.until else []
    slices = sum(shapes[x].size for x in loop.each)
    first = [Operand(name["first"], (states + slices,))] if loop.until else []
    inputs = (Operand(name["state"], (states,)), *going, *first, *steady, *varying)
    graph = Graph()
    nodes = operands(graph, inputs)
    flat = [*nodes[name["state"]], *(x for y in loop.each for x in nodes[y])]
    condition = None
    if loop.until:
        condition = less(0.5, nodes[name["live"]][0])
        flat = [where(condition, x, y) for x, y in zip(flat, nodes[name["first"]], strict=True)]
    each_of = iter(flat)
    at = nodes | {x: [next(each_of) for _ in range(shapes[x].size)] for x in (*loop.carry, *loop.each)}
    every, values = _values(loop.step, at)
    results = [values[x][i] for x, i in (*carry, *record)]
    seeds = [*nodes.get(name["adjoint"], []), *nodes.get(name["seed"], [])]
    pulled = pull(results, seeds, [at[x][i] for x, i in (*carry, *given, *each)], nested)
    before = [*nodes.get(name["adjoint"], []), *([0.0] * (len(given) + len(each)))]
    if condition is not None:
        pulled = [where(condition, x, y) for x, y in zip(pulled, before, strict=True)]
    added = dict(zip(given, pulled[len(carry) :], strict=False))
    given = [x for x in given if type(added[x]) is Expr or added[x] != 0.0]
    operand["total"] = Operand(name["total"], (max(1, len(given)),))
    total = [graph.input(len(inputs), p) + added[x] for p, x in enumerate(given)] or [0.0]
    found = {"adjoint": pulled[: len(carry)], "total": total, "share": pulled[len(carry) + len(added) :]}
    inputs = (*inputs, operand["total"])
    outputs = [operand[part] for part in ("adjoint", "total", "share") if part in operand]
    rows = [found[part] for part in found if part in operand]
    needed = {x.id for x in live(x for row in rows for x in row)}
    solved = [(k, i) for k, i in _solutions(loop) if type(every[k][i]) is Expr and every[k][i].id in needed]
    instead = {every[k][i].id: graph.input(len(inputs), p) for p, (k, i) in enumerate(solved)}
    inputs = (*inputs, *([Operand(name["solution"], (len(solved),))] if solved else []))
    step = flatten(inputs, tuple(outputs), [replaced(row, instead) for row in rows])
    step, used = _compact(step)
    parts = [*(["state"] if used else []), *(["solution"] if solved else []), *(["live"] if loop.until else [])]
    coming = [*(name[part] for part in parts), *loop.each]
    return (
        Loop(
            step,
            tuple(name[part] for part in ("adjoint", "total") if part in operand),
            loop.count,
            (*loop.given, *(o.name for o in first)),
            (*coming, *([name["seed"]] if record else [])),
            (name["share"],) if each else (),
        ),
        given,
        used,
        solved,
    )


def _compact(program: Program) -> tuple[Program, list[int]]:
    """The program without the elements of its first input that it does not read, and those it does."""
    used = sorted({args[1] for op, args in program.nodes if op == "input" and args[0] == 0})
    first, *others = program.inputs
    place = {i: k for k, i in enumerate(used)}
    shift = 0 if used else 1
    nodes = tuple(
        (op, (args[0] - shift, args[1] if args[0] else place[args[1]])) if op == "input" else (op, args)
        for op, args in program.nodes
    )
    inputs = (*([Operand(first.name, (len(used),))] if used else []), *others)
    return replace(program, inputs=inputs, nodes=nodes), used
