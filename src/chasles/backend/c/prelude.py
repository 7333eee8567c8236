"""Functions that C files carry where they need them: random and normal numbers, bit for bit those of scalar/."""

from __future__ import annotations


def needed_by(text: str, dtype: str) -> str:
    """What a text calls of it."""
    return ""  # none yet
