"""Loops (graph/program.py) run on any leaf: their meaning.

Rows in one leaf (NumPy arrays) stop one by one: what a row has stays as it is from then on. Duals run the step on
duals, and what decides looks at their values. Traced leaves make one node and its items: a loop is never unrolled.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chasles.errors import TraceError
from chasles.graph.interpret import interpret
from chasles.graph.node import Expr, in_one_graph
from chasles.graph.operand import LoopLike, Operand, Status
from chasles.scalar import ops
from chasles.scalar.dual import Dual
from chasles.scalar.leaf import Leaf

LoopDerivative = Callable[[Any, list[Leaf]], list[Leaf]]  # of a loop and its flat inputs: its flat outputs
_DERIVATIVES: dict[type, LoopDerivative] = {}  # by the type of leaf; filled from above, as it is made of what is here


def register(leaf_type: type, rule: LoopDerivative) -> None:
    """Differentiate loops by `rule` on leaves that carry a derivative: graph/loop_derivative.py has that of duals."""
    _DERIVATIVES[leaf_type] = rule


def _derivative(leaf_type: type) -> LoopDerivative:
    if leaf_type not in _DERIVATIVES:
        raise TraceError(f"a loop of {leaf_type.__name__} numbers needs its derivative: import chasles.graph.derive")
    return _DERIVATIVES[leaf_type]


def split(leaves: list[Leaf], operands: tuple[Operand, ...]) -> dict[str, list[Leaf]]:
    """The flat elements of each operand, by its name."""
    rows, start = {}, 0
    for operand in operands:
        rows[operand.name] = leaves[start : start + operand.size]
        start += operand.size
    if start != len(leaves):
        raise TraceError(f"a loop takes {start} numbers, got {len(leaves)}")
    return rows


def run_loop(loop: LoopLike, leaves: list[Leaf]) -> list[Leaf]:
    """The flat elements of all outputs for those of all inputs."""
    values = [_value(x) for x in leaves]
    if any(type(x) is Dual for x in leaves):
        if any(type(x) is Expr for x in values) or loop.rule == "fixed_point" or loop.restart:
            return _derivative(Dual)(loop, leaves)
    elif any(type(x) is Expr for x in leaves):
        return _node(loop, leaves)
    rows = split(leaves, loop.inputs)
    if loop.restart:
        return _search(loop, rows)
    state, until, records, _ = _repeat(loop, rows, True)
    kept = [x for name in loop.record for row in records[name] for x in row]
    return [*(x for name in loop.carry for x in state[name]), *([until] if loop.until else []), *kept]


def _value(x: Leaf) -> Leaf:
    """The number a leaf is, without its derivatives."""
    while type(x) is Dual:
        x = x.value
    return x


def _node(loop: LoopLike, leaves: list[Leaf]) -> list[Leaf]:
    arguments = in_one_graph(*(x if type(x) is Expr else float(x) + 0.0 for x in leaves))
    graph = next(x.graph for x in arguments if type(x) is Expr)
    node = graph.make("loop", loop, *arguments)
    return [graph.make("item", node, i) for i in range(sum(o.size for o in loop.outputs))]


def _choose(condition: Leaf, x: Leaf, y: Leaf) -> Leaf:
    return x if condition is True else y if condition is False else ops.where(condition, x, y)


def _any(condition: Leaf) -> bool:
    return bool(np.any(condition))


def _repeat(
    loop: LoopLike, rows: dict[str, list[Leaf]], active: Leaf
) -> tuple[dict[str, list[Leaf]], Leaf, Leaf, Leaf]:
    """Iterate the rows that are active: what they carry at the end, until, the records and the score."""
    step = loop.step
    state = {name: rows[name] for name in loop.carry}
    until: Leaf = 0.0
    score: Leaf = 0.0
    records: dict[str, list[list[Leaf]]] = {name: [] for name in loop.record}
    k = 0
    while k != loop.count and _any(active):
        now = {o.name: rows[o.name] for o in step.inputs if o.name not in state} | state
        for name in loop.each:
            size = len(rows[name]) // (loop.count or 1)
            now[name] = rows[name][k * size : (k + 1) * size]
        results = interpret(step, [now[o.name] for o in step.inputs])
        new = {o.name: row for o, row in zip(step.outputs, results, strict=True)}
        for name in loop.record:
            records[name].append([_choose(active, x, 0.0) for x in new[name]])
        state = {name: [_choose(active, x, y) for x, y in zip(new[name], state[name], strict=True)] for name in state}
        if loop.restart:
            score = _choose(active, new[loop.restart.score][0], score)
        if loop.until:
            until = _choose(active, new[loop.until][0], until)
            active = _goes_on(_value(until)) & active
        k += 1
    for name, kept in records.items():
        size = next(o.size for o in step.outputs if o.name == name)
        kept.extend([0.0] * size for _ in range((loop.count or 0) - len(kept)))
    return state, until, records, score


def _goes_on(until: Leaf) -> Leaf:
    """Whether it is exactly 0, as a bool or an array of them."""
    goes_on = until == 0.0
    return goes_on if isinstance(goes_on, np.ndarray) else bool(goes_on)


def _search(loop: LoopLike, rows: dict[str, list[Leaf]]) -> list[Leaf]:
    """The first attempt that is FOUND or REFUSED, or that of the least score."""
    assert loop.restart is not None
    (attempts,) = rows["attempts"]
    best = {name: rows[name] for name in loop.carry}
    status: Leaf = 0.0
    least: Leaf = float("inf")
    still: Leaf = True  # rows that still search
    attempt = 0
    while _any(still):
        now = rows | {loop.restart.attempt: [float(attempt)]}
        state, until, _, score = _repeat(loop, now, still)
        settled = _either(until == Status.FOUND, until == Status.REFUSED)
        better = _either(settled, score < least) & still
        best = {name: [_choose(better, x, y) for x, y in zip(state[name], best[name], strict=True)] for name in best}
        status, least = _choose(better, until, status), _choose(better, score, least)
        attempt += 1
        goes_on = _either(settled, attempts <= attempt)
        still = still & (np.logical_not(goes_on) if isinstance(goes_on, np.ndarray) else not goes_on)
    return [*(x for name in loop.carry for x in best[name]), status, least]


def _either(x: Leaf, y: Leaf) -> Leaf:
    both = x | y
    return both if isinstance(both, np.ndarray) else bool(both)
