"""Formulas typeset: LaTeX by pdflatex with amsmath alone, MathML by a browser; lines are as wide as was measured."""

import re
import subprocess

import pytest
from support.formula_trees import random_tree
from support.formulas import HOSTILE, STATEMENTS, cos, number, times

from chasles.formula.latex import Latex
from chasles.formula.names import GREEK, coordinate, force, named
from chasles.formula.statement import Statement
from chasles.formula.tree import Equation, Matrix, Quotient, Sum, Symbol
from chasles.formula.words import words

pytestmark = pytest.mark.system
CHARACTER = 5.0  # points of TeX, half an em of its ten point letters
LATIN = [chr(code) for code in range(0xA1, 0x250)]


def compiled(tmp_path, body):
    source = f"\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (tmp_path / "formulas.tex").write_text(source, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "formulas.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-1500:]
    return done.stdout


def statements():
    yield from STATEMENTS
    terms = Sum(tuple(times(named("m1"), coordinate(k), cos(coordinate(k))) for k in range(1, 30)))
    yield Statement("long", (Equation(named("y"), terms),))
    product = Quotient(times(named("m1"), terms), named("l1"))
    yield Statement("long, in brackets", (Equation(force(1), product),), (Equation(named("l1"), product),))
    matrix = Matrix(((terms, number(0)), (number(0), named("m1"))))
    yield Statement("wide", (Equation(named("M"), matrix),), (Equation(named("m1"), terms),))
    yield Statement("long left", (Equation(terms, terms),))
    yield Statement("nothing", ())
    said = words("`Gamma_ijk`: 100% of what_is_said; `lambda1`, `q1` and others. " * 6)
    yield Statement("words", (Equation(named("y"), named("x")),), (Equation(named("x"), named("m1")),), said)


def random_statements(rng):
    for _ in range(60):
        yield Statement("random", (Equation(named("y"), Sum(tuple(random_tree(rng, 3) for _ in range(4)))),))


def test_latex_compiles_with_amsmath_alone(tmp_path, rng):
    given = [*statements(), *random_statements(rng)]
    aligned = (f"\\begin{{equation*}}\n{x.latex()}\n\\end{{equation*}}" for x in given)
    compiled(tmp_path, "\n".join([*aligned, *(x.latex(environment="align*") for x in given)]))


def test_nothing_stands_out_of_the_page(tmp_path):
    assert "Overfull" not in compiled(tmp_path, "\n".join(x.latex(environment="align*") for x in statements()))


def test_every_name_compiles(tmp_path):
    names = [*HOSTILE, *GREEK, *GREEK.values(), *LATIN, "质量", "m_größe", "x_1_2_3"]
    symbols = [x for name in names for x in (named(name), Symbol("", name, name, 1), Symbol("", name, "", 0, True))]
    compiled(tmp_path, "\n\n".join(f"${Latex({}, 5, 60.0).whole(x).text}$" for x in symbols))


def test_lines_are_as_wide_as_was_measured(tmp_path, rng):
    trees = [random_tree(rng, depth) for depth in (1, 2, 3) for _ in range(60)]
    spans = [Latex({}, 5, 1e9).whole(tree) for tree in trees]
    said = compiled(
        tmp_path, "\n".join(f"\\sbox0{{$\\displaystyle {x.text}$}}\\typeout{{wide \\the\\wd0}}" for x in spans)
    )
    found = [float(x) / CHARACTER for x in re.findall(r"^wide ([\d.]+)pt", said, re.MULTILINE)]
    assert len(found) == len(spans)
    for measured, span in zip(found, spans, strict=True):
        assert 0.8 * measured - 0.5 <= span.width <= 1.25 * measured + 1.0, span.text


def test_a_browser_aligns_them(browser, tmp_path):
    page = tmp_path / "formulas.html"
    for dark, colour in ((False, "#fff"), (True, "#111")):
        body = "".join(f"<section>{x.mathml()}</section>" for x in STATEMENTS)
        page.write_text(
            f"<!doctype html><meta charset=utf-8><body style='background:{colour}'>{body}", encoding="utf-8"
        )
        with browser.open(page, dark=dark) as opened:
            for k, statement in enumerate(STATEMENTS):
                found = opened.evaluate(
                    """k => [...document.querySelectorAll("section")[k].firstChild.firstChild.children].map(row => {
                        const [left, right] = [...row.children].map(cell => {
                            const inner = [...cell.children].map(x => x.getBoundingClientRect()).filter(x => x.width);
                            return [Math.min(...inner.map(x => x.left)), Math.max(...inner.map(x => x.right))];
                        });
                        return [left[1], right[0]];
                    })""",
                    k,
                )
                edges = found[: len(statement.equations)]
                assert max(x for x, _ in edges) - min(x for x, _ in edges) < 1.0, statement.title
                assert max(y for _, y in edges) - min(y for _, y in edges) < 1.0, statement.title
