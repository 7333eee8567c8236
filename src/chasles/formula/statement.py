"""Statements: equations that people hold, with the quantities that they name, in every way they print.

print(M)            Unicode text           M.latex()     LaTeX, for amsmath
M.sympy()           SymPy's expressions    M.mathml()    for pages without a network
M in a notebook     typeset mathematics
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import Any, Literal

from chasles.arguments import count, flag, one_of
from chasles.formula.layout import Row, abbreviated, definitions, rows
from chasles.formula.tree import Equation
from chasles.reprs import cut

ENVIRONMENTS = ("aligned", "align*")


@dataclass(frozen=True, repr=False)
class Statement:
    """Equations, and `where`: those of the quantities that they name, each after those that it needs itself.

    title: "mass matrix". about: a line on frames, units or the order of indices; "" for none.
    """

    title: str
    equations: tuple[Equation, ...]
    where: tuple[Equation, ...] = ()
    about: str = ""

    def latex(
        self,
        *,
        compact: bool = True,
        digits: int = 5,
        width: int = 75,
        environment: Literal["aligned", "align*"] = "aligned",
    ) -> str:
        """LaTeX for amsmath: of "aligned", which stands in a formula, or "align*", which stands by itself and goes
        on over pages.

        compact: c_{12} for cos(q_1 + q_2). digits: of numbers that are not exact. width: of a line, in characters of
        half an em; what is wider is broken, and a matrix told entry by entry.
        """
        from chasles.formula.latex import Latex, aligned

        one_of(environment, "environment", ENVIRONMENTS)
        return aligned(*self._laid_out(Latex, compact, digits, count(width, "width", 20)), environment)

    def text(self, *, compact: bool = True, digits: int = 5, width: int | None = None) -> str:
        """Unicode text. width: of a line, in characters; that of the terminal unless given. Others as in `latex`."""
        from chasles.formula.plain import Plain, stacked

        wide = shutil.get_terminal_size((100, 24)).columns if width is None else count(width, "width", 20)
        return stacked(*self._laid_out(Plain, compact, digits, max(wide, 20)), self.about)

    def sympy(self, *, named: bool = False) -> Any:
        """The right side of the equation as an expression of SymPy, or a Matrix; a tuple of them if there are several.

        Symbols are `sympy.Symbol(name)` without assumptions, as `subs({"m1": 2})` makes them; fractions are exact. What
        `where` names is put in. named: leaves it as symbols, and returns two: that, and the definitions by symbol.
        """
        from chasles.formula.sympy_form import definitions_of, expressed

        flag(named, "named")
        symbols, known = definitions_of(self.where, named)
        out = tuple(expressed(equation.right, known) for equation in self.equations)
        result = out[0] if len(out) == 1 else out
        return (result, symbols) if named else result

    def _laid_out(self, printer: Any, compact: bool, digits: int, width: float) -> tuple[list[Row], Any]:
        used = abbreviated(self.equations, self.where, flag(compact, "compact"))
        short = printer(used, count(digits, "digits"))
        said = definitions(short, printer({}, digits), self.where, used, width - 6.0)
        return list(rows(short, self.equations, width)), said

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        named = f", {len(self.where)} named" if self.where else ""
        return cut(f"<Statement: {self.title}, {len(self.equations)} equations{named}>")

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"
