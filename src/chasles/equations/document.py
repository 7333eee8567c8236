"""Statements as files: a LaTeX document that compiles by itself, and SymPy's expressions as a Python module."""

from __future__ import annotations

from collections.abc import Sequence

from chasles.formula.latex import escaped
from chasles.formula.statement import Statement

_HEAD = r"""\documentclass{article}
\usepackage[a4paper, landscape, margin=15mm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\setcounter{MaxMatrixCols}{99}
\begin{document}
"""


def document(title: str, statements: Sequence[Statement]) -> str:
    """A LaTeX document of statements, each below its title."""
    parts = [_HEAD + rf"\section*{{{escaped(title)}}}"]
    for statement in statements:
        if statement.title != title:
            parts.append(rf"\subsection*{{{escaped(statement.title)}}}")
        parts.append(statement.latex())
    return "\n".join([*parts, r"\end{document}"])


def program(statements: Sequence[Statement]) -> str:
    """Python's text of SymPy's expressions: a module that defines each by its name."""
    from sympy.printing.pycode import pycode

    raise NotImplementedError
