"""Arrays in the data of a page: base64 of little-endian numbers, a quarter of the size of their decimal digits."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Literal

import numpy as np


def encoded(x: Any, dtype: Literal["float32", "float64", "uint16", "uint32"] = "float64") -> dict[str, str]:
    """An array, row by row: {"float64": base64}; base.js reads it by `decoded`."""
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(x, dtype=np.dtype(dtype).newbyteorder("<"))
    return {dtype: b64encode(rows.tobytes()).decode("ascii")}
