"""Formulas in MathML Core, presentation, which browsers typeset by themselves: for pages without a network.

All text is escaped; signs are characters, without entities, so that it is well-formed in XML and HTML alike. Colours
are those of the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from chasles.formula.layout import Lines, Row
from chasles.formula.names import GREEK
from chasles.formula.notation import is_indices, is_word, names_of
from chasles.formula.printer import FRACTION, Printer
from chasles.formula.spans import Piece, Span
from chasles.formula.tree import Symbol
from chasles.formula.words import Words
from chasles.markup import escaped

_SCRIPT = 0.75  # width of a letter of an index
_DOTS = ("", "˙", "¨", "⋅⋅⋅", "⋅⋅⋅⋅")  # no accents, which stand in the letter where its font has none for them
_MINUS = "\u2212"
_BOLD = (("A", "Z", 0x1D400), ("a", "z", 0x1D41A), ("0", "9", 0x1D7CE), ("Α", "Ω", 0x1D6A8), ("α", "ω", 0x1D6C2))  # noqa: RUF001
_APPLIED, _TIMES = "<mo>\u2061</mo>", "<mo>\u2062</mo>"


def _sign(text: str, form: str = "infix") -> str:
    return f'<mo form="{form}">{escaped(text)}</mo>'


_MARKS = {
    "+": (_sign("+"), 2.5),
    "-": (_sign(_MINUS), 2.5),
    "minus": (_sign(_MINUS, "prefix"), 1.5),
    "=": (_sign("="), 3.0),
    "<": (_sign("<"), 3.0),
    "<=": (_sign("≤"), 3.0),
    "and": (_sign("∧"), 3.0),
    "or": (_sign("\u2228"), 3.0),
    "not": (_sign("¬", "prefix"), 1.5),
    ",": ('<mo separator="true">,</mo>', 1.0),
    "[": ('<mo stretchy="false">[</mo>', 0.8),
    "]": ('<mo stretchy="false">]</mo>', 0.8),
    "T": ('<mi mathvariant="normal">T</mi>', 0.8),
    "-1": ("<mn>\u22121</mn>", 1.4),
    "*": ("<mo>\u2217</mo>", 0.8),
    "inf": ('<mi mathvariant="normal">∞</mi>', 2.0),
    "nan": ("<mi>nan</mi>", 3.0),
    "": (_TIMES, 0.0),
    "wide": ('<mspace width="0.17em"/>', 0.3),
    "of": (_APPLIED + '<mspace width="0.17em"/>', 0.3),
    "dot": (_sign("·"), 1.5),
    "end": ("", 0.0),
    "otherwise": ('<mspace width="1em"/><mtext>otherwise</mtext>', 11.0),
    "/": (_sign("/"), 1.0),
    "quad": ('<mspace width="1em"/>', 2.0),
    "and so on": ('<mspace width="1em"/><mtext>etc.</mtext>', 6.0),
}


class MathML(Printer):
    """Formulas in MathML: a span is a run of elements."""

    def run(self, texts: Sequence[str]) -> str:
        return "".join(texts)

    def mark(self, sign: str) -> Span:
        return Span(*_MARKS[sign])

    def words(self, text: str) -> Span:
        return Span(f"<mtext>{escaped(text)}</mtext>", float(len(text)))

    def symbol(self, x: Symbol, exponent: Span | None = None) -> Span:
        text = _letter(x)
        if 0 < x.dots < len(_DOTS):
            text = f'<mover accent="false">{text}<mo stretchy="false" mathsize="1.2em">{_DOTS[x.dots]}</mo></mover>'
        wide = float(len(x.letter)) if is_word(x) else 1.15
        below = _index(x.index)
        above = exponent.text if exponent is not None else ""
        if x.dots >= len(_DOTS):
            above = f"<mrow><mo>(</mo><mn>{x.dots}</mn><mo>)</mo>{above}</mrow>"
        match bool(below), bool(above):
            case True, True:
                text = f"<msubsup>{text}{below}{_row(above)}</msubsup>"
            case True, False:
                text = f"<msub>{text}{below}</msub>"
            case False, True:
                text = f"<msup>{text}{_row(above)}</msup>"
        return Span(text, wide + _SCRIPT * max(len(x.index), exponent.width if exponent else 0.0))

    def digit_string(self, text: str, exponent: str) -> Span:
        digits = f"<mn>{escaped(text)}</mn>"
        if not exponent:
            return Span(digits, float(len(text)))
        ten = f"<msup><mn>10</mn><mn>{exponent.replace('-', _MINUS)}</mn></msup>"
        return Span(ten if text == "1" else digits + _sign("·") + ten, len(text) + 3 + _SCRIPT * len(exponent))

    def ratio(self, above: Piece, below: Piece) -> Piece:
        over, under = self.joined(above.spans), self.joined(below.spans)
        text = f"<mfrac>{_row(over.text)}{_row(under.text)}</mfrac>"
        return Piece((Span(text, max(over.width, under.width) + 0.5, True),), FRACTION)

    def raised(self, base: Span, exponent: Span) -> Span:
        text = f"<msup>{_row(base.text)}{_row(exponent.text)}</msup>"
        return Span(text, base.width + _SCRIPT * exponent.width, base.tall)

    def root(self, x: Span) -> Span:
        return Span(f"<msqrt>{x.text}</msqrt>", x.width + 2.0, x.tall)

    def absolute(self, x: Span) -> Span:
        left, right = (f'<mo form="{form}">|</mo>' for form in ("prefix", "postfix"))
        return Span(f"<mrow>{left}{x.text}{right}</mrow>", x.width + 1.2, x.tall)

    def floor(self, x: Span) -> Span:
        return Span(f"<mrow><mo>⌊</mo>{x.text}<mo>⌋</mo></mrow>", x.width + 2.0, x.tall)

    def function_name(self, function: str, exponent: Span | None) -> Span:
        name = f"<mi>{names_of(function)[0]}</mi>"
        if exponent is None:
            return Span(name, len(function) + 0.5)
        return Span(f"<msup>{name}{_row(exponent.text)}</msup>", len(function) + _SCRIPT * exponent.width + 0.5)

    def lie_operator(self, name: str, index: Span, star: bool) -> Span:
        if name == "sum":
            return Span(f"<munder><mo>∑</mo>{_row(index.text)}</munder>", max(3.0, _SCRIPT * index.width), True)
        below = f"<mi>{escaped(name)}</mi>{_row(index.text)}"
        text = f"<msubsup>{below}{_MARKS['*'][0]}</msubsup>" if star else f"<msub>{below}</msub>"
        return Span(text, len(name) + _SCRIPT * index.width)

    def matrix(self, rows: Sequence[Sequence[Span]]) -> Span:
        width = sum(max(x.width for x in column) + 2.0 for column in zip(*rows, strict=True))
        return Span(f"<mrow><mo>[</mo>{_table([[x.text for x in row] for row in rows])}<mo>]</mo></mrow>", width, True)

    def cases(self, choices: Sequence[tuple[Span, Span]], otherwise: Span) -> Span:
        space = '<mspace width="0.3em"/>'
        cells = [[value.text, f"<mtext>if</mtext>{space}{condition.text}"] for value, condition in choices]
        cells.append([otherwise.text, "<mtext>otherwise</mtext>"])
        values = max(otherwise.width, *(value.width for value, _ in choices))
        width = values + max(9.0, *(3.0 + condition.width for _, condition in choices)) + 3.0
        table = _table(cells, "text-align:left;text-align:-webkit-left")
        return Span(f'<mrow><mo form="prefix">{{</mo>{table}</mrow>', width, True)

    def enclosed(self, x: Piece) -> tuple[Span, ...]:
        if len(x.spans) == 1 and x.tall:
            return (Span(f"<mrow><mo>(</mo>{x.spans[0].text}<mo>)</mo></mrow>", x.width + 1.6, x.tall),)
        height = 'minsize="1.8em" maxsize="1.8em"' if x.tall else 'stretchy="false"'
        left, right = (f'<mo form="{form}" {height}>{sign}</mo>' for form, sign in (("prefix", "("), ("postfix", ")")))
        return self.between(Span(left, 0.8), x, Span(right, 0.8))


def _row(text: str) -> str:
    """One element, of a run of them."""
    return f"<mrow>{text}</mrow>"


def _table(rows: Sequence[Sequence[str]], style: str = "") -> str:
    cell = f'<mtd style="{style}">' if style else "<mtd>"
    inner = "".join("<mtr>" + "".join(f"{cell}{x}</mtd>" for x in row) + "</mtr>" for row in rows)
    return f"<mtable>{inner}</mtable>"


def _letter(x: Symbol) -> str:
    read = GREEK.get(x.letter, x.letter)
    upright = x.bold or (len(read) == 1 and read.isupper() and not read.isascii())
    variant = ' mathvariant="normal"' if upright else ""
    return f"<mi{variant}>{escaped(_bold(read) if x.bold else read)}</mi>"


def _bold(read: str) -> str:
    """Bold letters of Unicode, which fonts for mathematics have where they have no bold face."""
    out = ""
    for c in read:
        first = next((row for row in _BOLD if row[0] <= c <= row[1]), None)
        out += c if first is None else chr(first[2] + ord(c) - ord(first[0]))
    return out


def _index(x: str) -> str:
    parts = re.findall(r"[^\W\d_]+|\d+|.", x, re.DOTALL)
    inner = "".join(_index_part(part) for part in parts)
    return inner if len(x) < 2 else _row(inner)


def _index_part(x: str) -> str:
    if x.isdecimal():
        return f"<mn>{x}</mn>"
    if x in GREEK or not x.isalpha():
        return (
            f"<mi>{GREEK[x]}</mi>"
            if x in GREEK
            else f'<mo lspace="0" rspace="0">{escaped(x.replace("-", _MINUS))}</mo>'
        )
    return "".join(f"<mi>{escaped(c)}</mi>" for c in ([x] if not is_indices(x) else x))


def page_part(rows: Sequence[Row], said: Sequence[Lines]) -> str:
    """An element <math> that stands by itself: rows aligned at their signs of equality, definitions below them."""
    out: list[tuple[str, str]] = []
    for row in rows:
        out += _broken(row.left.text if row.left else "", _MARKS["="][0] if row.left else "", row.lines)
    for k, item in enumerate(said):
        out += _broken("" if k else '<mtext>with</mtext><mspace width="0.6em"/>', "", item)
    right, left = (f"padding:0.35em 0;text-align:{side};text-align:-webkit-{side}" for side in ("right", "left"))
    cells = "".join(f'<mtr><mtd style="{right}">{x}</mtd><mtd style="{left}">{y}</mtd></mtr>' for x, y in out)
    table = f'<mtable displaystyle="true">{cells}</mtable>'
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{table}</math>'


def in_line(said: str | Words) -> str:
    """Words as HTML, each symbol among them an element <math>."""
    printer = MathML({}, 5, 100.0)
    parts = (said,) if isinstance(said, str) else said
    return "".join(escaped(x) if isinstance(x, str) else f"<math>{printer.whole(x).text}</math>" for x in parts)


def _broken(head: str, sign: str, lines: Lines) -> list[tuple[str, str]]:
    """The two cells of each line."""
    later = (("", f'<mspace width="2em"/>{line.text}') for line in lines[1:])
    return [(head, sign + lines[0].text), *later]
