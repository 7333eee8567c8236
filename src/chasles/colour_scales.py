"""Colour scales of maps, in reports, pictures and terminals: colours that people with any colour vision tell apart.

    colour(x) = linear between the stops of a scale, which are at equal distances from x = 0 to x = 1

SIZES, for what has no sign, is cividis; SIGNED, with zero in the middle, goes from blue to vermillion.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZES = (
    *("#00224e", "#123570", "#3b496c", "#575d6d", "#707173"),
    *("#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"),
)
SIGNED = ("#00446b", "#0072b2", "#6db3d9", "#f4f4f4", "#f0a878", "#d55e00", "#7a3600")
UNKNOWN = "#8c9197"  # where there is no value


def coloured(x: Any, scale: tuple[str, ...]) -> NDArray[np.uint8]:
    """(..., 3) red, green and blue, each 0 to 255, of numbers (...) from 0 to 1; those beyond are as these ends."""
    places = np.linspace(0.0, 1.0, len(scale))
    channels = [np.interp(np.asarray(x, dtype=float), places, channel) for channel in _channels(scale)]
    return np.stack(channels, axis=-1).round().astype(np.uint8)


@cache
def _channels(scale: tuple[str, ...]) -> NDArray[np.float64]:
    """(3, stops)."""
    return np.array([[int(stop[k : k + 2], 16) for stop in scale] for k in (1, 3, 5)], dtype=float)
