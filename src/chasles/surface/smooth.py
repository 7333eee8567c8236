"""Roots and unit vectors that are finite at zero, with their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

SMALLEST_SQUARE = 1e-30  # below it a square counts as this


def safe_sqrt(square: Any) -> Any:
    """The square root, finite with its derivatives at zero."""
    return np.sqrt(np.maximum(square, SMALLEST_SQUARE))


def unit(x: Any) -> Any:
    """(3,) of length one; zero, and not nan, where x is."""
    return x / safe_sqrt(x @ x)


def stop_gradient(x: Any) -> Any:
    """x to 1e-12, and no derivative: what Newton's last steps start from."""
    return np.floor(x * 2.0**40) * 2.0**-40
