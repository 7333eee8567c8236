"""Loops in forward mode: values and tangents carried together, (1) of graph/loop_derivative.py.

    x_{k+1} = S(x_k, g, e_k)
    dx_{k+1} = S_x dx_k + S_g dg + S_e de_k                                                          (1)

Of dx only the elements are carried that are not structurally 0: those of the closure of the start's under S.
"""

from collections.abc import Callable, Iterable

from chasles.graph.chain_rule import PushLoop, Tangents, push
from chasles.graph.interpret import interpret
from chasles.graph.node import Expr, Graph
from chasles.graph.operand import ProgramLike
from chasles.graph.program import Loop, Operand, Program, Ref, flatten
from chasles.graph.run_loop import split
from chasles.scalar.leaf import Leaf
from chasles.scalar.operations import FLAT

Element = tuple[str, int]  # the name of an operand, and a flat element of it


def influences(program: Program) -> dict[Element, set[Element]]:
    """For each element of each output, the elements of inputs that it varies with."""
    values: list[frozenset[Element]] = []
    nothing: frozenset[Element] = frozenset()
    for op, args in program.nodes:
        if op == "input":
            values.append(frozenset([(program.inputs[args[0]].name, args[1])]))
        elif op in FLAT:
            values.append(nothing)
        else:
            sets = [values[a.index] for a in (args[1:] if op == "where" else args) if type(a) is Ref]
            values.append(sets[0] if len(sets) == 1 else nothing.union(*sets))
    return {
        (o.name, i): set(values[r.index]) if type(r) is Ref else set()
        for o, row in zip(program.outputs, program.results, strict=True)
        for i, r in enumerate(row)
    }


def fresh(base: str, loop: Loop) -> str:
    """A name that no operand of the step has."""
    taken = {o.name for o in (*loop.step.inputs, *loop.step.outputs)}
    while base in taken:
        base += "_"
    return base


def operands(graph: Graph, named: Iterable[Operand]) -> dict[str, list[Expr]]:
    """The nodes of the inputs of a new program, by name."""
    return {o.name: [graph.input(k, i) for i in range(o.size)] for k, o in enumerate(named)}


def evaluate(step: ProgramLike, nodes: dict[str, list[Leaf]]) -> dict[str, list[Leaf]]:
    """The results of a step, by name, at leaves by name."""
    results = interpret(step, [nodes[o.name] for o in step.inputs])
    return {o.name: row for o, row in zip(step.outputs, results, strict=True)}


def run(loop: Loop, rows: dict[str, list[Leaf]]) -> dict[str, list[Leaf]]:
    """The flat outputs of a loop, by name, at flat inputs by name."""
    return split(loop.run([x for o in loop.inputs for x in rows[o.name]]), loop.outputs)


def push_loop(loop: Loop, args: list[Leaf], tangents: Tangents, items: set[int], nested: PushLoop) -> Tangents:
    """The tangents of the flat outputs in `items`, by (1). nested: the rule for loops of the step."""
    rows, given = split(args, loop.inputs), split(tangents, loop.inputs)
    numbers = split(list(range(sum(o.size for o in loop.outputs))), loop.outputs)
    size = {o.name: o.size for o in (*loop.step.inputs, *loop.step.outputs)}
    depends = influences(loop.step)
    support: dict[Element, dict[int, None]] = {  # of an input of the step: its directions, in order
        (o.name, i): dict.fromkeys(j for k in range(i, len(given[o.name]), o.size) for j in given[o.name][k])
        for o in loop.step.inputs
        for i in range(o.size)
    }

    def directions(element: Element) -> dict[int, None]:
        return dict.fromkeys(sorted(j for x in depends[element] for j in support[x]))

    while True:
        before = sum(map(len, support.values()))
        for name in loop.carry:
            for i in range(size[name]):
                support[name, i] |= directions((name, i))
        if sum(map(len, support.values())) == before:
            break

    def pairs(names: Iterable[str], of: Callable[[Element], Iterable[int]]) -> list[tuple[str, int, int]]:
        return [(name, i, j) for name in names for i in range(size[name]) for j in of((name, i))]

    recorded = [name for name in loop.record if items.intersection(numbers[name])]
    parts = {
        "carry": pairs(loop.carry, support.__getitem__),
        "given": pairs(loop.given, support.__getitem__),
        "each": pairs(loop.each, support.__getitem__),
        "record": pairs(recorded, directions),
    }
    name_of = {part: fresh("tangent" if part == "carry" else f"{part}_tangent", loop) for part in parts if parts[part]}
    derived = _derived(loop, parts, name_of, nested)
    leaves = dict(rows)
    for part in ("carry", "given"):
        if part in name_of:
            leaves[name_of[part]] = [given[name][i].get(j, 0.0) for name, i, j in parts[part]]
    if "each" in name_of:
        leaves[name_of["each"]] = [
            given[name][k * size[name] + i].get(j, 0.0) for k in range(loop.count or 0) for name, i, j in parts["each"]
        ]
    found = run(derived, leaves)
    result: Tangents = [{} for row in numbers.values() for _ in row]
    if "carry" in name_of:
        for (name, i, j), x in zip(parts["carry"], found[name_of["carry"]], strict=True):
            result[numbers[name][i]][j] = x
    if "record" in name_of:
        flat = iter(found[name_of["record"]])
        for k in range(loop.count or 0):
            for name, i, j in parts["record"]:
                result[numbers[name][k * size[name] + i]][j] = next(flat)
    return result


def _derived(
    loop: Loop, parts: dict[str, list[tuple[str, int, int]]], name_of: dict[str, str], nested: PushLoop
) -> Loop:
    """The loop that carries values and tangents."""
    step, graph = loop.step, Graph()
    extra = [Operand(name_of[part], (len(parts[part]),)) for part in ("carry", "given", "each") if part in name_of]
    inputs = (*step.inputs, *extra)
    nodes = operands(graph, inputs)
    seeds: dict[int, dict[int, Leaf]] = {}
    for part in ("carry", "given", "each"):
        for p, (name, i, j) in enumerate(parts[part]):
            seeds.setdefault(nodes[name][i].id, {})[j] = nodes[name_of[part]][p]
    values = evaluate(step, nodes)
    names = dict.fromkeys(name for part in ("carry", "record") for name, _, _ in parts[part])
    pushed = iter(push([x for name in names for x in values[name]], seeds, nested))
    tangent = {name: [next(pushed) for _ in values[name]] for name in names}
    kept = [o for o in step.outputs if o.name in (*loop.carry, loop.until)]
    outputs, results = list(kept), [values[o.name] for o in kept]
    for part in ("carry", "record"):
        if part in name_of:
            outputs.append(Operand(name_of[part], (len(parts[part]),)))
            results.append([tangent[name][i].get(j, 0.0) for name, i, j in parts[part]])  # (1)

    def also(part: str) -> tuple[str, ...]:
        return (name_of[part],) if part in name_of else ()

    return Loop(
        flatten(inputs, tuple(outputs), results),
        (*loop.carry, *also("carry")),
        loop.count,
        (*loop.given, *also("given")),
        (*loop.each, *also("each")),
        also("record"),
        loop.until,
    )
