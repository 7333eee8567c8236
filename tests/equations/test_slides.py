"""Slides and documents of equations: LaTeX takes them, and they fit."""

import subprocess

import pytest
from support import textbook
from support.programs import needs

import chasles as ch
from chasles.equations.document import document

SLIDES = {"planar 2R": textbook.planar_2r, "SCARA": textbook.scara, "cart-pole": textbook.cart_pole}
SLIDE = r"\begin{frame}{TITLE} \[ BODY \] \end{frame}"
pytestmark = [pytest.mark.system, needs("pdflatex")]


def typeset(text, folder):
    """What LaTeX complains of."""
    (folder / "page.tex").write_text(text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout[-2000:]
    return [line for line in run.stdout.splitlines() if line.startswith("Overfull")]


@pytest.mark.parametrize("part", ["overview", "motion"])
def test_a_slide_holds_it(part, tmp_path):
    frames = []
    for title, make in SLIDES.items():
        body = getattr(make().equations(), part).latex(width=72)  # characters of half an em on such a slide
        frames.append(SLIDE.replace("TITLE", title).replace("BODY", body))
    head = r"\documentclass[aspectratio=169]{beamer} \usepackage{amsmath} \begin{document}"
    assert typeset("\n".join([head, *frames, r"\end{document}"]), tmp_path) == []


@pytest.mark.parametrize("name", ["planar_2r", "panda"])
def test_a_document_compiles(name, tmp_path):
    eq = ch.load(name).equations()
    text = document(eq.title, [eq[x] for x in ("mass_matrix", "motion", "gravity_forces", "jacobian")], 5)
    assert len(typeset(text, tmp_path)) < 5


def test_a_document_of_what_vanishes_and_of_what_is_long_compiles(tmp_path):
    pendulum, scara = ch.load("pendulum").equations(), ch.load("scara").equations()
    told = [pendulum.christoffel_symbols, *pendulum.recursion(), scara.regressor, scara.overview]
    assert typeset(document("all of it", told, 5), tmp_path) == []
