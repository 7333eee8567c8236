"""The chain rule through a graph, forward and in reverse (automatic differentiation).

With the partial derivatives p_k = d f / d x_k of every operation f(x_1, x_2, ...):

    forward mode:  df = sum of p_k dx_k, from the inputs on                       (1)
    reverse mode:  dy/dx_k += dy/df p_k, from the result back                     (2)

Where f chooses, its derivative chooses too: a product with 0 would let a nan of the side not taken through. Both modes
build nodes of the same graph, so their results share work with the function and differentiate again.

A loop has derivatives that are loops, made by differentiating its step: the caller says how, by `push_loop` and
`pull_loop` (those of graph/loop_derivative.py, or of a part of it).
"""

from collections.abc import Callable

from chasles.graph.node import Expr, where
from chasles.graph.program import live
from chasles.scalar.leaf import Leaf
from chasles.scalar.operations import OPERATIONS

Tangents = list[dict[int, Leaf]]  # each maps a direction to what is not structurally 0
PushLoop = Callable[..., Tangents]  # (loop, args, tangents, items): the tangents of its flat outputs
PullLoop = Callable[..., list[Leaf]]  # (loop, args, adjoints, wanted): the adjoints of its flat inputs


def _partials(node: Expr) -> tuple[Leaf, ...]:
    """d node / d argument, for each argument."""
    slopes = OPERATIONS[node.op].slopes
    assert slopes is not None
    return slopes(node, *node.args)


def push(results: list[Leaf], seeds: dict[int, dict[int, Leaf]], push_loop: PushLoop) -> Tangents:
    """The tangents of the results, by (1), for those of the inputs, seeds[id]."""
    tangents: dict[int, dict[int, Leaf]] = {}
    of_loops: dict[int, Tangents] = {}
    order = live(results)
    items: dict[int, set[int]] = {}
    for node in order:
        if node.op == "item":
            items.setdefault(node.args[0].id, set()).add(node.args[1])
    for node in order:
        tangent: dict[int, Leaf] = {}
        if node.op == "input":
            tangent = seeds.get(node.id, tangent)
        elif node.op == "where":
            dx, dy = (tangents[x.id] if type(x) is Expr else {} for x in node.args[1:])
            for j in {**dx, **dy}:
                tangent[j] = where(node.args[0], dx.get(j, 0.0), dy.get(j, 0.0))
        elif node.op == "loop":
            loop, *args = node.args
            given = [tangents[x.id] if type(x) is Expr else {} for x in args]
            of_loops[node.id] = push_loop(loop, args, given, items[node.id])
        elif node.op == "item":
            tangent = of_loops[node.args[0].id][node.args[1]]
        else:
            for x, p in zip(node.args, _partials(node), strict=True):
                if type(x) is Expr and not (type(p) is float and p == 0.0):
                    for j, dx in tangents[x.id].items():
                        tangent[j] = tangent[j] + p * dx if j in tangent else p * dx  # (1)
        tangents[node.id] = tangent
    return [tangents[y.id] if type(y) is Expr else {} for y in results]


def _chosen(x: Leaf) -> bool:
    """Whether x is where(condition, something, 0) or where(condition, 0, something)."""
    return type(x) is Expr and x.op == "where" and any(type(a) is float and a == 0.0 for a in x.args[1:])


def _times(adjoint: Leaf, p: Leaf) -> Leaf:
    """adjoint * p, but 0 where the adjoint chooses 0, even if p is infinite there."""
    if not _chosen(adjoint) or type(p) is float:
        return adjoint * p
    condition, x, y = adjoint.args
    return where(condition, _times(x, p), _times(y, p))


def _plus(x: Leaf, y: Leaf) -> Leaf:
    """x + y, one choice if both choose by the same condition."""
    if _chosen(x) and _chosen(y) and x.args[0] is y.args[0]:
        return where(x.args[0], _plus(x.args[1], y.args[1]), _plus(x.args[2], y.args[2]))
    return x + y


def pull(results: list[Leaf], seeds: list[Leaf], inputs: list[Expr], pull_loop: PullLoop) -> list[Leaf]:
    """The sum over i of seeds[i] d results[i] / d inputs[j], by (2): a vector-Jacobian product."""
    adjoints: dict[int, Leaf] = {}
    of_loops: dict[int, dict[int, Leaf]] = {}
    for y, seed in zip(results, seeds, strict=True):
        if type(y) is Expr:
            adjoints[y.id] = _plus(adjoints[y.id], seed) if y.id in adjoints else seed
    order = live(results)
    active = _depending(order, inputs) if any(node.op == "loop" for node in order) else set()
    for node in reversed(order):
        adjoint = adjoints.get(node.id, 0.0)
        if node.op == "loop":
            loop, *args = node.args
            wanted = [type(x) is Expr and x.id in active for x in args]
            parts = list(zip(args, pull_loop(loop, args, of_loops.get(node.id, {}), wanted), strict=True))
        elif node.op == "input" or (type(adjoint) is float and adjoint == 0.0):
            continue
        elif node.op == "item":
            of_loops.setdefault(node.args[0].id, {})[node.args[1]] = adjoint
            continue
        elif node.op == "where":
            condition, x, y = node.args
            parts = [(x, where(condition, adjoint, 0.0)), (y, where(condition, 0.0, adjoint))]
        else:
            slopes = zip(node.args, _partials(node), strict=True)
            parts = [(x, _times(adjoint, p)) for x, p in slopes if type(x) is Expr]
        for x, part in parts:
            if type(x) is Expr:
                adjoints[x.id] = _plus(adjoints[x.id], part) if x.id in adjoints else part  # (2)
    return [adjoints.get(x.id, 0.0) for x in inputs]


def _depending(order: list[Expr], inputs: list[Expr]) -> set[int]:
    """The nodes that depend on the inputs."""
    active = {x.id for x in inputs}
    for node in order:
        if any(type(x) is Expr and x.id in active for x in node.args):
            active.add(node.id)
    return active
