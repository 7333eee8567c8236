"""The README says what happens."""

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_examples_print_what_it_says() -> None:
    """Each block after the one before; what stands below a block is what it prints."""
    blocks = re.findall(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", README, re.S)
    code, printed = ("".join(side) for side in zip(*blocks, strict=True))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert printed and done.stdout == printed


def test_its_first_command_is_one_that_ci_runs() -> None:
    """From the wheel, in a fresh environment."""
    commands = re.findall(r"^\$ (.*)$", README, re.MULTILINE)
    install, _, command = commands[0].partition(" && ")
    assert install == "pip install ." and command == "chasles report panda"
    ran = (Path(__file__).parent.parent / ".ci" / "run").read_text()
    assert f'/bin/chasles" {command.removeprefix("chasles ")})' in ran
