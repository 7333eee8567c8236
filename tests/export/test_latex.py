"""Exported LaTeX: a document that pdflatex typesets, in which nothing is wider than its page."""

import dataclasses
import subprocess

import pytest
from support.exported_functions import exported
from support.hostile_names import NAMES
from support.sweeps import sweep

import chasles as ch
from chasles.export.exported import Described, Exported
from chasles.export.targets import latex
from chasles.graph.program import Operand, Program, Ref


def arm(name="inverse_dynamics"):
    about = Described("joint angles", (("shoulder", "rad"), ("elbow_joint", "rad")))
    return exported(ch.load("planar_2r").kernel(name), about="Joint forces, 100 % of them.", q=about)


def hostile():
    """Names that would be commands of LaTeX, or nothing that pdflatex can typeset."""
    names = (*NAMES, "\\input{x}", "$_^&#%~{}", "\u03b8", "\u6a21", "")
    inputs = tuple(Operand(name, ()) for name in names)
    nodes = tuple(("input", (k, 0)) for k in range(len(names)))
    results = tuple((Ref(k),) for k in range(len(names)))
    outputs = tuple(Operand(f"{name}\\", ()) for name in names)
    words = {name: Described(f"{name} \\\\ % $", ((name, "$"),)) for name in names}
    return Exported(Program(inputs, outputs, nodes, results), "\\end{document}", about="\\", operands=words)


def typeset(function, folder):
    """What pdflatex says."""
    for name, text in latex.files(function).items():
        (folder / name).write_text(str(text), "ascii")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=60)
        assert done.returncode == 0, done.stdout[-2000:]
        return done.stdout
    raise AssertionError("no file")


def test_what_the_document_says():
    ((name, text),) = latex.files(arm()).items()
    assert name == "inverse_dynamics.tex" and latex.files(arm()) == {name: text}
    assert r"\section*{inverse\_dynamics}" in str(text) and r"100 \% of them." in str(text)
    assert r"\item[$q_1, q_2$] \texttt{q}, 2 numbers, joint angles: shoulder (rad), elbow\_joint (rad)." in str(text)
    assert r"\item[$\boldsymbol{\tau}$] \texttt{inverse\_dynamics}" in str(text)
    assert str(text).count(r"\begin{align*}") == str(text).count(r"\end{align*}") == 1
    assert str(text).isascii() and str(latex.files(hostile()).values()).isascii()


def test_words_of_mechanics_are_mathematics(tmp_path):
    (path,) = ch.load("scara").export("inverse_dynamics", to="latex", folder=tmp_path)
    text = path.read_text("ascii")
    assert r"forces $\tau$ = $M$($q$) $\ddot{q}$ + $C$($q$, $\dot{q}$) $\dot{q}$ + $g$($q$), by" in text
    (told,) = latex.files(dataclasses.replace(arm(), about="M^-1 of q^2, $q$, J^T")).values()
    assert r"$M^{-1}$ of $q^{2}$, \$$q$\$, $J^{T}$" in str(told)
    assert r"shoulder (rad/s$^{2}$)" in text and "textasciicircum" not in text


def test_loops_are_refused_by_name():
    kernel = ch.compile(lambda x: ch.loop(lambda y: y * y, x, count=3), x=())
    with pytest.raises(ch.CompileError, match="powers: a loop is no formula"):
        latex.files(Exported(kernel.program, "powers"))


CASES = {
    "arm": arm,
    "tensor": lambda: arm("christoffel_symbols"),
    "hostile": hostile,
    "constant": lambda: exported(ch.compile(lambda x: {"y": x[0] * 0.0 + 2.0, "z": x}, x=2)),
    "ur5": lambda: exported(ch.load("ur5").kernel("mass_matrix")),
    "panda": lambda: exported(ch.load("panda").kernel("jacobian")),
    "long": lambda: exported(ch.load("ur5").kernel("inverse_dynamics")),
}


@pytest.mark.system
@pytest.mark.parametrize("case", sweep([*CASES], [*CASES][:5]))
def test_pdflatex_typesets_it(case, tmp_path):
    said = typeset(CASES[case](), tmp_path)
    assert "Missing character" not in said
    assert "Overfull" not in said or case == "hostile"  # which has long words
