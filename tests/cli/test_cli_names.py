"""Names as people write them: with brackets, with letters that the terminal has not, and long ones."""

import errno
import os
import re
import signal
import subprocess
import sys

import pytest
from rich.table import Table
from typer.testing import CliRunner

from chasles.cli.app import app
from chasles.cli.screen import console, reported

SLOW = pytest.mark.slow
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


WIDTHS = ["20", *(pytest.param(x, marks=SLOW) for x in ("0", "1", "80", "120", "-3", "wide"))]


@pytest.mark.parametrize("columns", WIDTHS)
def test_names_and_numbers_are_whole_at_any_width(columns, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    names = [f"gripper_right_fingertip_{k}_link" for k in range(4)]
    file = write(tmp_path / "a.toml", names, "gripper_right_motor_double_{}_joint")
    result = CliRunner().invoke(app, ["info", file])
    assert result.exit_code == 0, (result.output, result.exception)
    assert "\N{HORIZONTAL ELLIPSIS}" not in result.stdout
    for name in names:
        joint = f"gripper_right_motor_double_{name}_joint"
        (row,) = [line for line in result.stdout.splitlines() if line.startswith(f"{joint} ")]
        assert " R " in row and "-1.235 " in row and "2.346 " in row
        assert f"\n{name} " in result.stdout and re.search(rf"frames.*[ ,]{name},", result.stdout, re.DOTALL)


@pytest.mark.parametrize("columns", ["0", "20", pytest.param("1", marks=SLOW)])
@pytest.mark.parametrize("command", ["list", "info", *(pytest.param(x, marks=SLOW) for x in ("geometry", "bench"))])
def test_narrow_screens(command, columns, monkeypatch):
    """Nothing is cut: at most the lines are longer than the screen. A width of 0 is none."""
    monkeypatch.setenv("COLUMNS", columns)
    options = {"geometry": ["--size", "4"], "bench": ["--rounds", "1", "--batch", "16"]}.get(command, [])
    result = CliRunner().invoke(app, [command, *([] if command == "list" else ["planar_2r"]), *options])
    assert result.exit_code == 0, (result.output, result.exception)
    assert "\N{HORIZONTAL ELLIPSIS}" not in result.stdout
    words = {"list": ["spherical_pendulum", "description"], "info": ["joint2"], "bench": ["inverse_dynamics", "ratio"]}
    for word in words.get(command, ["christoffel_symbols", "over joint1"] if columns == "0" else ["joint1"]):
        assert word in result.stdout
    longest = max(map(len, result.stdout.splitlines()))
    assert longest > 80 if columns == "0" else longest <= 90


def test_a_wide_table_does_not_widen_what_follows(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "20")
    screen = console()
    table = Table(box=None, pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_row(30 * "x")
    screen.print(table)
    screen.print("some words that need more than one line", 25 * "y")
    lines = capsys.readouterr().out.split("\n")
    assert 30 * "x" in lines[1] and lines[2].startswith("some words") and len(lines[2]) <= 26 and 25 * "y" in lines


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="a system without SIGPIPE")
@pytest.mark.parametrize("command", ["list", *(pytest.param(x, marks=SLOW) for x in ("list --json", "info planar_2r"))])
def test_a_reader_that_has_enough(command):
    """As `chasles list | head -1`: it ends by the signal that ends other programs, and says nothing."""
    arguments = [sys.executable, "-m", "chasles", *command.split()]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(arguments, stdout=closed, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == -signal.SIGPIPE and done.stderr == ""


def test_a_closed_pipe_where_there_is_no_signal_is_no_mistake_of_ours():
    @reported
    def command():
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    with pytest.raises(BrokenPipeError):
        command()
