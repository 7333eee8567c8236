"""`chasles view`: the path of a page, and what is wrong in one line."""

import json
import sys
import webbrowser
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import chasles as ch
from chasles.cli.app import app
from chasles.cli.screen import load

ARM = ch.load("planar_2r")  # whose functions are traced once


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.setattr(
        sys.modules["chasles.cli.view"], "load", lambda name, roots: ARM if name == "planar_2r" else load(name, roots)
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["view", *map(str, arguments)])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_the_path_is_printed(tmp_path):
    path = Path(run("planar_2r").stdout.strip())
    assert path.parent.parent == tmp_path and path.read_text(encoding="utf-8") == ARM.page().html


def test_a_file_and_a_configuration(tmp_path):
    shown = ARM.page([-0.5, 1.0]).html
    for k, q in enumerate(("-0.5 1", "-0.5,1", " -.5, 1e0 ")):
        assert run("planar_2r", "--q", q, "-o", f"{k}.html").stdout == f"{tmp_path}/{k}.html\n"
        assert (tmp_path / f"{k}.html").read_text(encoding="utf-8") == shown


def test_a_base_that_moves(tmp_path):
    run("pendulum", "--base", "free", "-o", "floats.html")
    assert '"nq": 8, ' in (tmp_path / "floats.html").read_text(encoding="utf-8")


def test_as_data(tmp_path):
    known = json.loads(run("planar_2r", "--json", "-o", "arm.html").stdout)
    size = (tmp_path / "arm.html").stat().st_size
    assert known == {"page": str(tmp_path / "arm.html"), "bytes": size, "doubts": []} and size > 100_000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["pandaa"], "Did you mean 'panda'?"),
        (["planar_2r", "--q", "1"], "q must have shape (2,), got (1,)"),
        (["planar_2r", "--q", ""], "q must have shape (2,), got (0,)"),
        (["planar_2r", "--q", "1 x"], "--q: 'x' is no number, in '1 x'"),
        (["planar_2r", "--q", "1 nan"], "q has a nan or an infinity"),
        (["planar_2r", "-o", "there.html"], "'there.html' exists, and is not overwritten unless you say --overwrite"),
        (["planar_2r", "-o", "new/arm.html"], "-o: there is no folder 'new'"),
        (["planar_2r", "-o", ""], "-o must be the path of a file"),
        (["planar_2r", "-o", "."], "is a folder"),
        (["planar_2r", "--base", "fre"], "--base must be one of free, planar, spherical, got 'fre'"),
        (["planar_2r", "--folder", "new"], "--folder must be a folder, and 'new' is none"),
    ],
)
def test_mistakes_are_one_line(tmp_path, options, said):
    (tmp_path / "there.html").write_text("mine")
    result = run(*options, code=1)
    assert result.stdout == "" and said in result.stderr
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1
    assert [x.name for x in tmp_path.iterdir()] == ["there.html"] and (tmp_path / "there.html").read_text() == "mine"


def test_a_file_is_overwritten_when_told(tmp_path):
    (tmp_path / "arm.html").write_text("mine")
    run("planar_2r", "-o", "arm.html", "--overwrite")
    assert (tmp_path / "arm.html").stat().st_size > 100_000


@pytest.mark.parametrize(
    ("options", "seen"), [([], 1), (["--no-open"], 0), (["--open"], 1), (["--json"], 0), (["--json", "--open"], 1)]
)
def test_a_browser(monkeypatch, options, seen):
    found = []
    for name in ("CHASLES_NO_BROWSER", "CI", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "get", lambda: SimpleNamespace(open=lambda x: found.append(x) or True))
    result = run("planar_2r", "-o", "arm.html", *options)
    assert len(found) == seen and result.stdout.count("arm.html") == 1


def test_live_is_a_window_until_it_is_closed(monkeypatch):
    asked = []

    class Window:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            asked.append("closed")

        def wait(self):
            asked.append("waited")

    monkeypatch.setattr(ch.Robot, "view", lambda robot, q, **options: asked.append((q, options)) or Window())
    run("planar_2r", "--live", "--q", "0 1", "--no-open", "--no-meshes")
    assert asked == [([0.0, 1.0], {"open": False, "meshes": False, "folders": ()}), "waited", "closed"]


@pytest.mark.parametrize("option", [["-o", "arm.html"], ["--json"]])
def test_live_writes_no_file(option, tmp_path):
    assert f"--live writes no file: leave out {option[0]}" in run("planar_2r", "--live", *option, code=1).stderr
    assert list(tmp_path.iterdir()) == []
