"""The README says what happens."""

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text()


def test_the_example_prints_what_it_says() -> None:
    code, printed = re.search(r"```python\n(import numpy.*?)```\n\n```\n(.*?)```", README, re.S).groups()  # type: ignore
    rest = re.findall(r"```python\n((?!import numpy).*?)```", README, re.S)
    done = subprocess.run([sys.executable, "-c", code + "\n".join(rest)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout == printed
