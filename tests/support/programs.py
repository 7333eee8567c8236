"""Programs that are no wheels: tests that need them carry the marker `system`, and are skipped where one is missing."""

import shutil
from typing import Any

import pytest


def needs(*programs: str) -> Any:
    """A mark for tests that run these."""
    missing = [program for program in programs if not shutil.which(program)]
    return pytest.mark.skipif(bool(missing), reason=f"not on PATH: {', '.join(missing)}")
