"""CONTRIBUTING.md: its picture of the layers has every room, and its recipes, followed to the letter, work."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
BLOCK = re.compile(
    r"```python\n# (?P<file>\S+), (?P<how>new|before: |after: )(?P<line>[^\n]*)\n(?P<code>.*?)```", re.DOTALL
)
COMMAND = re.compile(r"```console\n\$ pytest -n 0 (.*)\n```")


def test_the_picture_has_every_room_in_the_order_of_the_contract() -> None:
    picture = TEXT.split("```\ncli ")[1].split("```")[0]
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]
    layers = [re.findall(r"\w+", layer) for layer in contract["layers"] if "(" not in layer]
    drawn = [line[:44].replace("-", "") for line in f"cli {picture}".splitlines()]
    place = {room: k for k, line in enumerate(drawn) for room in re.findall(r"\w+", line)}
    rooms = {path.name.removesuffix(".py") for path in (ROOT / "src" / "chasles").iterdir() if path.name[0] != "_"}
    assert rooms - {"py.typed"} <= {*place, "lazy", "system"}
    order = [place[room] for layer in layers for room in layer if room in place]
    assert order == sorted(order)


def test_the_architecture_has_the_same_picture_and_names_what_is_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert '--8<-- "CONTRIBUTING.md:layers"' in page
    assert re.search(r"\[start:layers\] -->\n```\ncli .*?```\n<!-- --8<-- \[end:layers\]", TEXT, re.DOTALL)
    tops = ("", "src/chasles", "src/chasles/backend", "src/chasles/dynamics", "src/chasles/graph")
    for name in re.findall(r"`((?:[\w.]+/)*\w+\.py|(?:\w+/)+)`", page):
        assert any((ROOT / top / name).exists() for top in (*tops, "src/chasles/backend/host")), name


def test_files_that_recipes_name_are_there() -> None:
    blocks = list(BLOCK.finditer(TEXT))
    assert len(blocks) >= 12 and len(COMMAND.findall(TEXT)) == 5
    for block in blocks:
        path = ROOT / block["file"]
        assert path.exists() != (block["how"] == "new"), block["file"]
        if block["how"] != "new":
            assert path.read_text().count(block["line"]) == 1, block["line"]
    for name in re.findall(r"`((?:[\w.]+/)+\w+\.(?:py|md))`", TEXT):
        new = any(name in block["file"] for block in blocks)
        assert new or any((ROOT / top / name).exists() for top in ("", "src/chasles")), name


@pytest.mark.slow
def test_recipes_followed_to_the_letter(tmp_path: Path) -> None:
    for part in ("src", "tests", "pyproject.toml"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tmp_path / part)
    for block in BLOCK.finditer(TEXT):
        path, line = tmp_path / block["file"], block["line"]
        if block["how"] == "new":
            path.parent.mkdir(exist_ok=True)
            path.write_text(block["code"])
        else:
            before, after = path.read_text().split(line)
            code, gap = block["code"].rstrip("\n"), "\n\n" if block["code"].startswith(" ") else "\n\n\n"
            code = code + gap + line if block["how"] == "before: " else line + "\n" + code
            path.write_text(before + code + after)
    commands = [word for command in COMMAND.findall(TEXT) for word in command.split()]
    chosen = [name for name in dict.fromkeys(commands) if name != "tests/catalogue"]  # which takes minutes
    run = [sys.executable, "-m", "pytest", "-n", "2", "-q", *chosen]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-5000:]
