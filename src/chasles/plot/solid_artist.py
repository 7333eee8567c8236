"""Solids on matplotlib's axes: one artist for all of them, painted from the farthest to the nearest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.path import Path
from mpl_toolkits.mplot3d import proj3d
from numpy.typing import NDArray

from chasles.figures import HAIR
from chasles.figures.solid_axes import towards_eye
from chasles.plot.solids import Piece, Solid, extent, pieces
from chasles.plot.views import EYES, extended, flat

Array = NDArray[np.float64]
Seen = Callable[[Array], list[Piece]]


class SolidArtist(PathCollection):
    """Shapes in axes of three dimensions, drawn anew where these are turned. seen: pieces by the eye's direction."""

    def __init__(self, seen: Seen) -> None:
        super().__init__([], capstyle="round", joinstyle="round")
        self.seen = seen

    def do_3d_projection(self) -> float:
        """The flat shapes as the axes are seen now; returns how far they are, as matplotlib asks."""
        axes: Any = self.axes
        seen = self.seen(towards_eye(axes))
        depths = []
        paths = []
        for piece in seen:
            a, b, c = piece.points.T
            x, y, z = proj3d.proj_transform(a, b, c, axes.get_proj())
            paths.append(Path(np.stack([x, y], axis=-1)))
            depths.append(float(np.min(z)))
        _painted(self, paths, seen)
        return min(depths, default=np.nan)


def draw(ax: Any, view: str, solids: Sequence[Solid], zorder: float = 2.0) -> None:
    """Solids on axes of a view."""
    if solids:
        draw_seen(ax, view, partial(pieces, list(solids)), extent(solids), zorder)


def draw_seen(ax: Any, view: str, seen_from: Seen, box: Array, zorder: float) -> None:
    """Pieces on axes of a view, that depend on the eye's direction. box: (..., 3) points around them."""
    if view == "3d":
        artist: Any = SolidArtist(seen_from)
    else:
        seen = seen_from(EYES[view])
        artist = PathCollection([], capstyle="round", joinstyle="round", transform=ax.transData)
        _painted(artist, [Path(np.stack(flat(piece.points, view), axis=-1)) for piece in seen], seen)
    artist.set_zorder(zorder)
    artist.set_in_layout(False)
    ax.add_collection(artist, autolim=False)
    extended(ax, box)


def _painted(artist: PathCollection, paths: list[Path], seen: list[Piece]) -> None:
    artist.set_paths(paths)
    artist.set_facecolor([_pale(piece.fill, piece.paleness, piece.opacity) for piece in seen])
    artist.set_edgecolor([_pale(piece.edge, 0.8 * piece.paleness, 1.0) for piece in seen])
    artist.set_linewidth([HAIR] * len(seen))


def _pale(colour: str | None, paleness: float, opacity: float) -> tuple[float, float, float, float]:
    if colour is None:
        return (0.0, 0.0, 0.0, 0.0)
    r, g, b = (x + paleness * (1.0 - x) for x in to_rgb(colour))
    return (r, g, b, opacity)
