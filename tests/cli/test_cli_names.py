"""Names as people write them: with brackets, with letters that the terminal has not, and long ones."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from chasles.cli.app import app

NAMES = ["fin[left]", "fin[/x]", ":smile: [bold]"]


def write(path, names, joint="j {}"):
    links = "".join(
        f"""
[[links]]
name = "{name}"
home = {{position = [{k}.123456, -0.987654, 0.1234567]}}
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[links.joint]
name = "{joint.format(name)}"
type = "revolute"
axis = [0, {k % 2}, 1]
point = [0.123456, 0, {k}.98765]
lower = -1.23456
upper = 2.34567
"""
        for k, name in enumerate(names)
    )
    path.write_text(f'name = "a [robot]"\ndescription = "with [/brackets]"\n{links}', encoding="utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def plain_pipe(monkeypatch):
    """No width asked for, whatever runs the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.mark.parametrize("command", ["info", "geometry", "bench"])
def test_brackets(command, tmp_path):
    file = write(tmp_path / "a.toml", NAMES)
    options = {"geometry": ["--size", "4"], "bench": ["--rounds", "1", "--batch", "16"]}.get(command, [])
    result = CliRunner().invoke(app, [command, file, *options])
    assert result.exit_code == 0, (result.output, result.exception)
    assert "a [robot]" in result.stdout
    if command == "info":
        assert "with [/brackets]" in result.stdout
        for name in NAMES:
            assert f"j {name} " in result.stdout and f"\n{name} " in result.stdout
    if command == "geometry":
        assert "over j fin[" in result.stdout


def test_brackets_in_a_mistake(tmp_path):
    result = CliRunner().invoke(app, ["geometry", write(tmp_path / "a.toml", NAMES), "--joints", "[/x]", "1"])
    assert result.exit_code == 1 and "'[/x]'" in result.stderr


def test_letters_that_the_output_has_not(tmp_path):
    file = write(tmp_path / "a.toml", ["Glied_\u00fc", "\u95a2\u7bc0"])
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    arguments = [sys.executable, "-m", "chasles", "info", file]
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Glied_?" in done.stdout and not done.stderr


@pytest.mark.parametrize("columns", ["80", "120"])
def test_numbers_are_whole_beside_long_names(columns, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    names = [f"gripper_right_fingertip_{k}_link" for k in range(4)]
    file = write(tmp_path / "a.toml", names, "gripper_right_motor_double_{}_joint")
    result = CliRunner().invoke(app, ["info", file])
    assert result.exit_code == 0, (result.output, result.exception)
    assert "\N{HORIZONTAL ELLIPSIS}" not in result.stdout
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= int(columns)
    rows = [line for line in lines if line.startswith("gripper_righ") and " R " in line]
    assert len(rows) == 4 and all("-1.235 " in row and "2.346 " in row for row in rows)
