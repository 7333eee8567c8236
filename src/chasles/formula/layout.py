"""Statements as rows: what stands left of an alignment and the lines right of it, broken where they are too wide.

A matrix that is wider than a page is told entry by entry, those that are equal together: M_{12} = M_{21} = ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from chasles.formula.names import entry
from chasles.formula.notation import abbreviations
from chasles.formula.printer import Printer
from chasles.formula.spans import Span, lines
from chasles.formula.tree import ZERO, Equation, Formula, Matrix, Symbol

INDENT = 2.0  # of lines that continue a formula
MOST_ZEROS = 3  # entries of a matrix that are said to be zero one by one
MOST_SHORT = 4  # abbreviations that are all told


class Line(NamedTuple):
    """depth: of the brackets in which the line before it was broken; -1 of a first line."""

    span: Span
    depth: int = -1


class Row(NamedTuple):
    """left: of the sign of equality. words: at the end."""

    left: Span
    lines: tuple[Line, ...]
    words: str = ""


def rows(printer: Printer, equations: Sequence[Equation], width: float) -> Iterator[Row]:
    """The rows of equations, aligned at their signs of equality."""
    for equation in equations:
        if isinstance(equation.right, Matrix) and printer.piece(equation).width > width:
            yield from _entries(printer, equation.left, equation.right, width)
        else:
            yield _row(printer, printer.whole(equation.left), equation.right, width)


def _row(printer: Printer, left: Span, right: Formula, width: float, words: str = "") -> Row:
    room = width - left.width - printer.mark("=").width
    return Row(left, tuple(_lines(printer, printer.piece(right).spans, room, room - INDENT)), words=words)


def _lines(printer: Printer, spans: Sequence[Span], room: float, later: float) -> Iterator[Line]:
    for k, line in enumerate(lines(spans, room, later)):
        yield Line(printer.joined(line), line[0].depth if k else -1)


def _entries(printer: Printer, left: Formula, matrix: Matrix, width: float) -> Iterator[Row]:
    """A row for each entry that is another one."""
    places: dict[Formula, list[Symbol]] = {}
    column = len(matrix.rows[0]) == 1
    name = left if isinstance(left, Symbol) else Symbol(printer.whole(left).text, "M")
    if name is not left:
        yield _row(printer, printer.whole(left), name, width)
    for i, row in enumerate(matrix.rows, 1):
        for j, value in enumerate(row, 1):
            places.setdefault(value, []).append(entry(name, i, None if column else j))
    zeros = places.get(ZERO, [])
    if len(zeros) > MOST_ZEROS:
        del places[ZERO]
    for value, names in places.items():
        head: list[Span] = []
        for k, symbol in enumerate(names):
            head += [printer.mark("=")] * bool(k) + [printer.symbol(symbol)]
        yield _row(printer, printer.joined(head), value, width)
    if len(zeros) > MOST_ZEROS:
        general = Symbol("", name.letter, f"{name.index},{'i' if column else 'ij'}".lstrip(","), name.dots)
        yield _row(printer, printer.symbol(general), ZERO, width, "otherwise")


def definitions(
    printer: Printer, full: Printer, where: Sequence[Equation], used: dict[Formula, Symbol], width: float
) -> tuple[tuple[Line, ...], ...]:
    """Quantities that are named, each in its lines, several in a line where they are short; at the end what c_{12} is.

    full: the printer that does not abbreviate.
    """
    said = [(printer, equation) for equation in where]
    shown = list(used.items())
    more = len(shown) > MOST_SHORT
    if more:
        longest = [
            max((x for x in shown if x[1].letter == s), key=lambda x: len(x[1].index), default=None) for s in "cs"
        ]
        shown = [x for x in longest if x is not None]
    said += [(full, Equation(short, call)) for call, short in shown]
    out: list[tuple[Line, ...]] = []
    line: list[Span] = []
    taken = 0.0
    for k, (by, equation) in enumerate(said):
        spans = by.piece(equation).spans
        if k + 1 < len(said):
            spans = by.glued(spans, by.mark(","))
        wide = sum(span.width for span in spans)
        if line and taken + wide > width:
            out.append((Line(printer.joined(line)),))
            line, taken = [], 0.0
        if wide > width:
            out.append(tuple(_lines(by, spans, width, width - INDENT)))
            continue
        gap = [printer.mark("quad")] if line else []
        line += [*gap, by.joined(spans)]
        taken += wide + sum(x.width for x in gap)
    if more:
        line += [printer.mark("and so on")]
    if line:
        out.append((Line(printer.joined(line)),))
    return tuple(out)


def abbreviated(equations: Sequence[Equation], where: Sequence[Equation], compact: bool) -> dict[Formula, Symbol]:
    """What is abbreviated in a statement."""
    return abbreviations([*equations, *where]) if compact else {}
