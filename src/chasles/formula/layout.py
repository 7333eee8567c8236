"""Statements as rows: what stands left of an alignment and the lines right of it, broken where they are too wide.

A matrix that is wider than a page is told entry by entry, those that are equal together: M_{12} = M_{21} = ...
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from chasles.formula.names import entry
from chasles.formula.printer import Printer
from chasles.formula.spans import Span, lines
from chasles.formula.tree import ZERO, Equation, Formula, Matrix, Symbol

MOST_ZEROS = 3  # entries of a matrix that are said to be zero one by one
MOST_SHORT = 4  # abbreviations that are all told
WIDEST_LEFT = 0.4  # of a line, where its right side is broken


class Row(NamedTuple):
    """left: of the sign of equality, None for nothing and no sign. words: at the end."""

    left: Span | None
    lines: tuple[Span, ...]
    words: str = ""


def rows(printer: Printer, equations: Sequence[Equation], width: float) -> Iterator[Row]:
    """The rows of equations, aligned at their signs of equality."""
    for given in equations:
        for equation, words in _told(printer, given, width):
            names, value = _sides(equation)
            head: list[Span] = []
            for name in names:
                head += [*([printer.mark("=")] if head else []), printer.whole(name)]
            left, right = printer.joined(head), printer.displayed(value).spans
            room = width - left.width - printer.mark("=").width
            if left.width > WIDEST_LEFT * width and sum(span.width for span in right) > room:
                spans = printer.piece(equation.left).spans
                right = printer.glued(printer.mark("=")._replace(depth=0), printer.piece(equation.right).spans)
                yield Row(None, tuple(_lines(printer, spans + right, width, width - printer.indent)), words)
            else:
                yield Row(left, tuple(_lines(printer, right, room, room - printer.indent)), words)


def _lines(printer: Printer, spans: Sequence[Span], room: float, later: float) -> Iterator[Span]:
    for line in lines(spans, room, later):
        yield printer.joined(line)


def _sides(equation: Equation) -> tuple[list[Formula], Formula]:
    """What is equal to the last of them, and that: of a = b = c."""
    names: list[Formula] = []
    value: Formula = equation
    while isinstance(value, Equation):
        names.append(value.left)
        value = value.right
    return names, value


def _told(printer: Printer, equation: Equation, width: float) -> Iterator[tuple[Equation, str]]:
    """An equation, or those of the entries of a matrix that is too wide, with words behind them."""
    matrix, name = equation.right, equation.left
    if not isinstance(matrix, Matrix) or not isinstance(name, Symbol) or printer.piece(equation).width <= width:
        yield equation, ""
        return
    places: dict[Formula, list[Symbol]] = {}
    column = len(matrix.rows[0]) == 1
    for i, row in enumerate(matrix.rows, 1):
        for j, value in enumerate(row, 1):
            places.setdefault(value, []).append(entry(name, i, None if column else j))
    zeros = places.pop(ZERO) if len(places.get(ZERO, [])) > MOST_ZEROS else []
    for value, entries in places.items():
        told = Equation(entries[-1], value)
        for left in entries[-2::-1]:
            told = Equation(left, told)
        yield told, ""
    if zeros:
        index = f"{name.index},{'i' if column else 'ij'}".lstrip(",")
        yield Equation(Symbol(f"{name.name}_{index}", name.letter, index, name.dots), ZERO), "otherwise"


def definitions(
    printer: Printer, full: Printer, where: Sequence[Equation], used: Mapping[Formula, Symbol], width: float
) -> Iterator[tuple[Span, ...]]:
    """Quantities that are named, each in its lines, several in a line where they are short; at the end what c_{12} is.

    full: the printer that does not abbreviate. used: what the other one abbreviates.
    """
    said = [(printer, told) for equation in where for told, _ in _told(printer, equation, width)]
    shown = list(used.items())
    if len(shown) > MOST_SHORT:
        by_letter = [[x for x in shown if x[1].letter == letter] for letter in "cs"]
        shown = [max(some, key=lambda x: len(x[1].index)) for some in by_letter if some]
    said += [(full, Equation(short, call)) for call, short in shown]
    line: tuple[Span, ...] = ()
    taken = 0.0
    for k, (by, equation) in enumerate(said):
        spans = by.glued(by.piece(equation).spans, by.mark("," if k + 1 < len(said) else "end"))
        wide = sum(span.width for span in spans)
        if line and taken + wide > width:
            yield tuple(_lines(printer, line, width, width - printer.indent))
            line, taken = (), 0.0
        gap = printer.mark("quad")
        line = printer.glued(line, gap, spans) if line else spans
        taken += wide + gap.width
    if len(shown) < len(used):
        line = printer.glued(line, printer.mark("and so on"))
    if line:
        yield tuple(_lines(printer, line, width, width - printer.indent))
