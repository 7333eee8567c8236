"""Axes in three dimensions, in the style: parallel projection, equal scales, pale planes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from chasles.figures import HAIR, INK, PALE, SMALL, SOFT, TEXT

Array = NDArray[np.float64]
AZIMUTH, ELEVATION = -50.0, 22.0  # degrees: where pictures are seen from


def styled_solid(ax: Any) -> Any:
    """The axes with the style; `extended` gives them their limits."""
    ax.set_proj_type("ortho")
    ax.view_init(elev=ELEVATION, azim=AZIMUTH)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.line.set_color(SOFT)
        axis.line.set_linewidth(HAIR)
        axis._axinfo["grid"].update(color=PALE, linewidth=0.7 * HAIR)
        axis._axinfo["tick"].update(inward_factor=0.0, outward_factor=0.15, linewidth={True: HAIR, False: HAIR})
        axis.label.set_fontsize(TEXT)
        axis.label.set_color(INK)
    ax.tick_params(labelsize=SMALL, pad=-2, color=SOFT, labelcolor=INK)
    ax.title.set_fontsize(TEXT)
    ax.title.set_color(INK)
    return ax


def towards_eye(ax: Any) -> Array:
    """(3,) the direction from the picture to who looks at it."""
    elevation, azimuth = np.deg2rad(ax.elev), np.deg2rad(ax.azim)
    flat = np.cos(elevation)
    return np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])
