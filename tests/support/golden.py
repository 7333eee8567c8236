"""Golden files: texts that are emitted, to the letter."""

import difflib
import os
from pathlib import Path

import pytest


def as_before(path: Path, emitted: str, command: str) -> bool:
    """Whether a golden file holds what is emitted; failing raises, with the difference. command: writes it anew."""
    if os.environ.get("CHASLES_GOLDEN") == "write":
        path.write_text(emitted, "utf-8", newline="\n")
    golden = path.read_text("utf-8") if path.exists() else ""
    if emitted != golden:
        lines = difflib.unified_diff(golden.splitlines(), emitted.splitlines(), path.name, "emitted", lineterm="", n=1)
        difference = "\n".join(list(lines)[:40])
        pytest.fail(f"other text is emitted than {path.name} holds; where that is meant: {command}\n{difference}")
    return True
