"""Jacobians and gradients of nodes, by the chain rule (graph/chain_rule.py), through loops too."""

from collections.abc import Sequence

from chasles.graph.chain_rule import pull, push
from chasles.graph.loop_derivative import pull_loop, push_loop, reversible
from chasles.graph.node import Expr
from chasles.graph.program import live
from chasles.scalar.leaf import Leaf


def jacobian_forward(results: list[Leaf], inputs: list[Expr]) -> list[list[Leaf]]:
    """d results[i] / d inputs[j], in forward mode with sparse tangents."""
    tangents = push(results, {x.id: {j: 1.0} for j, x in enumerate(inputs)}, push_loop)
    return [[tangent.get(j, 0.0) for j in range(len(inputs))] for tangent in tangents]


def gradient_reverse(result: Leaf, inputs: list[Expr], also: Sequence[Leaf] = ()) -> list[Leaf]:
    """d result / d inputs[j], in reverse mode; behind them what is wanted `also`."""
    return pull([result], [1.0], inputs, pull_loop, also)


def jacobian(results: list[Leaf], inputs: list[Expr]) -> list[list[Leaf]]:
    """d results[i] / d inputs[j], by the cheaper of the two modes."""
    loops = [node.args[0] for node in live(results) if node.op == "loop"] if len(results) == 1 else []
    if len(results) == 1 and all(map(reversible, loops)):
        return [gradient_reverse(results[0], inputs)]
    return jacobian_forward(results, inputs)
