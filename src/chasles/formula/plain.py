"""Formulas as Unicode text for terminals: q̇₁² sin(q₂), matrices over several lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from chasles.errors import printable
from chasles.formula.layout import Lines, Row
from chasles.formula.names import GREEK
from chasles.formula.notation import Parts, is_word, names_of
from chasles.formula.printer import CHOICE, POWER, PRODUCT, Printer
from chasles.formula.spans import Piece, Span
from chasles.formula.tree import Call, Formula, Symbol
from chasles.formula.words import Words

_BELOW = dict(zip("0123456789aehijklmnoprstuv+-", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥ₊₋", strict=True))  # x as y and z
_ABOVE = dict(zip("0123456789-niT*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿⁱᵀ*", strict=True))
_DOTS = ("", "\u0307", "\u0308", "\u20db", "\u20dc")
_MARKS = {
    "+": " + ",
    "-": " - ",
    "minus": "-",
    "=": " = ",
    "<": " < ",
    "<=": " ≤ ",
    "and": " and ",
    "or": " or ",
    "not": "not ",
    ",": ", ",
    "[": "[",
    "]": "]",
    "T": "T",
    "-1": "-1",
    "*": "*",
    "inf": "∞",
    "nan": "nan",
    "": " ",
    "of": " ",
    "wide": " ",
    "dot": " · ",
    "end": "",
    "otherwise": "  otherwise",
    "/": "/",
    "quad": " ",
    "and so on": "  etc.",
}


class Plain(Printer):
    """Formulas as text. A span of several lines stands on its middle one."""

    bare_arguments = False
    indent = 2.0
    with_beside = False

    def run(self, texts: Sequence[str]) -> str:
        return beside(texts)

    def mark(self, sign: str) -> Span:
        return _span(_MARKS[sign])

    def words(self, text: str) -> Span:
        return _span(printable(text))

    def symbol(self, x: Symbol, exponent: Span | None = None) -> Span:
        read = GREEK.get(x.letter, printable(x.letter))
        if x.dots < len(_DOTS) and not is_word(x):
            read = read[:1] + _DOTS[x.dots] + read[1:]
        else:
            read += "'" * x.dots
        below = printable(x.index)
        if "," in below:
            read += f"[{below}]"
        elif below:
            read += "".join(map(_BELOW.__getitem__, below)) if set(below) <= set(_BELOW) else f"_{below}"
        return _span(read) if exponent is None else self.raised(_span(read), exponent)

    def digit_string(self, text: str, exponent: str) -> Span:
        return _span(f"{text}e{exponent}" if exponent else text)

    def merged(self, p: Parts) -> bool:
        return True

    def ratio(self, above: Piece, below: Piece) -> Piece:
        over = above.spans if above.binds >= PRODUCT else self.enclosed(above)
        under = below.spans if below.binds >= POWER else self.enclosed(below)
        return Piece(self.glued(over, _span("/"), under), PRODUCT)

    def over(self, above: Piece, below: Piece, sign: str = "") -> Piece:
        return self.ratio(above, below)

    def raised(self, base: Span, exponent: Span) -> Span:
        if set(exponent.text) <= set(_ABOVE):
            return self.joined((base, _span("".join(map(_ABOVE.__getitem__, exponent.text)))))
        return self.joined((base, _span(f"^({exponent.text})")))

    def root(self, x: Span) -> Span:
        return self.joined((_span("√("), x, _span(")")))

    def absolute(self, x: Span) -> Span:
        return self.joined((_span("|"), x, _span("|")))

    def floor(self, x: Span) -> Span:
        return self.joined((_span("⌊"), x, _span("⌋")))

    def function_name(self, function: str, exponent: Span | None) -> Span:
        name = _span(names_of(function)[0])
        return name if exponent is None else self.raised(name, exponent)

    def lie_operator(self, name: str, index: Span, star: bool) -> Span:
        if name == "sum":
            return _span("Σ" + "".join(_BELOW.get(c, c) for c in index.text))
        return _span(f"{name}{'*' * star}({index.text})")

    def matrix(self, rows: Sequence[Sequence[Span]]) -> Span:
        return _span(bracketed([[x.text for x in row] for row in rows]))

    def cases(self, choices: Sequence[tuple[Span, Span]], otherwise: Span) -> Span:
        parts = [span for value, condition in choices for span in (value, _span(" if "), condition, _span(" else "))]
        return self.joined((*parts, otherwise))

    def displayed(self, x: Formula) -> Piece:
        """Choices one below the other, behind a brace."""
        if not (isinstance(x, Call) and x.function == "where"):
            return self.piece(x)
        found, otherwise = self.choices(x)
        rows = [*((value.text, f"if {condition.text}") for value, condition in found), (otherwise.text, "otherwise")]
        columns = max(width(value) for value, _ in rows)
        middle = (len(rows) - 1) // 2
        braces = ["⎪"] * len(rows)
        braces[middle], braces[0], braces[-1] = "⎨", "⎧", "⎩"
        lines = [f"{b} {v}{' ' * (columns - width(v))}  {c}" for b, (v, c) in zip(braces, rows, strict=True)]
        return Piece((_span("\n".join(lines)),), CHOICE)

    def enclosed(self, x: Piece) -> tuple[Span, ...]:
        return self.between(_span("("), x, _span(")"))


def _span(text: str) -> Span:
    return Span(text, width(text))


def width(text: str) -> int:
    """Columns of a terminal that a text takes, the widest of its lines."""
    return max(sum(map(_columns, line)) for line in text.split("\n"))


def _columns(c: str) -> int:
    if c.isascii():
        return 1
    if unicodedata.category(c) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def beside(texts: Sequence[str]) -> str:
    """Texts of one or more lines beside each other, with their middle lines in one."""
    if not any("\n" in text for text in texts):
        return "".join(texts)
    blocks = [text.split("\n") for text in texts]
    above = max((len(block) - 1) // 2 for block in blocks)
    below = max(len(block) // 2 for block in blocks)
    rows = [""] * (above + 1 + below)
    for block in blocks:
        start = above - (len(block) - 1) // 2
        columns = max(map(width, block))
        for k in range(len(rows)):
            line = block[k - start] if start <= k < start + len(block) else ""
            rows[k] += line + " " * (columns - width(line))
    return "\n".join(rows)


def bracketed(rows: Sequence[Sequence[str]]) -> str:
    """A matrix in brackets, an entry centred in its column."""
    if len(rows) == 0 or len(rows[0]) == 0:
        return "[ ]"
    columns = [max(map(width, column)) for column in zip(*rows, strict=True)]
    out = []
    for row in rows:
        cells = []
        for text, columns_of in zip(row, columns, strict=True):
            left = (columns_of - width(text)) // 2
            cells.append(" " * left + text + " " * (columns_of - width(text) - left))
        out.append("   ".join(cells))
    if len(rows) == 1:
        return f"[ {out[0]} ]"
    sides = [("⎡", "⎤"), *[("⎢", "⎥")] * (len(rows) - 2), ("⎣", "⎦")]
    return "\n".join(f"{left} {line} {right}" for (left, right), line in zip(sides, out, strict=True))


def stacked(rows: Sequence[Row], said: Sequence[Lines], about: Lines) -> str:
    """Rows one below the other, aligned at their signs of equality, definitions below them and words below these."""
    widest = max((int(row.left.width) for row in rows if row.left), default=0)
    out: list[str] = []
    for row in rows:
        head = "" if row.left is None else f"{' ' * (widest - int(row.left.width))}{row.left.text} = "
        out += _lines(head, row.lines)
    for k, item in enumerate(said):
        out += _lines("      " if k else "with  ", item)
    out += [line.text for line in about]
    return "\n".join(line.rstrip() for text in out for line in text.split("\n"))


def in_text(said: str | Words) -> str:
    """Words in one line."""
    printer = Plain({}, 5, 100.0)
    parts = (said,) if isinstance(said, str) else said
    return "".join(printable(x) if isinstance(x, str) else printer.whole(x).text for x in parts)


def _lines(head: str, lines: Lines) -> list[str]:
    indent = " " * (width(head) + int(Plain.indent))
    texts = [beside([head, lines[0].text]), *(beside([indent, line.text.removeprefix(" ")]) for line in lines[1:])]
    return [text.rstrip() for text in texts]
