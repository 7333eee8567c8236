"""Formulas in LaTeX, for amsmath alone: every name is escaped, so that none is a command."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chasles.formula.layout import Lines, Row
from chasles.formula.names import GREEK, NAMES
from chasles.formula.notation import is_indices, names_of
from chasles.formula.printer import FRACTION, Printer
from chasles.formula.spans import Piece, Span
from chasles.formula.tree import Symbol
from chasles.formula.words import Words

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: "\\" + sign for sign in "{}$%&#_"},
}
_LIKE_LATIN = [
    "Alpha",
    "Beta",
    "Epsilon",
    "Zeta",
    "Eta",
    "Iota",
    "Kappa",
    "Mu",
    "Nu",
    "Omicron",
    "Rho",
    "Tau",
    "Chi",
    "omicron",
]
_ROMAN = dict(zip(_LIKE_LATIN, "ABEZHIKMNOPTXo", strict=True))
_NOT_IN_FONTS = "ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲų"  # of the Latin letters with accents, those that Computer Modern lacks
_ACCENTS = ("", r"\dot", r"\ddot", r"\dddot", r"\ddddot")
_MARKS = {
    "+": ("+ ", 2.5),
    "-": ("- ", 2.5),
    "minus": ("-", 1.5),
    "=": ("=", 3.0),
    "<": ("<", 3.0),
    "<=": (r"\le", 3.0),
    "and": (r"\land", 3.0),
    "or": (r"\lor", 3.0),
    "not": (r"\lnot", 1.5),
    ",": (",", 1.0),
    "[": ("[", 0.8),
    "]": ("]", 0.8),
    "T": (r"\mathsf{T}", 0.8),
    "-1": ("-1", 1.4),
    "*": ("*", 0.8),
    "inf": (r"\infty", 2.0),
    "nan": (r"\mathrm{nan}", 3.0),
    "": ("", 0.0),
    "of": ("", 0.3),
    "wide": (r"\,", 0.3),
    "dot": (r"\cdot", 1.5),
    "end": ("", 0.0),
    "otherwise": (r"\quad \text{otherwise}", 11.0),
    "/": ("/", 1.0),
    "quad": (r"\quad", 2.0),
    "and so on": (r"\quad \text{etc.}", 6.0),
}
_SCRIPT = 0.75  # width of a letter of an index
_DIGIT = 1.0
_LETTER = 1.15
_WORDS = 0.95  # width of a letter among words
_WIDTHS = {"m": 1.8, "w": 1.4, "M": 2.0, "W": 2.0, "l": 0.65, "i": 0.7, "j": 0.85, "t": 0.75, "r": 0.9, "I": 0.9}


class Latex(Printer):
    """Formulas in LaTeX."""

    functions_have_room = True

    def run(self, texts: Sequence[str]) -> str:
        out = ""
        for text in texts:
            tight = not out or out[-1] in "([- " or text in ("", ")", "]", ",", r"\right)", r"\Bigr)")
            out += text if tight else " " + text
        return out

    def mark(self, sign: str) -> Span:
        return Span(*_MARKS[sign])

    def words(self, text: str) -> Span:
        return Span(f"\\text{{{escaped(text)}}}", _WORDS * len(text))

    def symbol(self, x: Symbol, exponent: Span | None = None) -> Span:
        text, width = letter(x.letter)
        if x.bold:
            text = f"\\boldsymbol{{{text}}}" if x.letter in GREEK else f"\\mathbf{{{text}}}"
        if 0 < x.dots < len(_ACCENTS):
            text = f"{_ACCENTS[x.dots]}{{{text}}}"
        below, narrow = index(x.index)
        text += f"_{_group(below)}" if below else ""
        raised = 0.0
        if x.dots >= len(_ACCENTS):
            text = f"{text}^{{({x.dots})}}" if exponent is None else f"({text}^{{({x.dots})}})"
            raised = 3.0 * _SCRIPT
        if exponent is not None:
            text += f"^{_group(exponent.text)}"
            raised = max(raised, _SCRIPT * exponent.width)
        return Span(text, width + max(_SCRIPT * narrow, raised))

    def digit_string(self, text: str, exponent: str) -> Span:
        if not exponent:
            return Span(text, _DIGIT * len(text))
        power = f"10^{{{exponent}}}"
        width = _DIGIT * (len(text) + 3) + _SCRIPT * len(exponent)
        return Span(power if text == "1" else rf"{text} \cdot {power}", width)

    def ratio(self, above: Piece, below: Piece) -> Piece:
        over, under = self.joined(above.spans), self.joined(below.spans)
        text = f"\\frac{{{over.text}}}{{{under.text}}}"
        return Piece((Span(text, max(over.width, under.width) + 0.5, True),), FRACTION)

    def raised(self, base: Span, exponent: Span) -> Span:
        return Span(f"{base.text}^{_group(exponent.text)}", base.width + _SCRIPT * exponent.width, base.tall)

    def root(self, x: Span) -> Span:
        return Span(f"\\sqrt{{{x.text}}}", x.width + 2.0, x.tall)

    def absolute(self, x: Span) -> Span:
        left, right = (r"\left\lvert", r"\right\rvert") if x.tall else (r"\lvert", r"\rvert")
        return Span(f"{left} {x.text} {right}", x.width + 1.2, x.tall)

    def floor(self, x: Span) -> Span:
        left, right = (r"\left\lfloor", r"\right\rfloor") if x.tall else (r"\lfloor", r"\rfloor")
        return Span(f"{left} {x.text} {right}", x.width + 2.0, x.tall)

    def function_name(self, function: str, exponent: Span | None) -> Span:
        text = names_of(function)[1]
        if exponent is None:
            return Span(text, _DIGIT * len(function) + 0.5)
        return Span(f"{text}^{_group(exponent.text)}", _DIGIT * len(function) + _SCRIPT * exponent.width + 0.5)

    def lie_operator(self, name: str, index: Span, star: bool) -> Span:
        if name == "sum":
            return Span(f"\\sum_{_group(index.text)}", max(3.0, _SCRIPT * index.width), True)
        text = f"\\operatorname{{{name}}}_{_group(index.text)}" + ("^{*}" if star else "")
        return Span(text, _DIGIT * len(name) + _SCRIPT * index.width)

    def matrix(self, rows: Sequence[Sequence[Span]]) -> Span:
        width = sum(max(x.width for x in column) + 2.0 for column in zip(*rows, strict=True))
        inner = r" \\ ".join(" & ".join(x.text for x in row) for row in rows)
        return Span(f"\\begin{{bmatrix}} {inner} \\end{{bmatrix}}", width, True)

    def cases(self, choices: Sequence[tuple[Span, Span]], otherwise: Span) -> Span:
        rows = [rf"{value.text} & \text{{if }} {condition.text}" for value, condition in choices]
        rows.append(rf"{otherwise.text} & \text{{otherwise}}")
        values = max(otherwise.width, *(value.width for value, _ in choices))
        width = values + max(9.0, *(3.0 + condition.width for _, condition in choices)) + 3.0
        inner = r" \\ ".join(rows)
        return Span(f"\\begin{{cases}} {inner} \\end{{cases}}", width, True)

    def enclosed(self, x: Piece) -> tuple[Span, ...]:
        left, right = "(", ")"
        if x.tall:
            left, right = (r"\left(", r"\right)") if len(x.spans) == 1 else (r"\Bigl(", r"\Bigr)")
        return self.between(Span(left, 0.8), x, Span(right, 0.8))


def _group(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def letter(x: str) -> tuple[str, float]:
    """What is read of a symbol, and its width: a letter in italics, a word upright."""
    if x in _ROMAN:
        return (_ROMAN[x], _LETTER) if x == "omicron" else (f"\\mathrm{{{_ROMAN[x]}}}", _LETTER)
    if x in GREEK:
        return f"\\{x}", _LETTER
    if len(x) == 1 and x.isascii() and x.isalnum():
        return x, _WIDTHS.get(x, _LETTER)
    return word(x), _DIGIT * len(x)


def word(x: str) -> str:
    """Upright, with all that LaTeX would take for a command escaped."""
    if re.fullmatch("[A-Za-z0-9_]*", x):
        return f"\\mathrm{{{escaped(x)}}}"
    return f"\\text{{{escaped(x)}}}"


def escaped(x: str) -> str:
    """A text in which LaTeX sees no command, of letters that its first fonts have: others by their numbers."""
    return "".join(map(_character, x))


def _character(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if c in GREEK.values():
        return f"${letter(NAMES[c])[0]}$"
    known = (c.isascii() and c.isprintable()) or ("À" <= c <= "ž" and c.isalpha() and c not in _NOT_IN_FONTS)
    return c if known else f"U+{ord(c):04X}"


def index(x: str) -> tuple[str, float]:
    """What stands below a letter, and how many letters it has: words of three and more upright."""
    out = [_index_part(part) for part in re.findall(r"[^\W\d_]+|\d+|.", x, re.DOTALL)]
    return "".join(text for text, _ in out), sum(width for _, width in out)


def _index_part(x: str) -> tuple[str, float]:
    if x in GREEK:
        return letter(x)[0] + " ", 1
    if (x.isascii() and x.isdecimal()) or x in (",", "-", "+") or is_indices(x):
        return x, len(x)
    return word(x), len(x)


def aligned(rows: Sequence[Row], said: Sequence[Lines], about: Lines, environment: str) -> str:
    """Rows, definitions below them and words below these, in an environment of amsmath."""
    heads = ["&" if row.left is None else f"{row.left.text} &=" for row in rows]
    out = [f"{head} {_broken(row.lines)}" for head, row in zip(heads, rows, strict=True)]
    out += [("" if k else r"\text{with} \quad ") + f"& {_broken(item)}" for k, item in enumerate(said)]
    out += [f"& {line.text}" for line in about]
    body = " \\\\\n".join(out)
    return f"\\begin{{{environment}}}\n{body}\n\\end{{{environment}}}"


def in_notebook(said: str | Words) -> str:
    """Words as they are, which notebooks show outside of formulas, each symbol among them a formula."""
    printer = Latex({}, 5, 100.0)
    parts = (said,) if isinstance(said, str) else said
    return "".join(x.replace("$", r"\$") if isinstance(x, str) else f"${printer.whole(x).text}$" for x in parts)


def _broken(lines: Lines) -> str:
    return " \\\\\n& \\qquad ".join(line.text for line in lines)
