"""The text of a page: whole, the same every time, and nothing in it that a robot's file put there as markup."""

import html.parser
import json
import re
import subprocess
import sys
import time
import tomllib
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from support import hostile_names
from support.node import run

import chasles as ch
from chasles.function.kernel import Kernel
from chasles.view.page import SCRIPTS, assembled, literal

ARM = ch.load("planar_2r")
ROOT = Path(__file__).parents[2]


class Elements(html.parser.HTMLParser):
    """Which elements a text has, and what is in them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.inside = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert not [name for name, _ in attrs if name.startswith("on")]
        self.tags.append(tag)
        self.inside.append("")

    def handle_data(self, data):
        if self.inside:
            self.inside[-1] += data

    def of(self, tag):
        return [text.strip() for name, text in zip(self.tags, self.inside, strict=True) if name == tag]


def data_of(text):
    """What the page's scripts find as DATA."""
    [script] = [x for x in Elements(text).of("script") if x.startswith("const DATA = ")]
    return json.loads(script.removeprefix("const DATA = ").removesuffix(";"))


@pytest.fixture(scope="module")
def hostile():
    return hostile_names.robot()


def test_hostile_names_are_text(hostile):
    found, plain = Elements(hostile.page().html), Elements(ARM.page().html)
    assert found.tags == plain.tags
    assert found.of("title") == [hostile.name] and found.of("h1") == [hostile.name]
    known = data_of(hostile.page().html)
    assert known["description"] == hostile.mechanism.description
    assert [joint["name"] for joint in known["joints"]] == list(hostile.joint_names)
    assert [link["name"] for link in known["links"]] == list(hostile.link_names)


@pytest.mark.parametrize("text", ["\0", "\ud800", "\u2028", "a\x1bb", "</title><script>", "<!--", '"', "{{STYLE}}"])
def test_a_title_is_text(text):
    found = Elements(assembled(text, {}, {"text": text}))
    written = text.encode("unicode_escape").decode() if text in "\0\ud800\u2028" else text.replace("\x1b", "\\x1b")
    assert found.of("title") == [written] and found.tags == Elements(assembled("plain", {}, {})).tags
    assembled(text, {}, {"text": text}).encode("utf-8")


def test_functions_of_any_name_are_constants_of_the_page():
    kernel = Kernel(ch.compile(lambda q: 2.0 * q, q=2).program, "delete", "float64")
    [text] = [x for x in Elements(assembled("plain", {"twice": kernel}, {})).of("script") if "const twice" in x]
    assert run("", f"{text.partition('const DATA')[0]}; return twice([1, 3])").tolist() == [2.0, 6.0]


def test_a_literal_has_nothing_that_ends_a_script():
    text = literal({"a": "<!-- <script> </script> \u2028", "b": [np.inf, -np.inf, np.nan]})
    assert "<" not in text and text.isascii()
    assert text.endswith('"b": [Infinity, -Infinity, NaN]}')  # names that JavaScript has, and JSON has not


def test_scripts_make_no_markup_of_text():
    """Names reach the page by textContent; what is written as HTML are the page's own icons."""
    for name in SCRIPTS:
        for line in (files("chasles.view") / "assets" / f"{name}.js").read_text(encoding="utf-8").splitlines():
            found = re.search(r"(inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new Function", line)
            assert not found or "ICONS" in line, f"{name}.js: {line}"


def test_everything_is_in_it():
    text = ARM.page().html
    assert "{{" not in text.split("const DATA")[0].replace(_three(), "")
    for name in SCRIPTS:
        assert (files("chasles.view") / "assets" / f"{name}.js").is_file()
    own = text.replace(_three(), "").replace("http://www.w3.org/2000/svg", "")  # a namespace, which nobody asks for
    assert not [word for word in ("http:", "https:", "src=", "href=", "@import", "url(") if word in own]


def _three():
    return (files("chasles.view") / "assets" / "three.min.js").read_text(encoding="utf-8").replace("</", "<\\/")


def test_a_wheel_has_all_of_the_package():
    """The files of assets/ are no modules: the wheel has them as nothing of the package is left out."""
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert built == {"packages": ["src/chasles"]}
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text().split()]
    assert not [line for line in ignored if line in ("assets", "*.js", "*.min.js", "*.html", "*.css", "view")]


def test_a_page_is_small_and_soon_made():
    panda = ch.load("panda")
    first = panda.page(meshes=False).html
    start = time.process_time()
    text = panda.page(meshes=False).html
    assert time.process_time() - start < 1.0
    assert text == first and 500_000 < len(text.encode()) < 1_500_000


@pytest.mark.slow
def test_a_page_is_the_same_in_every_process():
    program = "import chasles, hashlib; print(hashlib.sha256(chasles.load('panda').page().html.encode()).hexdigest())"
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PATH": "", "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(found) == 1 and len(found.pop().strip()) == 64


def test_it_begins_where_it_is_told():
    assert data_of(ARM.page().html)["q"] == [0.0, 0.0]
    assert data_of(ARM.page([0.1, -2]).html)["q"] == [0.1, -2.0]


@pytest.mark.parametrize(
    ("q", "said"),
    [
        (np.zeros(3), r"^q must have shape \(2,\), got \(3,\)"),
        (0.5, r"^q must have shape \(2,\), got \(\)"),
        (
            np.zeros((5, 2)),
            r"^q must have shape \(2,\), one configuration, got \(5, 2\): give one row, such as q\[0\], or",
        ),
        ([0.0, np.nan], "^q has a nan or an infinity"),
        ("home", "^q must be real numbers .* got text"),
        ({"joint1": 0.1}, "^q must be real numbers"),
    ],
)
def test_what_is_no_configuration_is_named(q, said):
    with pytest.raises(ch.ChaslesError, match=said):
        ARM.page(q)


def test_quaternions_are_unit():
    link = ch.Link(1.0, [0.5, 0.0, 0.0], [0.1] * 3)
    ball = ch.Robot.from_screws([np.zeros(6)], [np.eye(4)], [link], kinds=["spherical"])
    assert data_of(ball.page(ball.neutral() * (1.0 + 1e-9)).html)["q"] == ball.neutral().tolist()
    for wrong in (2.0 * ball.neutral(), 0.0 * ball.neutral()):
        with pytest.raises(ch.ModelError, match=r"quaternion that is not of unit length: use robot.normalize\(q\)"):
            ball.page(wrong)


def test_a_robot_without_mass_is_shown_and_does_not_fall():
    """As those of many URDF files are."""
    with pytest.warns(ch.ModelWarning, match="its mass is zero"):
        bare = ch.Robot.from_screws([ch.screw([0, 0, 1])], [np.eye(4)], [ch.Link(0.0, [0.0, 0.0, 0.0])])
    assert "step" not in functions_of(bare.page().html)
    assert {"step", "torques"} <= functions_of(ARM.page().html)


def functions_of(text):
    """The robot's functions that a page has."""
    return set(re.findall(r"const (\w+) = \(\(\) => \{$", text, re.MULTILINE))


def test_what_cannot_be_shown_says_what_to_do():
    nothing = ch.load_text('name = "nothing"\nlinks = []\n', "toml")
    with pytest.raises(ch.ModelError, match=r"robot 'nothing' has no joints: .* robot.with_base\('free'\)"):
        nothing.page()
    mass = ch.symbols("m")
    symbolic = ch.Robot.from_screws([ch.screw([0, 1, 0])], [np.eye(4)], [ch.Link(mass, [0, 0, -1])])
    with pytest.raises(ch.ModelError, match=r"page: .* has the symbols m, .*robot.with_values\(m=\.\.\.\)"):
        symbolic.page()
    with pytest.raises(ch.ModelError, match="'particle' is no robot, and has no links to show: plot its motion"):
        ch.LagrangianSystem(1, lambda q, qd: qd @ qd, name="particle").page()
    with pytest.raises(ch.ModelError, match="meshes must be True or False"):
        ARM.page(meshes="no")
    with pytest.raises(ch.ModelError, match=r"folders\[0\] must be a folder"):
        ARM.page(folders=["/nowhere"])
