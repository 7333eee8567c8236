"""Statements as files: a LaTeX document that compiles by itself, and SymPy's expressions as a Python module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from chasles.formula.latex import escaped
from chasles.formula.statement import Statement

_HEAD = r"""\documentclass{article}
\usepackage[a4paper, margin=20mm]{geometry}
\usepackage{amsmath}
\allowdisplaybreaks
\setcounter{MaxMatrixCols}{99}
\setlength{\parindent}{0pt}
\begin{document}
"""
_WIDTH = 90  # characters that a line of such a page holds


def document(title: str, statements: Sequence[Statement], digits: int) -> str:
    """A LaTeX document of statements, each below its title."""
    parts = [_HEAD + rf"\section*{{{escaped(title)}}}"]
    for statement in statements:
        if statement.title != title:
            parts.append(rf"\subsection*{{{escaped(statement.title)}}}")
        parts.append(statement.latex(digits=digits, width=_WIDTH, environment="align*"))
    return "\n".join([*parts, r"\end{document}"])


def module(statements: Mapping[str, Statement]) -> str:
    """A Python module of SymPy's expressions: each statement by its name, after the symbols and what it names."""
    import sympy

    made = {name: statement.sympy(named=True) for name, statement in statements.items()}
    named = {symbol: x for _, definitions in made.values() for symbol, x in definitions.items()}
    results = {name: x if isinstance(x, tuple) else (x,) for name, (x, _) in made.items()}
    every = [*named.values(), *(x for row in results.values() for x in row)]
    free = sorted({symbol for x in every for symbol in x.free_symbols} - set(named), key=_natural)
    functions = sorted({type(y).__name__ for x in every for y in x.atoms(sympy.Function)})
    kinds = {"Matrix": any(isinstance(x, sympy.MatrixBase) for x in every), "Eq": any(map(_is_equation, every))}
    imported = ["symbols", *functions, *(kind for kind, there in kinds.items() if there)]
    imported += ["Rational"] if any(x.atoms(sympy.Rational) - x.atoms(sympy.Integer) for x in every) else []
    lines = [f"from sympy import {', '.join(sorted(imported))}", ""]
    if free:
        lines += [
            f'{", ".join(map(str, free))}{"," * (len(free) == 1)} = symbols("{" ".join(map(str, free))}", seq=True)'
        ]
    lines += [f"{symbol} = {_code(x)}" for symbol, x in named.items()]
    for name, row in results.items():
        lines.append(f"{name} = {_code(row[0])}" if len(row) == 1 else f"{name} = (")
        lines += [] if len(row) == 1 else [*(f"    {_code(x)}," for x in row), ")"]
    return "\n".join(lines)


def _is_equation(x: Any) -> bool:
    return type(x).__name__ == "Equality"


def _natural(symbol: Any) -> list[tuple[int, str]]:
    return [(int(x), "") if x.isdigit() else (-1, x) for x in re.split(r"(\d+)", str(symbol)) if x]


def _code(x: Any) -> str:
    """An expression as Python reads it, fractions exact."""
    from sympy.printing.str import StrPrinter

    class Code(StrPrinter):
        def _print_Rational(self, expr: Any) -> str:
            return f"Rational({expr.p}, {expr.q})"

        _print_Half = _print_Rational

        def _print_MatrixBase(self, expr: Any) -> str:
            rows = (f"[{', '.join(map(self._print, expr.row(i)))}]" for i in range(expr.rows))
            return f"Matrix([{', '.join(rows)}])"

    return Code({"full_prec": False}).doprint(x)
