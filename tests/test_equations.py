"""The page of equations: every id has its place, every tag of the source is on the page, and the page is up to date."""

import importlib.util
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "docs" / "tools" / "equations.py"

spec = importlib.util.spec_from_file_location("equations", SCRIPT)
assert spec and spec.loader
equations = importlib.util.module_from_spec(spec)
spec.loader.exec_module(equations)

PAGE = equations.PAGE.read_text()
ON_PAGE = [id for _, ids, _ in equations.rows(PAGE) for id in ids]
tagged = cache(equations.tagged)  # reads all sources, for half a second: not where tests are collected


def test_the_page_is_what_the_script_makes() -> None:
    assert equations.render(PAGE) == PAGE, "run: python docs/tools/equations.py"


def test_every_id_is_there_once() -> None:
    assert len(ON_PAGE) == len(set(ON_PAGE)) >= 154


@pytest.mark.parametrize("id", ON_PAGE)
def test_every_id_is_computed_somewhere_or_a_reason_is_given(id: str) -> None:
    functions = [name for name, _ in tagged().get(id, ()) if name]
    assert bool(functions) != (id in equations.NOT_COMPUTED), functions


def test_every_tag_of_the_source_is_on_the_page() -> None:
    assert not set(tagged()) - set(ON_PAGE)
    assert not set(equations.NOT_COMPUTED) - set(ON_PAGE)


def test_places_are_where_the_page_says() -> None:
    for id, places in tagged().items():
        for name, file in places:
            text = (ROOT / file).read_text()
            family, number = id.split("-")
            assert f"{family}-" in text and number in text
            assert not name or f" {name.rpartition('.')[2]}" in text


def test_tags_are_read() -> None:
    assert list(equations.ids_of("NE-1")) == ["NE-1"]
    assert list(equations.ids_of("RED-2,6, CF-3")) == ["RED-2", "RED-6", "CF-3"]
    assert list(equations.ids_of("RED-11a,11b")) == ["RED-11a", "RED-11b"]
    assert (
        list(equations.ids_of("SE3-8..10")) == list(equations.ids_of("SE3-8 to SE3-10")) == ["SE3-8", "SE3-9", "SE3-10"]
    )


def test_a_tag_names_the_function_of_its_equation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a function that function, beside a number the functions that have it in a comment, else in a docstring."""
    file = tmp_path / "part.py"
    file.write_text(
        '"""Equations.\n\n    a = b   (1)  [AB-1]\n    c = d   (2)  [AB-2,3]\n\nRead [AB-4].\n"""\n\n'
        "def first():\n    return 1  # (1)\n\n"
        'class Second:\n    def third(self):\n        """c of (2)."""\n\n'
        '    def fourth(self):\n        """[AB-5]"""\n'
    )
    monkeypatch.setattr(equations, "ROOT", tmp_path)
    found = {(id, name) for id, (name, _) in equations.places(file)}
    assert found == {
        ("AB-1", "first"),
        ("AB-2", "Second.third"),
        ("AB-3", "Second.third"),
        ("AB-4", ""),
        ("AB-5", "Second.fourth"),
    }
