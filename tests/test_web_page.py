"""Pages as files: none is half written or overwritten by mistake, and a browser opens them where somebody sees it."""

import base64
import gzip
import html.parser
import os
import re
import stat
import time
import webbrowser

import pytest

import chasles as ch
from chasles import web_page
from chasles.web_page import Page

PAGE = Page("arm", '<!doctype html><p title="a">1 &lt; 2 &amp; 3</p>')


@pytest.fixture
def at_a_desk(monkeypatch, tmp_path):
    """A person at a desktop computer: temporary files in a folder of the test, a display, no other reason."""
    for name in ("CHASLES_NO_BROWSER", "CI", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return monkeypatch


class Window:
    """A browser with windows of its own."""

    def __init__(self, answer=True):
        self.answer, self.opened = answer, []

    def open(self, address):
        self.opened.append(address)
        return self.answer() if callable(self.answer) else self.answer


def test_a_file_has_the_page_and_is_as_readable_as_others(tmp_path):
    path = PAGE.save(tmp_path / "arm.html")
    assert path == tmp_path / "arm.html" and path.read_bytes() == PAGE.html.encode()
    other = tmp_path / "other"
    other.touch()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
    assert sorted(x.name for x in tmp_path.iterdir()) == ["arm.html", "other"]


def test_a_path_is_absolute_and_a_tilde_is_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert PAGE.save("a.html") == tmp_path / "a.html"
    assert PAGE.save("~/b.htm") == tmp_path / "b.htm"


def test_a_file_that_exists_is_kept_unless_told(tmp_path):
    path = tmp_path / "arm.html"
    path.write_text("mine")
    with pytest.raises(ch.ModelError, match=r"path: .*arm.html' exists, .* overwrite=True"):
        PAGE.save(path)
    assert path.read_text() == "mine"
    PAGE.save(path, overwrite=True)
    assert path.read_text() == PAGE.html


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path):
    path, link = tmp_path / "arm.html", tmp_path / "link.html"
    path.write_text("mine")
    link.symlink_to(path)
    PAGE.save(link, overwrite=True)
    assert link.is_symlink() and path.read_text() == PAGE.html


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "must be the path of a file, got ''"),
        ("none/arm.html", "there is no folder '.*none'"),
        ("folder", "is a folder: name a file in it"),
        ("folder.html", "is a folder"),
        ("arm.txt", r"must end in .html or .htm, got 'arm.txt'"),
        ("arm", "must end in .html"),
        ("pipe.html", "is no file"),
        ("a\0.html", "must be the path of a file"),
    ],
)
def test_what_is_no_file_is_named(tmp_path, monkeypatch, name, said):
    monkeypatch.chdir(tmp_path)
    for folder in ("folder", "folder.html"):
        (tmp_path / folder).mkdir()
    os.mkfifo(tmp_path / "pipe.html")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ch.ModelError, match=f"^path.*{said}"):
        PAGE.save(name, overwrite=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "arm.html"
    path.write_text("mine")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ch.ModelError, match=r"arm.html' cannot be written: No space left on device"):
        PAGE.save(path, overwrite=True)
    assert path.read_text() == "mine" and [x.name for x in tmp_path.iterdir()] == ["arm.html"]


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_in_the_meantime(tmp_path, monkeypatch, links):
    path = tmp_path / "arm.html"
    if links:
        web_page.written(PAGE, path, "path", False)
        with pytest.raises(ch.ModelError, match="cannot be written: File exists"):
            web_page.written(Page("b", "b"), path, "path", False)
    else:
        monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(95, "Operation not supported")))
        web_page.written(PAGE, path, "path", False)
    assert path.read_text() == PAGE.html and [x.name for x in tmp_path.iterdir()] == ["arm.html"]


def test_a_temporary_file_is_private_and_named_after_the_robot(at_a_desk, tmp_path):
    path = web_page.temporary(Page("../my <robot>", "text"))
    assert path.name == "my_robot.html" and path.parent.parent == tmp_path
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert web_page.temporary(Page("\ud800\0" * 99, "\ud800")).name == "page.html"
    assert len(web_page.temporary(Page("x" * 500, "text")).name) < 100


def test_no_place_for_temporary_files(at_a_desk):
    at_a_desk.setattr("tempfile.tempdir", "/nowhere")
    with pytest.raises(ch.ModelError, match=r"no place for temporary files .*: name a file"):
        PAGE.open()


def test_a_browser_opens_it(at_a_desk, capsys):
    window = Window()
    at_a_desk.setattr(webbrowser, "get", lambda: window)
    path = PAGE.open()
    assert window.opened == [path.as_uri()] and path.read_text() == PAGE.html
    assert capsys.readouterr().out == ""


def without_a_browser():
    raise webbrowser.Error("could not locate runnable browser")


@pytest.mark.parametrize(
    "get",
    [
        without_a_browser,
        lambda: Window(False),
        lambda: Window(without_a_browser),
        lambda: webbrowser.GenericBrowser("true"),  # in the terminal
    ],
    ids=["none", "it refuses", "it fails", "in the terminal"],
)
def test_without_a_browser_the_path_is_printed(at_a_desk, capsys, get):
    at_a_desk.setattr(webbrowser, "get", get)
    assert capsys.readouterr().out == "" and f"{PAGE.open()}\n" == capsys.readouterr().out


def test_a_browser_that_does_not_return_is_left(at_a_desk, capsys):
    at_a_desk.setattr(webbrowser, "get", lambda: Window(lambda: time.sleep(0.5)))
    at_a_desk.setattr(web_page, "_PATIENCE", 0.05)
    start = time.perf_counter()
    PAGE.open()
    assert time.perf_counter() - start < 0.4 and capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("changes", "by_itself", "insisted"),
    [
        ({}, True, True),
        ({"CI": "true"}, False, True),
        ({"CI": "false"}, True, True),
        ({"SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"}, False, True),
        ({"SSH_TTY": "/dev/pts/0"}, False, True),
        ({"DISPLAY": ""}, False, False),
        ({"DISPLAY": "", "WAYLAND_DISPLAY": "wayland-0"}, True, True),
        ({"CHASLES_NO_BROWSER": "1"}, False, False),
    ],
)
def test_where_a_person_would_see_a_window(at_a_desk, tmp_path, changes, by_itself, insisted):
    window = Window()
    at_a_desk.setattr(webbrowser, "get", lambda: window)
    for name, value in changes.items():
        at_a_desk.setenv(name, value)
    path = tmp_path / "arm.html"
    assert (web_page.opened(path, False), web_page.opened(path, True)) == (by_itself, insisted)
    assert len(window.opened) == by_itself + insisted


class Frames(html.parser.HTMLParser):
    """The attributes of each element."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_a_notebook_gets_one_frame_with_all_of_it():
    page = Page('<b>"arm"', PAGE.html + "\u00e9" * 100_000)
    [(tag, given)] = Frames(page._repr_html_()).found
    assert tag == "iframe" and given["title"] == '<b>"arm"' and "width: 100%" in given["style"]
    assert given["sandbox"] == "allow-scripts"
    [packed] = re.findall("atob\\('([^']*)'\\)", given["srcdoc"])
    data = base64.b64decode(packed)
    assert gzip.decompress(data).decode() == page.html and data[4:8] == bytes(4)  # no time: the same bytes every time
    assert len(page._repr_html_()) < 3_000


def test_its_repr_is_short():
    assert repr(Page("arm\x1b", "x" * 1_500_000)) == r"<Page of 'arm\x1b', 1.50 MB>"


def test_templates_are_filled_once():
    """Braces in what is put in are text, and a name without a part is a mistake of ours."""
    assert web_page.filled("<{{A}}{{B}}|{{A}}>", {"A": "{{B}}", "B": "}}{{C}}"}) == "<{{B}}}}{{C}}|{{B}}>"
    assert web_page.filled("none", {}) == "none"
    with pytest.raises(KeyError, match="B"):
        web_page.filled("{{B}}", {"A": ""})
