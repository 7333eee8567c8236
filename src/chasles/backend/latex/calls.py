"""Programs that call a function several times, as readers see them: what each call takes and gives has a name.

A step of Runge and Kutta calls forward dynamics four times; put into each other, they would fill pages. So a program is
cut at its calls: what a call takes, x_{2,1}, and what it gives, k_{2,1}, are quantities that have names, and the rest
are short formulas of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chasles.backend.calls import is_call, written_out
from chasles.errors import CompileError
from chasles.formula.results import RATES
from chasles.formula.tree import Formula, Symbol
from chasles.graph.operand import Operand, Ref
from chasles.graph.program import Loop, Program
from chasles.graph.run_loop import split
from chasles.simplification import Names, Simplified, simplified

Value = Ref | float


class Cut:
    """A program with its calls as inputs: of what they give there are symbols before there are formulas."""

    def __init__(self, program: Program, leaves: Sequence[Sequence[Symbol]], names: Names, name: str) -> None:
        self.program, self.names, self.name = program, names, name
        self.leaves = [list(row) for row in leaves]
        self.taken = _letter("xyzw", leaves)
        self.given = _letter("kfab", leaves)
        self.inputs = list(program.inputs)
        self.calls: dict[int, int] = {}  # the input that stands for what a call gives, by its node

    def results(self) -> Simplified:
        """The formulas of all outputs; calls are among the quantities that they name."""
        for node, (op, args) in enumerate(self.program.nodes):
            if op == "loop":
                self.call(node, self.program.loops[args[0]], args[1:])
        return self.formulas(self.program.outputs, self.program.results)

    def call(self, node: int, loop: Loop, arguments: Sequence[Value]) -> None:
        """Name what a call takes, where it is no symbol already, and what it gives."""
        step = written_out(loop.step, every=True)
        if not is_call(loop) or step.loops:
            raise CompileError(
                f"{self.name}: a loop is no formula: print the function that it repeats, "
                'ch.compile(step, ...).to("latex"), or take "c" or "python", which have loops'
            )
        number = len(self.calls) + 1
        (formulas,) = self.formulas([Operand(f"arguments {number}", (len(arguments),))], [arguments]).results
        symbols = [self.named(self.taken, number, i, x) for i, x in enumerate(formulas, 1)]
        rows = split(list(symbols), loop.inputs)
        leaves = [rows[o.name] for o in step.inputs]
        found = simplified(step, leaves, names=self.names, parameters=_parameters(step.inputs)).results
        given = [x for row in found for x in row]
        self.calls[node] = len(self.inputs)
        self.inputs.append(Operand(f"call {number}", (len(given),)))
        self.leaves.append([self.named(self.given, number, i, x) for i, x in enumerate(given, 1)])

    def named(self, letter: str, number: int, i: int, formula: Formula) -> Symbol:
        if isinstance(formula, Symbol):
            return formula
        symbol = Symbol(f"{letter}{number}_{i}", letter, f"{number},{i}")
        self.names.define(symbol, formula)
        return symbol

    def formulas(self, outputs: Sequence[Operand], results: Sequence[Sequence[Value]]) -> Simplified:
        """Formulas of what a part of the program computes."""
        part = _part(self, tuple(outputs), results)
        return simplified(part, self.leaves, names=self.names, parameters=_parameters(self.inputs))


def _part(cut: Cut, outputs: tuple[Operand, ...], results: Sequence[Sequence[Value]]) -> Program:
    """The nodes that results need, with what calls give as inputs."""
    nodes = cut.program.nodes
    needed: set[int] = set()
    stack = [x.index for row in results for x in row if isinstance(x, Ref)]
    while stack:
        k = stack.pop()
        if k not in needed:
            needed.add(k)
            op, args = nodes[k]
            stack += [a.index for a in args if isinstance(a, Ref)] if op not in ("input", "item") else []
    place = {k: i for i, k in enumerate(sorted(needed))}

    def now(x: Any) -> Any:
        return Ref(place[x.index]) if isinstance(x, Ref) else x

    kept = []
    for k in sorted(needed):
        op, args = nodes[k]
        kept.append(("input", (cut.calls[args[0].index], args[1])) if op == "item" else (op, tuple(map(now, args))))
    return Program(tuple(cut.inputs), outputs, tuple(kept), tuple(tuple(map(now, row)) for row in results))


def _parameters(inputs: Sequence[Operand]) -> list[str]:
    """Inputs that coefficients are made of: those that are no arrays, where there are others."""
    numbers = [o.name for o in inputs if not o.shape and o.name not in RATES]
    return numbers if len(numbers) < len(inputs) else []


def _letter(letters: str, leaves: Sequence[Sequence[Symbol]]) -> str:
    """One that no symbol has."""
    used = {x.letter for row in leaves for x in row}
    return next((x for x in letters if x not in used), letters[0] * 2)
