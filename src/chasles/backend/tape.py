"""The pieces of a long program, in order, as data: a tape of which form is at work on what.

A value that a later piece needs has a slot of scratch memory from the piece that makes it to the last one that needs
it; then the slot is free for another. All pieces of a form write as many values, namely those that any of them must:
what one need not goes into slot 0.
"""

from typing import NamedTuple

import numpy as np

from chasles.backend.forms import Groups, Line, Products, forms
from chasles.graph.program import Program, Ref


class Piece(NamedTuple):
    """A form at work: its number, its constants, and the slots that it reads and writes."""

    form: int
    constants: list[float]
    reads: list[int]
    writes: list[int]


class Tape(NamedTuple):
    """The pieces of a program in order. A form is a program of the inputs "values" and "constants", or `Products`.

    inputs: the first slot of each operand that is read; outputs: the slot of every element of each; constants: those
    that are outputs, with their slots.
    """

    forms: list[Program | Products]
    pieces: list[Piece]
    inputs: dict[int, int]
    outputs: list[list[int]]
    constants: list[tuple[float, int]]
    slots: int


def tape(program: Program) -> Tape | None:
    """A program in pieces; None where it is better left whole (forms.py)."""
    found = forms(program)
    return found and _written(*found)


def _written(line: Line, groups: Groups) -> Tape:
    """The tape of stretches of a line, by forms."""
    nodes, results, last = line.program.nodes, line.program.results, line.last.tolist()
    forms: list[Program | Products] = []
    given: list[list[int]] = []  # of each form the places in a stretch that some stretch gives, from its end
    for form, group in groups.items():
        places = {p - b for a, b in group for p in range(a, b) if last[p] >= b}
        given.append(sorted(places))
        (a, b) = group[0]
        forms.append(form if isinstance(form, Products) else line.step(a, b, [b + p for p in given[-1]]))
    stretches = sorted((a, b, form) for form, group in enumerate(groups.values()) for a, b in group)

    inputs, slots = {}, 1  # slot 0 takes what is not needed
    slot: dict[int, int] = {}
    for k, (op, args) in enumerate(nodes):
        if op == "input":
            if args[0] not in inputs:
                inputs[args[0]] = slots
                slots += line.program.inputs[args[0]].size
            slot[line.size + k] = inputs[args[0]] + args[1]
    constants = {repr(x): x for row in results for x in row if not isinstance(x, Ref)}  # 0.0 and -0.0 are two
    filled = {text: slots + j for j, text in enumerate(constants)}
    slots += len(filled)

    starts = [a for a, _, _ in stretches]
    ending = (np.searchsorted(starts, line.last, "right") - 1).tolist()  # the piece that needs a value last
    ended: list[list[int]] = [[] for _ in stretches]
    free: list[int] = []
    pieces = []
    for k, (a, b, form) in enumerate(stretches):
        writes = []
        for p in given[form]:
            if last[b + p] < b:
                writes.append(0)
                continue
            if not free:
                free.append(slots)
                slots += 1
            writes.append(free.pop())
            slot[b + p] = writes[-1]
            if last[b + p] < line.size:
                ended[ending[b + p]].append(writes[-1])
        is_sum = isinstance(forms[form], Products)
        reads = line.terms(a, b) if is_sum else line.outer(a, b)
        pieces.append(Piece(form, line.constants(a, b), [slot[x] for x in reads], writes))
        free += ended[k]
    outputs = [[slot[line.place[x.index]] if type(x) is Ref else filled[repr(x)] for x in row] for row in results]
    return Tape(forms, pieces, inputs, outputs, [(x, filled[text]) for text, x in constants.items()], slots)
