"""The pages of docs/ with examples: each block runs after the one before, and prints what stands below it."""

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", re.DOTALL)


@pytest.mark.parametrize("page", ["geometry.md"])
def test_examples(page: str) -> None:
    names: dict[str, object] = {}
    blocks = BLOCK.findall((DOCS / page).read_text())
    assert len(blocks) > 3
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue().rstrip() == expected.rstrip(), code
