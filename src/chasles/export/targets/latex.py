"""Equations as a LaTeX document: what each symbol stands for, and the function in those symbols."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chasles.backend.latex import equations, written
from chasles.backend.statements.words import words
from chasles.export.exported import Described, Exported
from chasles.export.heading import costs, plain, shape
from chasles.formula.latex import Latex, escaped
from chasles.formula.tree import Symbol
from chasles.graph.operand import Operand

ABOUT = "equations as a LaTeX document, which pdflatex typesets with amsmath"

MOST_ELEMENTS = 12  # that are told one by one

_DOCUMENT = r"""%% %(notes)s
\documentclass{article}
\usepackage[a4paper, margin=15mm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\setcounter{MaxMatrixCols}{99}
\setlength{\parindent}{0pt}
\setlength{\emergencystretch}{6em}
\begin{document}
\section*{%(title)s}
%(about)s%(operands)s
%(equations)s
%(notes)s
\end{document}
"""

_MATHEMATICS = re.compile(r"\^(?P<power>-?\d+|T)\b|\b(?P<symbol>qdd|qd|q|tau)\b|\b(?P<function>[MCgAYJW])(?=[(^])")
_SYMBOLS = {"qdd": r"\ddot{q}", "qd": r"\dot{q}", "q": "q", "tau": r"\tau"}


def files(function: Exported) -> dict[str, str | bytes]:
    """name.tex."""
    body, found = function.body, written(function.body, function.name)
    operands = [
        *(_told(function, o, list(symbols)) for o, symbols in zip(body.inputs, found.inputs, strict=True)),
        *(_told(function, o, [symbol]) for o, symbol in zip(body.outputs, found.outputs, strict=True)),
    ]
    listed = "\n".join([r"\begin{description}", *operands, r"\end{description}"]) if operands else ""
    about = plain(function.about)
    text = _DOCUMENT % {
        "title": escaped(plain(function.name)),
        "about": f"{_words(about)}\n\n" if about else "",
        "operands": listed,
        "equations": equations(found),
        "notes": " ".join((*found.notes, *costs(body))),
    }
    return {f"{words(body, function.name, ()).function}.tex": text}


def _told(function: Exported, operand: Operand, symbols: Sequence[Symbol]) -> str:
    """An item: the symbol, the name in code, the shape, and words."""
    described = function.operands.get(operand.name, Described())
    printed = [_printed(x) for x in symbols]
    label = ", ".join(printed if len(printed) < 4 else [printed[0], r"\ldots", printed[-1]])
    about = f", {_words(plain(described.about))}" if described.about else ""
    elements = ""
    if 0 < len(described.elements) <= MOST_ELEMENTS:
        each = (
            f"{escaped(plain(name))}{f' ({_words(plain(unit))})' if unit else ''}" for name, unit in described.elements
        )
        elements = ": " + ", ".join(each)
    name = escaped(plain(operand.name))
    size = shape(operand).replace(" x ", r" $\times$ ")
    return rf"\item[${label}$] \texttt{{{name}}}, {size}{about}{elements}."


def _words(text: str) -> str:
    """A text, with powers, coordinates and functions of them as mathematics."""
    found, end = "", 0
    for match in _MATHEMATICS.finditer(text):
        power, symbol, function = match["power"], match["symbol"], match["function"]
        printed = f"^{{{power}}}" if power else _SYMBOLS[symbol] if symbol else function
        found, end = f"{found}{escaped(text[end : match.start()])}${printed}$", match.end()
    return re.sub(r"(?<!\\)\$\$", "", found) + escaped(text[end:])  # q and its power are one formula


def _printed(symbol: Symbol) -> str:
    return Latex({}, 5, 75.0).whole(symbol).text
