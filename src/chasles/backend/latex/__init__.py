"""Programs as equations to read: `kernel.to("latex")`, an `align*` of amsmath.

Every output is an equation in the inputs' symbols: the program is simplified (simplification/), and what is long has
named intermediate quantities, which follow it; so have coefficients made of inputs that are no arrays. q, qd and qdd
are coordinates and their rates; elements of arrays are counted from 1, as mathematics does. Results that have a letter
in mechanics have it, M or tau, and others their names; of one of more than two axes each entry that is not zero has its
equation. Numbers that are not exact are rounded to DIGITS digits: equations are read, and C is run.
"""

from __future__ import annotations

from itertools import chain, product
from typing import NamedTuple

from chasles.backend.calls import written_out
from chasles.backend.latex.calls import Cut
from chasles.errors import CompileError
from chasles.formula.names import coordinate, entry, named
from chasles.formula.results import RATES, letter
from chasles.formula.results import equations as results_as
from chasles.formula.statement import Statement
from chasles.formula.tree import Symbol
from chasles.graph.operand import Operand
from chasles.graph.program import Loop, Program
from chasles.simplification import Names

DIGITS = 5
MOST_ENTRIES = 500
MOST_OPERATIONS = 5_000


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
    program = written_out(body if isinstance(body, Program) else body.program)
    _refuse_long(program, name)
    symbols = _Symbols()
    inputs = [symbols.elements(operand) for operand in program.inputs]
    outputs = [symbols.free(letter(operand.name, len(operand.shape))) for operand in program.outputs]
    names = Names([x.name for x in outputs] + [x.letter for x in outputs])
    names.reserve(chain.from_iterable(inputs))
    results, where = Cut(program, inputs, names, name).results()
    rows = zip(outputs, program.outputs, results, strict=True)
    told = tuple(chain.from_iterable(results_as(left, operand.shape, row) for left, operand, row in rows))
    notes = [f"Numbers that are not exact are rounded to {DIGITS} digits."]
    if any(len(o.shape) > 2 for o in program.outputs):
        notes.append("Entries that are zero, or that symmetry of the last two indices gives, are left out.")
    return Written(Statement(name, told, where), tuple(map(tuple, inputs)), tuple(outputs), tuple(notes))


def _refuse_long(program: Program, name: str) -> None:
    entries, operations = sum(o.size for o in program.outputs), program.operations.total
    if entries > MOST_ENTRIES or operations > MOST_OPERATIONS:
        raise CompileError(
            f"{name}: {entries} results of {operations} operations are more than anybody reads (at most "
            f"{MOST_ENTRIES} of {MOST_OPERATIONS}): print those that you need, ch.compile(lambda q: f(q)[0], ...), or "
            'take "c"'
        )


class _Symbols:
    """Symbols of operands, no two of which are read alike."""

    def __init__(self) -> None:
        self.read: set[tuple[str, str, int]] = set()
        self.names: set[str] = set()

    def elements(self, operand: Operand) -> list[Symbol]:
        """Those of an input, in C order; what stands for the whole is taken, too."""
        rate = operand.name in RATES
        whole = letter(operand.name, 0) if rate else named(operand.name)
        if not operand.shape:
            return [self.free(whole)]
        self.take(whole)
        if rate and len(operand.shape) == 1:
            return [self.free(coordinate(k + 1, whole.dots)) for k in range(operand.size)]
        places = product(*(range(1, size + 1) for size in operand.shape))
        return [self.free(entry(whole, place, operand.shape)) for place in places]

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
