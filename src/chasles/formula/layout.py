"""Statements as rows: what stands left of an alignment and the lines right of it, broken where they are too wide.

A matrix that is wider than a page, or a column that is higher than one reads, is told entry by entry, those that are
equal together, M_{12} = M_{13} = ..., and of one that is symmetric one half.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from chasles.formula.names import entry
from chasles.formula.printer import Printer
from chasles.formula.spans import Span, lines
from chasles.formula.tree import ZERO, Call, Equation, Formula, Matrix, Sum, Symbol
from chasles.formula.words import Words, worded

MOST_ROWS = 12  # of a column that is written as one
MOST_SHORT = 4  # abbreviations that are all told
WIDEST_LEFT = 0.4  # of a line; what is wider stands in a line of its own
WITH = 6.0  # characters that "with" takes, before what is named

Lines = tuple[Span, ...]


class Row(NamedTuple):
    """left: of the sign of equality; None for nothing and no sign."""

    left: Span | None
    lines: Lines


class _Told(NamedTuple):
    """An equation, its left side printed. mark: at its end."""

    left: Span
    right: Formula
    mark: str
    equation: Equation


def laid_out(
    printer: Printer,
    full: Printer,
    equations: Sequence[Equation],
    where: Sequence[Equation],
    used: Mapping[Formula, Symbol],
    about: str | Words,
    width: float,
) -> tuple[list[Row], list[Lines], Lines]:
    """The rows of equations, aligned at their signs of equality, and the lines of what they name: several in a line
    where they are short, and at the end what c_{12} is; then those of words about them.

    full: the printer that does not abbreviate. used: what the other one abbreviates.
    """
    first = max((printer.whole(equation.left).width for equation in equations), default=0.0)
    told = [list(_told(printer, equation, width - first)) for equation in equations]
    narrow = [x.left.width for some in told for x in some if x.left.width <= WIDEST_LEFT * width]
    with_beside = [WITH] if printer.with_beside and (where or used) else []
    column = max([*narrow, *with_beside], default=0.0)
    rows = [row for some in told for row in _rows(printer, some, column, width)]
    rows = rows or [Row(None, (printer.words("no equations"),))]
    room = width - (column if printer.with_beside else WITH)
    said = tuple(worded(full, about, width - column * printer.with_beside))
    return rows, list(_definitions(printer, full, where, used, room)), said


def _rows(printer: Printer, told: Sequence[_Told], column: float, width: float) -> Iterator[Row]:
    """The rows of one equation, or of the entries of a matrix: several in a row where they are short."""
    room = width - column - printer.mark("=").width
    row: tuple[Span, Lines] | None = None
    for x in told:
        spans = printer.glued(printer.displayed(x.right).spans, printer.mark(x.mark))
        if row is not None:
            more = (printer.mark(","), printer.mark("quad"), printer.whole(x.equation), printer.mark(x.mark))
            longer = printer.glued(row[1], *more)
            if sum(span.width for span in longer) <= room:
                row = row[0], longer
                continue
            yield Row(row[0], tuple(_lines(printer, row[1], room)))
        row = (x.left, spans) if x.left.width <= column else None
        if row is None:
            yield _wide_row(printer, x, width - column * printer.with_beside)
    if row is not None:
        yield Row(row[0], tuple(_lines(printer, row[1], room)))


def _wide_row(printer: Printer, x: _Told, room: float) -> Row:
    """Of what has too wide a left side: without an alignment."""
    left = _lines(printer, printer.piece(x.equation.left).spans, room)
    right = printer.glued(printer.mark("="), printer.piece(x.equation.right).spans, printer.mark(x.mark))
    return Row(None, (*left, *_lines(printer, right, room - printer.indent, 0.0)))


def _lines(printer: Printer, spans: Sequence[Span], room: float, indent: float | None = None) -> Iterator[Span]:
    for line in lines(spans, room, room - (printer.indent if indent is None else indent)):
        yield printer.joined(line)


def _told(printer: Printer, given: Equation, room: float) -> Iterator[_Told]:
    """An equation, or those of the entries of a matrix that is too wide."""
    for equation, mark in _entries(printer, given, room):
        yield _Told(printer.whole(equation.left), equation.right, mark, equation)


def _entries(printer: Printer, equation: Equation, room: float) -> Iterator[tuple[Equation, str]]:
    """Equations and the marks at their ends; room: for the right side."""
    matrix, name = equation.right, equation.left
    if not isinstance(matrix, Matrix) or not isinstance(name, Symbol) or not matrix.rows:
        yield equation, "end"
        return
    column = len(matrix.rows[0]) == 1
    fits = printer.piece(matrix).width + printer.mark("=").width <= room
    if fits and not (column and len(matrix.rows) > MOST_ROWS):
        yield equation, "end"
        return
    shape = (len(matrix.rows),) if column else (len(matrix.rows), len(matrix.rows[0]))
    mirrored = len(matrix.rows) > 1 and matrix.rows == tuple(zip(*matrix.rows, strict=True))
    places: dict[Formula, list[Symbol]] = {}
    for i, row in enumerate(matrix.rows, 1):
        for j, value in enumerate(row, 1):
            if not mirrored or i <= j:
                places.setdefault(value, []).append(entry(name, (i,) if column else (i, j), shape))
    zeros = places.pop(ZERO) if len(places.get(ZERO, ())) > 1 else []
    for value, entries in places.items():
        told = Equation(entries[-1], value)
        for left in entries[-2::-1]:
            told = Equation(left, told)
        yield told, "end"
    if mirrored:
        yield Equation(entry(name, "ji", shape), entry(name, "ij", shape)), "end"
    if zeros:
        yield Equation(entry(name, "ij"[: len(shape)], shape), ZERO), "otherwise" if places else "end"


def _definitions(
    printer: Printer, full: Printer, where: Sequence[Equation], used: Mapping[Formula, Symbol], room: float
) -> Iterator[Lines]:
    said = [
        printer.glued(printer.piece(told).spans, printer.mark(mark))
        for equation in where
        for told, mark in _entries(printer, equation, room - printer.whole(equation.left).width)
    ]
    shown = list(used.items())
    if len(shown) > MOST_SHORT:
        by_letter = [[x for x in shown if x[1].letter == letter] for letter in "cs"]
        shown = [max(some, key=_angles) for some in by_letter if some]
    said += [full.piece(Equation(short, call)).spans for call, short in shown]
    if len(shown) < len(used):
        said[-1] = printer.glued(said[-1], printer.mark("and so on"))
    line: Lines = ()
    for k, item in enumerate(said):
        spans = printer.glued(item, printer.mark("," if k + 1 < len(said) else "end"))
        longer = printer.glued(line, printer.mark("quad"), spans) if line else spans
        if line and sum(span.width for span in longer) > room:
            yield tuple(_lines(printer, line, room))
            longer = spans
        line = longer
    if line:
        yield tuple(_lines(printer, line, room))


def _angles(x: tuple[Formula, Symbol]) -> int:
    """How many angles a sine or cosine is of."""
    call = x[0]
    angle = call.arguments[0] if isinstance(call, Call) else call
    return len(angle.terms) if isinstance(angle, Sum) else 1
