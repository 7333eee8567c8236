"""TOML texts that are far larger when parsed: refused before, in little memory; and the lines of what is in a text."""

import contextlib
import time
import tracemalloc

import pytest

import chasles as ch
from chasles.errors import ModelError
from chasles.io import toml, toml_bounds
from chasles.io.toml_lines import Lines

DEEP = ".".join("a" * 20_000)
BOMBS = {
    "dotted key": (f"{DEEP} = 1", "<text>:1: a key of more than 16 parts"),
    "spaced and quoted": ("name = 'x'\n" + " . ".join(["'a'", '"b"'] * 9) + " = 1", "<text>:2: a key of more than 16"),
    "dotted header": (f"\n\n[{DEEP}]\n", "<text>:3: a key of more than 16 parts"),
    "dotted array": (f"[[{DEEP}]]\n", "<text>:1: a key of more than 16 parts"),
    "dotted key of an inline table": (f"x = {{{DEEP} = 1}}", "<text>:1: a key of more than 16 parts"),
    "keys": ("a=1\n" * 2_501, "more than 2,500 keys"),
    "dotted keys": ("a.b.c.d.e.f.g.h=1\n" * 300, "more than 2,500 keys"),
    "headers": ("[a]\n" * 1_300 + "a=1\n" * 1_300, "more than 2,500 keys"),
    "values": (f"a = [{'1,' * 20_001}]", "more than 20,000 values"),
    "size": (" " * (2**20 + 1), "more than 1 MiB"),
    "long key": ("a" * 200_000 + " = 1", r"unknown key 'aaaa.*\.\.\.; the keys are"),
}


def peak(call) -> tuple[float, float]:
    """Seconds and bytes that a call takes."""
    tracemalloc.start()
    start = time.perf_counter()
    try:
        call()
    finally:
        used = time.perf_counter() - start, float(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return used


@pytest.mark.parametrize("name", BOMBS)
def test_texts_that_swell_are_refused_in_little_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, message = BOMBS[name]
    for key, most in (("LARGEST_TEXT", 2**20), ("MOST_KEYS", 2_500), ("MOST_VALUES", 20_000)):
        assert most < getattr(toml_bounds, key) <= 2**24
        monkeypatch.setattr(toml_bounds, key, most)

    def load() -> None:
        with pytest.raises(ModelError, match=message) as error:
            ch.load_text(text, "toml")
        assert len(str(error.value)) < 400

    seconds, size = peak(load)
    assert size < 40 * len(text) + 10**6 and seconds < 10.0


def test_files_are_bounded_as_texts_are(tmp_path) -> None:
    file = tmp_path / "deep.toml"
    file.write_text(f"{DEEP} = 1", encoding="utf-8")
    with pytest.raises(ModelError, match=r"deep.toml:1: a key of more than 16 parts"):
        ch.load(file)


@pytest.mark.parametrize("text", ['"\\', '"""\\"""', "'''''", '""', "a.b ", "#'", "a" * 40 + " ", "\n[", '"a".'])
def test_time_and_memory_grow_with_the_text_alone(text: str) -> None:
    """Whatever is not closed, escaped or begun again and again."""
    long = text * (30_000 // len(text))

    def look() -> None:
        with contextlib.suppress(ModelError):
            toml_bounds.check(long, "a")

    seconds, size = peak(look)
    assert seconds < 5.0 and size < 40 * len(long)


def test_lines_take_little_memory() -> None:
    text = "".join(f"a.b{i}.c.d.e = '''\n{i}'''\n" for i in range(2_000)) + "last = 1"
    seconds, size = peak(lambda: Lines(text)(("last",)) == 4_001 or pytest.fail("another line"))
    assert seconds < 5.0 and size < len(text)


def test_strings_and_comments_are_no_keys() -> None:
    many = ".".join("a" * 100)
    text = "".join(x for x in toml.write(ch.load("planar_2r").mechanism).splitlines(True) if "scription" not in x)
    said = [f'# {many}\ndescription = """\n{many} = 1\n"""', f"description = '{many}'", f'description = "\\"{many}"']
    for line in said:
        assert ch.load_text(f"{line}\n" + text, "toml").n == 2


PLACED = '''
a = 1  # b = 2
"quoted key".x = [
    1, # ] c = 3
    "]",
]
text = """
d = 1
\\""" ["""
e.f = {g = 1, h = [
    {i = 2}]}
[t . u]
v = 'w'
[[rows]]
x = 1
[rows.inner]
y = 1
[[rows]]
z = "="
[[rows.deep]]
[[rows.deep]]
k = 0
[last]'''
LINES = {
    ("a",): 2,
    ("b",): 1,
    ("quoted key", "x"): 3,
    ("c",): 1,
    ("text",): 7,
    ("d",): 1,
    ("e",): 10,
    ("e", "f", "h", 0, "i"): 10,
    ("t", "u"): 12,
    ("t", "u", "v"): 13,
    ("t", "other"): 12,
    ("rows",): 14,
    ("rows", 0): 14,
    ("rows", 0, "x"): 15,
    ("rows", 0, "inner", "y"): 17,
    ("rows", 0, "inner", "other"): 16,
    ("rows", 1): 18,
    ("rows", 1, "z"): 19,
    ("rows", 1, "deep", 1, "k"): 22,
    ("last", "other"): 23,
    ("nowhere", "at", "all"): 1,
    (): 1,
}


@pytest.mark.parametrize("path", LINES)
def test_lines_of_keys(path) -> None:
    assert Lines(PLACED)(path) == LINES[path]
