"""The chain rule through a graph, forward and in reverse (automatic differentiation).

With the partial derivatives p_k = d f / d x_k of every operation f(x_1, x_2, ...):

    forward mode:  df = sum of p_k dx_k, from the inputs on                       (1)
    reverse mode:  dy/dx_k += dy/df p_k, from the result back                     (2)

Where f chooses, its derivative chooses too, and what is 0 by choice stays 0 (graph/support.py). Both modes build nodes
of the same graph, so their results share work with the function and differentiate again.

A loop has derivatives that are loops, made by differentiating its step: the caller says how, by `push_loop` and
`pull_loop` (those of graph/loop_derivative.py, or of a part of it).
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from chasles.graph.node import Expr
from chasles.graph.program import live, replaced
from chasles.graph.support import Supports
from chasles.scalar.leaf import Leaf
from chasles.scalar.operations import OPERATIONS, STEEP

Tangents = list[dict[int, Leaf]]  # each maps a direction to what is not structurally 0
PushLoop = Callable[..., Tangents]  # (loop, args, tangents, items): the tangents of its flat outputs
PullLoop = Callable[..., "Pulled"]  # (loop, args, adjoints, wanted): the adjoints of its flat inputs


class Pulled(NamedTuple):
    """The adjoints of the flat inputs of a loop, and outputs of it, by their places, that are computed on the way:
    whoever uses them need not run the loop for them."""

    adjoints: list[Leaf]
    again: Mapping[int, Leaf] = MappingProxyType({})


def _partials(node: Expr) -> tuple[Leaf, ...]:
    """d node / d argument, for each argument."""
    slopes = OPERATIONS[node.op].slopes
    assert slopes is not None
    return slopes(node, *node.args)


def push(results: list[Leaf], seeds: dict[int, dict[int, Leaf]], push_loop: PushLoop) -> Tangents:
    """The tangents of the results, by (1), for those of the inputs, seeds[id]."""
    supports = Supports()
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
                tangent[j] = supports.choice(node.args[0], dx.get(j, 0.0), dy.get(j, 0.0))
        elif node.op == "loop":
            loop, *args = node.args
            given = [tangents[x.id] if type(x) is Expr else {} for x in args]
            found = push_loop(loop, args, given, items[node.id])
            moving = {j: [x[j] for x in given if j in x] for j in {j for x in given for j in x}}
            of_loops[node.id] = [{j: supports.somewhere(moving[j], dy) for j, dy in x.items()} for x in found]
        elif node.op == "item":
            tangent = of_loops[node.args[0].id][node.args[1]]
        else:
            for x, p in zip(node.args, _partials(node), strict=True):
                if type(x) is Expr and not (type(p) is float and p == 0.0):
                    times = supports.times if node.op in STEEP else supports.times_finite
                    for j, dx in tangents[x.id].items():
                        part = times(dx, p)
                        tangent[j] = supports.plus(tangent[j], part) if j in tangent else part  # (1)
        tangents[node.id] = tangent
    return [tangents[y.id] if type(y) is Expr else {} for y in results]


def pull(
    results: list[Leaf], seeds: list[Leaf], inputs: list[Expr], pull_loop: PullLoop, also: Sequence[Leaf] = ()
) -> list[Leaf]:
    """The sum over i of seeds[i] d results[i] / d inputs[j], by (2): a vector-Jacobian product.

    also: what is wanted beside it, and comes behind it: loops that both need run once.
    """
    supports = Supports()
    adjoints: dict[int, Leaf] = {}
    of_loops: dict[int, dict[int, Leaf]] = {}
    again: dict[int, Leaf] = {}
    for y, seed in zip(results, seeds, strict=True):
        if type(y) is Expr:
            adjoints[y.id] = supports.plus(adjoints[y.id], seed) if y.id in adjoints else seed
    order = live(results)
    active = _depending(order, inputs) if any(node.op == "loop" for node in order) else set()
    for node in reversed(order):
        adjoint = adjoints.get(node.id, 0.0)
        if node.op == "loop":
            loop, *args = node.args
            wanted = [type(x) is Expr and x.id in active for x in args]
            given = of_loops.get(node.id, {})
            found = pull_loop(loop, args, given, wanted)
            again |= {node.graph.make("item", node, i).id: x for i, x in found.again.items()}
            moving = list(given.values())
            parts = [(x, supports.somewhere(moving, dx)) for x, dx in zip(args, found.adjoints, strict=True)]
        elif node.op == "input" or (type(adjoint) is float and adjoint == 0.0):
            continue
        elif node.op == "item":
            of_loops.setdefault(node.args[0].id, {})[node.args[1]] = adjoint
            continue
        elif node.op == "where":
            condition, x, y = node.args
            parts = [(x, supports.choice(condition, adjoint, 0.0)), (y, supports.choice(condition, 0.0, adjoint))]
        else:
            slopes = zip(node.args, _partials(node), strict=True)
            parts = [(x, supports.times(adjoint, p)) for x, p in slopes if type(x) is Expr]
        for x, part in parts:
            if type(x) is Expr:
                adjoints[x.id] = supports.plus(adjoints[x.id], part) if x.id in adjoints else part  # (2)
    return replaced([*(adjoints.get(x.id, 0.0) for x in inputs), *also], again)


def _depending(order: list[Expr], inputs: list[Expr]) -> set[int]:
    """The nodes that depend on the inputs."""
    active = {x.id for x in inputs}
    for node in order:
        if any(type(x) is Expr and x.id in active for x in node.args):
            active.add(node.id)
    return active
