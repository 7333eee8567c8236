"""Statements: equations that people hold, with the quantities that they name, in every way they print.

    print(M)            Unicode text           M.latex()     LaTeX, for amsmath
    M.sympy()           SymPy's expressions    M.mathml()    for pages without a network
    M in a notebook     typeset mathematics

Notebooks typeset LaTeX, which they have a script for; they would prefer HTML to it if there were any.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from typing import Any, Literal

from chasles.arguments import count, flag, one_of
from chasles.formula.layout import Lines, Row, laid_out
from chasles.formula.notation import abbreviations
from chasles.formula.printer import Printer
from chasles.formula.tree import Equation, Matrix, Symbol
from chasles.formula.words import Words
from chasles.hints import Hinted
from chasles.reprs import cut, listed

Environment = Literal["aligned", "align*"]
LEAST = 20  # characters of a line
MOST_DIGITS = 17  # which tell any two numbers apart
NOTEBOOK = 100  # characters of a line of a notebook


@dataclass(frozen=True, repr=False)
class Statement(Hinted):
    """Equations, and `where`: those of the quantities that they name, each after those that it needs itself.

    title: "mass matrix". about: words on symbols, frames, units or the order of indices, below all; "" for none.
    """

    title: str
    equations: tuple[Equation, ...]
    where: tuple[Equation, ...] = ()
    about: str | Words = ""

    def latex(
        self, *, compact: bool = True, digits: int = 5, width: int = 68, environment: Environment = "aligned"
    ) -> str:
        """LaTeX for amsmath.

        compact: c_{12} for cos(q_1 + q_2), which is said below. digits: of numbers that are not exact, 17 at most.
        width: of a line, in characters of half an em, 68 for a page of `article`; what is wider is broken, and a matrix
        told entry by entry. environment: "aligned" stands in a formula, "align*" by itself, and goes on over pages
        where LaTeX is told `\\allowdisplaybreaks`.
        """
        from chasles.formula.latex import Latex, aligned

        one_of(environment, "environment", ("aligned", "align*"))
        return aligned(*self._laid_out(Latex, compact, digits, width), environment)

    def text(self, *, compact: bool = True, digits: int = 5, width: int | None = None) -> str:
        """Unicode text. width: of a line, in characters; that of the terminal unless given. Others as in `latex`."""
        from chasles.formula.plain import Plain, stacked

        wide = shutil.get_terminal_size((NOTEBOOK, 24)).columns if width is None else count(width, "width", LEAST)
        return stacked(*self._laid_out(Plain, compact, digits, max(wide, LEAST)))

    def mathml(self, *, compact: bool = True, digits: int = 5, width: int = 100) -> str:
        """An element <math> of MathML Core, which browsers typeset without a network or a script; without `about`,
        which `html` has. Options as in `latex`."""
        from chasles.formula.mathml import MathML, page_part

        rows, said, _ = self._laid_out(MathML, compact, digits, width)
        return page_part(rows, said)

    def html(self, *, compact: bool = True, digits: int = 5, width: int = 100) -> str:
        """HTML for pages without a network: the element <math> of `mathml`, and a paragraph of what `about` says."""
        from chasles.formula.mathml import in_line

        said = f"<p>{in_line(self.about)}</p>" if self.about else ""
        return self.mathml(compact=compact, digits=digits, width=width) + said

    def sympy(self, *, named: bool = False) -> Any:
        """The right side of the equation as an expression of SymPy, or a Matrix; a tuple of them if there are several.
        Where its left side is not a symbol, a sympy.Eq of both.

        Symbols are `sympy.Symbol(name)` without assumptions, as those that `subs({"m1": 2})` makes; fractions are
        exact. Vectors and matrices that are symbols do not commute. What `where` names is put in. named: leaves it as
        symbols, and returns two: that, and the definitions by symbol, each of what comes before it.
        """
        from chasles.formula.sympy_form import definitions_of, expressed

        defined, known = definitions_of(self.where, flag(named, "named"))
        out = tuple(expressed(x.right if isinstance(x.left, Symbol) else x, known) for x in self.equations)
        result = out[0] if len(out) == 1 else out
        return (result, defined) if named else result

    def _laid_out(
        self, kind: type[Printer], compact: bool, digits: int, width: int
    ) -> tuple[list[Row], list[Lines], Lines]:
        """The rows of the equations, the lines of what they name, and those of `about`."""
        digits, width = min(count(digits, "digits"), MOST_DIGITS), count(width, "width", LEAST)
        used = abbreviations((*self.equations, *self.where)) if flag(compact, "compact") else {}
        printer, full = (kind(short, digits, 0.8 * width) for short in (used, {}))
        return laid_out(printer, full, self.equations, self.where, used, self.about, width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        told = listed(map(_told, self.equations), 160)
        named = f", {len(self.where)} named" if self.where else ""
        return cut(f"<Statement: {self.title}: {told}{named}>")

    def _repr_latex_(self) -> str:
        from chasles.formula.latex import in_notebook

        typeset = replace(self, about="").latex(width=NOTEBOOK)
        return f"$$\n{typeset}\n$$" + (f"\n\n{in_notebook(self.about)}" if self.about else "")


def _told(equation: Equation) -> str:
    """M (2, 2), or the left side alone."""
    from chasles.formula.plain import Plain

    left = Plain({}, 5, NOTEBOOK).whole(equation.left).text
    right = equation.right
    return f"{left} ({len(right.rows)}, {len(right.rows[0])})" if isinstance(right, Matrix) and right.rows else left
