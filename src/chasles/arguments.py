"""Arguments of public functions, checked: what is wrong is named, with what was expected and what was given."""

from __future__ import annotations

from typing import Any

import numpy as np

from chasles.errors import ShapeError


def together(function: str, **vectors: Any) -> None:
    """Refuse vectors (..., k) whose leading axes do not broadcast."""
    shapes = {name: np.shape(x)[:-1] for name, x in vectors.items()}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError:
        said = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise ShapeError(f"{function}: the leading axes do not broadcast: {said}") from None


def real_vector(function: str, name: str, x: Any, size: int) -> np.ndarray:
    """An argument as an array (..., size) of numbers; what is none is refused as a kernel refuses it."""
    try:
        out = np.asarray(x)
    except ValueError:
        raise ShapeError(f"{function}: {name} is not a rectangular array") from None
    if out.dtype == object:
        raise ShapeError(f"{function}: {name} must be real numbers; of robots this large it cannot be traced")
    if not (np.issubdtype(out.dtype, np.number) or out.dtype == bool) or np.iscomplexobj(out):
        raise ShapeError(f"{function}: {name} must be real numbers, got {out.dtype}")
    if out.ndim < 1 or out.shape[-1] != size:
        raise ShapeError(f"{function}: {name} must have shape (..., {size}), got {out.shape}")
    return out.astype(float)
