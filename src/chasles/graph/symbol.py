"""Symbols: named numbers that are given later.

A symbol is a node of the one graph of symbols, op "symbol" with its name, flat index and shape; arithmetic on symbols
gives nodes of that graph, folded and shared as in any other. The graph holds its nodes weakly, so that expressions
that nobody keeps are gone. Expressions leave it as a program, whose inputs are the symbols in them:

    values = interpret(program(expressions), [flat values of each input])                  (1)

on leaves of any kind: floats, arrays with a number a row, nodes of a trace.
"""

from collections.abc import Iterable, Mapping
from threading import RLock
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from chasles.errors import ModelError
from chasles.graph.interpret import interpret
from chasles.graph.node import Expr, Graph
from chasles.graph.program import Operand, Program, Ref


class SymbolGraph(Graph):
    """The graph of all symbols of a process."""

    def __init__(self) -> None:
        super().__init__()
        self.table: Any = WeakValueDictionary()
        self.lock = RLock()

    def make(self, op: str, *args: Any) -> Expr:
        with self.lock:
            return super().make(op, *args)

    def show(self, node: Expr) -> str:
        from chasles.graph.show import text

        return text(node)

    def reduce(self, node: Expr) -> Any:
        return _revived, (program([node]),)


SYMBOLS = SymbolGraph()


def symbol(name: str, shape: tuple[int, ...] = ()) -> Any:
    """The symbol of that name, or the object array of that shape of its elements."""
    if not shape:
        return SYMBOLS.make("symbol", name, 0, ())
    out = np.empty(shape, object)
    out.reshape(-1)[:] = [SYMBOLS.make("symbol", name, k, shape) for k in range(out.size)]
    return out


def below(expressions: Iterable[Any]) -> list[Expr]:
    """All nodes that expressions are made of, and they themselves, arguments before what uses them."""
    found: dict[int, Expr] = {}
    stack = [x for x in expressions if type(x) is Expr]
    while stack:
        node = stack.pop()
        if node.id not in found:
            if node.graph is not SYMBOLS:
                raise ModelError("a traced value is no number of a robot: use chasles.symbols, or a number")
            found[node.id] = node
            stack.extend(x for x in node.args if type(x) is Expr)
    return [found[k] for k in sorted(found)]


def operands(expressions: Iterable[Any]) -> tuple[Operand, ...]:
    """The symbols in expressions, with their shapes, in the order of appearance."""
    shapes: dict[str, tuple[int, ...]] = {}
    for x in expressions:
        for node in below([x]):
            if node.op == "symbol":
                name, _, shape = node.args
                if shapes.setdefault(name, shape) != shape:
                    raise ModelError(f"symbol {name!r} is used with two shapes, {shapes[name]} and {shape}")
    return tuple(Operand(name, shape) for name, shape in shapes.items())


def program(expressions: list[Any], inputs: tuple[Operand, ...] | None = None) -> Program:
    """The program of expressions and numbers, one output "values" of all; inputs: by default the symbols in them."""
    inputs = operands(expressions) if inputs is None else inputs
    places = {operand.name: k for k, operand in enumerate(inputs)}
    order = below(expressions)
    index = {node.id: Ref(k) for k, node in enumerate(order)}

    def argument(x: Any) -> Any:
        return index[x.id] if type(x) is Expr else x

    def entry(node: Expr) -> tuple[str, tuple[Any, ...]]:
        if node.op == "symbol":
            return "input", (places[node.args[0]], node.args[1])
        return node.op, tuple(map(argument, node.args))

    nodes = tuple(map(entry, order))
    results = tuple(map(argument, expressions))
    return Program(inputs, (Operand("values", (len(results),)),), nodes, (results,))


def substitute(expressions: list[Any], values: Mapping[str, list[Any]]) -> list[Any]:
    """(1): expressions with flat values for their symbols; symbols without one stay."""
    made = program(expressions)
    given = [values.get(x.name) or list(np.ravel(symbol(x.name, x.shape))) for x in made.inputs]
    return interpret(made, given)[0]


def _revived(made: Program) -> Any:
    return interpret(made, [list(np.ravel(symbol(x.name, x.shape))) for x in made.inputs])[0][0]
