"""Loops differentiated where they have come to rest, by the implicit function theorem: (3) of graph/loop_derivative.py.

    x = S(x, g)
    dx = S_x dx + S_g dg    =>    (1 - S_x) dx = S_g dg                                              (1)
    xbar . dx = lambda . S_g dg    with    (1 - S_x)^T lambda = xbar                                 (2)

The Jacobians are those of one step at the x the loop ends with, written out; the linear equations are solved by
elimination with pivots chosen by size, O(n^3) operations for n numbers carried.
"""

from chasles.errors import TraceError
from chasles.graph.chain_rule import PullLoop, PushLoop, Tangents, pull, push
from chasles.graph.interpret import interpret
from chasles.graph.loop_forward import evaluate, fresh, operands
from chasles.graph.node import Expr, Graph
from chasles.graph.program import Loop, Operand, flatten
from chasles.graph.run_loop import split
from chasles.scalar import ops
from chasles.scalar.leaf import Leaf


def push_loop(loop: Loop, args: list[Leaf], tangents: Tangents, items: set[int], nested: PushLoop) -> Tangents:
    """The tangents of the flat outputs, by (1); a start has no influence. nested: the rule for loops of the step."""
    given = split(tangents, loop.inputs)
    pairs = [(name, i, j) for name in loop.given for i, tangent in enumerate(given[name]) for j in tangent]
    outputs = sum(o.size for o in loop.outputs)
    if not pairs:
        return [{}] * outputs
    columns = list(dict.fromkeys(j for _, _, j in pairs))
    seed = Operand(fresh("tangent", loop), (len(pairs),))
    inputs, nodes, x, y = _step(loop, seed)
    n = len(x)
    seeds: dict[int, dict[int, Leaf]] = {node.id: {i: 1.0} for i, node in enumerate(x)}
    for p, (name, i, j) in enumerate(pairs):
        seeds.setdefault(nodes[name][i].id, {})[n + columns.index(j)] = nodes[seed.name][p]
    slopes = push(y, seeds, nested)
    right = [[row.get(n + j, 0.0) for j in range(len(columns))] for row in slopes]
    solution = _solve(loop, _residual_jacobian(slopes), right)  # (1)
    program = flatten(inputs, (Operand("derivative", (n, len(columns))),), [[z for row in solution for z in row]])
    (flat,) = interpret(program, _leaves(loop, args, [given[name][i][j] for name, i, j in pairs]))
    found = [{j: flat[i * len(columns) + k] for k, j in enumerate(columns)} for i in range(n)]
    return [*found, *([{}] * (outputs - n))]


def pull_loop(
    loop: Loop, args: list[Leaf], adjoints: dict[int, Leaf], wanted: list[bool], nested: tuple[PushLoop, PullLoop]
) -> list[Leaf]:
    """The adjoints of what is given and wanted, by (2); that of a start is 0. nested: the rules for loops of the step,
    forward for S_x and in reverse."""
    asked = split(wanted, loop.inputs)
    n = sum(len(asked[name]) for name in loop.carry)
    seeded = [i for i in adjoints if i < n]
    elements = [(name, i) for name in loop.given for i, want in enumerate(asked[name]) if want]
    if not elements or not seeded:
        return [0.0] * len(args)
    seed = Operand(fresh("seed", loop), (len(seeded),))
    inputs, nodes, x, y = _step(loop, seed)
    rest = _residual_jacobian(push(y, {node.id: {i: 1.0} for i, node in enumerate(x)}, nested[0]))
    right = [[nodes[seed.name][seeded.index(i)] if i in seeded else 0.0] for i in range(n)]
    multipliers = _solve(loop, [list(row) for row in zip(*rest, strict=True)], right)  # (2)
    pulled = pull(y, [row[0] for row in multipliers], [nodes[name][i] for name, i in elements], nested[1])
    program = flatten(inputs, (Operand("adjoint", (len(elements),)),), [pulled])
    (flat,) = interpret(program, _leaves(loop, args, [adjoints[i] for i in seeded]))
    found = dict(zip(elements, flat, strict=True))
    return [found.get((o.name, i), 0.0) for o in loop.inputs for i in range(o.size)]


def _step(loop: Loop, extra: Operand) -> tuple[tuple[Operand, ...], dict[str, list[Expr]], list[Expr], list[Leaf]]:
    """One step in a new graph: the operands, their nodes, and what is carried, before and after."""
    inputs = (*(o for o in loop.inputs), extra)
    nodes = operands(Graph(), inputs)
    values = evaluate(loop.step, nodes)
    x = [node for name in loop.carry for node in nodes[name]]
    return inputs, nodes, x, [y for name in loop.carry for y in values[name]]


def _leaves(loop: Loop, args: list[Leaf], extra: list[Leaf]) -> list[list[Leaf]]:
    """The leaves of that step: what is carried is what the loop ends with."""
    rows = split(args, loop.inputs) | split(loop.run(args), loop.outputs)
    return [*(rows[o.name] for o in loop.inputs), extra]


def _residual_jacobian(slopes: Tangents) -> list[list[Leaf]]:
    """1 - S_x."""
    n = len(slopes)
    return [[(1.0 if i == j else 0.0) - row.get(j, 0.0) for j in range(n)] for i, row in enumerate(slopes)]


def _solve(loop: Loop, A: list[list[Leaf]], B: list[list[Leaf]]) -> list[list[Leaf]]:
    """X of A X = B, by elimination with row pivots."""
    n = len(A)
    rows = [[*a, *b] for a, b in zip(A, B, strict=True)]
    for k in range(n):
        for i in range(k + 1, n):
            if not _zero(rows[i][k]):
                larger = ops.less(ops.absolute(rows[k][k]), ops.absolute(rows[i][k]))
                above, below = rows[k], rows[i]
                rows[k] = [ops.where(larger, y, x) for x, y in zip(above, below, strict=True)]
                rows[i] = [ops.where(larger, x, y) for x, y in zip(above, below, strict=True)]
        if _zero(rows[k][k]):
            names = ", ".join(loop.carry)
            raise TraceError(f"not all of {names} comes to rest (a counter?): the loop has no fixed point to derive at")
        for i in range(k + 1, n):
            if not _zero(rows[i][k]):
                factor = rows[i][k] / rows[k][k]
                rows[i] = [
                    x - factor * y if j > k else 0.0 for j, (x, y) in enumerate(zip(rows[i], rows[k], strict=True))
                ]
    X: list[list[Leaf]] = [[]] * n
    for k in reversed(range(n)):
        X[k] = rows[k][n:]
        for i in range(k + 1, n):
            X[k] = [x - rows[k][i] * y for x, y in zip(X[k], X[i], strict=True)]
        X[k] = [x / rows[k][k] for x in X[k]]
    return X


def _zero(x: Leaf) -> bool:
    return type(x) is float and x == 0.0
