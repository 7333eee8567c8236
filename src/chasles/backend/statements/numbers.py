"""Numbers as text."""

from __future__ import annotations

import numpy as np


def rounded(x: float, dtype: str) -> float:
    """The nearest number of this type."""
    with np.errstate(over="ignore"):
        return float(np.dtype(dtype).type(x))


def shortest(x: float, dtype: str) -> str:
    """The shortest decimal that is read as the same number of this type, x finite and of it: "0.1", "2.0", "1e-07"."""
    return repr(float(x)) if dtype == "float64" else repr(float(str(np.float32(x))))
