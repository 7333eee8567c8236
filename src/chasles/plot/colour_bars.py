"""Colour bars beside maps."""

from __future__ import annotations

from typing import Any

from chasles.figures import HAIR, INK, SMALL, SOFT, TEXT


def colour_bar(ax: Any, image: Any, text: str, extend: str = "neither") -> Any:
    """A bar of the image's colours at the right of its axes. extend: where values go beyond its ends."""
    bar = ax.figure.colorbar(image, ax=ax, extend=extend, fraction=0.05, pad=0.03)
    bar.outline.set_linewidth(HAIR)
    bar.outline.set_edgecolor(SOFT)
    bar.ax.tick_params(labelsize=SMALL, width=HAIR, length=2.5, color=SOFT, labelcolor=INK)
    bar.ax.yaxis.get_offset_text().set_fontsize(SMALL)
    bar.set_label(text, fontsize=TEXT, color=INK, parse_math=False)
    return bar
