"""Equations of motion: of few joints as they are, of many the recursion that gives them."""

from __future__ import annotations

from shlex import quote

from chasles import zoo
from chasles.formula.collection import Equations
from chasles.formula.mathml import in_line
from chasles.formula.statement import Statement
from chasles.formula.words import Words
from chasles.markup import Markup, folded, joined, tag
from chasles.report.subject import Subject
from chasles.report.typeset import in_words, note, text

TITLE = "Equations"
_FEW = 4  # degrees of freedom whose equations are shown whole
_SOME = 7  # whose gravity forces may be short enough
_SHORT = 1200  # characters of a statement that is shown
_COLUMNS = 88  # that fit beside the contents


def body(subject: Subject) -> Markup:
    robot = subject.robot
    if not robot.n:
        return Markup("")
    eq = robot.equations()
    told = quote(robot.name) if robot.name in zoo.names() else "FILE"
    more = text("Others, as text, LaTeX or SymPy: ", tag("code", f"chasles equations {told} jacobian --latex"))
    return joined([*(_whole(eq) if robot.n <= _FEW else _in_short(eq, robot.n, subject)), more])


def _whole(eq: Equations) -> list[Markup]:
    return [
        text("With the numbers of this robot, in N, m, kg, s and rad:"),
        _typeset(eq.overview),
        _legend(eq.overview.about),
        folded("Row by row", _typeset(eq.motion)),
    ]


def _in_short(eq: Equations, n: int, subject: Subject) -> list[Markup]:
    told = f"Written out, the equations of {in_words(n, 'degree')} of freedom fill pages"
    parts = [text(told, ".")]
    if not subject.robot.mechanism.has_friction:
        general = eq.recursion()[0]
        parts = [text(told, "; this recursion computes the same:"), _typeset(general), _legend(general.about)]
    if n <= _SOME and len(str(eq.gravity_forces)) <= _SHORT:
        parts += [text("The joint forces that hold it against gravity:"), _typeset(eq.gravity_forces)]
        parts.append(_legend(eq.legend()))
    return parts


def _legend(told: str | Words) -> Markup:
    return note(Markup(in_line(told))) if told else Markup("")


def _typeset(statement: Statement) -> Markup:
    return tag("div", Markup(statement.mathml(width=_COLUMNS)), class_="wide equations")
