"""The pages of docs/ with examples: each block runs after the one before, and prints what stands below it."""

import contextlib
import io
import re
import runpy
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import pytest
from support import result_types

import chasles
from chasles import backend, web_page
from chasles.scalar.operations import OPERATIONS

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", re.DOTALL)


PAGES = {
    "seeing.md": 7,
    "geometry.md": 4,
    "task_space.md": 6,
    "formulations.md": 5,
    "constraints.md": 12,
    "index.md": 1,
    "robots.md": 1,
    "symbols.md": 5,
    "reading.md": 7,
    "inverse_kinematics.md": 4,
    "paths.md": 4,
    "simulation.md": 5,
    "pictures.md": 6,
    "rollouts.md": 7,
    "methods.md": 5,
    "program.md": 3,
    "loops.md": 4,
    "export.md": 2,
    "architecture.md": 1,
}  # and how many blocks, at least
LONG = ("constraints.md", "geometry.md", "methods.md", "paths.md", "rollouts.md", "seeing.md", "task_space.md")
# run where the site is built: `pytest -m slow tests/test_docs.py`


@pytest.mark.parametrize(
    ("page", "count"),
    [pytest.param(*item, marks=[pytest.mark.slow] if item[0] in LONG else []) for item in PAGES.items()],
)
def test_examples(page: str, count: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(backend, "BACKENDS", dict(backend.BACKENDS))  # a page may register its own
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)  # or write files,
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(web_page, "opened", lambda path, insisted: path.is_file())  # and show them
    names: dict[str, object] = {}
    blocks = BLOCK.findall((DOCS / page).read_text())
    assert len(blocks) >= count
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue().rstrip() == expected.rstrip(), code


def test_the_pictures_are_there_and_small() -> None:
    page = (DOCS / "pictures.md").read_text()
    shown = re.findall(r"!\[[^]]+\]\((\S+)\)", page)
    assert len(shown) >= 6 and {f"images/{file.name}" for file in (DOCS / "images").iterdir()} == set(shown)
    for file in shown:
        text = (DOCS / file).read_text()
        assert "<text" in text and len(text) < 60_000, f"{file}: {len(text)} bytes"


def in_the_reference() -> list[object]:
    found = []
    for entry in re.findall(r"^::: (\S+)$", (DOCS / "reference.md").read_text(), re.MULTILINE):
        module, _, name = entry.rpartition(".")
        found.append(getattr(import_module(module), name, None) or import_module(entry))
    return found


def test_the_reference_has_every_public_name() -> None:
    documented = in_the_reference()
    errors = vars(import_module("chasles.errors")).values()
    for name in chasles.__all__:
        value = getattr(chasles, name)
        assert any(value is x for x in (*documented, *errors)), name


def test_every_class_of_results_is_exported_and_in_the_reference() -> None:
    """Whatever a public method is annotated to return can be named, and has its place in the reference."""
    exported = [getattr(chasles.results, name) for name in chasles.results.__all__]
    documented = in_the_reference()
    found = result_types.results()
    assert len(found) > 30
    for kind, returned_by in found.items():
        assert kind in exported, f"{kind} is what {returned_by[0]} returns: export it in chasles.results"
        assert kind.__doc__, kind
    assert not [kind for kind in exported if kind not in documented]


def test_dir_lists_public_names_alone() -> None:
    assert dir(chasles) == sorted(chasles.__all__)
    assert not [name for name in dir(chasles) if name.startswith("_") or not hasattr(chasles, name)]


def test_the_table_of_operations_is_that_of_the_code() -> None:
    page = (DOCS / "program.md").read_text()
    lines = re.findall(r"^\| `(\w+)` \| ((?:number|condition)\b.*) \|$", page, re.MULTILINE)
    rows = [row for row in OPERATIONS.values() if row.traced]
    facts = [(", ".join(row.takes), row.gives, row.meaning, row.libm or "-", f"{row.cost:g}") for row in rows]
    assert lines == [(row.name, " | ".join(fact)) for row, fact in zip(rows, facts, strict=True)]


def test_every_source_that_is_cited_is_listed() -> None:
    listed = (DOCS / "equations.md").read_text().partition("## Sources")[2]
    texts = [*(DOCS.parent / "src").rglob("*.py"), *DOCS.glob("*.md")]
    cited = {tag for path in texts for tag in re.findall(r"\[[A-Z][A-Za-z]{3,}\d{4}\]", path.read_text())}
    assert len(cited) > 20 and not [tag for tag in sorted(cited) if tag not in listed]


def test_the_home_page_leads_to_every_other() -> None:
    home = (DOCS / "index.md").read_text()
    for page in DOCS.glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in home


def test_the_robots_that_a_page_shows_are_made_with_the_site() -> None:
    hook = runpy.run_path(str(DOCS / "tools" / "live_pages.py"))
    made = [make.__name__ for make in hook["PAGES"]]
    text = (DOCS / "seeing.md").read_text()
    assert re.findall(r'<iframe src="\.\./live/(\w+)\.html"', text) == made
    assert "tools/live_pages.py" in (DOCS.parent / "mkdocs.yml").read_text()


def test_names_that_are_imported_when_needed() -> None:
    code = "import chasles as ch; ch.conventions.swap_halves(range(6)); assert callable(ch.simulate)"
    code += "; assert ch.integrators.find('rk4').order == 4"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)
