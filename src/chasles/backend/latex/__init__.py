"""Programs as equations to read: `kernel.to("latex")`, an `align*` of amsmath.

Every output is an equation in the inputs' symbols: the program is simplified (simplification/), and what is long has
named intermediate quantities, which follow it. q, qd and qdd are coordinates and their rates; elements of arrays are
counted from 1, as mathematics does. Of an output of more than two axes each entry that is not zero has its equation.
Numbers that are not exact are rounded to DIGITS digits: equations are read, and C is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from chasles.backend.calls import written_out
from chasles.errors import CompileError
from chasles.formula.names import coordinate, named
from chasles.formula.statement import Statement
from chasles.formula.tree import ZERO, Equation, Formula, Matrix, Symbol
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program
from chasles.simplification import Names, simplified

DIGITS = 5
RATES = ("q", "qd", "qdd")


class Written(NamedTuple):
    """Equations, the symbols of all elements of each input, and what stands on the left for each output."""

    statement: Statement
    inputs: tuple[tuple[Symbol, ...], ...]
    outputs: tuple[Symbol, ...]
    notes: tuple[str, ...]  # on what the equations leave out


def render(body: Program | Loop, name: str, dtype: str) -> str:
    """The equations, behind comments on what they leave out."""
    found = written(body, name)
    return "".join(f"% {note}\n" for note in found.notes) + equations(found)


def equations(found: Written) -> str:
    """The `align*`."""
    return found.statement.latex(digits=DIGITS, environment="align*") + "\n"


def written(body: Program | Loop, name: str) -> Written:
    """The equations of a body, with what others need to tell of them."""
    program = written_out(body, every=True) if isinstance(body, Program) else body
    if isinstance(program, Loop) or program.loops:
        raise CompileError(
            f'{name}: a loop is no formula: print the function that it repeats, ch.compile(step, ...).to("latex"), '
            'or take "c" or "python", which have loops'
        )
    symbols = _Symbols()
    inputs = [symbols.elements(operand) for operand in program.inputs]
    outputs = [symbols.free(_named(operand)) for operand in program.outputs]
    names = Names([x.name for x in outputs] + [x.letter for x in outputs])
    results, where = simplified(program, inputs, names=names)
    told = [
        equation
        for left, operand, row in zip(outputs, program.outputs, results, strict=True)
        for equation in _equations(left, operand, row)
    ]
    notes = [f"Numbers that are not exact are rounded to {DIGITS} digits."]
    if any(len(o.shape) > 2 for o in program.outputs):
        notes.append("Entries that are zero are left out.")
    return Written(Statement(name, tuple(told), where), tuple(map(tuple, inputs)), tuple(outputs), tuple(notes))


class _Symbols:
    """Symbols of operands, no two of which are read alike."""

    def __init__(self) -> None:
        self.read: set[tuple[str, str, int]] = set()
        self.names: set[str] = set()

    def elements(self, operand: Operand) -> list[Symbol]:
        """Those of an input, in C order; what stands for the whole is taken, too."""
        whole = _named(operand)
        if not operand.shape:
            return [self.free(whole)]
        self.take(whole)
        if operand.name in RATES and len(operand.shape) == 1:
            dots = RATES.index(operand.name)
            return [self.free(coordinate(k + 1, dots)) for k in range(operand.size)]
        return [self.free(entry(whole, place)) for place in product(*map(range, operand.shape))]

    def free(self, symbol: Symbol) -> Symbol:
        """The symbol, or one like it where another is read as it is: x_out, then x_2, x_3, as words."""
        name, k = symbol.name, 2
        if self.is_taken(symbol):
            symbol = Symbol(f"{name}_out", symbol.letter, "out", symbol.dots, symbol.bold)
        while self.is_taken(symbol):
            symbol, k = Symbol(f"{name}_{k}", f"{name}_{k}"), k + 1
        self.take(symbol)
        return symbol

    def take(self, symbol: Symbol) -> None:
        self.names.add(symbol.name)
        self.read.add((symbol.letter, symbol.index, symbol.dots))

    def is_taken(self, symbol: Symbol) -> bool:
        return symbol.name in self.names or (symbol.letter, symbol.index, symbol.dots) in self.read


def entry(whole: Symbol, place: tuple[int, ...]) -> Symbol:
    """An element of an array, at a place counted from 0, that is written from 1."""
    if not place:
        return whole
    ones = [str(k + 1) for k in place]
    index = ("" if max(place) < 9 else ",").join(ones)
    return Symbol("_".join((whole.name, *ones)), whole.letter, f"{whole.index},{index}" if whole.index else index)


def _named(operand: Operand) -> Symbol:
    found = named(operand.name)
    return Symbol(found.name, found.letter, found.index, bold=bool(operand.shape))


def _equations(left: Symbol, operand: Operand, row: tuple[Formula, ...]) -> Iterator[Equation]:
    if not operand.shape:
        yield Equation(left, row[0])
    elif len(operand.shape) < 3:
        columns = operand.shape[1] if len(operand.shape) == 2 else 1
        rows = tuple(row[k : k + columns] for k in range(0, len(row), columns))
        yield Equation(left, Matrix(rows))
    else:
        for place, formula in zip(product(*map(range, operand.shape)), row, strict=True):
            if formula != ZERO:
                yield Equation(entry(left, place), formula)
