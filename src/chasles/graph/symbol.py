"""Symbols: named numbers that are given later.

A symbol is a node of the one graph of symbols, op "symbol" with its name, flat index and shape; arithmetic on symbols
gives nodes of that graph, folded and shared as in any other. The graph holds its nodes weakly, so that expressions
that nobody keeps are gone. Expressions leave it as a program, whose inputs are the symbols in them:

    values = interpret(program(expressions), [flat values of each input])                  (1)

on leaves of any kind: floats, arrays with a number a row, nodes of a trace.

Ids of nodes, and so the order of arguments that commute, tell what was made before in this process. What leaves the
graph does not: nodes go from the arguments up, as they stand in the expressions, and arguments that commute go by
`key`, the first symbol in them by its name and a digest of all they are. So a program, and its bits, depend on the
expressions alone.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from threading import RLock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from chasles.errors import ModelError, SymbolError, TraceError
from chasles.graph import array as _numpy_protocols  # noqa: F401 - which expressions of symbols need
from chasles.graph.interpret import interpret
from chasles.graph.node import Expr, Graph
from chasles.graph.program import Operand, Program, flatten
from chasles.scalar.leaf import Leaf

_COMMUTE = ("add", "mul")


class SymbolGraph(Graph):
    """The graph of all symbols of a process."""

    depth = -1  # it adopts nothing: what meets a symbol says so

    def __init__(self) -> None:
        super().__init__()
        self.table: Any = WeakValueDictionary()
        self.renew()

    def renew(self) -> None:
        """A lock of its own for the child of a fork, where the thread that held the old one does not exist.

        What that left behind is whole: to make a node is one entry in the table.
        """
        self.lock = RLock()

    def make(self, op: str, *args: Any) -> Expr:
        with self.lock:
            node = super().make(op, *args)
            if not hasattr(node, "key"):
                node.key = _key(node)
            return node

    def foreign_error(self, node: Expr) -> TraceError:
        return SymbolError(
            f"{self.show(node)} is of symbols, which have no value in a traced function: make them inputs of it, and "
            "pass them to the robot by name, or put numbers in their place: with_values"
        )

    def show(self, node: Expr) -> str:
        from chasles.graph.show import text

        return text(node)

    def reduce(self, node: Expr) -> Any:
        return _unpickled, (program([node]),)


SYMBOLS = SymbolGraph()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=SYMBOLS.renew)


def _key(node: Expr) -> tuple[str, bytes]:
    """What a node is, for all processes: its first symbol by name, and a digest."""
    if node.op == "symbol":
        name, k, shape = node.args
        return f"{name}[{k:09d}]", repr(shape).encode()
    digest = blake2b(node.op.encode(), digest_size=16)
    for x in _arguments(node):
        part = repr(x.key) if type(x) is Expr else x.to_json() if hasattr(x, "to_json") else repr(x)
        digest.update(f"{len(part)} {part}".encode())
    return min(x.key[0] for x in node.args if type(x) is Expr), digest.digest()


def _arguments(node: Expr) -> tuple[Leaf, ...]:
    """The arguments of a node, those that commute by their keys; numbers are first already."""
    a = node.args
    if node.op in _COMMUTE and type(a[0]) is Expr and a[1].key < a[0].key:
        return a[1], a[0]
    return a


def symbol(name: str, shape: tuple[int, ...] = ()) -> Any:
    """The symbol of that name, or the object array of that shape of its elements."""
    if not shape:
        return SYMBOLS.make("symbol", name, 0, ())
    out = np.empty(shape, object)
    out.reshape(-1)[:] = [SYMBOLS.make("symbol", name, k, shape) for k in range(out.size)]
    return out


def subexpressions(expressions: Iterable[Leaf]) -> list[Expr]:
    """All nodes that expressions are made of, and they themselves, depth first: an order that tells no history."""
    found = [x for x in expressions if type(x) is Expr]
    if any(x.graph is not SYMBOLS for x in found):
        raise ModelError("a traced value is no number of a robot: use chasles.symbols, or a number")
    seen: set[int] = set()
    order: list[Expr] = []
    stack: list[tuple[Expr | None, Iterator[Leaf]]] = [(None, iter(found))]
    while stack:
        node, rest = stack[-1]
        x = next((x for x in rest if type(x) is Expr and x.id not in seen), None)
        if x is not None:
            seen.add(x.id)
            stack.append((x, iter(_arguments(x))))
        else:
            stack.pop()
            order += [] if node is None else [node]
    return order


def operands(expressions: Iterable[Leaf]) -> tuple[Operand, ...]:
    """The symbols in expressions, with their shapes, in the order of appearance."""
    shapes: dict[str, tuple[int, ...]] = {}
    for node in subexpressions(expressions):
        if node.op == "symbol":
            name, _, shape = node.args
            if shapes.setdefault(name, shape) != shape:
                raise ModelError(f"symbol {name!r} is used with two shapes, {shapes[name]} and {shape}")
    return tuple(Operand(name, shape) for name, shape in shapes.items())


def program(expressions: list[Leaf], inputs: tuple[Operand, ...] | None = None) -> Program:
    """The program of expressions and numbers, one output "values" of all; inputs: by default the symbols in them."""
    inputs = operands(expressions) if inputs is None else inputs
    places = {operand.name: k for k, operand in enumerate(inputs)}
    graph, made = Graph(), dict[int, Expr]()

    def argument(x: Leaf) -> Leaf:
        return made[x.id] if type(x) is Expr else x

    for node in subexpressions(expressions):
        if node.op == "symbol":
            made[node.id] = graph.input(places[node.args[0]], node.args[1])
        else:
            made[node.id] = graph.make(node.op, *map(argument, _arguments(node)))
    return flatten(inputs, (Operand("values", (len(expressions),)),), [list(map(argument, expressions))])


def substitute(expressions: list[Leaf], values: Mapping[str, list[Leaf]]) -> list[Leaf]:
    """(1): expressions with flat values for their symbols; symbols without one stay."""
    made = program(expressions)
    given = [values.get(x.name) or list(np.ravel(symbol(x.name, x.shape))) for x in made.inputs]
    return interpret(made, given)[0]


def _unpickled(made: Program) -> Any:
    return interpret(made, [list(np.ravel(symbol(x.name, x.shape))) for x in made.inputs])[0][0]
