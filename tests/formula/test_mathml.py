"""Formulas in MathML: well-formed, of the elements of MathML Core, every name a text."""

from xml.etree import ElementTree

import pytest
from support.formulas import BETA, COUPLED, EVERYTHING, MASS, Q1, QD1, STATEMENTS, bold, cos, squared, times
from support.hostile_names import NAMES

from chasles.formula.mathml import MathML
from chasles.formula.names import coordinate, named
from chasles.formula.statement import Statement
from chasles.formula.tree import Equation, Matrix, Sum, Symbol

SPACE = "{http://www.w3.org/1998/Math/MathML}"
ELEMENTS = set(
    [
        "math",
        "mi",
        "mn",
        "mo",
        "mtext",
        "mspace",
        "mrow",
        "mfrac",
        "msqrt",
        "msub",
        "msup",
        "msubsup",
        "mover",
        "mtable",
        "mtr",
        "mtd",
    ]
)
ATTRIBUTES = {
    "display",
    "mathvariant",
    "accent",
    "stretchy",
    "form",
    "width",
    "displaystyle",
    "style",
    "separator",
    "mathsize",
}


def parsed(statement, **options):
    root = ElementTree.fromstring(statement.mathml(**options))
    for x in root.iter():
        assert x.tag.removeprefix(SPACE) in ELEMENTS
        assert set(x.attrib) <= ATTRIBUTES | {"minsize", "maxsize", "lspace", "rspace"}
        few = {"msub": 2, "msup": 2, "mover": 2, "mfrac": 2, "msubsup": 3}.get(x.tag.removeprefix(SPACE))
        assert few is None or len(x) == few, ElementTree.tostring(x)
    return root


def mathml(x):
    return MathML({}, 5, 60.0).whole(x).text


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda x: x.title)
@pytest.mark.parametrize("width", [20, 100])
def test_well_formed(statement, width):
    root = parsed(statement, width=width)
    rows = root[0].findall(f"{SPACE}mtr")
    assert len(rows) >= len(statement.equations) and all(len(row) == 2 for row in rows)


def test_signs():
    assert mathml(squared(QD1)) == (
        '<msubsup><mover accent="false"><mi>q</mi><mo stretchy="false" mathsize="1.2em">˙</mo></mover><mn>1</mn>'
        "<mrow><mn>2</mn></mrow></msubsup>"
    )
    assert mathml(times(BETA, cos(Q1))) == (
        '<mi>β</mi><mspace width="0.17em"/><mi>cos</mi><mo>\u2061</mo><mspace width="0.17em"/>'
        "<msub><mi>q</mi><mn>1</mn></msub>"
    )
    assert mathml(bold("M", "M")) == '<mi mathvariant="normal">\U0001d40c</mi>'
    assert mathml(bold("tau", "tau")) == '<mi mathvariant="normal">\U0001d6d5</mi>'
    assert mathml(bold("Omega", "Omega")) == '<mi mathvariant="normal">\U0001d6c0</mi>'
    text = "".join(ElementTree.fromstring(EVERYTHING.mathml()).itertext())
    assert "otherwise" in text and "\u2264" in text and "\u230a" in text


@pytest.mark.parametrize("name", [*NAMES, "a\nb", "\u202e", "x&y"])
def test_names_are_text(name):
    statement = Statement(name, (Equation(Symbol("x", name, name, 1, True), named(name)),))
    root = parsed(statement)
    assert "script" not in {x.tag for x in root.iter()}
    visible = "".join(c for c in name if c.isprintable() and not c.isalnum())
    assert all(c in "".join(root.itertext()).replace("\u2212", "-") for c in visible)


def test_long_formulas_are_in_lines_and_wide_matrices_in_entries():
    wide = Sum(tuple(times(BETA, cos(coordinate(k))) for k in range(1, 20)))
    root = parsed(Statement("", (Equation(named("y"), wide),)), width=60)
    assert len(root[0]) > 3  # and c, s at the end
    entries = parsed(Statement("", (Equation(bold("M", "M"), Matrix(((wide, COUPLED), (COUPLED, wide)))),)))
    assert len([x for x in entries.iter(f"{SPACE}mtable")]) == 1
    assert len([x for x in parsed(MASS).iter(f"{SPACE}mtable")]) == 2
