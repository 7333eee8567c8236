"""A program: the live part of a graph, flat, ordered, and free of the trace that made it. See docs/program.md."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from chasles.errors import TraceError
from chasles.graph.node import Expr
from chasles.graph.operand import Operand, Ref
from chasles.scalar.operations import CONDITIONS, OPERATIONS

__all__ = ["Operand", "Operations", "Program", "Ref", "flatten", "live"]


class Operations(NamedTuple):
    """How many operations a program is: every node but inputs, items and constants counts one, a loop too."""

    by_kind: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.by_kind.values())

    def __int__(self) -> int:
        return self.total

    def __repr__(self) -> str:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.by_kind.items(), key=lambda x: -x[1]))
        return f"{self.total} operations ({kinds})"


@dataclass(frozen=True)
class Program:
    """nodes[k] = (op, args), args being `Ref`s to earlier nodes and floats; three kinds of node carry plain indices:

        ("input", (o, i))       flat element i of inputs[o]
        ("loop", (l, *args))    runs loops[l] on the flat elements of all its inputs
        ("item", (Ref(k), i))   element i of the flat outputs of the loop that node k runs

    A loop node is no number: only its items are. results[o] holds, for each flat element of output o, a `Ref` or a
    float.
    """

    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    nodes: tuple[tuple[str, tuple[Any, ...]], ...]
    results: tuple[tuple[Any, ...], ...]
    loops: tuple[Any, ...] = ()

    @property
    def operations(self) -> Operations:
        return Operations(dict(Counter(op for op, _ in self.nodes if op not in ("input", "item"))))

    def check(self) -> None:
        """Refuse, by name, what is no program: an unknown operation, a wrong argument, an operand named twice."""
        from chasles.graph.check import check

        check(self)

    def to_dict(self) -> dict[str, Any]:
        """The program in lists, strings and integers, as in its JSON."""
        from chasles.graph import serial

        return serial.to_dict(self)

    @classmethod
    def from_dict(cls, data: Any) -> "Program":
        """The program of what `to_dict` gave; what is not of its form is refused, the rest is for `check`."""
        from chasles.graph import serial

        return serial.from_dict(cls, data)

    def to_json(self) -> str:
        """The program as text, every number exact, with the version of the form."""
        from chasles.graph import serial

        return serial.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> "Program":
        """The program that `to_json` wrote, checked."""
        from chasles.graph import serial

        return serial.from_json(cls, text)


def live(results: Iterable[Any]) -> list[Expr]:
    """All nodes that results are made of, and they themselves, in the order they were made."""
    found: dict[int, Expr] = {}
    stack = [x for x in results if type(x) is Expr]
    while stack:
        node = stack.pop()
        if node.id not in found:
            found[node.id] = node
            stack.extend(x for x in node.args if type(x) is Expr)
    return [found[k] for k in sorted(found)]


def flatten(inputs: tuple[Operand, ...], outputs: tuple[Operand, ...], results: list[list[Any]]) -> Program:
    """The program that computes `results` (nodes and floats, flat, one list per output)."""
    for output, row in zip(outputs, results, strict=True):
        if len(row) != output.size:
            raise TraceError(f"{output.name}: {len(row)} numbers for the shape {output.shape}")
    order = live(x for row in results for x in row)
    _check(order)
    index = {node.id: k for k, node in enumerate(order)}

    loops: dict[Any, int] = {}

    def argument(x: Any) -> Any:
        return Ref(index[x.id]) if type(x) is Expr else x

    def arguments(node: Expr) -> tuple[Any, ...]:
        if node.op == "input":
            return node.args
        if node.op == "loop":
            loop, *args = node.args
            return (loops.setdefault(loop, len(loops)), *map(argument, args))
        return tuple(map(argument, node.args))

    nodes = tuple((node.op, arguments(node)) for node in order)
    return Program(inputs, outputs, nodes, tuple(tuple(map(argument, row)) for row in results), tuple(loops))


_NOT_A_NUMBER = {
    "condition": "a condition is not a number: instead of (x < y) * a write chasles.where(x < y, a, 0.0)",
    "loop": "a loop is not a number: its results are its items",
}
_NOT_A_CONDITION = "a number is not a condition: instead of where(x, a, b) write chasles.where(x != 0.0, a, b)"


def _kind(op: str) -> str:
    """What a node of this operation is: "number", "condition" or "loop"."""
    return "condition" if op in CONDITIONS else "loop" if op == "loop" else "number"


def _check(nodes: list[Expr]) -> None:
    """Refuse values of another trace, conditions and loops in arithmetic, and numbers for conditions."""
    if any(node.graph is not nodes[0].graph for node in nodes):
        raise TraceError("a traced value of another trace met this one: a traced value lives only inside its function")
    if not any(_kind(node.op) != "number" or node.op == "where" for node in nodes):
        return
    for node in nodes:
        if node.op in ("input", "item"):
            continue
        args = node.args[1:] if node.op == "loop" else node.args
        takes = ("number",) * len(args) if node.op == "loop" else OPERATIONS[node.op].takes
        for x, wanted in zip(args, takes, strict=True):
            given = _kind(x.op) if type(x) is Expr else "number"
            if given != wanted:
                raise TraceError(_NOT_A_NUMBER[given] if wanted == "number" else _NOT_A_CONDITION)
