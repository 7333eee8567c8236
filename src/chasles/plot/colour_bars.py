"""Colours of maps, and the bars beside them."""

from __future__ import annotations

from typing import Any

from chasles.figures.style import HAIR, INK, SMALL, SOFT, TEXT


def colour_map(scale: tuple[str, ...]) -> Any:
    """A scale of `chasles.colour_scales` as matplotlib takes it."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("chasles", scale)


def colour_bar(ax: Any, image: Any, text: str, extend: str = "neither") -> Any:
    """A bar of the image's colours at the right of its axes. extend: where values go beyond its ends."""
    bar = ax.figure.colorbar(image, ax=ax, extend=extend, fraction=0.05, pad=0.03)
    bar.solids.set_rasterized(True)  # as an image: hundreds of quads show seams
    bar.outline.set_linewidth(HAIR)
    bar.outline.set_edgecolor(SOFT)
    bar.ax.tick_params(labelsize=SMALL, width=HAIR, length=2.5, color=SOFT, labelcolor=INK)
    bar.ax.yaxis.get_offset_text().set_fontsize(SMALL)
    bar.set_label(text, fontsize=TEXT, color=INK, parse_math=False)
    return bar
