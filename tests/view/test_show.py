"""Where a robot is shown: a file that is named or a temporary one, a browser, the output of a notebook's cell."""

import sys
import webbrowser
from types import SimpleNamespace

import pytest

import chasles as ch
from chasles.view import show

ARM = ch.load("planar_2r")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("HOME", raising=False)  # nothing needs it


def test_a_script_gets_a_path_and_says_it(capsys, tmp_path):
    path = ARM.show()
    assert capsys.readouterr().out == f"{path}\n"
    assert path.name == "planar_2r.html" and path.parent.parent == tmp_path
    assert path.read_text(encoding="utf-8") == ARM.page().html


def test_a_file_that_is_named(capsys, tmp_path):
    assert ARM.show([0.1, 0.2], file="arm.html", open=False) == tmp_path / "arm.html"
    assert capsys.readouterr().out == ""
    assert (tmp_path / "arm.html").read_text(encoding="utf-8") == ARM.page([0.1, 0.2]).html
    assert [x.name for x in tmp_path.iterdir()] == ["arm.html"]


def test_mistakes_are_found_before_the_page_is_made(monkeypatch, tmp_path):
    (tmp_path / "arm.html").touch()
    monkeypatch.setattr(show, "page_of", None)
    for options, said in (
        ({"file": "arm.html"}, "^file: 'arm.html' exists, and is not overwritten unless you say overwrite=True"),
        ({"file": "new/arm.html"}, "^file: there is no folder 'new'"),
        ({"file": ""}, "^file must be the path of a file, got ''"),
        ({"file": tmp_path}, "^file: .* is a folder"),
        ({"overwrite": "yes"}, "^overwrite must be True or False"),
        ({"open": "firefox"}, "^open must be True or False"),
    ):
        with pytest.raises(ch.ModelError, match=said):
            ARM.show(**options)


def test_options_are_checked_once(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(show, "target", lambda *given: asked.append(given) or tmp_path / "arm.html")
    ARM.show(file="arm.html", open=False)
    ARM.simulate([0.1, 0.0], [0.0, 0.0], duration=0.01).show(file="arm.html", open=False, overwrite=True)
    assert asked == [("arm.html", "file", False), ("arm.html", "file", True)]


def test_a_file_that_exists_is_overwritten_when_told(tmp_path):
    for _ in range(2):
        ARM.show(file="arm.html", overwrite=True, open=False)
    assert (tmp_path / "arm.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.fixture
def windows(monkeypatch):
    """The addresses that a browser is asked to open, over SSH from a desktop."""
    found = []
    monkeypatch.delenv("CHASLES_NO_BROWSER")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("SSH_TTY", "/dev/pts/0")
    monkeypatch.setattr(webbrowser, "get", lambda: SimpleNamespace(open=lambda x: found.append(x) or True))
    return found


@pytest.mark.parametrize(("open", "seen"), [(None, 0), (True, 1), (False, 0)])
def test_a_browser(windows, capsys, open, seen):
    path = ARM.show(file="arm.html", open=open)
    assert windows == [path.as_uri()] * seen
    assert capsys.readouterr().out == (f"{path}\n" if open is None else "")


@pytest.fixture
def cell(monkeypatch):
    """What a notebook's cell displays; there is no kernel, but what tells of one."""
    found = []
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=found.append))
    return found


def test_in_a_notebook_it_is_the_output_of_the_cell(cell, capsys, tmp_path):
    assert ARM.show([0.1, 0.2]) is None
    assert cell == [ARM.page([0.1, 0.2])] and list(tmp_path.iterdir()) == [] and capsys.readouterr().out == ""


def test_in_a_notebook_a_file_is_written_too(cell, capsys, tmp_path):
    assert ARM.show(file="arm.html") == tmp_path / "arm.html"
    assert len(cell) == 1 and (tmp_path / "arm.html").is_file() and capsys.readouterr().out == ""


def test_in_a_notebook_open_says_otherwise(cell, windows, tmp_path):
    ARM.show(file="arm.html", open=False)
    assert (cell, windows) == ([], []) and (tmp_path / "arm.html").is_file()
    ARM.show(open=True)
    assert cell == [] and len(windows) == 1


def test_other_shells_are_no_notebooks(cell, monkeypatch):
    assert show.in_notebook()
    monkeypatch.setitem(sys.modules, "spyder_kernels", SimpleNamespace())  # its console shows no HTML
    assert not show.in_notebook()
    monkeypatch.delitem(sys.modules, "spyder_kernels")
    for shell in (None, SimpleNamespace(kernel=None), object()):
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda shell=shell: shell))
        assert not show.in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not show.in_notebook()
