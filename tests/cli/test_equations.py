"""`chasles equations`: text, LaTeX and SymPy on the screen and in files, and what is wrong in one line."""

import pytest
from typer.testing import CliRunner

import chasles as ch
from chasles.cli.app import app

ARM = "planar_2r"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["equations", *map(str, arguments)])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_text_is_printed_unless_told_otherwise():
    eq = ch.load(ARM).equations()
    assert run(ARM).stdout == run(ARM, "--text").stdout == f"{eq.text()}\n"
    said = run(ARM, "motion", "gravity_forces", "--digits", 3).stdout
    assert (
        said
        == f"equations of motion\n{eq.motion.text(digits=3)}\n\ngravity forces\n{eq.gravity_forces.text(digits=3)}\n"
    )


def test_latex_is_printed_and_a_document_is_written(tmp_path):
    eq = ch.load(ARM).equations()
    assert run(ARM, "mass_matrix", "--latex").stdout == f"{eq.mass_matrix.latex()}\n"
    assert run(ARM, "motion", "-o", "arm.tex").stdout.strip() == str(tmp_path / "arm.tex")
    text = (tmp_path / "arm.tex").read_text()
    assert text.startswith(r"\documentclass") and r"\section*{planar\_2r}" in text and r"\end{document}" in text


def test_the_recursion_is_printed_and_written(tmp_path):
    found = ch.load("ur5").equations().recursion()
    said = run("ur5", "recursion").stdout
    assert said == "\n\n".join(f"{x.title}\n{x.text()}" for x in found) + "\n" and "V₆ = Ad(T₆₅) V₅ + S₆ q̇₆" in said
    run(ARM, "recursion", "mass_matrix", "-o", "arm.tex")
    text = (tmp_path / "arm.tex").read_text()
    assert r"\subsection*{tips to base}" in text and r"\subsection*{mass matrix}" in text
    said = run(ARM, "recursion", "--latex").stdout
    assert r"\sum_j" in said and "% tips to base\n\\begin{aligned}" in said


def test_a_module_of_sympy_gives_the_expressions(tmp_path):
    run(ARM, "mass_matrix", "motion", "--symbols", "inertias", "-o", "arm.py")
    names: dict = {}
    exec((tmp_path / "arm.py").read_text(), names)
    eq = ch.load(ARM).equations(symbols="inertias")
    assert (names["mass_matrix"] - eq.mass_matrix.sympy()).expand().is_zero_matrix
    assert [(x - y).expand() for x, y in zip(names["motion"], eq.motion.sympy(), strict=True)] == [0, 0]


def test_symbols_coordinates_and_bases():
    said = run(ARM, "motion", "--symbols", "inertias", "--coordinates", "theta, phi").stdout
    assert "I_zz2" in said and "φ̈" in said
    assert "v₃" in run("pendulum", "coriolis_matrix", "--base", "planar").stdout
    assert "with  c" in run("scara", "mass_matrix", "--symbols", "inertias", "--no-names").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nobody",), "nobody"),
        ((ARM, "mass_matrx"), "did you mean 'mass_matrix'?"),
        ((ARM, "recursion", "--sympy"), "a recursion is for reading, as text or LaTeX"),
        ((ARM, "--latex", "--sympy"), "one form at a time: --latex or --sympy"),
        ((ARM, "-o", "arm.pdf"), "-o must end in .tex or .txt or .py"),
        ((ARM, "-o", "arm.tex", "--sympy"), "a .tex file holds latex, not sympy"),
        ((ARM, "-o", "no/arm.tex"), "there is no folder"),
        ((ARM, "--symbols", "masses"), "symbols must be 'inertias'"),
        ((ARM, "--coordinates", "a b c"), "coordinates must be 2 different names"),
        ((ARM, "jacobian", "--frame", "nose"), "no frame 'nose'"),
        ((ARM, "--base", "fixed"), "--base must be one of"),
    ],
)
def test_mistakes_are_answered_in_a_line(arguments, words):
    said = run(*arguments, code=1)
    assert words in " ".join(said.stderr.split()) and said.stdout == ""


def test_a_file_that_exists_is_kept(tmp_path):
    (tmp_path / "arm.tex").write_text("mine")
    assert "is not overwritten unless you say --overwrite" in " ".join(run(ARM, "-o", "arm.tex", code=1).stderr.split())
    run(ARM, "-o", "arm.tex", "--overwrite")
    assert (tmp_path / "arm.tex").read_text() != "mine"
