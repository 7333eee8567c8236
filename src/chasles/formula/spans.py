"""Pieces of printed formulas, and their lines: where a formula may be broken, and where it is.

A width is in characters: exact in text, about half an em each where it is typeset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

SOLID = 99
SHORTEST = 0.45  # of the room, that a line takes up at least


class Span(NamedTuple):
    """Text that stays in one line.

    width: in characters. tall: whether it is taller than letters. depth: of the brackets around the sign before which a
    line may be broken here; SOLID where it may not.
    """

    text: str
    width: float = 0.0
    tall: bool = False
    depth: int = SOLID


class Piece(NamedTuple):
    """A printed formula. binds: how tightly, which decides whether it needs brackets."""

    spans: tuple[Span, ...]
    binds: int

    @property
    def width(self) -> float:
        return sum(span.width for span in self.spans)

    @property
    def tall(self) -> bool:
        return any(span.tall for span in self.spans)


def lines(spans: Sequence[Span], room: float, later: float) -> Iterator[tuple[Span, ...]]:
    """The spans of each line, the first of width `room`, the others of `later`: broken outside of brackets if that
    leaves no short line, and as late as they can."""
    start = 0
    while start < len(spans):
        taken, end = spans[start].width, start + 1
        places: list[tuple[int, float, int]] = []
        while end < len(spans):
            if spans[end].depth < SOLID:
                places.append((spans[end].depth, taken, end))
            taken += spans[end].width
            end += 1
            if taken > room and places:
                break
        if taken > room and places:
            long = [place for place in places if place[1] >= SHORTEST * room] or places[-1:]
            least = min(depth for depth, _, _ in long)
            end = [place for place in long if place[0] == least][-1][2]
        yield tuple(spans[start:end])
        start, room = end, later
