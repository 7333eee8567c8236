"""Every example runs, quietly, and draws what it is about."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
LONG = ("05", "06", "07", "08", "09", "10", "11", "13", "14")  # run with all others where the site is built
QUICKLY = Path(__file__).parent / "support" / "quickly.py"


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 11


def test_every_worked_example_is_shown() -> None:
    """By its id, in what an example prints."""
    ids = re.findall(r"^\| (EX-\w+) \|", (ROOT / "docs" / "equations.md").read_text(), re.MULTILINE)
    assert len(ids) >= 11
    printed = {which for path in EXAMPLES for which in re.findall(r"\"(EX-\w+) ", path.read_text())}
    assert not set(ids) - printed


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_draws_in_a_process_of_its_own(path: Path, tmp_path: Path) -> None:
    """It writes its picture, and nothing else."""
    picture = tmp_path / "picture.svg"
    command = [sys.executable, "-W", "error", QUICKLY, path, picture]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout and "nan" not in done.stdout and not done.stderr
    assert [*tmp_path.iterdir()] == [picture] and picture.read_text().count("<text") > 5


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.name[:2] not in LONG], ids=lambda p: p.stem)
def test_example(path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """In this process, where kernels of other tests are at hand; warnings are errors here too."""
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    printed = capfd.readouterr()
    assert printed.out and "nan" not in printed.out and not printed.err
