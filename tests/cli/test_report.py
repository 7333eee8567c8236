"""`chasles report`: the path of a page, what `chasles info` shows at a terminal, and what is wrong in one line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import chasles as ch
from chasles.cli.app import app
from chasles.cli.screen import Screen
from chasles.web_page import Page

PAGE = "<!doctype html><title>\u2212</title>"


def page_of(subject, begun):
    """In place of the report, which has its own tests."""
    begun("Summary")
    return Page(subject.robot.name, PAGE, () if subject.meshes else ("no meshes",))


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.setattr("chasles.report.assembly.assembled", page_of)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["report", *map(str, arguments)])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_the_path_of_a_new_file_is_printed_each_time(tmp_path):
    first, second = (Path(run("planar_2r", "--no-speed").stdout.strip()) for _ in range(2))
    assert first != second and first.name == "planar_2r.html" and tmp_path in first.parents
    assert first.read_text(encoding="utf-8") == second.read_text(encoding="utf-8") == PAGE


def test_a_file_that_exists_is_overwritten_if_told(tmp_path):
    there = tmp_path / "arm.html"
    there.write_text("mine")
    said = run("planar_2r", "--no-speed", "-o", "arm.html", code=1).stderr
    assert "'arm.html' exists, and is not overwritten unless you say --overwrite" in " ".join(said.split())
    assert there.read_text() == "mine"
    assert run("planar_2r", "--no-speed", "-o", "arm.html", "--overwrite").stdout == f"{there}\n"
    assert there.read_text(encoding="utf-8") == PAGE


def test_a_base_that_moves(monkeypatch):
    def page(subject, begun):
        return Page("floats", PAGE, (f"{subject.robot.nq} coordinates",))

    monkeypatch.setattr("chasles.report.assembly.assembled", page)
    assert "8 coordinates" in run("pendulum", "--base", "free").stderr
    assert "--base must be one of free, planar, spherical" in run("pendulum", "--base", "fixed", code=1).stderr


def test_doubts_about_what_is_shown_are_told(tmp_path):
    result = run("planar_2r", "--no-meshes")
    assert result.stderr == "doubt: no meshes\n" and len(result.stdout.splitlines()) == 1
    assert json.loads(run("planar_2r", "--no-meshes", "--json").stdout)["doubts"] == ["no meshes"]


@pytest.mark.slow
def test_the_page_is_that_of_the_method(tmp_path, monkeypatch):
    monkeypatch.undo()
    path = tmp_path / "arm.html"
    run("planar_2r", "--no-speed", "-o", path)
    assert path.read_text(encoding="utf-8") == ch.load("planar_2r").report(speed=False).html


def test_as_data(tmp_path):
    known = json.loads(run("planar_2r", "--no-speed", "--json", "-o", "arm.html").stdout)
    assert known == {"page": f"{tmp_path}/arm.html", "bytes": len(PAGE.encode()), "doubts": []}


def test_a_terminal_shows_the_robot_first(monkeypatch):
    monkeypatch.setattr(Screen, "is_terminal", True)
    printed = run("planar_2r", "--no-speed").stdout
    assert printed.index("A first computation") < printed.index("planar_2r.html")
    assert "inverse_dynamics" in printed and printed.rstrip().endswith("planar_2r.html")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["pandaa"], "Did you mean 'panda'?"),
        (["planar_2r", "-o", "arm.pdf"], "-o must end in .html or .htm"),
        (["planar_2r", "-o", "nowhere/arm.html"], "there is no folder"),
        (["planar_2r", "-o", "."], "is a folder: name a file in it"),
        (["planar_2r", "--folder", "nowhere"], "--folder must be a folder, and 'nowhere' is none"),
    ],
)
def test_mistakes_are_one_line(options, said):
    assert said in " ".join(run(*options, code=1).stderr.split())


def test_it_opens_a_browser_if_asked(monkeypatch):
    asked = []
    monkeypatch.setattr("chasles.web_page.opened", lambda path, insisted: asked.append((path.name, insisted)))
    run("planar_2r", "--no-speed", "--open")
    run("planar_2r", "--no-speed")
    run("planar_2r", "--no-speed", "--no-open")
    run("planar_2r", "--no-speed", "--json")
    assert asked == [("planar_2r.html", True), ("planar_2r.html", False)]
