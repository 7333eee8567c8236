"""Statements one after the other, as those of a recursion, link by link: printed each below its title."""

from __future__ import annotations

from chasles import markup
from chasles.formula.latex import escaped
from chasles.formula.statement import Statement
from chasles.reprs import cut


class Statements(tuple[Statement, ...]):
    """Statements in the order in which they are read; a tuple. A notebook shows them typeset."""

    __slots__ = ()

    def text(self, *, digits: int = 5, width: int | None = None) -> str:
        """Unicode text, each statement below its title; options as for `Statement.text`."""
        return "\n\n".join(f"{x.title}\n\n{x.text(digits=digits, width=width)}" for x in self)

    def latex(self, *, digits: int = 5, width: int = 68) -> str:
        """LaTeX for amsmath, a paragraph for each statement, for the body of a document."""
        parts = []
        for x in self:
            body = x.latex(compact=False, digits=digits, width=width, environment="align*")
            parts.append(f"\\paragraph{{{escaped(x.title)}}}\n{body}")
        return "\n\n".join(parts)

    def html(self, *, digits: int = 5, width: int = 100) -> str:
        """HTML with MathML, for pages without a network."""
        parts = (f"<h4>{markup.escaped(x.title)}</h4>{x.html(compact=False, digits=digits, width=width)}" for x in self)
        return f"<div>{''.join(parts)}</div>"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return cut(f"<Statements: {len(self)}, from {self[0].title!r}>" if self else "<Statements: none>")

    def _repr_html_(self) -> str:
        return self.html()
