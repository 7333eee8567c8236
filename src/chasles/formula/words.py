"""Words about formulas, with symbols among them, which each printer writes as it writes formulas: q_1: shoulder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from chasles.formula.names import named
from chasles.formula.printer import Printer
from chasles.formula.spans import Span
from chasles.formula.tree import Formula

Words = tuple[str | Formula, ...]


def words(text: str) -> Words:
    """A text whose names between backticks are symbols: "`Gamma_ijk`: i is the equation". Of this package alone, as
    names that people give may have backticks."""
    parts = re.split("`([^`]*)`", text)
    return tuple(named(part) if k % 2 else part for k, part in enumerate(parts) if part)


def listed(items: Iterable[str | Words]) -> Words:
    """Items one after the other, a semicolon between them; empty ones are left out."""
    out: list[str | Formula] = []
    for item in filter(None, items):
        out += [*(["; "] if out else []), *((item,) if isinstance(item, str) else item)]
    return tuple(out)


def worded(printer: Printer, said: str | Words, width: float) -> Iterator[Span]:
    """The lines of words, no wider than asked for where they have spaces."""
    line: list[str | Formula] = []
    for unbroken in _unbroken((said,) if isinstance(said, str) else said):
        longer = [*line, " ", *unbroken] if line else unbroken
        if line and _written(printer, longer).width > width:
            yield _written(printer, line)
            longer = unbroken
        line = longer
    if line:
        yield _written(printer, line)


def _written(printer: Printer, line: Iterable[str | Formula]) -> Span:
    spans: list[Span] = []
    for is_text, group in groupby(line, lambda x: isinstance(x, str)):
        run = list(group)
        spans += [printer.words("".join(map(str, run)))] if is_text else map(printer.whole, run)  # type: ignore[arg-type]
    return printer.joined(spans)


def _unbroken(said: Words) -> Iterator[list[str | Formula]]:
    """What stays in one line: words, and symbols with the signs beside them."""
    run: list[str | Formula] = []
    for part in said:
        if not isinstance(part, str):
            run.append(part)
            continue
        for k, text in enumerate(re.split(r"\s+", part)):
            if k and run:
                yield run
                run = []
            run += [text] if text else []
    if run:
        yield run
