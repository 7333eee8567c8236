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
